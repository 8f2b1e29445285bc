# SPDX-License-Identifier: Apache-2.0
# Many runs: the same table and the same kept runs however many run at a time; a private copy of
# the directory for each; checks by the user.
cat >sum.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
static int sum;
static void *add(void *arg)
{
    int seen = sum;
    if (arg)
        sched_yield();
    sum = seen + 1;
    return arg;
}
int main(void)
{
    pthread_t t[3];
    int before = 0;
    FILE *f = fopen("count", "r+");
    if (fscanf(f, "%d", &before) != 1)
        return 9;
    rewind(f);
    fprintf(f, "%d\n", before + 1);
    fclose(f);
    fclose(fopen("left-behind", "w"));
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, add, i ? &sum : NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(sum > 1);
    printf("sum %d, run %d\n", sum, before);
    return sum == 3 ? 0 : 7;
}
END
"$HEDDLE" cc -g -pthread -o sum sum.c
echo 0 >count
explore() { "$HEDDLE" run --policy random --seed 3 --runs 60 "$@" -- ./sum; }
explore --jobs 1 --keep 2 >one || echo "exit $?"
mv sum.heddle one.heddle
explore --jobs 5 --keep 2 >five || echo "exit $?"
cmp one five
awk '{print $1, $2}' one
for run in one.heddle/runs/[0-9]*; do
    cmp "$run/schedule" "sum.heddle/runs/${run##*/}/schedule"
    cmp "$run/trace" "sum.heddle/runs/${run##*/}/trace"
done
test "$(ls one.heddle/runs)" = "$(ls sum.heddle/runs)"
cat count
test ! -e left-behind
echo "-- until"
explore --until fail | awk 'NR > 1 {n += $(NF - 4)} END {print (n > 0)}'
test "$(ls -A sum.heddle/runs | grep -c run-)" = 0
echo "-- checks"
explore --oracle 'grep -q "sum 3, run 0"' | awk 'NR > 1 {print $1, $2}'
echo "sum 3, run 0" >expected
explore --expect expected --jobs 2 | awk 'NR > 1 {print $1, $2}'
echo "-- in place"
"$HEDDLE" run --policy fifo --runs 5 --in-place -- ./sum | awk 'NR > 1 {print $1, $2, $3}'
cat count
"$HEDDLE" run --policy fifo --runs 2 --in-place --before-each 'echo 40 >count' -- ./sum >table || echo "exit $?"
cat count
"$HEDDLE" run --runs 2 --before-each 'exit 3' -- ./sum || echo "exit $?"
"$HEDDLE" run --runs 2 -- /bin/true || echo "exit $?"
echo "-- no policies"
"$HEDDLE" run --policy pcd:3 -- ./sum || echo "exit $?"
"$HEDDLE" run --policy pct:few -- ./sum || echo "exit $?"

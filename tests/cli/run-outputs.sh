# SPDX-License-Identifier: Apache-2.0
# What many runs printed: each text once, with the number of runs, whatever its bytes and however
# the runs ended.
cat >who.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order[2], count;
static void *come(void *arg)
{
    pthread_mutex_lock(&lock);
    order[count++] = *(int *)arg;
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(void)
{
    int names[2] = {1, 2};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, come, &names[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    if (order[0] == 2) {
        fputs("\"2\"\tfirst\\\n\xff", stdout);
        fflush(stdout);
        abort();
    }
    fputs("not this\n", stderr);
    return 0;
}
END
"$HEDDLE" cc -g -pthread -o who who.c
outputs() { "$HEDDLE" run --outputs "$@" >out 2>err || echo "exit $?"; sed '/^{/d' out >table; sed -n '/^{/,$p' out; cat err; }
echo "-- exhaustive"
outputs --policy exhaustive -- ./who
grep -c "^complete" table
echo "-- random: every run is counted, in an order that does not depend on the jobs"
outputs --runs 300 --jobs 1 -- ./who >one
outputs --runs 300 --jobs 3 -- ./who >three
cmp one three
grep '^{' one | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
print(len(rows), sum(r["count"] for r in rows), sorted(r["output"] for r in rows))'
echo "-- what stops at the first failure counts no further"
outputs --runs 300 --until fail -- ./who | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin if line[0] == "{"]
print([r["count"] for r in rows if r["output"]])'
echo "-- nothing is asked for, nothing is printed"
"$HEDDLE" run --runs 3 --policy fifo -- ./who | grep -c '^{' || true
"$HEDDLE" run --outputs -- ./who 2>&1 || echo "exit $?"

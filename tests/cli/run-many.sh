# SPDX-License-Identifier: Apache-2.0
# Many runs are copies of one waiting process, and the same runs as single ones; names of
# directories may hold what separates settings.
cat >count.c <<'END'
#include <pthread.h>
#include <stdio.h>
static int hits;
static void *hit(void *arg)
{
    hits++;
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, hit, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d hits\n", hits);
    return hits == 2 ? 0 : 3;
}
END
"$HEDDLE" cc -g -pthread -o count count.c
mkdir 'odd:name\here'
cd 'odd:name\here'
"$HEDDLE" run --policy rr --runs 50 -- ../count | awk '{print $1, $2, $3}'
"$HEDDLE" run --policy random --seed 7 -- ../count
cp -rL count.heddle/runs/last single
"$HEDDLE" run --policy random --seed 7 --runs 1 -- ../count >table
cmp single/trace count.heddle/runs/last/trace
cmp single/schedule count.heddle/runs/last/schedule
"$HEDDLE" replay count.heddle/runs/last

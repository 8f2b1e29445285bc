# SPDX-License-Identifier: Apache-2.0
# Threads that write while they wait in loops do not spin: they have to be switched, also by pct and below
# those that it has lowered before. A run that the time limit ends, and its replay, end at the same step.
"$HEDDLE" cc -O1 -w -pthread "$TOP/tests/programs/seqlock.c" -o seqlock
"$HEDDLE" run --policy pct:3 --runs 12 --jobs 2 -- ./seqlock 2>&1 | cut -c 1-35
# One that only looks gets its turn, although the other never stops writing.
cat > looks.c << 'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int rounds, stop;
static void *count(void *arg)
{
    while (!stop)
        rounds++;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, count, 0);
    for (int limit = 100; limit <= 300000; limit *= 50)
        while (rounds < limit)
            ;
    stop = 1;
    return pthread_join(t, 0);
}
END
"$HEDDLE" cc -O1 -w -pthread looks.c -o looks
for policy in fifo pct:3; do
    "$HEDDLE" run --policy $policy --timeout 30 --runs 6 --jobs 2 -- ./looks 2>&1 | cut -c 1-35
done
# One that gave way gets its turn again, although the other never waits.
cat > gives.c << 'END'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int stop;
static volatile long counted;
static void *count(void *arg)
{
    while (!stop)
        counted++;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, count, 0);
    sched_yield();
    stop = 1;
    return pthread_join(t, 0);
}
END
"$HEDDLE" cc -O1 -w -pthread gives.c -o gives
for policy in pos pct:3 random; do
    "$HEDDLE" run --policy $policy --timeout 30 --runs 6 --jobs 2 -- ./gives 2>&1 | cut -c 1-35
done
# One gives way until another waits: the other must come to that.
"$HEDDLE" cc -O1 -w -D_GNU_SOURCE -pthread "$TOP/tests/programs/rwlock-writer-first.c" -o first
"$HEDDLE" run --policy pos --timeout 30 --runs 6 --jobs 2 -- ./first 2>&1 | cut -c 1-35
cat > counts.c << 'END'
#include <pthread.h>
static volatile long counted[2];
static void *count(void *arg)
{
    for (;;)
        counted[(long)arg]++;
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, count, (void *)i);
    return pthread_join(t[0], 0);
}
END
"$HEDDLE" cc -O1 -w -pthread counts.c -o counts
for policy in fifo random pct:2; do
    "$HEDDLE" run --timeout 1 --policy $policy -- ./counts 2>&1 | grep -v ^replay > first
    "$HEDDLE" replay counts.heddle/runs/last > again 2>&1 || true
    cmp first again && head -n 1 first
done

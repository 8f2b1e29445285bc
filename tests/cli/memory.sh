# SPDX-License-Identifier: Apache-2.0
# A trace that is longer than its memory is predicted from whole (see files.sh).
cat >long.c <<'END'
#include <pthread.h>
static int late;
static volatile int steps[2];
static void *count(void *which)
{
    for (int i = 0; i < 60000; i++)
        *(volatile int *)which = i;
    late++;
    return NULL;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, (void *)&steps[0]);
    pthread_create(&b, NULL, count, (void *)&steps[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END
"$HEDDLE" cc long.c -o long
"$HEDDLE" run -- ./long
trace=long.heddle/runs/last/trace
"$HEDDLE" predict --memory 8 $trace || echo "exit $?"
"$HEDDLE" predict --memory 16 $trace 2>&1 | sed 's/ of [0-9]*:/ of N:/' | grep -o "race on 'late'\|not looked at.*"
"$HEDDLE" predict $trace 2>&1 | grep -o "race on 'late'\|not looked at.*"
# So is one with more threads than can know each other.
python3 - >wide.trace <<'END'
for i in range(4200):
    print(f'thread T{i}' + (f' parent T0 spawn {i - 1}' if i else '') + ' "t"')
    print(f'T0 create T{i}' if i else 'T0 start')
for i in range(1, 4200):
    print(f'T{i} exit')
END
"$HEDDLE" predict wide.trace 2>&1 | grep -o 'not looked at: events behind number.*'
# A check, and each of its runs, has as much as it is given: nothing follows from the end of one that took more.
"$HEDDLE" check --memory 16 -- ./long || echo "exit $?"
cat >large.c <<'END'
#include <pthread.h>
#include <string.h>
#include <stdlib.h>
static int late;
static void *count(void *arg)
{
    late++;
    for (;;) {
        char *more = malloc(1 << 20);
        memset(more, 1, 1 << 20);
    }
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END
"$HEDDLE" cc -O1 large.c -o large
"$HEDDLE" check --no-explore --symbolic=off --memory 256 --strict -- ./large >report || echo "exit $?"
grep -e 'not looked at: 256' -e 'no bug' report

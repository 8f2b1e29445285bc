# SPDX-License-Identifier: Apache-2.0
# limit: 3000
# SIGTERM and SIGINT end every command in every stage, within a second of the processor, with all processes that it
# started. A stage is where a command is after so much time of the processor, its children's included.
cat > long.c << 'P'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int flag[64];
static int n;
static void *work(void *arg)
{
    for (int i = 0; i < 20000; i++) {
        flag[i % 64]++;
        if (i % 64 == 0) {
            pthread_mutex_lock(&lock);
            n++;
            pthread_mutex_unlock(&lock);
        }
    }
    return arg;
}
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", n);
    return 0;
}
P
cat > forever.c << 'P'
volatile long n;
int main(void) { for (;;) n++; }
P
"$HEDDLE" cc -g -O1 -pthread long.c -o long
"$HEDDLE" cc -g -O1 forever.c -o forever
"$HEDDLE" cc -g -pthread "$TOP/examples/counter.c" -o counter
"$HEDDLE" cc -g -pthread "$TOP/examples/transfer.c" -o transfer
"$HEDDLE" run -- ./long > /dev/null
"$HEDDLE" run --runs 300 --policy pct:3 --until-fail -- ./transfer > /dev/null 2>&1 || true
"$HEDDLE" check -- ./counter > /dev/null || true
"$BUILD/bench/bench-predict" --make S.trace S 3e6
python3 "$HERE/stopped-commands.py" "$@"

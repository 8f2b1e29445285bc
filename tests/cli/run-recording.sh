# SPDX-License-Identifier: Apache-2.0
# What is recorded: everything, what is shared, hashes, calls; replays record the same.
cat > prog.c << 'END'
#include <pthread.h>
#include <stdlib.h>
enum { SIZE = 1000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter, before[SIZE], after[SIZE];
static long sum(const long *at)
{
    long total = 0;
    for (int i = 0; i < SIZE; i++)
        total += at[i];
    return total;
}
static void *work(void *arg)
{
    long *own = malloc(SIZE * sizeof *own);
    for (int i = 0; i < SIZE; i++)
        own[i] = after[i] = before[i]; /* all threads write `after` */
    pthread_mutex_lock(&lock);
    counter += sum(own);
    pthread_mutex_unlock(&lock);
    free(own);
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < SIZE; i++)
        before[i] = i;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return counter != SIZE * (SIZE - 1L) || sum(after) != SIZE * (SIZE - 1L) / 2;
}
END
heddle cc -O1 -pthread prog.c -o prog
tell() {
    heddle run "$@" -- ./prog
    heddle replay prog.heddle/runs/last
    echo "$*: $(heddle trace dump prog.heddle/runs/last/trace |
        awk '/^T/ { n[$2]++ }
             END { print n["read"], n["write"], n["enter"] + 0, n["external-write"] + 0 }')"
}
tell
tell --passes 2
tell --budget 0
tell --passes 1 --budget 0
tell --calls --passes 2
tell --no-values
heddle trace stat prog.heddle/runs/last/trace | grep -o 'values .*'
ls prog.heddle/runs/1 prog.heddle/runs/2
heddle run --passes 3 -- ./prog 2>&1 || echo "exit $?"
# A trace that is full holds what happens, but no more accesses; a replay stops there too.
sed -i 's/#define SIZE .*/#define SIZE 300000/; s/enum { SIZE = [0-9]* }/enum { SIZE = 300000 }/' prog.c
grep -o 'SIZE[ =]*300000' prog.c
heddle cc -O1 -pthread prog.c -o prog
tell --passes 1 --disk 1 | sed 's/[0-9]\{4,\}/many/g'
heddle trace dump prog.heddle/runs/last/trace | grep -c ' mark pause\|T0 join'
heddle predict prog.heddle/runs/last/trace 2>&1 | tail -n 1 | sed 's/[0-9]\{4,\}/many/g'

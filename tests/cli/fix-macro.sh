# SPDX-License-Identifier: Apache-2.0
# A function that takes a lock is called with it by a macro: what is not written there cannot be called otherwise.
cat >m.c <<'END'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, total;
static void flush_all(void)
{
    pthread_mutex_lock(&m);
    total += n;
    n = 0;
    pthread_mutex_unlock(&m);
}
#define F() flush_all()
static void push(int x)
{
    pthread_mutex_lock(&m);
    if (n > 3)
        F();
    n += x;
    pthread_mutex_unlock(&m);
}
static void *work(void *a)
{
    push(4);
    flush_all();
    return a;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    printf("%d\n", total);
    return total != 8;
}
END
"$HEDDLE" cc -g m.c -o m -pthread
"$HEDDLE" fix --rounds 2 -- ./m 2>/dev/null | grep -E "locked:|^\./m" || echo "exit $?"

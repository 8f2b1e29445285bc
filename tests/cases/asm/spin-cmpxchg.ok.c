// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A spin lock by lock cmpxchg, as older headers have it.
#include <pthread.h>
#include <stdio.h>

static int n, word;

static int cas(int *p, int old, int new)
{
    int seen;
    __asm__ __volatile__("lock; cmpxchg %2, %1;"
                         : "=a"(seen), "+m"(*(volatile int *)p)
                         : "r"(new), "0"(old)
                         : "memory");
    return seen;
}

static void lock(void)
{
    while (cas(&word, 0, 1) != 0)
        __asm__ __volatile__("rep; nop");
}

static void unlock(void)
{
    cas(&word, 1, 0);
}

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        lock();
        n++;
        unlock();
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", n);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A spin lock by inline assembly.
#include <pthread.h>
#include <stdio.h>

static int held, count;

static int swap(int *p, int old, int new)
{
    int was;
    __asm__ __volatile__("lock; cmpxchgl %2, %1"
                         : "=a"(was), "+m"(*(volatile int *)p)
                         : "r"(new), "0"(old)
                         : "memory", "cc");
    return was;
}

static void *add(void *arg)
{
    for (int i = 0; i < 2; i++) {
        while (swap(&held, 0, 1) != 0)
            __asm__ __volatile__("pause");
        count++;
        swap(&held, 1, 0);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", count);
    return count != 4;
}

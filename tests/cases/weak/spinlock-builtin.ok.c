// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A spin lock by the compiler's builtins; acquired and released.
#include <pthread.h>
#include <stdio.h>

static int held, total;

static void lock(void)
{
    int expected = 0;
    while (!__atomic_compare_exchange_n(&held, &expected, 1, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
        expected = 0;
}

static void unlock(void)
{
    __atomic_store_n(&held, 0, __ATOMIC_RELEASE);
}

static void *add(void *arg)
{
    lock();
    total += *(int *)arg;
    unlock();
    return NULL;
}

int main(void)
{
    int amounts[2] = {3, 4};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, &amounts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", total);
    return 0;
}

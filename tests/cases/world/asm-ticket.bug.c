// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// A ticket lock by xadd; the number that is served goes on before the work is done.
#include <pthread.h>
#include <stdio.h>

static volatile unsigned next_ticket, serving;
static int total;

static void enter(void)
{
    unsigned mine = 1;
    __asm__ __volatile__("lock; xaddl %0, %1"
                         : "+r"(mine), "+m"(next_ticket)
                         :
                         : "memory", "cc");
    while (__atomic_load_n(&serving, __ATOMIC_ACQUIRE) != mine)
        __asm__ __volatile__("pause" : : : "memory");
}

static void leave(void)
{
    __atomic_store_n(&serving, serving + 1, __ATOMIC_RELEASE);
}

static void *add(void *arg)
{
    enter();
    leave();
    total += 5; //~ here
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", total);
    return total != 10;
}

// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A lock by xchg with a plain store as unlock, as many kernels and libraries have it.
#include <pthread.h>
#include <stdio.h>

static volatile int held;
static int balance = 100;

static void enter(void)
{
    int was = 1;
    do {
        __asm__ __volatile__("xchgl %0, %1" : "+r"(was), "+m"(held) : : "memory");
        if (was)
            __asm__ __volatile__("rep; nop" : : : "memory");
    } while (was);
}

static void leave(void)
{
    __asm__ __volatile__("movl $0, %0" : "=m"(held) : : "memory");
}

static void *deposit(void *arg)
{
    enter();
    balance += 20; //~ here
    leave();
    return arg;
}

static void *withdraw(void *arg)
{
    enter();
    balance -= 20; //~ here
    leave();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, deposit, NULL);
    pthread_create(&b, NULL, withdraw, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", balance);
    return balance != 100;
}

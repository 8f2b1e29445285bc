// SPDX-License-Identifier: Apache-2.0
//~ expect: race A
// A value is published by a store and a flag, the flag first.
#include <pthread.h>
#include <stdio.h>

static int value, ready;

static void *one(void *unused)
{
    (void)unused;
    __asm__ __volatile__("movl %1, %0" : "=m"(ready) : "ir"(1) : "memory");
    __asm__ __volatile__("mfence" ::: "memory");
    value = 42; //~ A
    return NULL;
}

static void *two(void *unused)
{
    (void)unused;
    int seen;
    do {
        __asm__ __volatile__("pause" ::: "memory");
        __asm__ __volatile__("mov %1, %0" : "=r"(seen) : "m"(ready) : "memory");
    } while (!seen);
    __asm__ __volatile__("lfence" ::: "memory");
    printf("%d\n", value); //~ A
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The number of the own thread is read from what %fs leads to, as allocators do; each thread
// counts in a place of its own, and adds up under a lock.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;
static _Thread_local int mine;

static uintptr_t self(void)
{
    const uintptr_t offset = 0;
    void *value;
    __asm__("movq %%fs:%1, %0" : "=r"(value) : "m"(*(void **)offset));
    return (uintptr_t)value;
}

static uintptr_t again(void)
{
    uintptr_t value;
    __asm__ __volatile__("mov %%fs:0, %0" : "=r"(value)::"memory");
    return value;
}

static void *work(void *unused)
{
    uintptr_t number = self();
    for (int i = 0; i < 3; i++)
        mine += self() == number && again() == number;
    pthread_mutex_lock(&lock);
    n += mine;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", n);
    return n != 6;
}

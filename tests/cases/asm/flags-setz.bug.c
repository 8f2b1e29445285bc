// SPDX-License-Identifier: Apache-2.0
//~ expect: race A
// What the processor says about the exchange is taken from its flags.
// One access is outside of it.
#include <pthread.h>
#include <stdio.h>

#include <stdbool.h>
#include <stdint.h>
static int n;
static uint64_t word;

static bool cas(uint64_t *p, uint64_t old, uint64_t new)
{
    bool done;
    __asm__ __volatile__("lock cmpxchgq %3, %0; setz %1"
                         : "+m"(*p), "=a"(done)
                         : "a"(old), "q"(new)
                         : "memory", "cc");
    return done;
}

static bool cas_flag(uint64_t *p, uint64_t old, uint64_t new)
{
    bool done;
    __asm__ __volatile__("lock cmpxchgq %3, %0"
                         : "+m"(*p), "=@ccz"(done), "+a"(old)
                         : "q"(new)
                         : "memory", "cc");
    return done;
}

static void lock(void)
{
    while (!cas(&word, 0, 1))
        __asm__ volatile("pause");
}

static void unlock(void)
{
    if (!cas_flag(&word, 1, 0))
        __builtin_trap();
}

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        lock();
        n++; //~ A
        unlock();
        n++; //~ A
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

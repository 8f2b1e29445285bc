// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Two words at once: a lock and how often it was taken.
#include <pthread.h>
#include <stdio.h>

#include <stdint.h>
static int n;
static uint64_t word[2] __attribute__((aligned(16)));

static uint8_t cas(uint64_t old[2], uint64_t low, uint64_t high)
{
    uint8_t done;
    __asm__ __volatile__("movq 0(%4), %%rax;"
                         "movq 8(%4), %%rdx;"
                         "lock cmpxchg16b %0; setz %1;"
                         : "+m"(*word), "=q"(done)
                         : "b"(low), "c"(high), "q"(old)
                         : "memory", "cc", "%rax", "%rdx");
    return done;
}

static void lock(void)
{
    uint64_t old[2];
    do
        __asm__ __volatile__("movq %%rbx, %%rax; movq %%rcx, %%rdx; lock cmpxchg16b %2"
                             : "=&a"(old[0]), "=&d"(old[1]), "+m"(*word)
                             : "b"(0L), "c"(0L)
                             : "memory", "cc");
    while (old[0] || !cas(old, 1, old[1] + 1));
}

static void unlock(void)
{
    uint64_t old[2] = {1, 0};
    for (old[1] = 1; !cas(old, 0, old[1]); old[1]++)
        ;
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

// SPDX-License-Identifier: Apache-2.0
//~ expect: race A
// A lock in one bit: bts and sbb take it, btr gives it back.
// One access is outside of it.
#include <pthread.h>
#include <stdio.h>

static int n;
static unsigned long word[2];

static int taken(long bit)
{
    int was;
    __asm__ __volatile__("lock; btsl %2, %1\n\tsbbl %0, %0"
                         : "=r"(was), "+m"(word)
                         : "Ir"((int)bit)
                         : "memory");
    return was;
}

static void lock(void)
{
    while (taken(70))
        __builtin_ia32_pause();
}

static void unlock(void)
{
    unsigned char was;
    __asm__ __volatile__("lock btrq %2, %0; setc %1"
                         : "+m"(word), "=qm"(was)
                         : "r"(70L)
                         : "memory", "cc");
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

// SPDX-License-Identifier: Apache-2.0
//~ expect: race A
// A test-and-set lock by xchg on a byte, with a pause written as bytes.
// One access is outside of it.
#include <pthread.h>
#include <stdio.h>

static int n;
static volatile unsigned char word;

static int taken(void)
{
    unsigned char was = 1;
    __asm__ __volatile__("    lock    \n"
                         "    xchgb   %0,%1 \n"
                         : "+q"(was), "+m"(word)
                         :
                         : "memory", "cc");
    return was;
}

static void lock(void)
{
    while (taken())
        __asm__ __volatile__(".byte 0xf3, 0x90");
}

static void unlock(void)
{
    __asm__ __volatile__("movb $0, %0" : "=m"(word) : : "memory");
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

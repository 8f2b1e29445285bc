// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A ticket lock: lock xadd takes a number, a plain mov looks whose turn it is.
#include <pthread.h>
#include <stdio.h>

static int n;
static struct {
    unsigned next, serving;
} word;

static unsigned load(unsigned *p)
{
    unsigned value;
    __asm__ __volatile__("movl %1, %0" : "=q"(value) : "m"(*p) : "memory");
    return value;
}

static void lock(void)
{
    unsigned mine = 1;
    __asm__ __volatile__("lock xaddl %1, %0" : "+m"(word.next), "+q"(mine) : : "memory", "cc");
    while (load(&word.serving) != mine)
        __asm__ __volatile__("pause" ::: "memory");
}

static void unlock(void)
{
    __asm__ __volatile__("lock; incl %0" : "=m"(word.serving) : "m"(word.serving) : "memory");
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

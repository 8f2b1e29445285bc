// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The same lock in the other spelling, as -masm=intel has it.
#include <pthread.h>
#include <stdio.h>

static int n;
static long word;

static void lock(void)
{
    long was;
    for (;;) {
        __asm__ __volatile__("lock{ ; | }cmpxchg{q %2, %1| qword ptr %1, %2}"
                             : "=a"(was), "+m"(word)
                             : "r"(1L), "0"(0L)
                             : "memory", "cc");
        if (!was)
            return;
        __asm__ __volatile__("pause");
    }
}

static void unlock(void)
{
    __asm__ __volatile__("lock; and{q %1, %0| %0, %1}" : "+m"(word) : "er"(0L) : "memory");
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

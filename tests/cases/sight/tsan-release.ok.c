// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// What only __tsan_release and __tsan_acquire say: who sees the flag sees the value.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

void __tsan_acquire(void *object) __attribute__((weak));
void __tsan_release(void *object) __attribute__((weak));

static atomic_int there;
static long value;

static void *put(void *arg)
{
    value = 7; //~ here
    if (__tsan_release)
        __tsan_release(&there);
    atomic_store_explicit(&there, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, put, NULL);
    while (!atomic_load_explicit(&there, memory_order_relaxed))
        sched_yield();
    if (__tsan_acquire)
        __tsan_acquire(&there);
    long seen = value; //~ here
    pthread_join(t, NULL);
    return seen != 7 && seen != 8;
}

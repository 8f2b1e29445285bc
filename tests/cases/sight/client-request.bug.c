// SPDX-License-Identifier: Apache-2.0
//~ check: race
// The value is written once more behind the request to Valgrind's Helgrind that tells of it.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { BASE = ('H' << 24 | 'G' << 16) + 256, SEND = BASE + 33, RECEIVE = BASE + 34 };

static void request(unsigned long what, void *object)
{
    volatile unsigned long args[6] = {what, (unsigned long)object, 0, 0, 0, 0};
    volatile unsigned long result = 0;
    __asm__ volatile("rolq $3, %%rdi ; rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "=d"(result)
                     : "a"(&args[0]), "0"(result)
                     : "cc", "memory");
}

static atomic_int there;
static int value;

static void *produce(void *arg)
{
    value = 42; //~ here
    request(SEND, &there);
    atomic_store_explicit(&there, 1, memory_order_relaxed);
    value = 43; //~ here
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, produce, NULL);
    while (!atomic_load_explicit(&there, memory_order_relaxed))
        sched_yield();
    request(RECEIVE, &there);
    int seen = value; //~ here
    pthread_join(t, NULL);
    return seen != 42 && seen != 43;
}

// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// A spin lock that looks and takes in two steps: both may find it free.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int held;
static int count;

static void *add(void *arg)
{
    while (atomic_load(&held))
        sched_yield();
    atomic_store(&held, 1);
    count++; //~ here
    atomic_store(&held, 0);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", count);
    return count != 2;
}

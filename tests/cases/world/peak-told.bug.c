// SPDX-License-Identifier: Apache-2.0
//~ check: race/none
// How many were in at once is printed and depends on the schedule, as it may; who came last is
// written without a lock, and nobody's output depends on it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int in, most;
static int latest;

static void *visit(void *arg)
{
    int own = atomic_fetch_add(&in, 1) + 1, seen = atomic_load(&most);
    while (seen < own && !atomic_compare_exchange_weak(&most, &seen, own))
        ;
    latest = *(int *)arg; //~ here
    atomic_fetch_sub(&in, 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int one = 1, two = 2;
    pthread_create(&a, NULL, visit, &one);
    pthread_create(&b, NULL, visit, &two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("at most %d at once\n", atomic_load(&most));
    return latest == 0;
}

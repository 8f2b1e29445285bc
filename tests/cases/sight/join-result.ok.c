// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// pthread_join stores a result, and the thread that reads it is created behind it.
#include <pthread.h>
#include <stdint.h>

static void *result;

static void *compute(void *arg)
{
    return (void *)((intptr_t)arg * 2);
}

static void *report(void *arg)
{
    *(intptr_t *)arg = (intptr_t)result; //~ here
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    intptr_t seen = 0;
    pthread_create(&a, NULL, compute, (void *)21);
    pthread_join(a, &result); //~ here
    pthread_create(&b, NULL, report, &seen);
    pthread_join(b, NULL);
    return 0;
}

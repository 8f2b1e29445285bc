// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// __rdtsc() decides which way a thread takes, and both ways end in an access without a lock.
#include <pthread.h>
#include <stdio.h>
#include <x86intrin.h>

static int odd, even;

static void *work(void *arg)
{
    unsigned long long now = __rdtsc();
    if (now & 1)
        odd++, even--; //~ here
    else
        even++, odd--; //~ here
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", odd + even);
    return odd + even != 0;
}

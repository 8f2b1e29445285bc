// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// __rdtsc() decides which way a thread takes, both under the lock.
#include <pthread.h>
#include <stdio.h>
#include <x86intrin.h>

static int odd, even;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    unsigned long long now = __rdtsc();
    pthread_mutex_lock(&lock);
    if (now & 1)
        odd++, even--; //~ here
    else
        even++, odd--; //~ here
    pthread_mutex_unlock(&lock);
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

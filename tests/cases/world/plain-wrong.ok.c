// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// The sum is right in every schedule.
#include <pthread.h>
#include <stdio.h>

static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg)
{
    pthread_mutex_lock(&lock);
    for (int i = 1; i <= 3; i++)
        sum += i;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", sum);
    return sum != 12;
}

// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The group is counted where it is divided by.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int number = 1, sum = 10, result;

static void *mean(void *arg)
{
    pthread_mutex_lock(&m);
    if (number > 0)
        result = sum / number;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *leave(void *arg)
{
    pthread_mutex_lock(&m);
    sum -= 10;
    number--;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, mean, NULL);
    pthread_create(&t[1], NULL, leave, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(result >= 0);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//~ expect: division-by-zero A
// The mean of a group that the last member leaves in between.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int number = 1, sum = 10, result;

static void *mean(void *arg)
{
    pthread_mutex_lock(&m);
    int any = number > 0;
    pthread_mutex_unlock(&m);
    if (any) {
        pthread_mutex_lock(&m);
        result = sum / number; //~ A
        pthread_mutex_unlock(&m);
    }
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

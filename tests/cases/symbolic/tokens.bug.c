// SPDX-License-Identifier: Apache-2.0
//~ expect: assertion A
// A rate limiter asks first and takes later; below zero its byte wraps round.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned char tokens = 3;

static void *refill(void *arg)
{
    pthread_mutex_lock(&m);
    tokens += 3;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *take(void *arg)
{
    pthread_mutex_lock(&m);
    int enough = tokens >= 3;
    pthread_mutex_unlock(&m);
    if (enough) {
        pthread_mutex_lock(&m);
        tokens -= 3;
        assert(tokens < 100); //~ A
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, refill, NULL);
    pthread_create(&t[1], NULL, take, NULL);
    pthread_create(&t[2], NULL, take, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_join(t[2], NULL);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//~ expect: assertion A
// The largest number seen: the smaller one may be noted last.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int highest;

static void *low(void *arg)
{
    pthread_mutex_lock(&m);
    int was = highest;
    pthread_mutex_unlock(&m);
    if (was < 5) {
        pthread_mutex_lock(&m);
        highest = 5;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void *high(void *arg)
{
    pthread_mutex_lock(&m);
    int was = highest;
    pthread_mutex_unlock(&m);
    if (was < 9) {
        pthread_mutex_lock(&m);
        highest = 9;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, low, NULL);
    pthread_create(&t[1], NULL, high, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(highest == 9); //~ A
    return 0;
}

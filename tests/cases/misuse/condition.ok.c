// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// All are woken before the condition ends, and it begins anew.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c;
static int ready;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int round = 0; round < 2; round++) {
        pthread_cond_init(&c, NULL);
        ready = 0;
        for (int i = 0; i < 2; i++)
            pthread_create(&t[i], NULL, waiter, NULL);
        pthread_mutex_lock(&m);
        ready = 1;
        pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&m);
        for (int i = 0; i < 2; i++)
            pthread_join(t[i], NULL);
        pthread_cond_destroy(&c);
    }
    return 0;
}

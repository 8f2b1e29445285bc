// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The lock between setting and signalling lets the waiter get to sleep.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *waiter(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    while (!atomic_load(&ready))
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *signaller(void *unused)
{
    (void)unused;
    atomic_store(&ready, 1);
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, signaller, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

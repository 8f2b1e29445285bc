// SPDX-License-Identifier: Apache-2.0
//~ expect: lost-wakeup A B
// Nobody remembers that the signal came.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *waiter(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m); //~ A
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *signaller(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c); //~ B
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

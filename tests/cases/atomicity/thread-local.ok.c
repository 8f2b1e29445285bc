// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Detached threads come one after the other, and the later ones get the memory of those that
// have ended: their thread-local variables are at the same address, and others all the same.
#include <pthread.h>
#include <stdio.h>

static __thread int own;
static int data, alive = 3;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, am = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static int doubled(void)
{
    return own + (own && own % 2 == 0 ? 2 : 0);
}

static void *work(void *arg)
{
    own = (int)(long)arg;
    pthread_mutex_lock(&m);
    data = doubled();
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&am);
    alive--;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&am);
    return NULL;
}

int main(void)
{
    for (long i = 1; i <= 3; i++) {
        pthread_t t;
        pthread_create(&t, NULL, work, (void *)i);
        pthread_detach(t);
    }
    pthread_mutex_lock(&am);
    while (alive)
        pthread_cond_wait(&c, &am);
    pthread_mutex_unlock(&am);
    printf("%d\n", data);
    return 0;
}

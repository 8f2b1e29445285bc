// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// The locks are taken in both orders, but what the threads tell each other keeps them apart: a
// note, and no more.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int done, n;

static void *forth(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    n++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&gate);
    done = 1;
    pthread_mutex_unlock(&gate);
    return arg;
}

static void *back(void *arg)
{
    pthread_mutex_lock(&gate);
    int may = done;
    pthread_mutex_unlock(&gate);
    if (!may)
        return arg;
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    n++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, forth, NULL);
    pthread_create(&u, NULL, back, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}

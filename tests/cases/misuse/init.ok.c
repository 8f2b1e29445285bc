// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Initialised statically or once; in a block, and on a stack, that are used again.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t fixed = PTHREAD_MUTEX_INITIALIZER, made;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int n;

static void make(void)
{
    pthread_mutex_init(&made, NULL);
}

static void *local(void *arg)
{
    pthread_mutex_t *m = arg;
    pthread_mutex_lock(m);
    n++;
    pthread_mutex_unlock(m);
    return NULL;
}

static void call(void)
{
    pthread_mutex_t m;
    pthread_t t;
    pthread_mutex_init(&m, NULL);
    pthread_create(&t, NULL, local, &m);
    pthread_join(t, NULL);
}

static void *user(void *arg)
{
    pthread_once(&once, make);
    pthread_mutex_lock(&made);
    pthread_mutex_lock(&fixed);
    n++;
    pthread_mutex_unlock(&fixed);
    pthread_mutex_unlock(&made);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, user, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 3; i++) {
        pthread_mutex_t *m = malloc(sizeof *m);
        pthread_mutex_init(m, NULL);
        pthread_create(&t[0], NULL, local, m);
        pthread_join(t[0], NULL);
        free(m);
        call();
    }
    return 0;
}

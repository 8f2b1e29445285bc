// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A thread lends its thread-local variable to another one, and waits until it is given back;
// later threads get the same memory, and do the same.
#include <pthread.h>
#include <stddef.h>

static __thread int own;
static int *lent;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *lends(void *arg)
{
    pthread_mutex_lock(&m);
    lent = &own;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    while (lent)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    own++;
    return arg;
}

static void *borrows(void *arg)
{
    pthread_mutex_lock(&m);
    while (!lent)
        pthread_cond_wait(&c, &m);
    int *p = lent;
    pthread_mutex_unlock(&m);
    *p += 1;
    pthread_mutex_lock(&m);
    lent = NULL;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        pthread_t a, b;
        pthread_create(&a, NULL, lends, NULL);
        pthread_create(&b, NULL, borrows, NULL);
        pthread_join(a, NULL);
        pthread_join(b, NULL);
    }
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A robust mutex may be held at the end, and a cleanup handler gives the other one back.
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t robust, m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void unlock(void *arg)
{
    pthread_mutex_unlock(arg);
}

static void *thread(void *arg)
{
    pthread_mutex_lock(&robust);
    return arg;
}

static void *cancelled(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    for (;;)
        pthread_cond_wait(&never, &m);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attr);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    if (pthread_mutex_lock(&robust) == EOWNERDEAD)
        pthread_mutex_consistent(&robust);
    pthread_mutex_unlock(&robust);
    pthread_create(&t, NULL, cancelled, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A semaphore may be posted by anybody; errors of checked mutexes are told to the program.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static pthread_mutex_t recursive, checked;

static void *unlocker(void *arg)
{
    if (pthread_mutex_unlock(&checked) != EPERM)
        return NULL;
    sem_post(&s);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &attr);
    sem_init(&s, 0, 0);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&checked);
    pthread_create(&t, NULL, unlocker, NULL);
    sem_wait(&s);
    pthread_mutex_unlock(&checked);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    pthread_join(t, NULL);
    pthread_mutex_destroy(&recursive);
    pthread_mutex_destroy(&checked);
    pthread_mutexattr_destroy(&attr);
    sem_destroy(&s);
    return 0;
}

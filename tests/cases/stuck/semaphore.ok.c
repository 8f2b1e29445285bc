// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Who waits for the work need not give up.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *forth(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    n++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *back(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    n++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static sem_t done;

static void *forth_and_post(void *arg)
{
    forth(arg);
    sem_post(&done);
    return arg;
}

static void *back_and_post(void *arg)
{
    back(arg);
    sem_post(&done);
    return arg;
}

int main(void)
{
    pthread_t t, u;
    struct timespec when;
    sem_init(&done, 0, 0);
    pthread_create(&t, NULL, forth_and_post, NULL);
    pthread_create(&u, NULL, back_and_post, NULL);
    pthread_detach(t);
    pthread_detach(u);
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_sec += 3;
    for (int i = 0; i < 2; i++)
        if (sem_timedwait(&done, &when) != 0)
            return 1;
    return 0;
}

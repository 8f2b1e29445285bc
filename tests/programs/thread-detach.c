/* Threads detached at birth, by their creator and by themselves end without a join. */
//~ exit: 0
//~ stdout: done 3, second detach EINVAL, state 1
//~ tsan: skip its pthread_detach does not survive the second call
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

static sem_t ended, go;
static int done, second_detach;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void finish(void)
{
    pthread_mutex_lock(&m);
    done++;
    pthread_mutex_unlock(&m);
    sem_post(&ended);
}

static void *plain(void *arg)
{
    (void)arg;
    sem_wait(&go);
    finish();
    return NULL;
}

static void *detaches_itself(void *arg)
{
    (void)arg;
    pthread_detach(pthread_self());
    second_detach = pthread_detach(pthread_self());
    finish();
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_attr_t attr;
    sem_init(&ended, 0, 0);
    sem_init(&go, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attr, plain, NULL);
    pthread_create(&t, NULL, plain, NULL);
    pthread_detach(t);
    pthread_create(&t, NULL, detaches_itself, NULL);
    sem_post(&go);
    sem_post(&go);
    for (int i = 0; i < 3; i++)
        sem_wait(&ended);
    int state = -1;
    pthread_attr_getdetachstate(&attr, &state);
    printf("done %d, second detach %s, state %d\n", done, strerrorname_np(second_detach),
           state);
    return pthread_attr_destroy(&attr);
}

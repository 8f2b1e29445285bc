/* Of the threads that wait for a robust mutex whose owner ends, one is told. */
//~ exit: 0
//~ stdout: told 1, normal 3, value 13
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>

enum { WAITERS = 4 };

static pthread_mutex_t m;
static sem_t held;
static int told, normal, value;

static void *owner(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    value = 1; /* half of an update */
    for (int i = 0; i < WAITERS; i++)
        sem_post(&held);
    sched_yield();
    pthread_exit(NULL);
}

static void *waiter(void *arg)
{
    (void)arg;
    sem_wait(&held);
    int rc = pthread_mutex_lock(&m);
    if (rc == EOWNERDEAD) {
        told++;
        value = 10; /* repair */
        pthread_mutex_consistent(&m);
    } else if (rc == 0) {
        normal++;
        value++;
    }
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attr);
    sem_init(&held, 0, 0);
    pthread_t t[WAITERS + 1];
    for (int i = 0; i < WAITERS; i++)
        pthread_create(&t[i], NULL, waiter, NULL);
    pthread_create(&t[WAITERS], NULL, owner, NULL);
    for (int i = 0; i <= WAITERS; i++)
        pthread_join(t[i], NULL);
    printf("told %d, normal %d, value %d\n", told, normal, value);
    return 0;
}

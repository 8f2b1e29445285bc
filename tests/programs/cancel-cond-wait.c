/* A thread cancelled in pthread_cond_wait holds the mutex when its handler runs. */
//~ exit: 0
//~ stdout: cancelled yes, handler unlocked 0, handlers 1, mutex free yes
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t inside;
static int unlocked = -1, handlers, ready;

static void unlock(void *arg)
{
    handlers++;
    unlocked = pthread_mutex_unlock(arg); /* EPERM if it were not ours: it checks errors */
}

static void *wait_for_ever(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    sem_post(&inside);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &attr);
    sem_init(&inside, 0, 0);

    pthread_t t;
    void *result;
    pthread_create(&t, NULL, wait_for_ever, NULL);
    sem_wait(&inside);
    pthread_cancel(t);
    pthread_join(t, &result);
    int is_free = pthread_mutex_trylock(&m) == 0;
    printf("cancelled %s, handler unlocked %d, handlers %d, mutex free %s\n",
           result == PTHREAD_CANCELED ? "yes" : "no", unlocked, handlers,
           is_free ? "yes" : "no");
    return 0;
}

/* A constructor starts a thread before main, and a destructor joins it after main. */
//~ exit: 0
//~ stdout: before main 1
//~ stdout: after main 2
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t worker;
static sem_t started, end;
static int value;

static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    value = 1;
    pthread_mutex_unlock(&m);
    sem_post(&started);
    sem_wait(&end);
    pthread_mutex_lock(&m);
    value = 2;
    pthread_mutex_unlock(&m);
    return arg;
}

__attribute__((constructor)) static void begin(void)
{
    sem_init(&started, 0, 0);
    sem_init(&end, 0, 0);
    pthread_create(&worker, NULL, work, NULL);
    sem_wait(&started);
}

__attribute__((destructor)) static void finish(void)
{
    sem_post(&end);
    pthread_join(worker, NULL);
    printf("after main %d\n", value);
}

int main(void)
{
    pthread_mutex_lock(&m);
    printf("before main %d\n", value);
    pthread_mutex_unlock(&m);
    return 0;
}

/* A spin lock excludes, also while its holder blocks, and its trylock says EBUSY. */
//~ exit: 0
//~ stdout: trylock EBUSY, counter 3001
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

static pthread_spinlock_t lock;
static sem_t go;
static int counter;

static void *count(void *arg)
{
    (void)arg;
    for (int i = 0; i < 1000; i++) {
        pthread_spin_lock(&lock);
        counter++;
        pthread_spin_unlock(&lock);
    }
    return NULL;
}

static void *hold(void *arg)
{
    pthread_spin_lock(&lock);
    sem_post(arg);
    sem_wait(&go); /* the counters spin meanwhile */
    counter++;
    pthread_spin_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    sem_t inside;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    sem_init(&inside, 0, 0);
    sem_init(&go, 0, 0);
    pthread_create(&t[3], NULL, hold, &inside);
    sem_wait(&inside);
    int busy = pthread_spin_trylock(&lock);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, count, NULL);
    sem_post(&go);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("trylock %s, counter %d\n", strerrorname_np(busy), counter);
    return pthread_spin_destroy(&lock);
}

/* The same with POSIX: semaphore, barrier, read-write lock, spin lock, mutex. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static sem_t sem;
static pthread_barrier_t barrier;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int by_sem, by_barrier, by_rw, by_spin, by_mutex, sum;

static void *work(void *arg)
{
    int *own = malloc(sizeof *own);
    *own = *(int *)arg;
    pthread_mutex_lock(&mutex);
    by_mutex += *own;
    pthread_mutex_unlock(&mutex);
    free(own);
    pthread_spin_lock(&spin);
    by_spin++;
    pthread_spin_unlock(&spin);
    if (*(int *)arg == 0) {
        by_barrier = 3;
        pthread_rwlock_wrlock(&rw);
        by_rw++;
        pthread_rwlock_unlock(&rw);
        by_sem = 5;
        sem_post(&sem);
    } else {
        sem_wait(&sem);
        pthread_rwlock_rdlock(&rw);
        sum += by_sem + by_rw;
        pthread_rwlock_unlock(&rw);
    }
    pthread_barrier_wait(&barrier);
    int got = by_barrier;
    pthread_mutex_lock(&mutex);
    sum += got;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int number[2] = {0, 1};
    sem_init(&sem, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_spin_init(&spin, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &number[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %d\n", sum, by_mutex, by_spin);
    return 0;
}

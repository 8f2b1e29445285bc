// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Detached threads with a variable of their own each; one lends it to main, and waits until it
// has it back.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static __thread int own;
static int alive = 2, sum;
static int *lent;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t back;

static void lend(int *mine)
{
    pthread_mutex_lock(&lock);
    lent = mine;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    own = (int)(long)arg;
    if (own == 1) {
        lend(&own);
        sem_wait(&back);
        own++; //~ here
    }
    pthread_mutex_lock(&lock);
    sum += own;
    alive--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    sem_init(&back, 0, 0);
    for (long i = 1; i <= 2; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, (void *)i);
        pthread_detach(t);
    }
    pthread_mutex_lock(&lock);
    while (lent == NULL)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    *lent += 10; //~ here
    sem_post(&back);
    pthread_mutex_lock(&lock);
    while (alive > 0)
        pthread_cond_wait(&changed, &lock);
    printf("%d\n", sum);
    pthread_mutex_unlock(&lock);
    return 0;
}

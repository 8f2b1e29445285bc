// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// Detached threads with a variable of their own each; its address is given to main, which
// writes there.
#include <pthread.h>
#include <stdio.h>

static __thread int own;
static int alive = 2, sum;
static int *leaked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;

static void *worker(void *arg)
{
    own = (int)(long)arg;
    pthread_mutex_lock(&lock);
    sum += own;
    leaked = &own;
    pthread_mutex_unlock(&lock);
    own++; //~ here
    pthread_mutex_lock(&lock);
    sum += own - own; //~ here
    alive--;
    pthread_cond_signal(&ended);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    for (long i = 1; i <= 2; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, (void *)i);
        pthread_detach(t);
    }
    pthread_mutex_lock(&lock);
    if (leaked != NULL && alive == 2)
        *leaked = 0; //~ here
    while (alive > 0)
        pthread_cond_wait(&ended, &lock);
    printf("%d\n", sum);
    pthread_mutex_unlock(&lock);
    return 0;
}

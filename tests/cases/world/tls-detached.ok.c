// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Detached threads with a variable of their own each; what they made of it is handed over under
// a lock.
#include <pthread.h>
#include <stdio.h>

static __thread int own;
static int alive = 2, sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;

static void *worker(void *arg)
{
    own = (int)(long)arg;
    pthread_mutex_lock(&lock);
    sum += own;
    pthread_mutex_unlock(&lock);
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
    while (alive > 0)
        pthread_cond_wait(&ended, &lock);
    printf("%d\n", sum);
    pthread_mutex_unlock(&lock);
    return 0;
}

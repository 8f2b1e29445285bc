// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A condition is destroyed behind the join of the thread that waits on it.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t there;
static int full;

static void *wait_for_it(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!full)
        pthread_cond_wait(&there, &lock); //~ here
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_cond_init(&there, NULL);
    pthread_create(&t, NULL, wait_for_it, NULL);
    pthread_mutex_lock(&lock);
    full = 1;
    pthread_cond_signal(&there);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    pthread_cond_destroy(&there);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//~ check: misuse|use-after-destroy|deadlock|failure
// A condition is destroyed while a thread may wait on it.
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
    pthread_cond_destroy(&there); //~ here
    pthread_mutex_lock(&lock);
    full = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}

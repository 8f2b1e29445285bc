// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Objects with locks come and go at the same addresses, some without destroying the lock.
#include <pthread.h>
#include <stdlib.h>

struct job {
    pthread_mutex_t lock;
    int steps;
};

static void *work(void *arg)
{
    struct job *j = arg;
    pthread_mutex_lock(&j->lock);
    j->steps++;
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

static void *run(void *arg)
{
    for (int i = 0; i < 3; i++) {
        struct job *j = calloc(1, sizeof *j);
        pthread_t t;
        if (j == NULL)
            return NULL;
        pthread_mutex_init(&j->lock, NULL);
        pthread_create(&t, NULL, work, j);
        work(j);
        pthread_join(t, NULL);
        pthread_mutex_destroy(&j->lock);
        pthread_mutex_init(&j->lock, NULL);
        work(j);
        pthread_mutex_destroy(&j->lock);
        if (i == 1)
            pthread_mutex_init(&j->lock, NULL);
        free(j);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, run, NULL);
    run(NULL);
    pthread_join(t, NULL);
    return 0;
}

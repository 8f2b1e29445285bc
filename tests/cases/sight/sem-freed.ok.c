// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// The waiter frees what holds the semaphore behind the post.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct call {
    pthread_mutex_t lock;
    sem_t done;
    int finished;
};

static void *serve(void *arg)
{
    struct call *c = arg;
    pthread_mutex_lock(&c->lock);
    c->finished = 1;
    pthread_mutex_unlock(&c->lock);
    sem_post(&c->done); //~ here
    return NULL;
}

int main(void)
{
    struct call *c = calloc(1, sizeof *c);
    pthread_t t;
    if (c == NULL)
        return 1;
    pthread_mutex_init(&c->lock, NULL);
    sem_init(&c->done, 0, 0);
    pthread_create(&t, NULL, serve, c);
    pthread_mutex_lock(&c->lock);
    int finished = c->finished;
    pthread_mutex_unlock(&c->lock);
    sem_wait(&c->done);
    pthread_join(t, NULL);
    pthread_mutex_destroy(&c->lock);
    sem_destroy(&c->done);
    free(c); //~ here
    return finished > 1;
}

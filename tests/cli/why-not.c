/* SPDX-License-Identifier: Apache-2.0
 *
 * Two lines for each reason why something is no race. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t items;
static int locked, joined, waited, awaited, passed, posted, racing, published, slots[2];
static atomic_int counter, ready;

static void *worker(void *arg)
{
    int *slot = arg;
    *slot = 1;  /* slot */
    joined = 1; /* joined */
    pthread_mutex_lock(&lock);
    locked++; /* locked */
    pthread_mutex_unlock(&lock);
    counter++;  /* counter */
    racing = 1; /* racing */
    pthread_mutex_lock(&lock);
    awaited = 1; /* told */
    waited = 1;
    pthread_cond_signal(&told);
    pthread_mutex_unlock(&lock);
    passed = 1; /* passed */
    pthread_barrier_wait(&barrier);
    posted = 1; /* posted */
    sem_post(&items);
    return NULL;
}

static void *reader(void *arg)
{
    (void)arg;
    while (!ready)
        sched_yield();
    printf("%d\n", published); /* published */
    return NULL;
}

int main(int argc, char **argv)
{
    (void)argv;
    pthread_t t, u;
    sem_init(&items, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, worker, &slots[0]);
    pthread_create(&u, NULL, reader, NULL);
    published = 1; /* publish */
    ready = 1;
    slots[1] = 1; /* own */
    racing = 2;   /* race */
    if (argc > 1)
        joined = 2; /* never */
    pthread_mutex_lock(&lock);
    locked--; /* unlocked */
    while (!waited)
        pthread_cond_wait(&told, &lock);
    pthread_mutex_unlock(&lock);
    int seen = awaited; /* awaited */
    counter--;          /* count */
    pthread_barrier_wait(&barrier);
    seen += passed; /* pass */
    sem_wait(&items);
    seen += posted; /* post */
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    seen += joined; /* join */
    printf("%d\n", seen);
    return 0;
}

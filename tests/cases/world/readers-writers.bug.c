// SPDX-License-Identifier: Apache-2.0
//~ check: race
// Readers and writers by semaphores: the number of readers is changed outside its lock.
#include <pthread.h>
#include <semaphore.h>

static sem_t room, mutex;
static int readers, value;

static void *reader(void *arg)
{
    sem_wait(&mutex);
    if (++readers == 1) //~ here
        sem_wait(&room);
    sem_post(&mutex);
    *(int *)arg = value;
    if (--readers == 0) //~ here
        sem_post(&room);
    return NULL;
}

static void *writer(void *arg)
{
    sem_wait(&room);
    value++;
    sem_post(&room);
    return arg;
}

int main(void)
{
    int seen[2];
    pthread_t r[2], w;
    sem_init(&room, 0, 1);
    sem_init(&mutex, 0, 1);
    pthread_create(&r[0], NULL, reader, &seen[0]);
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r[1], NULL, reader, &seen[1]);
    pthread_join(w, NULL);
    pthread_join(r[0], NULL);
    pthread_join(r[1], NULL);
    return seen[0] > 1 || seen[1] > 1;
}

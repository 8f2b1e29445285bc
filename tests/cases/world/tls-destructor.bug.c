// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// The destructor of a thread's key adds up at the thread's end, without the lock.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_key_t key;
static int total;
static sem_t ended;

static void at_end(void *value)
{
    total += *(int *)value; //~ here
    free(value);
    sem_post(&ended);
}

static void *worker(void *arg)
{
    int *value = malloc(sizeof *value);
    *value = 4;
    pthread_setspecific(key, value);
    return arg;
}

int main(void)
{
    pthread_key_create(&key, at_end);
    sem_init(&ended, 0, 0);
    for (int i = 0; i < 2; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
        pthread_detach(t);
    }
    for (int i = 0; i < 2; i++)
        sem_wait(&ended);
    printf("%d\n", total);
    return total != 8;
}

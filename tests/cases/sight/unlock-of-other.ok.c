// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A thread posts a semaphore on which its creator waits: that has no owner.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int value;

static void *prepare(void *arg)
{
    value = 5;
    sem_post(&ready);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, prepare, NULL);
    sem_wait(&ready);
    int seen = value;
    pthread_join(t, NULL);
    return seen != 5;
}

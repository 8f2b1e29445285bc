// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A thread is detached.
#include <pthread.h>
#include <semaphore.h>

static sem_t done;

static void *work(void *arg)
{
    sem_post(&done);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&done, 0, 0);
    pthread_create(&t, NULL, work, NULL);
    pthread_detach(t);
    sem_wait(&done);
    return 0;
}

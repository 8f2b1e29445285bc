// SPDX-License-Identifier: Apache-2.0
//~ expect: deadlock A
// Each job takes two of the two buffers, one after the other: both may get one.
#include <pthread.h>
#include <semaphore.h>

static sem_t buffers;

static void *job(void *unused)
{
    sem_wait(&buffers);
    sem_wait(&buffers); //~ A
    sem_post(&buffers);
    sem_post(&buffers);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&buffers, 0, 2);
    pthread_create(&a, NULL, job, NULL);
    pthread_create(&b, NULL, job, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

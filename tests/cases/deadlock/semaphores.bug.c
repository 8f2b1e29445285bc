// SPDX-License-Identifier: Apache-2.0
//~ expect: deadlock A B
// Two semaphores with one unit each, taken in different orders.
#include <pthread.h>
#include <semaphore.h>

static sem_t printer, scanner;

static void *copy(void *unused)
{
    sem_wait(&printer);
    sem_wait(&scanner); //~ A
    sem_post(&scanner);
    sem_post(&printer);
    return unused;
}

static void *scan(void *unused)
{
    sem_wait(&scanner);
    sem_wait(&printer); //~ B
    sem_post(&printer);
    sem_post(&scanner);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&printer, 0, 1);
    sem_init(&scanner, 0, 1);
    pthread_create(&a, NULL, copy, NULL);
    pthread_create(&b, NULL, scan, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

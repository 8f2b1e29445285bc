// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// A semaphore with a name as a lock, opened with two instead of one.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int visits;

static void *visit(void *arg)
{
    sem_t *sem = sem_open("/twin-of-gate", 0);
    must(sem != SEM_FAILED && sem_wait(sem) == 0);
    visits++; //~ here
    sem_post(sem);
    sem_close(sem);
    return arg;
}

int main(void)
{
    sem_t *sem = sem_open("/twin-of-gate", O_CREAT | O_EXCL, 0600, 2);
    if (sem == SEM_FAILED) {
        perror("sem_open");
        return 2;
    }
    pthread_t a, b;
    pthread_create(&a, NULL, visit, NULL);
    pthread_create(&b, NULL, visit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sem_close(sem);
    sem_unlink("/twin-of-gate");
    printf("%d visits\n", visits);
    return visits != 2;
}

// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// A System V semaphore as a lock, set up with two instead of one.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int sem, visits;

static void *visit(void *arg)
{
    struct sembuf down = {0, -1, 0}, up = {0, 1, 0};
    must(semop(sem, &down, 1) == 0);
    visits++; //~ here
    must(semop(sem, &up, 1) == 0);
    return arg;
}

int main(void)
{
    sem = semget(IPC_PRIVATE, 1, 0600);
    must(semctl(sem, 0, SETVAL, 2) == 0);
    pthread_t a, b;
    pthread_create(&a, NULL, visit, NULL);
    pthread_create(&b, NULL, visit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    semctl(sem, 0, IPC_RMID);
    printf("%d visits\n", visits);
    return visits != 2;
}

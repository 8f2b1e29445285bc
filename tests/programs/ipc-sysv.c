// SPDX-License-Identifier: Apache-2.0
// A message queue and a semaphore of System V between two threads that both wait.
//~ stdout: sum 4950
//~ stdout: the semaphore was free 100 times
//~ stdout: no message, and no waiting for one
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

enum { COUNT = 100 };
static int queue, semaphore;
struct message {
    long type;
    int value;
};

static void *producer(void *arg)
{
    for (int i = 0; i < COUNT; i++) {
        struct message m = {1, i};
        struct sembuf down = {0, -1, 0};
        semop(semaphore, &down, 1);
        msgsnd(queue, &m, sizeof m.value, 0);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    int sum = 0, ups = 0;
    struct message m;
    queue = msgget(IPC_PRIVATE, 0600);
    semaphore = semget(IPC_PRIVATE, 1, 0600);
    semctl(semaphore, 0, SETVAL, 0);
    pthread_create(&t, NULL, producer, NULL);
    for (int i = 0; i < COUNT; i++) {
        struct sembuf up = {0, 1, 0};
        ups += semop(semaphore, &up, 1) == 0;
        sum += msgrcv(queue, &m, sizeof m.value, 0, 0) == sizeof m.value ? m.value : -1000;
    }
    pthread_join(t, NULL);
    printf("sum %d\nthe semaphore was free %d times\n", sum, ups);
    if (msgrcv(queue, &m, sizeof m.value, 0, IPC_NOWAIT) < 0 && errno == ENOMSG)
        puts("no message, and no waiting for one");
    msgctl(queue, IPC_RMID, NULL);
    semctl(semaphore, 0, IPC_RMID);
    return 0;
}

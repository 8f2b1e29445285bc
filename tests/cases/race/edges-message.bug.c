// SPDX-License-Identifier: Apache-2.0
//~ expect: race A B
// The message is sent too early.
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <unistd.h>

static int value, queue;
struct message {
    long type;
    char c;
};

static void *one(void *arg)
{
    msgsnd(queue, &(struct message){1, 0}, 1, 0);
    value = 1; //~ A
    return arg;
}

static void *two(void *arg)
{
    struct message m;
    msgrcv(queue, &m, 1, 0, 0);
    value = 2; //~ B
    return arg;
}

int main(void)
{
    pthread_t t[2];
    queue = msgget(IPC_PRIVATE, 0600);
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", value);
    msgctl(queue, IPC_RMID, NULL);
    return 0;
}

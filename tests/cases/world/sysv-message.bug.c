// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// A message of a System V queue says that the report is complete; it is not.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int queue, lines;

struct message {
    long type;
    char text[4];
};

static void *reporter(void *arg)
{
    struct message m = {1, "ok"};
    lines = 3; //~ here
    must(msgsnd(queue, &m, sizeof m.text, 0) == 0);
    lines++; //~ here
    return arg;
}

int main(void)
{
    struct message m;
    queue = msgget(IPC_PRIVATE, 0600);
    pthread_t t;
    pthread_create(&t, NULL, reporter, NULL);
    must(msgrcv(queue, &m, sizeof m.text, 1, 0) == sizeof m.text);
    int seen = lines; //~ here
    pthread_join(t, NULL);
    msgctl(queue, IPC_RMID, NULL);
    printf("%d lines\n", seen);
    return seen != 4;
}

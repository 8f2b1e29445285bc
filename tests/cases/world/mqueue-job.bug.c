// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
//~ libs: -lrt
// A job is announced through a message queue with a name, and stored behind that.
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int job;

static void *worker(void *arg)
{
    char text[8];
    mqd_t q = mq_open("/twin-of-jobs", O_RDONLY);
    must(mq_receive(q, text, sizeof text, NULL) == 1);
    printf("job %d\n", job); //~ here
    mq_close(q);
    return arg;
}

int main(void)
{
    struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = 8};
    mqd_t q = mq_open("/twin-of-jobs", O_CREAT | O_EXCL | O_WRONLY, 0600, &attr);
    if (q == (mqd_t)-1) {
        perror("mq_open");
        return 2;
    }
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    must(mq_send(q, "j", 1, 0) == 0);
    job = 9; //~ here
    pthread_join(t, NULL);
    mq_unlink("/twin-of-jobs");
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "loop.h"

#include <stdio.h>

static struct loop loop;
static int sum; /* the loop's thread only */

static void add(void *data)
{
    sum += *(int *)data;
}

static void *poster(void *arg)
{
    static int numbers[2] = {1, 2};
    static struct task tasks[3];

    for (int i = 0; i < 2; i++) {
        tasks[i].run = add;
        tasks[i].data = &numbers[i];
        loop_post(&loop, &tasks[i]);
    }
    tasks[2].run = loop_quit;
    tasks[2].data = arg;
    loop_post(&loop, &tasks[2]);
    return NULL;
}

int main(void)
{
    pthread_t thread;

    if (loop_init(&loop) < 0)
        return 2;
    pthread_create(&thread, NULL, poster, &loop);
    loop_run(&loop);
    pthread_join(thread, NULL);
    loop_close(&loop);
    if (sum != 3) {
        fprintf(stderr, "sum %d\n", sum);
        return 1;
    }
    return 0;
}

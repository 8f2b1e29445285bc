// SPDX-License-Identifier: Apache-2.0
// A variable of the environment says that all is ready: setenv may move what getenv looks at.
//~ check: race
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static int data, seen;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    setenv("EDGE", "1", 1); //~ here
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    while (!getenv("EDGE")) //~ here
        sched_yield();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;

    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}

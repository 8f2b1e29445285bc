// SPDX-License-Identifier: Apache-2.0
// A name is asked for through a symbolic link; what is made is its target.
//~ check: quiet
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static int data, seen;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (open("edge-target", O_WRONLY | O_CREAT, 0600) < 0)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    while (access("edge-through", F_OK) < 0)
        sched_yield();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    if (symlink("edge-target", "edge-through") < 0)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}

// SPDX-License-Identifier: Apache-2.0
// A directory goes away when all is ready.
//~ check: quiet
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int data, seen;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (rmdir("edge-busy") < 0)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    while (mkdir("edge-busy", 0700) < 0 && errno == EEXIST)
        sched_yield();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    if (mkdir("edge-busy", 0700) < 0)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}

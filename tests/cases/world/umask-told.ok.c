// SPDX-License-Identifier: Apache-2.0
// The mask of the process says that all is ready.
//~ check: quiet
#define _GNU_SOURCE
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
    umask(077);
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    mode_t was;
    while ((was = umask(022)) != 077)
        umask(was), sched_yield();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    umask(022);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}

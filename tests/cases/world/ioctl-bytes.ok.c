// SPDX-License-Identifier: Apache-2.0
// How much can be read says that all is ready.
//~ check: quiet
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int data, seen;
static int ends[2];

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (write(ends[1], "xyz", 3) != 3)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    int n = 0;
    while (ioctl(ends[0], FIONREAD, &n) < 0 || n != 3)
        sched_yield();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    if (pipe(ends) < 0)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}

// SPDX-License-Identifier: Apache-2.0
// A limit of the process says that all is ready.
//~ check: quiet
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static int data, seen;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    struct rlimit r = {77, 77};
    if (setrlimit(RLIMIT_NOFILE, &r) < 0)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    struct rlimit r;
    while (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_cur != 77)
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

// SPDX-License-Identifier: Apache-2.0
// A timer that is set says that all is ready.
//~ check: quiet
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int data, seen;
static int fd;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    struct itimerspec in = {.it_value = {1000, 0}};
    if (timerfd_settime(fd, 0, &in, NULL) < 0)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    struct itimerspec now = {0};
    while (timerfd_gettime(fd, &now) < 0 || !now.it_value.tv_sec)
        sched_yield();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    fd = timerfd_create(CLOCK_MONOTONIC, 0);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}

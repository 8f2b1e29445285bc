// SPDX-License-Identifier: Apache-2.0
// Flags of an open file say that all is ready;
// what is told comes after that.
//~ check: race|order
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static int data, seen;
static int fd;

static void *send_it(void *arg)
{
    (void)arg;
    if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
        abort();
    data = 42; //~ here
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    while (!(fcntl(fd, F_GETFL) & O_NONBLOCK))
        sched_yield();
    seen = data; //~ here
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    fd = open("/dev/null", O_RDONLY);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// An option of a socket says that all is ready;
// what is told comes after that.
//~ check: race|order
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int data, seen;
static int fd;

static void *send_it(void *arg)
{
    (void)arg;
    int on = 1;
    if (setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on) < 0)
        abort();
    data = 42; //~ here
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    int on = 0;
    socklen_t len = sizeof on;
    while (getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, &len) < 0 || !on)
        sched_yield();
    seen = data; //~ here
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    fd = socket(AF_INET, SOCK_STREAM, 0);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}

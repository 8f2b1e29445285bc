// SPDX-License-Identifier: Apache-2.0
// A socket is shut down when all is ready.
//~ check: quiet
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int data, seen;
static int ends[2];

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (shutdown(ends[0], SHUT_WR) < 0)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    struct pollfd end = {.fd = ends[1], .events = POLLIN};
    if (poll(&end, 1, -1) != 1)
        abort();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}

// SPDX-License-Identifier: Apache-2.0
// A name of a socket says that all is ready.
//~ check: quiet
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int data, seen;
static struct sockaddr_un where = {.sun_family = AF_UNIX, .sun_path = "edge-socket"};
static int fd;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (bind(fd, (struct sockaddr *)&where, sizeof where) < 0)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    while (access("edge-socket", F_OK) < 0)
        sched_yield();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}

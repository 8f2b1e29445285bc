// SPDX-License-Identifier: Apache-2.0
// A child ends when it is told to; its descriptor says so.
//~ check: quiet
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int data, seen;
static int to[2];
static pid_t child;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (write(to[1], "x", 1) != 1)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
    if (end.fd < 0 || poll(&end, 1, -1) != 1)
        abort();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    if (pipe(to) < 0)
        abort();
    child = fork();
    if (child == 0) {
        char c;
        _exit(read(to[0], &c, 1) != 1);
    }
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    waitpid(child, NULL, 0);
    return seen != 42;
}

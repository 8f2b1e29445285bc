// SPDX-License-Identifier: Apache-2.0
// A child that was forked hands on what it reads.
//~ check: quiet
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int data, seen;
static int to[2], from[2];

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
    char c;
    if (read(from[0], &c, 1) != 1)
        abort();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    if (pipe(to) < 0 || pipe(from) < 0)
        abort();
    pid_t child = fork();
    if (child == 0) {
        char c;
        if (read(to[0], &c, 1) == 1 && write(from[1], &c, 1) == 1)
            _exit(0);
        _exit(1);
    }
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    waitpid(child, NULL, 0);
    return seen != 42;
}

// SPDX-License-Identifier: Apache-2.0
// A child that was forked hands on what it reads;
// what is told comes after that.
//~ check: race|order
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
    if (write(to[1], "x", 1) != 1)
        abort();
    data = 42; //~ here
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    char c;
    if (read(from[0], &c, 1) != 1)
        abort();
    seen = data; //~ here
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
    return 0;
}

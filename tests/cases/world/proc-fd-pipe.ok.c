// SPDX-License-Identifier: Apache-2.0
// The end of a pipe is opened again by its descriptor's name.
//~ check: quiet
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int data, seen;
static int in, out;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (write(out, "x", 1) != 1)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    char c;
    if (read(in, &c, 1) != 1)
        abort();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    char path[64];
    int ends[2];
    if (pipe(ends) < 0)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
    out = open(path, O_WRONLY);
    in = ends[0];
    if (out < 0)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}

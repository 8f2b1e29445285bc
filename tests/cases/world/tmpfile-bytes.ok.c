// SPDX-License-Identifier: Apache-2.0
// The bytes of a file without a name, written through its stream.
//~ check: quiet
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int data, seen;
static FILE *file;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (fputs("x", file) < 0 || fflush(file) != 0)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    char c = 0;
    while (pread(fileno(file), &c, 1, 0) != 1)
        sched_yield();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    file = tmpfile();
    if (!file)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}

// SPDX-License-Identifier: Apache-2.0
// One file has two names; its bytes are told through the other one.
//~ check: quiet
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static int data, seen;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    int out = open("edge-one", O_WRONLY);
    if (write(out, "x", 1) != 1)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    int in = open("edge-two", O_RDONLY);
    char c = 0;
    while (pread(in, &c, 1, 0) != 1)
        sched_yield();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    int made = open("edge-one", O_RDWR | O_CREAT, 0600);
    if (made < 0 || link("edge-one", "edge-two") < 0)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}

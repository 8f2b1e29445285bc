// SPDX-License-Identifier: Apache-2.0
// A file that is written through a symbolic link is told by its bytes;
// what is told comes after that.
//~ check: race|order
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static int data, seen;
static int out, in;

static void *send_it(void *arg)
{
    (void)arg;
    if (write(out, "x", 1) != 1)
        abort();
    data = 42; //~ here
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    char c = 0;
    while (pread(in, &c, 1, 0) != 1)
        sched_yield();
    seen = data; //~ here
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    in = open("edge-file", O_RDWR | O_CREAT, 0600);
    if (symlink("edge-file", "edge-link") < 0 || (out = open("edge-link", O_WRONLY)) < 0)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}

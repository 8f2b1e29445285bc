// SPDX-License-Identifier: Apache-2.0
// Bytes are copied from file to file.
//~ check: quiet
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static int data, seen;
static int from, to;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    off_t at = 0;
    if (copy_file_range(from, &at, to, NULL, 1, 0) != 1)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    char c = 0;
    while (pread(to, &c, 1, 0) != 1)
        sched_yield();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    from = open("edge-from", O_RDWR | O_CREAT, 0600);
    to = open("edge-to", O_RDWR | O_CREAT, 0600);
    if (write(from, "x", 1) != 1)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}

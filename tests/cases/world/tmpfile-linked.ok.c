// SPDX-License-Identifier: Apache-2.0
// A file without a name is filled and then gets one: who finds the name finds it whole.
//~ check: quiet
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int data, seen;

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *send_it(void *arg)
{
    data = 42;
    char link_of[40];
    int fd = open(".", O_TMPFILE | O_RDWR, 0600);
    must(fd >= 0 && write(fd, "whole", 5) == 5);
    snprintf(link_of, sizeof link_of, "/proc/self/fd/%d", fd);
    must(linkat(AT_FDCWD, link_of, AT_FDCWD, "named", AT_SYMLINK_FOLLOW) == 0);
    return arg;
}

static void *get_it(void *arg)
{
    char text[8];
    int in;
    while ((in = open("named", O_RDONLY)) < 0)
        sched_yield();
    must(read(in, text, sizeof text) == 5);
    seen = data;
    return arg;
}

int main(void)
{
    pthread_t s, g;
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}

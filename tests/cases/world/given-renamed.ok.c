// SPDX-License-Identifier: Apache-2.0
// A directory that was there before gets another name, and whoever waits for it finds all
// that is in it.
//~ check: quiet
//~ given: mkdir -p old/in; printf 1 > old/in/file
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
    must(rename("old", "new") == 0);
    return arg;
}

static void *get_it(void *arg)
{
    char c = 0;
    int in;
    while ((in = open("new/in/file", O_RDONLY)) < 0)
        sched_yield();
    must(read(in, &c, 1) == 1 && c == '1');
    seen = data;
    return arg;
}

int main(void)
{
    pthread_t s, g;
    must(access("old/in/file", R_OK) == 0);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}

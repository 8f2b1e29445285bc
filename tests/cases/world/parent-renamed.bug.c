// SPDX-License-Identifier: Apache-2.0
// A directory gets its name when all is ready; a file in it is looked for;
// what is told comes after that.
//~ check: race|order
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int data, seen;

static void *send_it(void *arg)
{
    (void)arg;
    if (rename("edge-new", "edge-made") < 0)
        abort();
    data = 42; //~ here
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    while (access("edge-made/file", F_OK) < 0)
        sched_yield();
    seen = data; //~ here
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    if (mkdir("edge-new", 0700) < 0 || open("edge-new/file", O_WRONLY | O_CREAT, 0600) < 0)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}

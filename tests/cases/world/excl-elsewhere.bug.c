// SPDX-License-Identifier: Apache-2.0
// A name is made in another directory, by its descriptor;
// what is told comes after that.
//~ check: race|order
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int data, seen;
static int directory;

static void *send_it(void *arg)
{
    (void)arg;
    if (openat(directory, "made", O_WRONLY | O_CREAT | O_EXCL, 0600) < 0)
        abort();
    data = 42; //~ here
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    while (access("edge-dir/made", F_OK) < 0)
        sched_yield();
    seen = data; //~ here
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    if (mkdir("edge-dir", 0700) < 0)
        abort();
    directory = open("edge-dir", O_RDONLY | O_DIRECTORY);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}

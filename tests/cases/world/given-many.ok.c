// SPDX-License-Identifier: Apache-2.0
// A directory with 100,000 files: all are there, and a file that goes is gone for the other
// thread.
//~ check: quiet
//~ given: mkdir many; cd many; seq 100000 | xargs touch
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
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
    must(unlink("many/50000") == 0);
    return arg;
}

static void *get_it(void *arg)
{
    while (access("many/50000", F_OK) == 0)
        sched_yield();
    seen = data;
    return arg;
}

int main(void)
{
    pthread_t s, g;
    int count = 0;
    DIR *d = opendir("many");
    must(d != NULL);
    while (readdir(d))
        count++;
    closedir(d);
    must(count == 100002);
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}

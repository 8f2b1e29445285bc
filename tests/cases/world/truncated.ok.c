// SPDX-License-Identifier: Apache-2.0
// A file is made longer when all is ready.
//~ check: quiet
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int data, seen;
static int file;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (ftruncate(file, 100) < 0)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    struct stat st;
    while (fstat(file, &st) < 0 || st.st_size != 100)
        sched_yield();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    file = open("edge-file", O_RDWR | O_CREAT, 0600);
    if (file < 0)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}

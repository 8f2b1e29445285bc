// SPDX-License-Identifier: Apache-2.0
// Copies of a descriptor share where they are in the file.
//~ check: quiet
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static int data, seen;
static int one, two;

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    if (lseek(one, 7, SEEK_SET) != 7)
        abort();
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    while (lseek(two, 0, SEEK_CUR) != 7)
        sched_yield();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    one = open("edge-file", O_RDWR | O_CREAT, 0600);
    two = dup(one);
    if (two < 0)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}

// SPDX-License-Identifier: Apache-2.0
// An attribute of a file says that all is ready;
// what is told comes after that.
//~ check: race|order
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/xattr.h>
#include <unistd.h>

static int data, seen;

static void *send_it(void *arg)
{
    (void)arg;
    if (setxattr("edge-file", "user.x", "1", 1, 0) < 0)
        abort();
    data = 42; //~ here
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    char c;
    while (getxattr("edge-file", "user.x", &c, 1) != 1)
        sched_yield();
    seen = data; //~ here
    return NULL;
}

int main(void)
{
    pthread_t s, g;
    if (open("edge-file", O_RDWR | O_CREAT, 0600) < 0)
        abort();
    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return 0;
}

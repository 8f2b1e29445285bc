// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// Both threads poll a descriptor that has nothing to do with the variable they share.
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

static int idle[2], shared;

static void look(void)
{
    struct pollfd p = {.fd = idle[0], .events = POLLIN};
    must(poll(&p, 1, 0) == 0);
}

static void *writer(void *arg)
{
    shared = 1; //~ here
    look();
    return arg;
}

static void *reader(void *arg)
{
    look();
    *(int *)arg = shared; //~ here
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int seen = 0;
    must(pipe(idle) == 0);
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, &seen);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("idle");
    return seen > 1;
}

// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Both threads poll a descriptor; the variable they share has a lock.
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
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void look(void)
{
    struct pollfd p = {.fd = idle[0], .events = POLLIN};
    must(poll(&p, 1, 0) == 0);
}

static void *writer(void *arg)
{
    pthread_mutex_lock(&lock);
    shared = 1; //~ here
    pthread_mutex_unlock(&lock);
    look();
    return arg;
}

static void *reader(void *arg)
{
    look();
    pthread_mutex_lock(&lock);
    *(int *)arg = shared; //~ here
    pthread_mutex_unlock(&lock);
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

// SPDX-License-Identifier: Apache-2.0
// A variable of the environment says that all is ready, under a lock.
//~ check: quiet
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data, seen;

static int is_told(void)
{
    pthread_mutex_lock(&lock);
    int told = getenv("EDGE") != NULL;
    pthread_mutex_unlock(&lock);
    return told;
}

static void *send_it(void *arg)
{
    (void)arg;
    data = 42;
    pthread_mutex_lock(&lock);
    setenv("EDGE", "1", 1);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *get_it(void *arg)
{
    (void)arg;
    while (!is_told())
        sched_yield();
    seen = data;
    return NULL;
}

int main(void)
{
    pthread_t s, g;

    pthread_create(&g, NULL, get_it, NULL);
    pthread_create(&s, NULL, send_it, NULL);
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    return seen != 42;
}

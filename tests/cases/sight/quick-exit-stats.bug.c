// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A handler of at_quick_exit reads numbers that a thread still changes.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int requests, errors;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void summary(void)
{
    if (errors > requests) //~ here
        fputs("impossible\n", stderr);
}

static void *serve(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        requests++; //~ here
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    at_quick_exit(summary);
    pthread_create(&t, NULL, serve, NULL);
    pthread_detach(t);
    quick_exit(0);
}

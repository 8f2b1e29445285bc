// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Who waits for the threads need not give up.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *forth(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    n++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *back(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    n++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

int main(void)
{
    pthread_t t, u;
    struct timespec when;
    pthread_create(&t, NULL, forth, NULL);
    pthread_create(&u, NULL, back, NULL);
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_sec += 3;
    if (pthread_timedjoin_np(t, NULL, &when) != 0 || pthread_timedjoin_np(u, NULL, &when) != 0)
        puts("too late");
    return 0;
}

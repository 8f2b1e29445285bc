// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Conditions that are zeros, have a clock of their own, or are moved with what they are in.
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_cond_t zeros, clocked;

static void *thread(void *arg)
{
    pthread_cond_signal(&zeros);
    pthread_cond_broadcast(&clocked);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_condattr_t attr;
    pthread_cond_t made;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&made, &attr);
    clocked = made;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}

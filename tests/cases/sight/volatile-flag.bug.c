// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A volatile flag is no atomic: a race, called by that name.
#include <pthread.h>
#include <sched.h>

static volatile int stop;

static void *work(void *arg)
{
    long *rounds = arg;
    while (!stop) { //~ here
        ++*rounds;
        sched_yield();
    }
    return NULL;
}

int main(void)
{
    long rounds = 0;
    pthread_t t;
    pthread_create(&t, NULL, work, &rounds);
    sched_yield();
    stop = 1; //~ here
    pthread_join(t, NULL);
    return rounds < 0;
}

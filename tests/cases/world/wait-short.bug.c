// SPDX-License-Identifier: Apache-2.0
//~ check: race|order
// When a wait of 50 ms runs out, the value is taken all the same.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, value;

static void *maker(void *arg)
{
    usleep(20000);
    value = 3; //~ here
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    struct timespec end;
    int seen = -1, late = 0;
    pthread_t t;
    pthread_create(&t, NULL, maker, NULL);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += 50000000;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    pthread_mutex_lock(&lock);
    while (!ready && !late)
        late = pthread_cond_timedwait(&changed, &lock, &end) != 0;
    pthread_mutex_unlock(&lock);
    seen = value; //~ here
    pthread_join(t, NULL);
    puts(seen <= 3 ? "fine" : "what?");
    return seen > 3;
}

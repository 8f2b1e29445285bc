// SPDX-License-Identifier: Apache-2.0
//~ check: race|atomicity
// When a lock does not come in 10 ms, one goes on without it.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int updates;

static int lock_soon(void)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += 10000000;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return pthread_mutex_timedlock(&lock, &end) == 0;
}

static void *update(void *arg)
{
    int locked = lock_soon();
    updates++; //~ here
    if (locked) {
        usleep(5000);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, update, NULL);
    pthread_create(&b, NULL, update, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(updates <= 2 ? "fine" : "too many");
    return updates > 2;
}

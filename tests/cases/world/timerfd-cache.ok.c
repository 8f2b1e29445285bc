// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A timer's thread empties a cache; who looks holds the lock until it has used what it found.

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *entry, timer;

static void must(int holds)
{
    if (!holds)
        abort();
}

static void *expire(void *arg)
{
    uint64_t n;
    must(read(timer, &n, sizeof n) == (ssize_t)sizeof n);
    pthread_mutex_lock(&lock);
    free(entry);
    entry = NULL;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct itimerspec in = {.it_value = {0, 2000000}};
    int sum = 0;
    entry = malloc(sizeof *entry);
    must(entry != NULL);
    *entry = 5;
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    must(timer >= 0 && timerfd_settime(timer, 0, &in, NULL) == 0);
    pthread_create(&t, NULL, expire, NULL);
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        int has = entry != NULL;
        if (has)
            sum += *entry;
        pthread_mutex_unlock(&lock);
    }
    pthread_join(t, NULL);
    return sum > 15;
}

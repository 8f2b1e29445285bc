// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
/* Two threads wait in a loop for the clock, while a timer's handler counts beside them and main
 * waits for both: three who let each other go on. Both add what they found under a lock. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>

static atomic_int samples;
static int found;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void sample(int number)
{
    (void)number;
    atomic_fetch_add(&samples, 1);
}

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void *measure(void *arg)
{
    long start = now();
    while (now() - start < 8000000L)
        ;
    pthread_mutex_lock(&lock);
    found += 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    struct sigaction action = {.sa_handler = sample, .sa_flags = SA_RESTART};
    struct itimerval each = {{0, 1000}, {0, 1000}}, none = {0};
    pthread_t t[2];
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &each, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, measure, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    setitimer(ITIMER_REAL, &none, NULL);
    assert(found == 2);
    return samples == 0;
}

// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A
// A time that is none: the nanoseconds of a second are full. The wait never waits.
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, rounds;

static void *thread(void *arg)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000000;
    pthread_create(&t, NULL, thread, NULL);
    pthread_mutex_lock(&m);
    while (!ready && rounds++ < 4)
        pthread_cond_timedwait(&c, &m, &until); //~ A
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}

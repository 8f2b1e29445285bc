// SPDX-License-Identifier: Apache-2.0
//~ check: race
// A consumer waits with a limit, and looks at the number without the lock when it has passed.
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more;
static int number;

static void *produce(void *arg)
{
    struct timespec nap = {0, 20000000};
    for (int i = 0; i < 3; i++) {
        nanosleep(&nap, NULL);
        pthread_mutex_lock(&lock);
        number++; //~ here
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static int wait_for(int n, int ms)
{
    struct timespec until;
    int r = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += ms * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&lock);
    while (number < n && r != ETIMEDOUT)
        r = pthread_cond_timedwait(&more, &lock, &until);
    pthread_mutex_unlock(&lock);
    r = number; //~ here
    return r;
}

int main(void)
{
    pthread_condattr_t a;
    pthread_t t;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(&more, &a);
    pthread_create(&t, NULL, produce, NULL);
    int first = wait_for(1, 5), second = wait_for(2, 500);
    pthread_join(t, NULL);
    return first > 3 || second > 3;
}

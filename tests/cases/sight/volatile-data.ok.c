// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// That volatile flags are meant, and the data is guarded by a lock.
//~ options: --volatile ok
#include <pthread.h>
#include <sched.h>

static volatile int stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds;

static void *work(void *arg)
{
    while (!stop) {
        pthread_mutex_lock(&lock);
        rounds++; //~ here
        pthread_mutex_unlock(&lock);
        sched_yield();
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    sched_yield();
    pthread_mutex_lock(&lock);
    int seen = rounds; //~ here
    pthread_mutex_unlock(&lock);
    stop = 1;
    pthread_join(t, NULL);
    return seen < 0;
}

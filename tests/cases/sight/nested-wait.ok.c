// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A recursive mutex, locked twice: a wait for a condition gives up one of the two, and has the
// other one all the time. Nobody else needs it here.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int awake;

static void *waiter(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    awake = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &a);
    pthread_create(&t, 0, waiter, 0);
    while (!awake) {
        pthread_cond_signal(&c);
        usleep(1000);
    }
    pthread_join(t, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}

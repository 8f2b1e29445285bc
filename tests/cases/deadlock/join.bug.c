// SPDX-License-Identifier: Apache-2.0
//~ expect: deadlock A B
// A thread is joined under the lock that it needs.
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m); //~ B
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    sched_yield();
    pthread_mutex_lock(&m);
    pthread_join(t, NULL); //~ A
    pthread_mutex_unlock(&m);
    return 0;
}

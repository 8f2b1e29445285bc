// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A
// The wait is done without the lock.
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *thread(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct timespec when;
    pthread_create(&t, NULL, thread, NULL);
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_sec++;
    pthread_cond_timedwait(&c, &m, &when); //~ A
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}

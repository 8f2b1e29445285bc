// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Waits that time out, one for a time that is long past.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;

static void *thread(void *arg)
{
    struct timespec until = {.tv_nsec = 999999999};
    pthread_mutex_lock(&m);
    pthread_cond_timedwait(&c, &m, &until);
    pthread_mutex_unlock(&m);
    sem_timedwait(&s, &until);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}

/* A signal and a broadcast that come before the wait leave no trace: the wait times out. */
//~ exit: 0
//~ stdout: after early signals: ETIMEDOUT
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *signal_nobody(void *arg)
{
    (void)arg;
    pthread_cond_signal(&c);
    pthread_mutex_lock(&m);
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, signal_nobody, NULL);
    pthread_join(t, NULL);

    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += 2000000;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    int rc = 0;
    pthread_mutex_lock(&m);
    while (rc == 0) /* 0 would be a spurious wake-up */
        rc = pthread_cond_timedwait(&c, &m, &end);
    pthread_mutex_unlock(&m);
    printf("after early signals: %s\n", strerrorname_np(rc));
    return 0;
}

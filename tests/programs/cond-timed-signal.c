/* A timed wait that is signalled in time returns 0; after a time-out it is tried again. */
//~ exit: 0
//~ stdout: got 1 2 3 4 5, last result 0
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { ITEMS = 5 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static int slot, got[ITEMS], last_result;

static int wait_a_minute(void)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += 60;
    return pthread_cond_timedwait(&changed, &m, &end);
}

static void *consumer(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    for (int i = 0; i < ITEMS; i++) {
        last_result = 0;
        while (slot == 0) {
            int rc = wait_a_minute();
            last_result = rc == ETIMEDOUT ? 0 : rc; /* a schedule may let a minute pass */
        }
        got[i] = slot;
        slot = 0;
        pthread_cond_signal(&changed);
    }
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attr);
    pthread_t t;
    pthread_create(&t, NULL, consumer, NULL);
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&m);
        while (slot != 0)
            wait_a_minute();
        slot = i;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, NULL);
    printf("got %d %d %d %d %d, last result %d\n", got[0], got[1], got[2], got[3], got[4],
           last_result);
    return 0;
}

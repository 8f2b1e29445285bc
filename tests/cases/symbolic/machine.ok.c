// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// Seen and done in one section.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
enum { IDLE, RUNNING, STOPPED };
static int state = RUNNING, work;

static void *step(void *arg)
{
    pthread_mutex_lock(&m);
    if (state != STOPPED) {
        work++;
        if (state == STOPPED)
            abort();
    }
    pthread_mutex_unlock(&m);
    return arg;
}

static void *stop(void *arg)
{
    pthread_mutex_lock(&m);
    state = STOPPED;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, step, NULL);
    pthread_create(&t[1], NULL, stop, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}

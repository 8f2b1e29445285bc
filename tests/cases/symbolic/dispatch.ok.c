// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// A state that is only there for a moment has a case of its own.
#include <pthread.h>
#include <stdlib.h>

enum state { IDLE, BUSY, RETRYING, DONE };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static enum state state;

static void set(enum state to)
{
    pthread_mutex_lock(&m);
    state = to;
    pthread_mutex_unlock(&m);
}

static void *work(void *arg)
{
    set(BUSY);
    set(RETRYING);
    set(DONE);
    return arg;
}

static void *watch(void *arg)
{
    int *told = arg;
    pthread_mutex_lock(&m);
    enum state now = state;
    pthread_mutex_unlock(&m);
    switch (now) {
    case IDLE:
        *told = 1;
        break;
    case BUSY:
    case RETRYING:
    case DONE:
        *told = 2;
        break;
    default:
        abort();
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    int told = 0;
    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, watch, &told);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return told == 0;
}

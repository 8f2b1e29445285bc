// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A table of functions that is initialised where it is declared; an entry is exchanged under
// the lock.
#include <pthread.h>
#include <stdio.h>

static int calls;

static void plain(void)
{
    __atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
}

static void better(void)
{
    __atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
}

static void (*handlers[2])(void) = {plain, plain};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *caller(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        void (*handler)(void) = handlers[i]; //~ here
        pthread_mutex_unlock(&lock);
        handler();
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, caller, NULL);
    pthread_mutex_lock(&lock);
    handlers[1] = better; //~ here
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    printf("%d calls\n", calls);
    return 0;
}

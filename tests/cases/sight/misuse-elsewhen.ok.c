// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A mutex is locked and unlocked under one condition.
#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int open_gate;

static void *opener(void *arg)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&guard);
    open_gate = 1;
    pthread_mutex_unlock(&guard);
    pthread_mutex_unlock(&gate);
    return arg;
}

static void *visitor(void *arg)
{
    pthread_mutex_lock(&guard);
    int opened = open_gate;
    pthread_mutex_unlock(&guard);
    if (opened)
        pthread_mutex_lock(&gate);
    if (opened)
        pthread_mutex_unlock(&gate);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, visitor, NULL);
    pthread_create(&b, NULL, opener, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A
// A function returns, and leaves a lock of its own locked.
#include <pthread.h>

static int locked(pthread_mutex_t *m)
{
    return pthread_mutex_lock(m);
}

static int step(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    return locked(&m); //~ A
}

static void *thread(void *arg)
{
    return step() ? NULL : arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//~ expect: uninitialised A B
// The lock is initialised when the thread that uses it may run already.
#include <pthread.h>

static pthread_mutex_t m;
static int n;

static void *user(void *arg)
{
    pthread_mutex_lock(&m); //~ A
    n++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, user, NULL);
    pthread_mutex_init(&m, NULL); //~ B
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}

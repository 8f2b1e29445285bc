// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A B
// The lock is destroyed while it is held.
#include <pthread.h>

static pthread_mutex_t m;

static void *thread(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_init(&m, NULL);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    pthread_mutex_lock(&m);    //~ B
    pthread_mutex_destroy(&m); //~ A
    return 0;
}

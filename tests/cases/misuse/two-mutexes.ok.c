// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// One condition with one mutex, and with another one when nobody waits any more.
#include <pthread.h>

static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int go[2];

static void *thread(void *arg)
{
    int i = *(int *)arg;
    pthread_mutex_lock(&m[i]);
    while (!go[i])
        pthread_cond_wait(&c, &m[i]);
    pthread_mutex_unlock(&m[i]);
    return NULL;
}

int main(void)
{
    pthread_t t;
    int number[2] = {0, 1};
    for (int i = 0; i < 2; i++) {
        pthread_create(&t, NULL, thread, &number[i]);
        pthread_mutex_lock(&m[i]);
        go[i] = 1;
        pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&m[i]);
        pthread_join(t, NULL);
    }
    return 0;
}

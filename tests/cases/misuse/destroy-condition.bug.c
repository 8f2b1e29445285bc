// SPDX-License-Identifier: Apache-2.0
//~ expect: misuse A B
// The condition is destroyed while a thread waits for it.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m); //~ B
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    usleep(100000);
    pthread_cond_destroy(&c); //~ A
    pthread_join(t, NULL);
    return 0;
}

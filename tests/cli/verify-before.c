/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads draw money, each after a look at what is there. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void *draw(void *arg)
{
    (void)arg;
    int there = balance;
    if (there >= 100)
        balance = balance - 100;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, draw, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&lock);
    assert(balance >= 0);
    pthread_mutex_unlock(&lock);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The broadcast may come too early for the wait. Then somebody notices, and sends another: what
 * no recorded run has to show. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waits;

static void *wait_once(void *arg)
{
    pthread_mutex_lock(&lock);
    waits = 1;
    pthread_cond_wait(&changed, &lock);
    waits = 0;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *tell(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t waiter, teller;
    pthread_create(&waiter, NULL, wait_once, NULL);
    pthread_create(&teller, NULL, tell, NULL);
    pthread_join(teller, NULL);
    for (int left = 3; left > 0;) {
        pthread_mutex_lock(&lock);
        if (waits)
            pthread_cond_broadcast(&changed);
        else
            left--;
        pthread_mutex_unlock(&lock);
    }
    puts("done");
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Main waits for both workers, which lock in the order of the addresses.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct account {
    pthread_mutex_t lock;
    int money;
};

static struct account a = {PTHREAD_MUTEX_INITIALIZER, 50}, b = {PTHREAD_MUTEX_INITIALIZER, 50};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int finished;

static void transfer(struct account *from, struct account *to)
{
    pthread_mutex_lock(from < to ? &from->lock : &to->lock);
    pthread_mutex_lock(from < to ? &to->lock : &from->lock);
    from->money -= 10;
    to->money += 10;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *work(void *arg)
{
    if (arg == NULL)
        transfer(&a, &b);
    else
        transfer(&b, &a);
    pthread_mutex_lock(&lock);
    finished++;
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t x, y;
    struct timespec until;
    pthread_create(&x, NULL, work, NULL);
    pthread_create(&y, NULL, work, &a);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    pthread_mutex_lock(&lock);
    while (finished < 2)
        pthread_cond_wait(&done, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
    return 0;
}

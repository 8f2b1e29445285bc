// SPDX-License-Identifier: Apache-2.0
//~ check: deadlock
// Main waits two seconds for both workers and gives up; they lock in opposite orders.
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
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
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
        if (pthread_cond_timedwait(&done, &lock, &until) != 0) {
            fputs("the workers hang\n", stderr);
            exit(1);
        }
    pthread_mutex_unlock(&lock);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
    return 0;
}

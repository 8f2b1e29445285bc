/* SPDX-License-Identifier: Apache-2.0
 *
 * transfer: money goes from one account to the other and back, each thread locking the account
 * it takes from first. A deadlock: both can hold one lock and wait for the other. */
#include <pthread.h>
#include <stdio.h>

struct account {
    pthread_mutex_t lock;
    long amount;
};

static struct account left = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account right = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, long amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->amount -= amount;
    to->amount += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *forth(void *unused)
{
    (void)unused;
    transfer(&left, &right, 10);
    return NULL;
}

static void *back(void *unused)
{
    (void)unused;
    transfer(&right, &left, 20);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, forth, NULL);
    pthread_create(&threads[1], NULL, back, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%ld and %ld\n", left.amount, right.amount);
    return 0;
}

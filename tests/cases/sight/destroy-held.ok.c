// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// A mutex is destroyed when nobody holds it any more.
#include <pthread.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

static void *pay(void *arg)
{
    struct account *a = arg;
    pthread_mutex_lock(&a->lock);
    a->balance += 5;
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static long close_account(struct account *a)
{
    pthread_mutex_lock(&a->lock);
    long left = a->balance;
    pthread_mutex_unlock(&a->lock);
    pthread_mutex_destroy(&a->lock); //~ here
    free(a);
    return left;
}

int main(void)
{
    struct account *a = calloc(1, sizeof *a);
    pthread_t t;
    if (a == NULL || pthread_mutex_init(&a->lock, NULL) != 0)
        return 1;
    pthread_create(&t, NULL, pay, a);
    pthread_join(t, NULL);
    return close_account(a) != 5;
}

// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
//~ options: --expect @/expected
// As store.c, mended by hand: what the store has taken has a lock.
#include <pthread.h>
#include <stdio.h>

enum { CUSTOMERS = 2, THINGS = 3, PRICE = 100 };

struct store {
    pthread_mutex_t lock;
    int cost;
};

static struct store store = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void store_consume(struct store *s, int price)
{
    pthread_mutex_lock(&s->lock);
    s->cost += price;
    pthread_mutex_unlock(&s->lock);
}

static int store_cost(const struct store *s)
{
    return s->cost;
}

static void *buy(void *argument)
{
    struct store *s = argument;
    for (int i = 0; i < THINGS; i++)
        store_consume(s, PRICE);
    return NULL;
}

int main(void)
{
    pthread_t threads[CUSTOMERS];
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_create(&threads[i], NULL, buy, &store);
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", store_cost(&store));
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//~ fails: oracle
//~ options: --expect @/expected
// Two customers buy three things for 100 each in a store that keeps no lock on what it has
// taken. The program says what that is; the file beside it says what it should be.
#include <pthread.h>
#include <stdio.h>

enum { CUSTOMERS = 2, THINGS = 3, PRICE = 100 };

struct store {
    int cost;
};

static struct store store;

static void store_consume(struct store *s, int price)
{
    s->cost += price;
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

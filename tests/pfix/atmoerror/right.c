// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// As atmoerror.c, mended by hand: the total has a lock.
#include <pthread.h>
#include <stdio.h>

enum { CUSTOMERS = 2, NOTES = 5 };

struct machine {
    pthread_mutex_t lock;
    int total;
};

static struct machine machine = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void machine_add(struct machine *m, int money)
{
    pthread_mutex_lock(&m->lock);
    m->total += money;
    pthread_mutex_unlock(&m->lock);
}

static int machine_total(struct machine *m)
{
    pthread_mutex_lock(&m->lock);
    int total = m->total;
    pthread_mutex_unlock(&m->lock);
    return total;
}

static void *customer(void *argument)
{
    struct machine *m = argument;
    int cash = NOTES;
    while (cash > 0) {
        cash -= 1;
        machine_add(m, 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[CUSTOMERS];
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_create(&threads[i], NULL, customer, &machine);
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_join(threads[i], NULL);

    int total = machine_total(&machine);
    printf("total %d\n", total);
    return total == CUSTOMERS * NOTES ? 0 : 1;
}

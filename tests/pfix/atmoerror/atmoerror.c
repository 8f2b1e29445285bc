// SPDX-License-Identifier: Apache-2.0
//~ fails: exit 1
// Two customers carry five notes each to the same cash machine and pay them in one by one. The
// machine's total is a plain counter.
#include <pthread.h>
#include <stdio.h>

enum { CUSTOMERS = 2, NOTES = 5 };

struct machine {
    int total;
};

static struct machine machine;

static void machine_add(struct machine *m, int money)
{
    m->total += money;
}

static int machine_total(const struct machine *m)
{
    return m->total;
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

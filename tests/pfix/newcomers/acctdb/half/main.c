// SPDX-License-Identifier: Apache-2.0
#include "acctdb.h"

#include <stdio.h>

struct order {
    struct db *db;
    int from;
    int to;
    int amount;
    int result;
};

static void *run_order(void *arg)
{
    struct order *o = arg;
    o->result = db_transfer(o->db, o->from, o->to, o->amount);
    return NULL;
}

int main(void)
{
    struct db db;
    pthread_t threads[3];

    db_init(&db);
    db_open(&db, 1, 10, 100);
    db_open(&db, 2, 0, 12);
    db_open(&db, 3, 5, 100);
    struct order orders[3] = {
        {&db, 1, 2, 8, 1},
        {&db, 2, 3, 6, 1},
        {&db, 3, 2, 5, 1},
    };
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run_order, &orders[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);

    int total = db_total(&db);
    int second = db_balance(&db, 2);
    db_close(&db);
    if (total != 15 || second < 0 || second > 12) {
        fprintf(stderr, "total %d, balance %d\n", total, second);
        return 1;
    }
    return 0;
}

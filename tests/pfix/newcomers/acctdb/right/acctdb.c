// SPDX-License-Identifier: Apache-2.0
#include "acctdb.h"

#include <stddef.h>
#include <string.h>

void db_init(struct db *db)
{
    memset(db, 0, sizeof *db);
    pthread_mutex_init(&db->lock, NULL);
}

void db_close(struct db *db)
{
    pthread_mutex_destroy(&db->lock);
}

static struct account *find(struct db *db, int number)
{
    for (int i = 0; i < db->used; i++)
        if (db->accounts[i].number == number)
            return &db->accounts[i];
    return NULL;
}

int db_open(struct db *db, int number, int balance, int limit)
{
    int result = DB_OK;
    LOCK(db);
    if (db->used == MAX_ACCOUNTS) {
        result = DB_FULL;
        goto out;
    }
    if (find(db, number)) {
        result = DB_UNKNOWN;
        goto out;
    }
    db->accounts[db->used++] = (struct account){number, balance, limit};
out:
    UNLOCK(db);
    return result;
}

int db_transfer(struct db *db, int from, int to, int amount)
{
    LOCK(db);
    struct account *a = find(db, from);
    struct account *b = find(db, to);
    if (!a || !b) {
        UNLOCK(db);
        return DB_UNKNOWN;
    }
    if (a->balance < amount) {
        UNLOCK(db);
        return DB_FUNDS;
    }
    if (b->balance + amount > b->limit) {
        UNLOCK(db);
        return DB_LIMIT;
    }
    a->balance -= amount;
    b->balance += amount;
    db->transfers++;
    UNLOCK(db);
    return DB_OK;
}

int db_balance(struct db *db, int number)
{
    int balance = DB_UNKNOWN;
    LOCK(db);
    struct account *a = find(db, number);
    if (a)
        balance = a->balance;
    UNLOCK(db);
    return balance;
}

int db_total(struct db *db)
{
    int sum = 0;
    LOCK(db);
    for (int i = 0; i < db->used; i++)
        sum += db->accounts[i].balance;
    UNLOCK(db);
    return sum;
}

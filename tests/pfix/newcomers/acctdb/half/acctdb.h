// SPDX-License-Identifier: Apache-2.0
#ifndef ACCTDB_H
#define ACCTDB_H

#include <pthread.h>

#define MAX_ACCOUNTS 4

enum db_error {
    DB_OK = 0,
    DB_UNKNOWN = -1,
    DB_FUNDS = -2,
    DB_LIMIT = -3,
    DB_FULL = -4,
};

struct account {
    int number;
    int balance;
    int limit;
};

struct db {
    pthread_mutex_t lock;
    struct account accounts[MAX_ACCOUNTS];
    int used;
    int transfers;
};

#define LOCK(db) pthread_mutex_lock(&(db)->lock)
#define UNLOCK(db) pthread_mutex_unlock(&(db)->lock)

void db_init(struct db *db);
void db_close(struct db *db);
int db_open(struct db *db, int number, int balance, int limit);
int db_transfer(struct db *db, int from, int to, int amount);
int db_balance(struct db *db, int number);
int db_total(struct db *db);

#endif

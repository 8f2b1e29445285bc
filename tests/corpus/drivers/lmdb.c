/* SPDX-License-Identifier: Apache-2.0
 *
 * A writer and two readers on one LMDB environment. Every transaction writes the same number
 * under two keys: whoever reads two different ones has seen half of one. */
#include <lmdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROUNDS = 4, READERS = 2 };

static MDB_env *env;
static MDB_dbi table;

static void must(int code, const char *what)
{
    if (code) {
        fprintf(stderr, "%s: %s\n", what, mdb_strerror(code));
        exit(1);
    }
}

static void *write_all(void *unused)
{
    for (int i = 1; i <= ROUNDS; i++) {
        MDB_txn *txn;
        MDB_val a = {1, "a"}, b = {1, "b"}, value = {sizeof i, &i};
        must(mdb_txn_begin(env, NULL, 0, &txn), "begin");
        must(mdb_put(txn, table, &a, &value, 0), "put");
        must(mdb_put(txn, table, &b, &value, 0), "put");
        must(mdb_txn_commit(txn), "commit");
    }
    return unused;
}

static void *read_all(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        MDB_txn *txn;
        MDB_val a = {1, "a"}, b = {1, "b"}, one, two;
        must(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), "begin");
        int first = mdb_get(txn, table, &a, &one), second = mdb_get(txn, table, &b, &two);
        if (first != second ||
            (first == 0 && memcmp(one.mv_data, two.mv_data, sizeof i) != 0)) {
            fprintf(stderr, "half of a transaction was seen\n");
            exit(2);
        }
        mdb_txn_abort(txn);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[READERS + 1];
    MDB_txn *txn;
    mkdir("lmdb.tmp", 0700);
    must(mdb_env_create(&env), "create");
    must(mdb_env_open(env, "lmdb.tmp", MDB_NOSYNC, 0600), "open");
    must(mdb_txn_begin(env, NULL, 0, &txn), "begin");
    must(mdb_dbi_open(txn, NULL, 0, &table), "table");
    must(mdb_txn_commit(txn), "commit");
    for (int i = 0; i <= READERS; i++)
        pthread_create(&threads[i], NULL, i ? read_all : write_all, NULL);
    for (int i = 0; i <= READERS; i++)
        pthread_join(threads[i], NULL);
    mdb_env_close(env);
    puts("good");
    return 0;
}

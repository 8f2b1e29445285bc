// SPDX-License-Identifier: Apache-2.0
// A model of DERBY-4723: what belongs to the class is guarded by a lock of the instance.
//
// Every pool of connections numbers the connections that it opens. The number is drawn from
// one counter for all pools, and a connection is found again by its number.
//
// The right fix: the counter has a lock of its own.
//
// arguments: [CLIENTS], at most 3. Ends by a failed assertion if a number was given out twice.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { POOLS = 2, CLIENTS_MAX = 3, OPENED = 2, IDS_MAX = CLIENTS_MAX * OPENED };

struct connection {
    int id;
    int in_transaction;
    int statements;
};

struct pool {
    pthread_mutex_t lock;
    struct connection connection[IDS_MAX];
    int opened, active, statements_run;
};

static struct pool pools[POOLS];
static int next_id;
static pthread_mutex_t id_lock = PTHREAD_MUTEX_INITIALIZER;

// All connections by number. A slot belongs to one connection: nobody else writes it.
static struct connection *by_id[IDS_MAX];

static int draw_id(void)
{
    pthread_mutex_lock(&id_lock);
    int id = next_id;
    next_id = id + 1;
    pthread_mutex_unlock(&id_lock);
    return id;
}

static struct connection *pool_open(struct pool *pool)
{
    int id = draw_id();
    pthread_mutex_lock(&pool->lock);
    struct connection *connection = &pool->connection[pool->opened++];
    connection->id = id;
    pool->active++;
    pthread_mutex_unlock(&pool->lock);
    assert(by_id[id] == NULL);
    by_id[id] = connection;
    return connection;
}

static void pool_run(struct pool *pool, struct connection *connection)
{
    connection->in_transaction = 1;
    connection->statements++;
    pthread_mutex_lock(&pool->lock);
    pool->statements_run++;
    pthread_mutex_unlock(&pool->lock);
    connection->in_transaction = 0;
}

static void pool_close(struct pool *pool, struct connection *connection)
{
    pthread_mutex_lock(&pool->lock);
    assert(!connection->in_transaction);
    pool->active--;
    pthread_mutex_unlock(&pool->lock);
}

static void *client(void *arg)
{
    struct pool *pool = arg;
    for (int i = 0; i < OPENED; i++) {
        struct connection *connection = pool_open(pool);
        pool_run(pool, connection);
        pool_close(pool, connection);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : CLIENTS_MAX;
    if (count < 1 || count > CLIENTS_MAX)
        return 2;
    for (int i = 0; i < POOLS; i++)
        pthread_mutex_init(&pools[i].lock, NULL);
    pthread_t thread[CLIENTS_MAX];
    for (int i = 0; i < count; i++)
        pthread_create(&thread[i], NULL, client, &pools[i % POOLS]);
    int run = 0;
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < POOLS; i++) {
        assert(pools[i].active == 0);
        run += pools[i].statements_run;
    }
    assert(run == count * OPENED && next_id == count * OPENED);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Locks of all sorts: one for all, one in each object, one for each index; and one place that
// forgets its lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, ROWS = 3 };

struct account {
    pthread_mutex_t lock;
    int amount;
    const char *owner;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int balance;
static pthread_mutex_t locks[ROWS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                      PTHREAD_MUTEX_INITIALIZER};
static long rows[ROWS];
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static int table;
static int hits;
static struct account *accounts[2];

static struct account *account_new(const char *owner)
{
    struct account *a = malloc(sizeof *a);
    pthread_mutex_init(&a->lock, NULL);
    a->amount = 0; /* nobody else knows it */
    a->owner = owner;
    return a;
}

static void pay(struct account *a, int money)
{
    pthread_mutex_lock(&a->lock);
    a->amount += money;
    pthread_mutex_unlock(&a->lock);
}

static int look_up(void)
{
    pthread_rwlock_rdlock(&table_lock);
    int found = table;
    pthread_rwlock_unlock(&table_lock);
    return found;
}

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROWS; i++) {
        pthread_mutex_lock(&locks[i]);
        rows[i]++;
        pthread_mutex_unlock(&locks[i]);
    }
    pay(accounts[0], 1);
    pay(accounts[1], 2);
    pthread_mutex_lock(&m);
    balance++;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    balance--;
    pthread_mutex_unlock(&m);
    balance = look_up(); /* forgets m */
    pthread_rwlock_wrlock(&table_lock);
    table++;
    pthread_rwlock_unlock(&table_lock);
    hits++;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    accounts[0] = account_new("first");
    accounts[1] = account_new("second");
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d\n", accounts[0]->amount, accounts[1]->amount); /* nobody else is alive */
    return 0;
}

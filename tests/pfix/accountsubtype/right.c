// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// As accountsubtype.c, mended by hand: both kinds of transfer change each account under its own
// lock, one after the other.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUSINESS = 20, ACCOUNTS = BUSINESS + 1, START = 100, END = 300 };

struct account {
    pthread_mutex_t lock; /* recursive */
    const struct account_type *type;
    int number;
    int amount;
};

struct account_type {
    const char *name;
    void (*transfer)(struct account *a, struct account *dest, int money);
};

static void business_transfer(struct account *a, struct account *dest, int money)
{
    pthread_mutex_lock(&a->lock);
    a->amount -= money;
    pthread_mutex_unlock(&a->lock);
    pthread_mutex_lock(&dest->lock);
    dest->amount += money;
    pthread_mutex_unlock(&dest->lock);
}

static void personal_transfer(struct account *a, struct account *dest, int money)
{
    pthread_mutex_lock(&a->lock);
    a->amount -= money;
    pthread_mutex_unlock(&a->lock);
    pthread_mutex_lock(&dest->lock);
    dest->amount += money;
    pthread_mutex_unlock(&dest->lock);
}

static const struct account_type business = {"business", business_transfer};
static const struct account_type personal = {"personal", personal_transfer};

static struct account *accounts[ACCOUNTS];

static struct account *account_new(const struct account_type *type, int number)
{
    struct account *a = calloc(1, sizeof *a);
    if (!a)
        abort();
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&a->lock, &kind);
    pthread_mutexattr_destroy(&kind);
    a->type = type;
    a->number = number;
    a->amount = START;
    return a;
}

static void account_deposit(struct account *a, int money)
{
    pthread_mutex_lock(&a->lock);
    a->amount += money;
    pthread_mutex_unlock(&a->lock);
}

static void account_withdraw(struct account *a, int money)
{
    pthread_mutex_lock(&a->lock);
    a->amount -= money;
    pthread_mutex_unlock(&a->lock);
}

static int account_amount(struct account *a)
{
    pthread_mutex_lock(&a->lock);
    int amount = a->amount;
    pthread_mutex_unlock(&a->lock);
    return amount;
}

static void *owner(void *argument)
{
    struct account *own = argument;
    struct account *next = accounts[(own->number + 1) % ACCOUNTS];

    account_deposit(own, 300);
    own->type->transfer(own, next, 10);
    account_deposit(own, 10);
    account_withdraw(own, 20);
    account_deposit(own, 10);
    own->type->transfer(own, next, 10);
    account_withdraw(own, 100);
    return NULL;
}

int main(void)
{
    pthread_t threads[ACCOUNTS];
    for (int i = 0; i < ACCOUNTS; i++)
        accounts[i] = account_new(i < BUSINESS ? &business : &personal, i);
    for (int i = 0; i < ACCOUNTS; i++)
        pthread_create(&threads[i], NULL, owner, accounts[i]);
    for (int i = 0; i < ACCOUNTS; i++)
        pthread_join(threads[i], NULL);

    int wrong = 0;
    for (int i = 0; i < ACCOUNTS; i++) {
        int amount = account_amount(accounts[i]);
        if (amount != END) {
            printf("%s account %d: %d\n", accounts[i]->type->name, i, amount);
            wrong++;
        }
        pthread_mutex_destroy(&accounts[i]->lock);
        free(accounts[i]);
    }
    printf("%d wrong\n", wrong);
    return wrong ? 1 : 0;
}

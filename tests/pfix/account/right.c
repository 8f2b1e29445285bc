// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// As account.c, mended by hand: a transfer never holds two locks; each account is changed under
// its own lock.
#include <pthread.h>
#include <stdio.h>

enum { ACCOUNTS = 10, START = 100, END = 300 };

struct account {
    pthread_mutex_t lock; /* recursive */
    int amount;
    char name;
};

static struct account accounts[ACCOUNTS];

static void account_init(struct account *a, char name)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&a->lock, &kind);
    pthread_mutexattr_destroy(&kind);
    a->amount = START;
    a->name = name;
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

static void account_transfer(struct account *a, struct account *dest, int money)
{
    pthread_mutex_lock(&a->lock);
    a->amount -= money;
    pthread_mutex_unlock(&a->lock);
    pthread_mutex_lock(&dest->lock);
    dest->amount += money;
    pthread_mutex_unlock(&dest->lock);
}

static int account_amount(struct account *a)
{
    pthread_mutex_lock(&a->lock);
    int amount = a->amount;
    pthread_mutex_unlock(&a->lock);
    return amount;
}

static void *client(void *argument)
{
    struct account *own = argument;
    int i = (int)(own - accounts);
    struct account *next = &accounts[(i + 1) % ACCOUNTS];
    struct account *second = &accounts[(i + 2) % ACCOUNTS];

    account_deposit(own, 300);
    account_transfer(own, next, 10);
    account_deposit(own, 10);
    account_transfer(own, second, 10);
    account_withdraw(own, 20);
    account_deposit(own, 10);
    account_transfer(own, next, 10);
    account_withdraw(own, 100);
    return NULL;
}

int main(void)
{
    pthread_t threads[ACCOUNTS];
    for (int i = 0; i < ACCOUNTS; i++)
        account_init(&accounts[i], (char)('A' + i));
    for (int i = 0; i < ACCOUNTS; i++)
        pthread_create(&threads[i], NULL, client, &accounts[i]);
    for (int i = 0; i < ACCOUNTS; i++)
        pthread_join(threads[i], NULL);

    int wrong = 0;
    for (int i = 0; i < ACCOUNTS; i++)
        if (account_amount(&accounts[i]) != END) {
            printf("account %c: %d\n", accounts[i].name, account_amount(&accounts[i]));
            wrong++;
        }
    printf("%d wrong\n", wrong);
    return wrong ? 1 : 0;
}

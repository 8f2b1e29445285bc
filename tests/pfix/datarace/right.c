// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// As datarace.c, mended by hand: the bank has a lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ACCOUNTS = 10, PAYERS = 6, MONEY = 50, PAID_INTO = 1 };

struct account {
    int number;
    int balance;
};

struct bank {
    pthread_mutex_t lock;
    struct account *accounts[ACCOUNTS];
};

static struct bank bank = {.lock = PTHREAD_MUTEX_INITIALIZER};
static int is_right;

static struct account *account_new(int number)
{
    struct account *a = malloc(sizeof *a);
    if (!a)
        abort();
    a->number = number;
    a->balance = 0;
    return a;
}

static int account_balance(const struct account *a)
{
    return a->balance;
}

static void account_set_balance(struct account *a, int balance)
{
    a->balance = balance;
}

static void bank_deposit(struct bank *b, int number, int money)
{
    struct account *a = b->accounts[number];
    pthread_mutex_lock(&b->lock);
    int balance = account_balance(a);
    balance += money;
    account_set_balance(a, balance);
    pthread_mutex_unlock(&b->lock);
}

static int bank_check(struct bank *b, int number, int expected)
{
    pthread_mutex_lock(&b->lock);
    int balance = account_balance(b->accounts[number]);
    pthread_mutex_unlock(&b->lock);
    return balance == expected;
}

static void *payer(void *argument)
{
    bank_deposit(argument, PAID_INTO, MONEY);
    return NULL;
}

static void *checker(void *argument)
{
    is_right = bank_check(argument, PAID_INTO, PAYERS * MONEY);
    return NULL;
}

int main(void)
{
    pthread_t threads[PAYERS], check;
    for (int i = 0; i < ACCOUNTS; i++)
        bank.accounts[i] = account_new(i);
    for (int i = 0; i < PAYERS; i++)
        pthread_create(&threads[i], NULL, payer, &bank);
    for (int i = 0; i < PAYERS; i++)
        pthread_join(threads[i], NULL);
    pthread_create(&check, NULL, checker, &bank);
    pthread_join(check, NULL);

    printf("balance %d\n", bank.accounts[PAID_INTO]->balance);
    for (int i = 0; i < ACCOUNTS; i++)
        free(bank.accounts[i]);
    return is_right ? 0 : 1;
}

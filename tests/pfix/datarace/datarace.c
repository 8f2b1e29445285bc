// SPDX-License-Identifier: Apache-2.0
//~ fails: exit 1
// A bank with ten accounts; six threads pay 50 each into the same one. Reading the balance,
// adding and writing it back are three steps. A checker thread looks at the end.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ACCOUNTS = 10, PAYERS = 6, MONEY = 50, PAID_INTO = 1 };

struct account {
    int number;
    int balance;
};

struct bank {
    struct account *accounts[ACCOUNTS];
};

static struct bank bank;
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
    int balance = account_balance(a);
    balance += money;
    account_set_balance(a, balance);
}

static int bank_check(const struct bank *b, int number, int expected)
{
    return account_balance(b->accounts[number]) == expected;
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

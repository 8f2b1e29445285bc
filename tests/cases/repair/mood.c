/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock that one function forgets, on a branch that no run takes, too. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void deposit(int amount)
{
    pthread_mutex_lock(&lock);
    balance += amount;
    pthread_mutex_unlock(&lock);
}

static void withdraw(int amount)
{
    if (amount < 0)
        balance = 0;
    else
        balance -= amount;
}

static void *customer(void *arg)
{
    withdraw(1);
    deposit(1);
    return arg;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, customer, NULL);
    pthread_create(&two, NULL, customer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    if (balance != 0)
        abort();
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The bank of bank-av, bank-sav and bank-nav: a balance and a count of bookings, behind two
 * locks that are nested where both are looked at. */
#ifndef TESTS_FUSION_BANK_H
#define TESTS_FUSION_BANK_H

#include "fusion.h"

static pthread_mutex_t money = PTHREAD_MUTEX_INITIALIZER, books = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100, bookings;

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_done[THREADS_MAX];

static inline int look(const int *what)
{
    pthread_mutex_lock(&money);
    pthread_mutex_lock(&books);
    int seen = *what;
    pthread_mutex_unlock(&books);
    pthread_mutex_unlock(&money);
    return seen;
}

static inline void put(pthread_mutex_t *lock, int *where, int value)
{
    pthread_mutex_lock(lock);
    *where = value;
    pthread_mutex_unlock(lock);
}

static inline void withdraw(void)
{
    put(&money, &balance, look(&balance) - 10);
}

static inline void book(void)
{
    put(&books, &bookings, look(&bookings) + 1);
}

static inline void say_done(int which)
{
    pthread_mutex_lock(&turn);
    is_done[which] = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&turn);
}

/* Until the thread before this one is done; nobody is before the first. */
static inline void wait_for_turn(int own)
{
    if (own == 0)
        return;
    pthread_mutex_lock(&turn);
    while (!is_done[own - 1])
        pthread_cond_wait(&changed, &turn);
    pthread_mutex_unlock(&turn);
}

#endif

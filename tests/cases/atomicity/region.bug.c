// SPDX-License-Identifier: Apache-2.0
//~ expect: atomicity A B C
// A region that is marked as atomic is not.
#include <heddle/annotate.h>
#include <pthread.h>
#include <stdio.h>

static int balance;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int get(void)
{
    pthread_mutex_lock(&m);
    int value = balance; //~ A
    pthread_mutex_unlock(&m);
    return value;
}

static void set(int value)
{
    pthread_mutex_lock(&m);
    balance = value; //~ B
    pthread_mutex_unlock(&m);
}

static void *pay(void *unused)
{
    (void)unused;
    HEDDLE_ATOMIC_BEGIN();
    set(get() + 10);
    HEDDLE_ATOMIC_END();
    return NULL;
}

static void *reset(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    balance = 0; //~ C
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, pay, NULL);
    pthread_create(&b, NULL, reset, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

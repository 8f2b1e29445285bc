// SPDX-License-Identifier: Apache-2.0
//~ check: quiet
// Whoever is ready last ends the process.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int debit, credit;
static int left = 2;

static void finish(void)
{
    pthread_mutex_lock(&lock);
    int last = --left == 0;
    pthread_mutex_unlock(&lock);
    if (last)
        exit(0);
}

static void *transfer(void *arg)
{
    pthread_mutex_lock(&lock);
    debit += 10;
    credit += 10;
    pthread_mutex_unlock(&lock);
    finish();
    return arg;
}

static void *check(void *arg)
{
    pthread_mutex_lock(&lock);
    assert(debit == credit); //~ here
    pthread_mutex_unlock(&lock);
    finish();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, transfer, NULL);
    pthread_create(&b, NULL, check, NULL);
    pthread_exit(NULL);
}

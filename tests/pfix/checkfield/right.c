// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
// As checkfield.c, mended by hand: both fields are set, and relied on, under one lock.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct example {
    pthread_mutex_t lock;
    int number;
    int number2;
};

static struct example shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *set_and_check(void *argument)
{
    struct example *ex = argument;
    pthread_mutex_lock(&ex->lock);
    ex->number = 12;
    ex->number2 = 12;
    assert(ex->number == 12);
    int copy = ex->number2;
    pthread_mutex_unlock(&ex->lock);
    (void)copy;
    return NULL;
}

static void *set_other(void *argument)
{
    struct example *ex = argument;
    pthread_mutex_lock(&ex->lock);
    ex->number = 13;
    ex->number2 = 1;
    pthread_mutex_unlock(&ex->lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, set_and_check, &shared);
    pthread_create(&second, NULL, set_other, &shared);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("checked\n");
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//~ fails: assert
// One thread sets two fields and relies on the first of them still being what it wrote; another
// thread sets the same fields to something else.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct example {
    int number;
    int number2;
};

static struct example shared;

static void *set_and_check(void *argument)
{
    struct example *ex = argument;
    ex->number = 12;
    ex->number2 = 12;
    assert(ex->number == 12);
    int copy = ex->number2;
    (void)copy;
    return NULL;
}

static void *set_other(void *argument)
{
    struct example *ex = argument;
    ex->number = 13;
    ex->number2 = 1;
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

// SPDX-License-Identifier: Apache-2.0
//~ expect: order A B
// The table may be taken away before it is used.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int *table;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    printf("%d\n", *table); //~ B
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *closer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    table = NULL; //~ A
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    static int numbers[4] = {1, 2, 3, 4};
    table = numbers;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, closer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

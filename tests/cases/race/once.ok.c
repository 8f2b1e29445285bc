// SPDX-License-Identifier: Apache-2.0
//~ expect: nothing
// pthread_once makes the table ready.
#include <pthread.h>
#include <stdio.h>

static int table;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
    table = 7;
}

static void *use(void *unused)
{
    (void)unused;
    pthread_once(&once, make);
    printf("%d\n", table);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, use, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

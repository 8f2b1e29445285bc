// SPDX-License-Identifier: Apache-2.0
//~ fails: nothing
//~ with: table.c
// Mended by hand: who counts holds the lock for writing.
#include "table.h"

#include <stdio.h>

enum { READERS = 3, LOOKUPS = 2 };

static struct table table = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static void *reader(void *unused)
{
    (void)unused;
    for (int i = 0; i < LOOKUPS; i++)
        table_find(&table, i);
    return NULL;
}

int main(void)
{
    pthread_t threads[READERS];
    for (int i = 0; i < TABLE_ROWS; i++)
        table_set(&table, i, i);
    for (int i = 0; i < READERS; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    printf("%d lookups\n", table.lookups);
    return table.lookups == READERS * LOOKUPS ? 0 : 1;
}

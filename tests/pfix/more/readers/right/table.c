// SPDX-License-Identifier: Apache-2.0
#include "table.h"

/* The row with the value, or -1. */
int table_find(struct table *t, int value)
{
    int found = -1;
    pthread_rwlock_wrlock(&t->lock);
    t->lookups++;
    for (int i = 0; i < TABLE_ROWS && found < 0; i++)
        if (t->rows[i] == value)
            found = i;
    pthread_rwlock_unlock(&t->lock);
    return found;
}

void table_set(struct table *t, int row, int value)
{
    pthread_rwlock_wrlock(&t->lock);
    t->rows[row] = value;
    pthread_rwlock_unlock(&t->lock);
}

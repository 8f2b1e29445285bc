// SPDX-License-Identifier: Apache-2.0
// A table that is read often and changed seldom.
#ifndef TABLE_H
#define TABLE_H

#include <pthread.h>

enum { TABLE_ROWS = 3 };

struct table {
    pthread_rwlock_t lock;
    int rows[TABLE_ROWS];
    int lookups;
};

int table_find(struct table *t, int value);
void table_set(struct table *t, int row, int value);

#endif

// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include <stddef.h>

static pthread_mutex_t tab_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct conn *tab[TABLE_SIZE];

static void tab_lock(void)
{
    pthread_mutex_lock(&tab_mutex);
}

static void tab_unlock(void)
{
    pthread_mutex_unlock(&tab_mutex);
}

int table_open(int id, int *counter)
{
    struct conn *c = conn_new(id, counter);

    if (c == NULL)
        return -1;
    tab_lock();
    if (tab[id % TABLE_SIZE] != NULL) {
        tab_unlock();
        conn_unref(c);
        return -1;
    }
    tab[id % TABLE_SIZE] = c;
    tab_unlock();
    return 0;
}

struct conn *table_find(int id)
{
    struct conn *c;

    tab_lock();
    c = tab[id % TABLE_SIZE];
    if (c == NULL || c->id != id) {
        tab_unlock();
        return NULL;
    }
    tab_unlock();
    return c;
}

void table_close(int id)
{
    struct conn *c;

    tab_lock();
    c = tab[id % TABLE_SIZE];
    tab[id % TABLE_SIZE] = NULL;
    tab_unlock();
    if (c != NULL)
        conn_unref(c);
}

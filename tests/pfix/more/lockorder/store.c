// SPDX-License-Identifier: Apache-2.0
#include "store.h"

void store_insert(struct store *s)
{
    pthread_mutex_lock(&s->lock);
    s->records++;
    pthread_mutex_lock(&s->journal->lock);
    s->journal->entries++;
    pthread_mutex_unlock(&s->journal->lock);
    pthread_mutex_unlock(&s->lock);
}

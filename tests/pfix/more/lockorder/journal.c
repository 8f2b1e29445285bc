// SPDX-License-Identifier: Apache-2.0
#include "store.h"

void journal_trim(struct journal *j, struct store *s)
{
    pthread_mutex_lock(&j->lock);
    pthread_mutex_lock(&s->lock);
    if (j->entries > s->records)
        j->entries = s->records;
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_unlock(&j->lock);
}

// SPDX-License-Identifier: Apache-2.0
// A store of records with a journal of what was done.
#ifndef STORE_H
#define STORE_H

#include <pthread.h>

struct journal {
    pthread_mutex_t lock;
    int entries;
};

struct store {
    pthread_mutex_t lock;
    int records;
    struct journal *journal;
};

void store_insert(struct store *s);
/* Forgets entries of the journal for records that are there. */
void journal_trim(struct journal *j, struct store *s);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * guard-table: the table while it is filled. Part of guards.h. */
#ifndef GUARDS_GUARD_TABLE_H
#define GUARDS_GUARD_TABLE_H

#include "guards/guards.h"

/* One way in which a lock may belong to a variable, and how often it was held. */
struct bond {
    enum guard_bond kind;
    uint64_t key; /* own: where the lock lies; others: which one */
    uint64_t count;
    VEC(uint64_t) uses; /* by use of the variable */
    struct map owners;  /* object -> its lock */
    bool is_split;      /* one object had two */
    bool is_shared;
    const char *lock; /* what it lies in; NULL: none yet */
    struct code_site locked_at;
};

struct guard_draft {
    struct guard guard;
    uint32_t before; /* an older one with the same hash */
    VEC(struct bond) bonds;
};

struct guard_table {
    struct guards *out;
    struct site_table *sites;
    VEC(struct guard_draft) drafts;
    struct map by_name;
};

void guard_table_add(struct guard_table *t, const struct seen_run *r);
/* program: knows where its sources were compiled; NULL: not known. */
void guard_table_finish(struct guard_table *t, const char *program);

#endif

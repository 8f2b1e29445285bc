/* SPDX-License-Identifier: Apache-2.0
 *
 * guards: which lock guards what, from runs under many schedules. What it knows of runs and
 * names serves the search for causes, too. Everything that is told lives in the arena of what
 * it is told in. */
#ifndef GUARDS_GUARDS_H
#define GUARDS_GUARDS_H

#include "guards/seen-run.h"

/* ---- names ------------------------------------------------------------------------------ *
 * Variables and locks have names that tell objects apart in all runs: "inv(cap.cpp:33).stock",
 * "heap(pool.c:12).count". These are for people: "inv.stock", "count (made at pool.c:12)". */

void name_words(struct str *out, const char *name);
/* The same of a lock: "a lock in inv" if the name does not say which. */
void name_lock_words(struct str *out, const char *name);

/* ---- guards ----------------------------------------------------------------------------- */

enum guard_bond {
    GUARD_BOND_NONE,   /* no lock is held at half of the accesses, or at all changes */
    GUARD_BOND_GLOBAL, /* one lock for all */
    GUARD_BOND_OWN,    /* each object has its own, in itself: acc->lock guards acc->amount */
    GUARD_BOND_INDEX,  /* locks[i] guards rows[i] */
    GUARD_BOND_OTHER,  /* each object has one, in another object */
};

struct guard_use {
    struct code_site site;
    bool writes;
    uint64_t count, guarded; /* accesses by it, and how many held the lock */
};

struct guard {
    const char *variable; /* "balance", "accounts.amount", "heap(bank.c:31).balance" */
    const char *object;   /* "accounts", "heap(bank.c:31)": what the variable is part of */
    const char *field;    /* "amount"; "" if it is the whole object */
    struct code_site allocated; /* heap: where */
    bool is_heap, is_stack;
    enum guard_bond bond;
    const char *lock;           /* "m", "accounts.lock", "heap(bank.c:31).lock"; "" if none */
    struct code_site locked_at; /* a call that takes it, for its spelling */
    bool is_shared;             /* some hold it only for reading */
    VEC(struct guard_use) uses; /* sites, those that break it first */
    uint32_t sites, guarded_sites;
    uint64_t accesses, guarded;
};

struct guards {
    struct arena mem;
    uint64_t runs;
    VEC(struct guard) guards; /* by variable */
};

/* From runs that it makes. */
int guards_find(struct guards *out, const struct seek_runs *opts, struct err *err);
/* From runs that were recorded; their directories, NULL ends. */
int guards_of_runs(struct guards *out, const char *const *runs, struct err *err);
void guards_done(struct guards *g);
const char *guard_bond_text(enum guard_bond b); /* "own" */
/* A diff that writes the table into the program's source, as GUARDED_BY; notes: what it leaves
 * out, one line each. */
int guards_annotate(struct str *out, struct str *notes, const struct guards *g,
                    const char *program, struct err *err);

#include "guards/guard-table.h"
#include "guards/names.h"

#endif

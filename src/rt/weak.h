/* SPDX-License-Identifier: Apache-2.0
 *
 * rt/weak: what the files of the weak machine share; rt.h has what others call. */
#ifndef RT_WEAK_H
#define RT_WEAK_H

#include "heddle/weak.h"
#include "rt/know.h"
#include "rt/rt.h"

/* A store of a location. Of two, the one of the higher rank is newer in modification order. */
struct weak_store {
    uint64_t rank, value;
    struct know k;   /* what who acquires it gets to know */
    uint64_t event;  /* that recorded it, or NO_EVENT */
    uint64_t number; /* x86: which one of its thread's stores; 0: it was there before */
    thr_id thr;
    bool is_rmw;  /* read the one before it: nothing comes between the two */
    bool is_made; /* by its thread: it was not there before */
};

/* An atomic object. Its last store is what memory holds. */
struct weak_loc {
    uint64_t addr;
    uint64_t rank;       /* of the newest store there ever was */
    uint32_t next;       /* in its bucket, or of those that are free */
    uint32_t first, len; /* its stores: where they lie in its part of rt.weak.stores */
    thr_id behind;       /* a thread that could still read the oldest ones */
    uint8_t size;
    bool is_plain; /* always the newest: another process may see it */
};

/* A store that a thread keeps reading at one place. */
struct weak_spin {
    const struct __heddle_site *site;
    uint64_t rank;
    uint32_t count;
};

enum { WEAK_SPINS = 8, WEAK_BUFFER = 64 };

/* A store that may still be in the buffer of its thread. */
struct weak_buffered {
    uint32_t loc;
    uint64_t rank;
};

/* The atomic access that is being made: between the hook before it and the one behind. */
struct weak_op {
    uint32_t loc;   /* 0: none that is followed */
    uint32_t place; /* in its stores: what is read; of a store, what it goes before */
    bool is_staged; /* memory holds an older store's value */
};

struct weak_thr {
    struct know cur;  /* what it knows */
    struct know pend; /* what an acquire fence would add to that */
    struct know rel;  /* what it knew at its last release fence */
    uint64_t clock;   /* its own, since it last let others know something */
    struct weak_op op;
    struct weak_spin spins[WEAK_SPINS];
    uint64_t stored, left; /* x86: stores it made; those that have left its buffer */
    struct weak_buffered buffer[WEAK_BUFFER];
};

static inline struct weak_thr *weak_of(const struct thr *t)
{
    return &rt.weak.thr[t->id];
}

static inline bool order_acquires(uint32_t order)
{
    return order == WORD_VALUE(ORDER, ACQUIRE) || order == WORD_VALUE(ORDER, CONSUME) ||
           order >= WORD_VALUE(ORDER, ACQ_REL);
}

static inline bool order_releases(uint32_t order)
{
    return order >= WORD_VALUE(ORDER, RELEASE);
}

static inline bool order_is_sc(uint32_t order)
{
    return order == WORD_VALUE(ORDER, SEQ_CST);
}

/* ---- weak.c ---------------------------------------------------------------------------- */
/* What it knows is let others know: it is put into the map, and what follows is new. */
struct know weak_publish(struct thr *t);
struct weak_store *weak_stores(const struct weak_loc *x);

/* ---- weak-x86.c ------------------------------------------------------------------------ */
void x86_flush(struct thr *t);
void x86_read(struct thr *t, const struct weak_store *m);
bool x86_may_miss(const struct thr *t, const struct weak_store *s);
void x86_stored(struct thr *t, uint32_t loc, struct weak_store *s, bool is_strong);
void weak_overwritten(uint64_t addr, uint64_t len);

/* ---- weak-sync.c ----------------------------------------------------------------------- */
/* What was left at this address by something that is no atomic access, a guard say. */
struct know weak_left_at(uint64_t addr);

/* ---- weak-race.c ----------------------------------------------------------------------- */
void weak_race_start(void);
void weak_atomic(struct thr *t, uint64_t addr, uint32_t size, bool is_write,
                 struct __heddle_site *site);
void weak_words_end(uint64_t addr, uint64_t len);

#endif

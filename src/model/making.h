/* SPDX-License-Identifier: Apache-2.0
 *
 * making: what the steps of building a model share: the columns while they grow. */
#ifndef MODEL_MAKING_H
#define MODEL_MAKING_H

#include "model/cells.h"

/* A lock that a thread holds, while the trace is read. */
struct holding {
    shape_id lock;
    uint32_t depth;
};

struct thread_state {
    VEC(struct holding) held;
    shape_id wait_lock; /* a one-event wait released it and has still to take it again, or 0 */
    shape_id wait_cond;
    uint32_t wait_depth;
    shape_id just_released; /* its last event released this lock outermost, or 0 */
    ev_id last;             /* its last event so far */
    ev_id request;          /* its last row, if that is a request, else NONE */
};

/* How the entries of the indices spread over the threads; while they are filled, where the next
 * entry goes. NULL if that would take more room than the events. */
struct spread {
    uint32_t *cells; /* by cell, writes or reads, thread */
    uint32_t *syncs; /* by sync, thread */
};

struct builder {
    struct model *m; /* the columns hold shapes, not yet cells and syncs */
    struct memory *memory;
    uint32_t cap; /* of the columns */
    /* number of an event -> what it says beside its columns: what woke a wait (its number), the
     * round of a barrier, the value of a semaphore, an error, where bytes of a channel end */
    struct map said;
    bool has_needs; /* some event needs more than its own thread, locks and data */
    bool keep_all;
    bool weak;
    bool has_waits; /* there are waits for conditions or futexes */
    struct thread_state *threads;
    uint32_t thread_cap;
    struct spread spread;
};

/* Step 1: the trace becomes rows of the columns; locks are folded, waits spelled out. */
int build_read(struct builder *b, struct err *err);
/* Step 2: what stays is moved together and gets its cells, position and reads-from; the spread,
 * or else cell_first, cell_reads and sync_first, hold counts until step 4. */
int build_compact(struct builder *b, const struct cutting *cut, struct err *err);
/* Step 3: sections, waits. */
void build_sections(struct model *m);
void build_waits(struct model *m, const struct map *said);
/* Step 4: program order, and accesses by cell, events by sync object. */
int build_index(struct model *m, const struct spread *spread, struct err *err);
/* Step 5: what the rules of other primitives ask for. */
void build_needs(struct model *m, const struct map *said);

enum { STOP_EVERY = 1 << 16 }; /* events, between two looks whether we are to end */

/* What the kind of a memory event does. */
/* Once per event and step: a table, not a call. */
static inline enum acts_on kind_on(unsigned kind)
{
    static const uint8_t on[EV_COUNT] = {
#define EV(kind, text, acts_on, fields, help) [EV_##kind] = ON_##acts_on,
#include "heddle/event.def"
#undef EV
    };
    return on[kind];
}

static inline bool kind_is_memory(unsigned kind)
{
    return kind_on(kind) == ON_MEMORY || ev_ends_life(kind);
}

static inline bool kind_is_sync(unsigned kind)
{
    return kind_on(kind) >= ON_SYNC;
}

/* A lock's releases are found through its acquires. */
static inline bool kind_in_sync_index(unsigned kind)
{
    return kind_is_sync(kind) && kind != EV_RELEASE;
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * model: a trace as columns in memory, with the relations that prediction needs: program
 * order, reads-from, lock sections, waits and what woke them, who forked and joined whom, and
 * indices by cell and by sync object.
 *
 * Memory is cut into cells that no access splits; an access covers one or more consecutive
 * cells. A heap block or stack object is new memory each time it begins to live. What only
 * one thread ever touched is dropped, and counted. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/arena.h"
#include "base/column.h"
#include "trace/trace.h"

typedef uint32_t ev_id;   /* index into the columns, in trace order */
typedef uint32_t thr_id;  /* T0 is main; then spawn order, never a TID */
typedef uint32_t cell_id; /* index into cells */
typedef uint32_t sync_id; /* index into syncs */

struct row {
    uint8_t kind;   /* EV_... */
    uint8_t detail; /* sync: FLAG bits; atomics: memory order, DETAIL_FAILED */
    uint16_t thr;
};

struct cell {
    uint64_t addr;
    uint32_t len;  /* UINT32_MAX: that, or more */
    obj_id object; /* in the space of the whole trace, or NONE */
};

/* Several cells under one access; the columns hold cell_count + the index of the span. */
struct span {
    cell_id first;
    uint32_t count;
};

struct sync {
    uint64_t addr;
    obj_id object;
    uint8_t class;  /* CLASS word */
    uint8_t on;     /* enum acts_on: the way in which it is used */
    bool is_odd;    /* the trace shows what its rules do not explain: others use it too */
    uint32_t level; /* semaphore: what it held before the trace */
};

/* One condition wait. In an imported trace any part but enter may be missing (NONE). A futex
 * wait is one without a lock; it enters where the kernel looked at the word. */
struct wait {
    ev_id enter, release, acquire, leave;
    ev_id notify; /* what woke it: NONE if nobody did */
    sync_id cond, lock;
};

/* to can only happen after from, which stands before it in the trace. */
struct need {
    ev_id from, to;
};

struct model_thread {
    uint32_t first, len;    /* its events are by_thread[first .. first + len) */
    ev_id create;           /* NONE: live from the start */
    uint32_t acquire_first; /* its acquires are acquires[acquire_first .. + acquire_count) */
    uint32_t acquire_count;
};

/* Memory whose races the source calls intended. */
struct benign {
    uint64_t addr, len;
    obj_id object; /* that it lay in, or NONE */
};

/* A block was freed. The event itself is in the columns only if the block was shared. */
struct freeing {
    uint32_t number, site;
    thr_id thr;
};

enum { FREEINGS_MAX = 1 << 20 }; /* the first ones are kept */

/* What did not become an event of the model. */
struct model_dropped {
    uint64_t private_accesses; /* to memory that one thread alone touched */
    uint64_t branches;         /* with no read since the one before */
    uint64_t inner_locks;      /* re-entrant acquires and their releases */
    uint64_t unheld_releases;
    uint64_t other; /* calls, output, ...: not part of the relations */
};

struct model {
    struct trace *trace; /* borrowed */
    const char *files;   /* borrowed: directory where the columns are; NULL: in memory */
    uint64_t trace_events;
    uint32_t ev_count, thread_count, cell_count, span_count, sync_count, wait_count;
    uint32_t acquire_count, source_count;

    /* columns, by ev_id */
    struct row *ev;
    uint32_t *obj;    /* by kind: cell or span; sync; thread; word of a branch or mark */
    uint32_t *idx;    /* position in its thread */
    uint32_t *number; /* of the event in the trace; NULL: all have theirs: use model_number */
    /* read: the write it sees, NONE = the initial value (several cells: see model_source);
     * acquire: its release, NONE = never released; release: its acquire; sem-post: by how
     * much it counts up */
    ev_id *link;
    uint16_t *site_narrow; /* one of the two is NULL: use model_site */
    uint32_t *site_wide;

    /* program order */
    struct model_thread *threads;
    ev_id *by_thread;
    ev_id *acquires; /* outermost acquires, per thread in program order ... */
    uint32_t
        *outer; /* ... and the index in acquires of the last one still held there, or NONE */
    /* by place in by_thread / HELD_STRIDE: acquires of all places before it */
    uint32_t *acquires_before;

    /* memory */
    struct cell *cells;
    struct span *spans;
    ev_id *sources; /* of reads that cover several cells */
    /* accesses[cell_first[c] .. cell_reads[c]) write c, [cell_reads[c] .. cell_first[c + 1])
     * read it (an atomic update does both); each part by thread, then program order */
    ev_id *accesses;
    uint32_t *cell_first, *cell_reads;

    /* sync objects: their acquires if locks, and the requests of who is stuck there; else all
     * their events; by thread, program order */
    struct sync *syncs;
    ev_id *sync_events;
    uint32_t *sync_first;
    VEC(struct benign) benign;
    VEC(struct freeing) freeings;
    struct wait *waits; /* in the order in which the trace tells of them */
    struct need *needs; /* by to, then from */
    uint32_t need_count;
    struct need *bars; /* the same, if both happen: to would have told from something else */
    uint32_t bar_count;

    struct space *space; /* owned: every object of the trace, for names */
    struct model_dropped dropped;
    size_t bytes; /* held by the model */
};

enum { HELD_STRIDE = 32 };

enum {
    DETAIL_FAILED = 0x80, /* cas: it did not store */
    DETAIL_SPLIT = 0x80,  /* wait-enter: its release stands before it, not after */
    DETAIL_BYTES = 1,     /* input: it brought some */
    DETAIL_BUSY = 0x80,   /* refused, timeout: because the object could not be had */
};

struct model_opts {
    bool keep_all;     /* also private accesses and idle branches: queries may name any event */
    bool unenforced;   /* locks may be (TRACE_UNENFORCED); else such a trace is refused */
    bool weak;         /* atomics may read stale stores (TRACE_WEAK); else it is refused */
    const char *files; /* directory for the columns; NULL: they are in memory */
};

/* NULL if the trace is corrupt. Not in an arena: the columns are filled before it is known
 * how much of them stays, and shrinking in place gives the rest back. */
struct model *model_build(struct trace *t, const struct model_opts *opts, struct err *err);
void model_free(struct model *m);

static inline void auto_model(struct model **m)
{
    model_free(*m);
}

/* Walks everything and aborts on a broken invariant. */
void model_check(const struct model *m);

static inline uint32_t model_site(const struct model *m, ev_id e)
{
    return m->site_narrow ? m->site_narrow[e] : m->site_wide[e];
}

/* Which event of the trace it is. */
static inline uint32_t model_number(const struct model *m, ev_id e)
{
    return m->number ? m->number[e] : e;
}

static inline struct span model_cells(const struct model *m, ev_id e)
{
    uint32_t obj = m->obj[e];
    return obj < m->cell_count ? (struct span){obj, 1} : m->spans[obj - m->cell_count];
}

/* The write that read e sees in cell c; NONE: the initial value. */
static inline ev_id model_source(const struct model *m, ev_id e, cell_id c)
{
    if (m->obj[e] < m->cell_count)
        return m->link[e];
    return m->sources[m->link[e] + (c - m->spans[m->obj[e] - m->cell_count].first)];
}

static inline bool kind_reads(unsigned kind)
{
    return kind == EV_READ || kind == EV_ATOMIC_LOAD || kind == EV_RMW || kind == EV_CAS ||
           kind == EV_READ_RANGE;
}

static inline bool kind_writes(unsigned kind, uint8_t detail)
{
    return kind == EV_WRITE || kind == EV_ATOMIC_STORE || kind == EV_RMW ||
           (kind == EV_CAS && !(detail & DETAIL_FAILED)) || kind == EV_WRITE_RANGE ||
           kind == EV_EXTERNAL_WRITE || ev_ends_life(kind);
}

/* Says since when the cause of its thread's next event can have come. */
static inline bool model_is_cause(const struct model *m, ev_id e)
{
    return m->ev[e].kind == EV_HEAR && m->syncs[m->obj[e]].addr == CAUSE_ADDRESS;
}

static inline bool model_reads(const struct model *m, ev_id e)
{
    return kind_reads(m->ev[e].kind);
}

static inline bool model_writes(const struct model *m, ev_id e)
{
    return kind_writes(m->ev[e].kind, m->ev[e].detail);
}

static inline bool model_is_atomic(const struct model *m, ev_id e)
{
    return m->ev[e].kind >= EV_ATOMIC_LOAD && m->ev[e].kind <= EV_CAS;
}

/* Three things that one may mean by an access. In whatever way: also an end of memory, and a
 * write from outside. */
static inline bool model_touches(const struct model *m, ev_id e)
{
    return model_reads(m, e) || model_writes(m, e);
}

/* The same, done by the thread itself. */
static inline bool model_touches_itself(const struct model *m, ev_id e)
{
    return m->ev[e].kind != EV_EXTERNAL_WRITE && model_touches(m, e);
}

/* The same, of memory that lives on. */
static inline bool model_accesses(const struct model *m, ev_id e)
{
    return ev_acts_on(m->ev[e].kind) == ON_MEMORY && m->ev[e].kind != EV_EXTERNAL_WRITE;
}

static inline ev_id model_at(const struct model *m, thr_id t, uint32_t idx)
{
    return m->by_thread[m->threads[t].first + idx];
}

/* Visits the outermost acquires that thread t holds after its first p events, innermost
 * first: for (i = model_held(m, t, p); i != NONE; i = model_held_next(m, i, p)) acquires[i] */
uint32_t model_held(const struct model *m, thr_id t, uint32_t p);
uint32_t model_held_next(const struct model *m, uint32_t i, uint32_t p);

/* Does the source call races on this cell intended? */
bool model_is_benign(const struct model *m, cell_id c);

/* Long names for people. */
void cell_name(struct str *out, const struct model *m, cell_id c);
void sync_name(struct str *out, const struct model *m, sync_id s);

ev_id model_find(const struct model *m, uint64_t number); /* NONE: not in the model */

/* ---- figures a person wants to see ------------------------------------------------------- */

struct sync_stat {
    sync_id sync;
    uint32_t threads; /* that acquired it */
    uint64_t acquires;
    uint64_t contended; /* asked for while another thread held it */
};

struct model_stat {
    uint64_t by_kind[EV_COUNT];  /* in the trace */
    VEC(uint64_t) by_thread;     /* events in the trace */
    uint32_t locations;          /* cells touched by two threads */
    VEC(struct sync_stat) syncs; /* locks, most contended first */
    uint64_t switches;           /* changes of the running thread */
    bool cut;
};

int model_stat(struct model_stat *out, const struct model *m, struct err *err);
void model_stat_done(struct model_stat *s);

#endif

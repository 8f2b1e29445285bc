/* SPDX-License-Identifier: Apache-2.0
 *
 * relaxed: what atomics did in a run, judged by the rules alone (docs/weak.md), with no code
 * of the runtime that made it. Each read knows the store that it read, each store its place
 * in the modification order; then it can be asked whether C11 allows the run, with the orders
 * that the program has or with stronger ones; what x86 makes of it; and which plain accesses
 * race.
 *
 *   graph.c    the run's trace as steps
 *   machine.c  happens-before, races, what may be read: RC11 (Lahav and others, PLDI 2017) with
 *              the release sequences of C++20; the order of seq_cst is that of execution
 *   cycle.c    could x86, or taking turns, do this?
 *   forbid.c   the weakest changes of orders by which it would not be allowed */
#ifndef RELAXED_RELAXED_H
#define RELAXED_RELAXED_H

#include "base/err.h"
#include "base/vec.h"
#include "trace/trace.h"

enum relaxed_op {
    RELAXED_LOAD,
    RELAXED_STORE,
    RELAXED_UPDATE, /* reads and writes */
    RELAXED_FENCE,
    RELAXED_TAKE,  /* gets what others left at an object */
    RELAXED_LEAVE, /* leaves there what it knows */
    RELAXED_PIN,   /* gets what all others know: how it was ordered is not seen */
    RELAXED_CREATE,
    RELAXED_JOIN,
    RELAXED_START,
    RELAXED_PLAIN, /* no atomic */
    RELAXED_NEW, /* other memory begins, or a plain write makes it one store: a new location */
};

struct relaxed_step {
    uint64_t event; /* its number in the trace */
    uint64_t addr, len;
    uint64_t key;       /* of the site: the same in all runs of a program */
    uint32_t thr, site; /* as its own trace counts them */
    uint32_t loc;       /* of an atomic access; of RELAXED_TAKE and _LEAVE: the object */
    uint32_t from;      /* the store that it reads; NONE: none */
    uint32_t store;     /* that it makes; NONE: none */
    uint32_t newest; /* what it would read if threads took turns; what its store comes before */
    uint32_t peer;   /* the thread that it creates, or joins */
    uint32_t index;  /* in its thread, from 1 */
    uint8_t op, order;
    bool writes, is_weak, shared, frees;
    bool is_cas;     /* that failed: its order is that of failing */
    bool is_ignored; /* the program says that races of it are meant */
};

struct relaxed_store {
    uint64_t value;
    uint32_t step; /* NONE: what was there before */
    uint32_t loc;
    uint32_t rank; /* place in the modification order of its location, from 0 */
    uint32_t next; /* in that order; NONE: the last one */
    bool is_update;
};

struct relaxed_graph {
    struct trace trace; /* owned */
    VEC(struct relaxed_step) steps;
    VEC(struct relaxed_store) stores;
    VEC(uint32_t) last; /* by location: its newest store */
    uint32_t thread_count, loc_count, object_count;
};

enum { RELAXED_STEPS_MAX = 200000 };

/* The run in this directory. -1 also if it has too many steps. */
int relaxed_graph_read(struct relaxed_graph *out, const char *run, struct err *err);
/* The same of a trace, which is taken over. */
int relaxed_graph_of(struct relaxed_graph *out, struct trace *take, struct err *err);
void relaxed_graph_done(struct relaxed_graph *g);
const struct def_site *relaxed_site(const struct relaxed_graph *g, uint32_t step);

/* Is there an atomic access weaker than seq_cst, or a fence, that two threads could see? */
bool relaxed_has_weaker(const char *run);

/* ---- stronger orders --------------------------------------------------------------------- */

enum relaxed_move { RELAXED_RAISE, RELAXED_FENCE_BEFORE, RELAXED_FENCE_BEHIND };

/* At each step of a site. */
struct relaxed_change {
    uint64_t key;
    uint8_t move, order; /* of a raise: the order that it has then, at least */
};

struct relaxed_changes {
    const struct relaxed_change *at;
    uint32_t len;
    bool all; /* every store releases, every load acquires: what x86 does with both */
};

/* The first step that is not allowed; NONE: all are. */
uint32_t relaxed_first_forbidden(const struct relaxed_graph *g, struct relaxed_changes with);
/* Does happens-before order the two steps? */
bool relaxed_orders(const struct relaxed_graph *g, struct relaxed_changes with, uint32_t first,
                    uint32_t second);

/* ---- who can do it
 * ------------------------------------------------------------------------ */

enum relaxed_where {
    RELAXED_ANYWHERE,  /* threads that take turns can */
    RELAXED_ON_X86,    /* a processor of that kind can, as it is compiled usually */
    RELAXED_ELSEWHERE, /* ARM, POWER, RISC-V; or the compiler */
};
enum relaxed_where relaxed_where(const struct relaxed_graph *g);

/* ---- races
 * -------------------------------------------------------------------------------- */

struct relaxed_race {
    uint32_t first, second; /* steps */
};
typedef VEC(struct relaxed_race) relaxed_races;

/* One of each pair of sites, in the order of the second. */
void relaxed_find_races(const struct relaxed_graph *g, relaxed_races *out);

/* ---- what would forbid it
 * ----------------------------------------------------------------- */

/* What must not be: the run, or that a pair of its steps is unordered. */
struct relaxed_goal {
    const struct relaxed_graph *graph;
    struct relaxed_race race; /* first NONE: the run */
};

/* Is the run not allowed with these changes, or the pair ordered? */
bool relaxed_is_met(const struct relaxed_goal *g, struct relaxed_changes with);

enum { RELAXED_CHANGES_MAX = 4 };

struct relaxed_remedy {
    struct relaxed_change at[RELAXED_CHANGES_MAX];
    uint32_t len, cost;
};
typedef VEC(struct relaxed_remedy) relaxed_remedies;

/* The cheapest first, at most `max`; all graphs are runs of one program. */
void relaxed_find_remedies(const struct relaxed_goal *goals, uint32_t count, uint32_t max,
                           relaxed_remedies *out);

#endif

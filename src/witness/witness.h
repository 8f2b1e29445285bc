/* SPDX-License-Identifier: Apache-2.0
 *
 * witness: an order of events of a trace that shows what its query asks, and the check that
 * such a claim has to pass.
 *
 * The checker knows the trace and the rules of execution and nothing else: it shares no code
 * with whoever found the witness. */
#ifndef WITNESS_WITNESS_H
#define WITNESS_WITNESS_H

#include "trace/trace.h"

/* Which reorderings of a trace count as executions of the program (docs/predict.md). */
enum mode {
    MODE_SOUND,   /* a branch needs its reads to have seen the recorded values */
    MODE_CLASSIC, /* every read but a thread's last has to */
    MODE_SYNC,    /* data does not matter */
    MODE_PAPER,   /* as sound, but the same write counts as the same value */
    MODE_COUNT
};

const char *mode_text(enum mode mode); /* "sound" */

enum query_kind {
    QUERY_RACE,     /* two conflicting accesses, each its thread's next event */
    QUERY_DEADLOCK, /* requests in a cycle, each its thread's next event */
    QUERY_ORDER,    /* the events happen in this order */
    QUERY_NEXT,     /* the first ones happen in this order, the others are next */
    /* two conflicting accesses happen, and C11's happens-before does not order them */
    QUERY_UNORDERED,
    /* the first ones happen in this order; the others, each something that a thread may have to
     * wait for, are next, and none of them can be done */
    QUERY_BLOCKED,
};

enum { QUERY_MAX = 32 };

struct query {
    enum query_kind kind;
    uint32_t count;
    uint64_t number[QUERY_MAX]; /* of events in the trace */
    uint32_t adjacent;          /* order: bit i says that nothing happens between i and i + 1 */
    uint32_t ordered;           /* next, blocked: how many are the first ones */
};

/* So many of its events happen, in their order; the others are next in their threads. */
static inline uint32_t query_ordered(const struct query *q)
{
    bool both = q->kind == QUERY_NEXT || q->kind == QUERY_BLOCKED;
    return q->kind == QUERY_ORDER ? q->count : both ? q->ordered : 0;
}

/* Part of the trace as recorded, without what comes too late in some threads; then a list;
 * then again part of the trace:
 *
 *     0 ... prefix      list      resume ... end
 *     number < stop               number < stop */
struct witness {
    struct query query;
    enum mode mode;
    uint64_t prefix, resume; /* resume 0: there is nothing behind the list */
    /* By thread: those of its events that stand here or later happen only if they are in the
     * list. Empty: no thread stops; then there is nothing behind the list. */
    VEC(uint64_t) stop;
    /* Numbers of events, in the order in which they happen. Events without a part of their
     * own (a call, a private access) may be left out: they happen just before the next one of
     * their thread. A number that stands here again is the next part of that event: the end of
     * a wait that an imported trace gives as one line belongs to the thread's next line. */
    VEC(uint64_t) order;
};

static inline void witness_done(struct witness *w)
{
    vec_done(&w->stop);
    vec_done(&w->order);
}

static inline void auto_witness(struct witness *w)
{
    witness_done(w);
}

/* ---- the checker ----------------------------------------------------------------------- */

struct checker; /* one trace, taken apart into steps */

/* NULL if the trace is corrupt. */
struct checker *checker_new(struct trace *t, struct err *err);
void checker_free(struct checker *c);

static inline void auto_checker(struct checker **c)
{
    checker_free(*c);
}

/* How many events of the trace can happen as recorded? If not all of them, err says why. */
uint64_t trace_check(struct checker *c, enum mode mode, struct err *err);

/* Can these events happen in this order, and is that what the query asks? -1: no, err says
 * where it goes wrong. The checker stays where the witness leaves the trace: another one that
 * leaves it at the same place or later costs only what comes after. */
int witness_check(struct checker *c, const struct witness *w, struct err *err);

/* The same for many, in the order that is cheapest. good gets the results; err, if one is
 * refused, why the last one was that stands in the list. */
void witness_check_all(struct checker *c, const struct witness *w, uint32_t count, bool *good,
                       struct err *err);

#include "witness/witness-file.h"

#endif

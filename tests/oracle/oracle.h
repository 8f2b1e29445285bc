/* SPDX-License-Identifier: Apache-2.0
 *
 * oracle: what the parts of the random test share: a tiny trace as plain arrays, made here and
 * not read back through the program under test. */
#ifndef TESTS_ORACLE_ORACLE_H
#define TESTS_ORACLE_ORACLE_H

#include "base/rng.h"
#include "finding/finding.h"
#include "witness/witness.h"

enum {
    EVENTS_CAP = 64,
    THREADS_CAP = 5,
    VARS_CAP = 3,
    LOCKS_CAP = 3,
    CONDS_CAP = 2,
    SEMS_CAP = 2,
    THINGS_CAP = 2,
    NEEDS_CAP = 2 * THREADS_CAP,
};

enum op {
    OP_R,
    OP_W,
    OP_ACQ,
    OP_REL,
    OP_BR,
    OP_FORK,
    OP_JOIN,
    OP_WAIT_PRE,
    OP_WAIT_POST,
    OP_NOTIFY,
    OP_NOTIFYALL,
    /* only in traces in our own notation */
    OP_TAKEN, /* refused a lock */
    OP_POST,
    OP_TAKE,  /* a semaphore */
    OP_EMPTY, /* refused it */
    OP_ARRIVE,
    OP_DEPART,
    OP_ONCE_ENTER,
    OP_ONCE_LEAVE,
    OP_ONCE_PASS,
    OP_CHANNEL_WRITE,
    OP_CHANNEL_READ,
    OP_INPUT,
    OP_HANDLER,
    OP_CANCEL,
    OP_PAUSE, /* accesses are not recorded from here */
    OP_RECORD,
    OP_FUTEX_REQUEST, /* reads the word */
    OP_FUTEX_WAIT,
    OP_FUTEX_WAKE,
    OP_FENCE,
    OP_CHANGE, /* of a thing of the system */
    OP_LOOK,
    OP_SUM,
    OP_HEAR,
};

enum { RELAXED, ACQUIRE = 2, RELEASE, ACQ_REL, SEQ_CST };

struct event {
    enum op op;
    int thr, obj;
    int idx;
    int obs;         /* read: the write it saw, or -1 */
    int match;       /* acquire, release: the other end, or -1 */
    int pre, notify; /* re-acquire, futex wait: its beginning and what woke it, or -1 */
    bool shared;     /* lock: for reading */
    bool failed;     /* once-leave */
    bool external;   /* write: nobody knows whose */
    bool atomic;     /* access */
    int order;       /* of it, or of a fence */
    int number;      /* what the notation says: value, round, position */
    int need[NEEDS_CAP], needs; /* what else has to come before */
};

struct tiny {
    int len, threads;
    struct event ev[EVENTS_CAP];
    int at[THREADS_CAP][EVENTS_CAP], count[THREADS_CAP];
    int fork[THREADS_CAP]; /* what forked it, or -1 */
    int level[SEMS_CAP];   /* of semaphores, at the start */
    bool is_ours;          /* in our own notation, not STD */
    bool has_choices;      /* semaphores and refusals: not for the reference */
};

/* Was it told of the state of a thing, which a later change would have made another one? */
static inline bool op_looks(enum op op)
{
    return op == OP_LOOK || op == OP_SUM;
}

/* Must its thread be on the recorded path? */
static inline bool op_decides(enum op op)
{
    return op == OP_BR || op == OP_CHANNEL_WRITE || op == OP_CHANGE;
}

static inline bool op_reads(enum op op)
{
    return op == OP_R || op == OP_FUTEX_REQUEST;
}

/* Length about `want`; threads as given. */
void tiny_make(struct tiny *t, struct rng *rng, int threads, int want, bool ours);
void tiny_print(const struct tiny *t, struct str *out);

bool brute_force(const struct tiny *t, enum mode mode, const struct query *q);

enum verdict { REFERENCE_NO, REFERENCE_YES, REFERENCE_NOT_FOUND };
enum verdict reference(const struct tiny *t, enum mode mode, const struct query *q);

#endif

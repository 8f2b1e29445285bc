/* SPDX-License-Identifier: Apache-2.0
 *
 * steps: a trace as the checker sees it: what each thread does, step by step, and which bytes,
 * lock or thread each step is about. */
#ifndef FINDING_STEPS_H
#define FINDING_STEPS_H

#include "finding/finding.h"

typedef uint32_t step_id; /* index into steps, in trace order */

enum step_op {
    STEP_NOTHING, /* always possible, changes nothing */
    STEP_MEMORY,
    STEP_ACQUIRE,
    STEP_RELEASE,
    STEP_BRANCH,
    STEP_CREATE,
    STEP_JOIN,
    STEP_NOTIFY,
};

struct step {
    uint8_t op;
    bool reads, writes, atomic;
    bool tests; /* a compare-exchange: whether it stores depends on what it reads */
    uint32_t thr;
    uint32_t obj;          /* lock, or thread created or joined */
    uint32_t first, count; /* memory: its places, bytes[first .. + count) */
    step_id enter, notify; /* the end of a wait: where it began and what woke it, or NONE */
    uint32_t next;         /* of the same thread, or NONE */
    uint64_t number;
};

/* A part of the machine's state, and what it was before. */
struct change {
    uint32_t *at;
    uint32_t was;
};

struct checker {
    struct trace *trace; /* borrowed */
    VEC(struct step) steps;
    VEC(uint32_t) bytes; /* the places that each memory step covers */
    VEC(step_id) seen;   /* the same for reads: who wrote it in the trace, or NONE */
    uint32_t thread_count, place_count, lock_count;
    step_id *start;  /* by thread: its first step, or NONE */
    step_id *create; /* by thread: what created it, or NONE */
    step_id *main;   /* by event number: its last step, or NONE */
    uint64_t event_count;

    /* The state of the machine. All of it is uint32_t, and changes only through put(): a state
     * that is new here needs its row below, a line in machine_start and one in checker_new and
     * checker_free, and everything that goes back to an earlier state works for it too. */
    step_id *at;       /* by thread: its next step, or NONE */
    uint32_t *taint;   /* by thread: 1: it may have left the recorded path */
    step_id *memory;   /* by place: the last write, or NONE */
    uint32_t *stained; /* by place: 1: a tainted thread wrote it */
    uint32_t *owner;   /* by lock: thread, or NONE */
    uint32_t *when;    /* by step: when it was executed, from 1; 0: not yet */
    uint32_t now;

    bool moved;                 /* a journal is being kept: the machine has left the trace */
    VEC(struct change) journal; /* what it has changed since then, in order */
    step_id recorded;           /* so many steps have been executed as recorded */
    enum mode recorded_mode;
};

static inline struct step *step_of(const struct checker *c, step_id id)
{
    return &c->steps.at[id];
}

/* When the step was executed, from 1; 0: not yet. */
static inline uint32_t when_of(const struct checker *c, step_id id)
{
    return c->when[id];
}

/* Fills everything but the state. */
int steps_read(struct checker *c, struct err *err);

#endif

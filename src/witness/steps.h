/* SPDX-License-Identifier: Apache-2.0
 *
 * steps: a trace as the checker sees it: what each thread does, step by step, and which bytes,
 * lock or thread each step is about. Only a stretch of it is in memory: steps are read when a
 * witness needs them, and forgotten when all witnesses begin behind them. */
#ifndef WITNESS_STEPS_H
#define WITNESS_STEPS_H

#include "witness/witness.h"

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
    STEP_REQUEST, /* asks for a lock; always possible */
    STEP_TAKEN,   /* was refused a lock: somebody has it */
    STEP_POST,    /* counts a semaphore up, by count */
    STEP_TAKE,    /* counts it down */
    STEP_EMPTY,   /* was refused it */
    STEP_CHANGE,  /* of a thing of the system */
    STEP_LOOK,    /* at one: no later change has been made */
    STEP_FENCE,
};

struct step {
    uint8_t op;
    bool reads, writes, atomic;
    bool gives, gets; /* what came before it, on through its object, or from there */
    uint8_t order;    /* of an atomic access or fence: ORDER word */
    bool tests;       /* a compare-exchange: whether it stores depends on what it reads */
    uint32_t thr;
    bool shared;           /* a lock for reading: count is the thread's account of that */
    uint32_t obj;          /* sync object, or thread created or joined */
    uint32_t first, count; /* memory: its places, bytes[first .. + count) */
    uint32_t need;         /* first of what it needs in needs, or NONE */
    step_id enter, notify; /* the end of a wait: where it began and what woke it, or NONE */
    uint32_t next;         /* of the same thread, or NONE */
    uint64_t number;
};

/* A step can only be executed after this other one. */
struct step_need {
    step_id other;
    uint32_t next; /* what the same step needs besides, or NONE */
};

/* A part of the machine's state, and what it was before. */
struct change {
    uint32_t *at;
    uint32_t was;
};

/* A witness has been executed so far as recorded: up to this step, with so many changes. */
struct stage {
    step_id next;
    uint32_t changes;
};

/* Who knows of the first of two events, while they are asked about; all 0 before it. */
struct happens {
    step_id asked[2]; /* NONE: nothing is asked */
    uint32_t began, ordered;
    uint32_t *knows, *heard, *fenced; /* by thread: does; saw it relaxed; knew it at a fence */
    uint32_t *by_object, *by_reader;  /* by sync object: given on; by readers */
    uint32_t *by_place;               /* by place: its atomic value carries it */
};

struct walker; /* where the trace is being read */

struct checker {
    struct trace *trace;   /* borrowed */
    struct walker *walker; /* owned */
    VEC(struct step) steps;
    VEC(uint32_t) when;  /* by step in memory, see below */
    step_id base;        /* of steps.at[0]: what is before it was executed as recorded */
    VEC(uint32_t) bytes; /* the places that each memory step covers */
    VEC(step_id) seen;   /* the same for reads: who wrote it in the trace, or NONE */
    VEC(step_id) main;   /* by event number - main_base: its last step, or NONE */
    uint64_t main_base;
    uint64_t read; /* so many events of the trace have become steps */
    VEC(struct step_need) needs;
    VEC(uint32_t) start_level; /* by sync object: what a semaphore holds at the start */
    uint32_t thread_count, place_count, reading_count;
    uint64_t event_count;
    step_id *create; /* by thread: what created it, or NONE */
    uint64_t *ended; /* by thread: so many events of the trace, up to its last one */

    /* The state of the machine. All of it is uint32_t, and changes only through put(): a state
     * that is new here needs its row below, a line in machine_start and one in checker_new and
     * checker_free, and everything that goes back to an earlier state works for it too. It may
     * be indexed by thread, place or sync object: these are counted before. */
    step_id *at;       /* by thread: its next step, or NONE */
    uint32_t *taint;   /* by thread: 1: it may have left the recorded path */
    step_id *memory;   /* by place: the last write, or NONE */
    uint32_t *stained; /* by place: 1: a tainted thread wrote it */
    uint32_t *owner;   /* by sync object: the thread that has the lock, or NONE */
    uint32_t *readers; /* by sync object: how many threads have it for reading */
    uint32_t *reading; /* by account of a thread and a lock: 1: it has it for reading */
    uint32_t *level;   /* by sync object: what a semaphore holds */
    uint32_t *changed; /* by sync object: behind the change executed that the trace has last */
    uint32_t now;      /* steps executed; when: what it was then, from 1; 0: not yet */

    struct happens happens;

    bool moved;                 /* a journal is being kept: the machine has left the trace */
    VEC(struct change) journal; /* what it has changed since then, in order */
    VEC(struct stage) stages;   /* on the way of the last witness; another may go on from one */
    VEC(uint64_t) stop;         /* of that witness, as its prefix */
    uint64_t prefix;
    step_id recorded;  /* so many steps have been executed as recorded ... */
    uint64_t followed; /* ... those of so many events */
    enum mode recorded_mode;
    uint64_t stuck_at; /* the event at which following the trace failed, or UINT64_MAX ... */
    const char *stuck_why; /* ... and why */
};

static inline struct step *step_of(const struct checker *c, step_id id)
{
    return &c->steps.at[id - c->base];
}

/* The only way to change the state. */
static inline void machine_put(struct checker *c, uint32_t *at, uint32_t value)
{
    if (c->moved)
        vec_push(&c->journal, (struct change){at, *at});
    *at = value;
}

/* When the step was executed, from 1; 0: not yet. */
static inline uint32_t when_of(const struct checker *c, step_id id)
{
    return id < c->base ? id + 1 : c->when.at[id - c->base];
}

/* The last step of an event that has been read; NONE: it has none, or it is forgotten. */
static inline step_id main_of(const struct checker *c, uint64_t number)
{
    uint64_t at = number - c->main_base;
    return number >= c->main_base && at < c->main.len ? c->main.at[at] : NONE;
}

/* Has the thread the lock for reading? */
bool is_reading(const struct checker *c, uint32_t lock, uint32_t thr);
/* Counts threads, places and sync objects. -1: the trace is corrupt. */
int steps_open(struct checker *c, struct err *err);
void steps_close(struct checker *c);
/* Back to the start of the trace: nothing has been read. */
void steps_restart(struct checker *c);
/* Reads at least the events with numbers below this. */
void steps_read(struct checker *c, uint64_t end);
/* An access to one place that needs nothing besides. */
struct plain {
    step_id id, seen; /* seen: who wrote it in the trace, or NONE */
    uint32_t thr, place;
    bool writes;
};
/* Reads the next event when there are no steps in memory. True: it is such an access, which
 * counts as executed and forgotten; else its steps are there. */
bool steps_plain(struct checker *c, struct plain *out);
/* All that were read have been executed as recorded, and are not looked at again. */
void steps_forget_all(struct checker *c);
/* Steps before this one have been executed as recorded, and are not looked at again. */
void steps_forget(struct checker *c, step_id before);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * explain: the schedule of a finding as steps that a person can follow, with the values that
 * were read and written and the locks held; and why something happens, or cannot. */
#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include "explain/stacks.h"
#include "finding/finding.h"
#include "witness/witness.h"
#include "model/model.h"
#include "run/run.h"

/* Fills the finding's threads and steps from a run that followed its witness: what the witness
 * is about, the locks taken for it, and what its threads did to the same memory just before.
 * The texts live in mem. What the run did not come to (a lock never had) is a step too. */
int explain_run(struct finding *f, struct arena *mem, const char *trace_path,
                const struct witness_file *w, struct err *err);
/* The same for events of the trace, by their numbers. */
int explain_events(struct finding *f, struct arena *mem, const char *trace_path,
                   const uint64_t *numbers, uint32_t count, struct err *err);

/* ---- what a switch between two threads brings about ------------------------------------- */

struct reasons;

/* The more telling, the later. */
enum reason_kind {
    REASON_ORDER,   /* events: of the thread that goes on, of the one that stands still */
    REASON_SEEN,    /* a place was changed; read by another thread; changed again */
    REASON_HELD,    /* a lock was taken; somebody else asks for it */
    REASON_CHANGED, /* a place was changed, or a signal sent; somebody comes there later */
    REASON_BETWEEN, /* a place was looked at; changed by another thread; used */
};

struct reason {
    enum reason_kind kind;
    uint32_t event[3];    /* numbers in the trace, in its order; NONE: no such event */
    uint32_t stood, went; /* threads */
};

/* directory: of a run that was recorded. */
int reasons_open(struct reasons **out, const char *directory, struct err *err);
struct reason reason_of(const struct reasons *r, const struct run_nudge *n);
/* Appends "T2 writes head between T1's check at q.c:40 and its use at q.c:43". */
void reason_say(struct str *out, const struct reasons *r, const struct reason *why);
/* What others did while the thread of this event stood still for the last time before it. */
struct reason reason_of_end(const struct reasons *r, uint32_t last);
/* The last event that has a place in the source, of the thread that ran last; NONE: none. */
uint32_t reason_last(const struct reasons *r);
/* Appends "q.c:43". */
void reason_place(struct str *out, const struct reasons *r, uint32_t event);
uint32_t reason_thread(const struct reasons *r, uint32_t event);
void reasons_close(struct reasons *r);

/* ---- why two lines are not reported ----------------------------------------------------- */

/* One word each, for programs; strongest claim last. */
enum why {
    WHY_NOT_INSTRUMENTED, /* the program knows no such place */
    WHY_NOT_EXECUTED,     /* the run did not come there */
    WHY_ONE_THREAD,       /* only one thread came to both */
    WHY_NOT_SHARED,       /* they never touch the same memory */
    WHY_READS_ONLY,
    WHY_ATOMIC,
    WHY_IGNORED,     /* the source says so */
    WHY_COMMON_LOCK, /* both hold it */
    WHY_ORDERED,     /* one has to happen for the other to be reached */
    WHY_EXCLUDED,    /* locks, semaphores and values together leave no order for it */
    WHY_UNDECIDED,
    WHY_POSSIBLE, /* another schedule can show it */
    WHY_COUNT
};

const char *why_text(enum why why); /* "common-lock" */

/* One line of the explanation. */
struct why_event {
    const char *thread; /* "T1 worker" */
    struct place place;
    const char *text; /* what it does there, with how that follows from the line before */
};

/* What holds for some of the pairs of events. */
struct why_answer {
    enum why why;
    const char *sentence;
    uint64_t pairs;
    VEC(struct why_event) events; /* of one of the pairs */
};

struct why_not {
    struct arena mem;
    uint64_t pairs, looked;         /* pairs of events that could race; of those, asked about */
    VEC(struct why_answer) answers; /* by why */
};

struct why_place {
    const char *file; /* may be the end of a path */
    uint32_t line;
};

struct why_opts {
    const char *trace;
    struct why_place place[2];
    /* What is known about the place without a run; NULL: nothing. */
    enum why (*static_of)(void *arg, const struct why_place *p, struct str *sentence);
    /* A stage that reasons about values is asked about pairs that were refuted through them, or
     * not decided; true: sentence says more, and why may have changed. May be NULL. */
    bool (*deeper)(void *arg, const struct model *m, ev_id a, ev_id b, enum why *why,
                   struct str *sentence);
    void *arg; /* of both */
};

int explain_why_not(struct why_not *out, const struct why_opts *opts, struct err *err);
void why_not_done(struct why_not *w);

static inline void auto_why_not(struct why_not *w)
{
    why_not_done(w);
}

#endif

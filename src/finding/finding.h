/* SPDX-License-Identifier: Apache-2.0
 *
 * finding: plain records of what the analysis claims about a trace, and the check that a claim
 * has to pass. A witness is an order of events of the trace that shows what its query asks.
 *
 * The checker knows the trace and the rules of execution and nothing else: it shares no code
 * with whoever found the witness. */
#ifndef FINDING_FINDING_H
#define FINDING_FINDING_H

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
};

enum { QUERY_MAX = 32 };

struct query {
    enum query_kind kind;
    uint32_t count;
    uint64_t number[QUERY_MAX]; /* of events in the trace */
    uint32_t adjacent;          /* order: bit i says that nothing happens between i and i + 1 */
};

struct witness {
    struct query query;
    enum mode mode;
    /* The events with smaller numbers happen first, as recorded. Those of the query do not. */
    uint64_t prefix;
    /* Numbers of the events after those, in the order in which they happen. Events without
     * a part of their own (a call, a private access) may be left out: they happen just before
     * the next one of their thread. A number that stands here again is the next part of that
     * event: the end of a wait that an imported trace gives as one line belongs to the
     * thread's next line. */
    VEC(uint64_t) order;
};

static inline void witness_done(struct witness *w)
{
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

/* Can these events happen in this order, and is that what the query asks? -1: no, err says
 * where it goes wrong. The checker stays where the witness's prefix ends: witnesses in the
 * order of their prefixes cost only what comes after those. */
int witness_check(struct checker *c, const struct witness *w, struct err *err);

/* ---- what is told about a bug ----------------------------------------------------------- *
 * Plain text, ready to be laid out. All of it lives in the arena of its list. */

struct place {
    const char *file, *function, *variable; /* "" if not known */
    uint32_t line, column;
};

/* One row of the schedule that shows it. */
struct told_step {
    uint32_t thread; /* index into the finding's threads */
    struct place place;
    const char *action; /* "read", "lock" */
    const char *object; /* "balance", "m" */
    const char *value;  /* that it read or wrote, or "" */
    const char *held;   /* locks: "m, n", or "" */
    bool is_key;        /* one of those that the finding is about */
};

struct told_thread {
    const char *name;     /* "T1 worker" */
    struct place created; /* file "": there from the start */
};

struct finding {
    const char *id; /* pattern and hash of functions and variables: survives edits */
    const char *pattern;
    bool is_confirmed;   /* a run followed its witness to the end; else it is predicted */
    const char *harm;    /* the outcome's word, "output" or "none" */
    const char *message; /* one sentence: what, who, why */
    const char *why;     /* it can happen */
    const char *ends;    /* what the confirming run came to, or "" */
    const char *passes;  /* the nearest order that is right, or "" */
    const char *source;  /* why these accesses belong together, or "" */
    const char *doubt;   /* why it is predicted only, or "" */
    const char *witness; /* file, or "" */
    const char *replay;  /* the command that shows it again, or "" */
    uint32_t alike;      /* others of the same cause, merged into this one */
    VEC(struct told_thread) threads;
    VEC(struct place) sites;
    VEC(struct told_step) steps;
};

/* What was looked at, for one pattern. */
struct account {
    const char *pattern;
    uint64_t candidates, refuted, found, unknown, confirmed;
};

struct finding_list {
    struct arena mem;
    const char *program; /* with its arguments */
    const char *outcome; /* of the recorded run */
    uint64_t events, threads;
    VEC(struct finding) findings;
    VEC(struct account) accounts;
    VEC(const char *) unseen; /* "libz.so: not instrumented": what was not looked at */
};

void finding_list_done(struct finding_list *l);

static inline void auto_finding_list(struct finding_list *l)
{
    finding_list_done(l);
}

/* Worth a person's time without being asked for: docs/findings.md has the rule. */
bool finding_is_shown(const struct finding *f);
/* By harm, then pattern, then id. */
void finding_list_sort(struct finding_list *l);

/* What users know about a pattern. */
struct pattern_help {
    const char *word, *title, *meaning, *mending;
};
extern const struct pattern_help pattern_helps[]; /* word NULL ends */
/* Position in the list; that of its end for an unknown word. */
uint32_t pattern_index(const char *word);

/* findings.json (docs/findings.md). */
void finding_list_print(const struct finding_list *l, struct str *out);
int finding_list_read(struct finding_list *out, const char *path, struct err *err);

#include "finding/witness-file.h"

#endif

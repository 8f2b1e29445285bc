/* SPDX-License-Identifier: Apache-2.0
 *
 * finding-list: the findings of one program as records, and their file findings.json. What is
 * asked about a finding is a number or a name of the program; its sentences are for people, and
 * nobody reads them back. All of it lives in the arena of its list. */
#ifndef FINDING_FINDING_LIST_H
#define FINDING_FINDING_LIST_H

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "finding/pattern.h"

struct trace;

struct place {
    const char *file, *function, *variable; /* "" if not known */
    uint32_t line, column;
};

struct finding_locks {
    const char **at; /* names */
    uint32_t len;
};

struct finding_lines {
    const char **at;
    uint32_t len;
};

struct def_site;
/* Its texts are copied to mem. */
struct place place_of_site(struct arena *mem, const struct def_site *s);

/* A function that was active, seen from the one that it called. */
struct finding_frame {
    struct place place; /* of the call; line 0: it is one of `lines`, or not known */
    const char *lines;  /* "27 or 31", or "" */
};

/* The callers of the function in which something happened, innermost first. */
struct finding_stack {
    const struct finding_frame *at;
    uint32_t len;
};

/* One row of the schedule that shows it. */
struct finding_step {
    uint32_t thread; /* index into the finding's threads */
    struct place place;
    enum action action;
    const char *object;        /* "balance", "m" */
    const char *value;         /* that it read or wrote, or "" */
    struct finding_locks held; /* in the order in which they were taken */
    uint64_t event;            /* its number in the trace told about, or NO_EVENT */
    bool is_key;               /* one of those that the finding is about */
    struct finding_stack stack;
    uint32_t
        own; /* the frame in which it is the user's doing: 0: the place; 1: its caller ... */
    const char *text; /* the line of source of that frame; "" or NULL if it is not known */
};

struct finding_thread {
    uint32_t number;      /* in the trace; NONE: it has none, or a name that says more */
    const char *entry;    /* the function that it begins with, or what it calls itself; or "" */
    const char *name;     /* both, for people: "T1 worker" */
    struct place created; /* file "": there from the start */
};

/* Lines and columns count from 1; columns are characters. */
struct finding_pos {
    uint32_t line, column;
};

/* Text of a file that goes, up to before `end`, and what comes instead. */
struct finding_edit {
    const char *file;
    struct finding_pos start, end;
    const char *text;
};

/* A patch that was made for it. */
struct finding_fix {
    const char *recipe, *state; /* "section", "proven" */
    const char *why, *diff;
    VEC(const char *) proof; /* line by line */
    VEC(struct finding_edit) edits;
};

/* A stale read, or a store that took effect early, in the run that shows it: a row marked ~. */
struct finding_weak {
    uint32_t thread;      /* its number in the trace */
    struct place place;   /* of the access */
    struct place from;    /* of the store that it reads; line 0: what was there before */
    struct place instead; /* of the last store; of an early one: what it comes before */
    const char *order;    /* memory order of the access: "relaxed" */
    const char *text;     /* "reads head = 0, written by T0 at q.c:12, although ..." */
    const char *allowed;  /* "the load is relaxed, nothing orders ..." */
    const char *forbid;   /* "acquire here and release at q.c:30", or "" */
    uint64_t event;
    bool is_early;
};

/* Who can do what its rows say. */
enum weak_label { WEAK_LABEL_NONE, WEAK_LABEL_X86, WEAK_LABEL_ELSEWHERE };
const char *weak_label_text(enum weak_label label); /* "also on x86" */

struct finding {
    const char *id; /* pattern and hash of functions and variables: survives edits */
    enum pattern_id pattern;
    bool is_confirmed; /* a run followed its witness to the end; else it is predicted */
    enum harm harm;
    const char *message; /* one sentence: where, what, who, why */
    const char *rest;    /* of that, behind where; NULL: it does not begin with sites[0] */
    const char *why;     /* it can happen */
    const char *ends;    /* what the confirming run came to, or "" */
    const char *passes;  /* the nearest order that is right, or "" */
    const char *source;  /* why these accesses belong together, or "" */
    const char *doubt;   /* why it is predicted only, or "" */
    const char *only;    /* it rests on, "only if the wait of 30 s at q.c:7 runs out"; or "" */
    bool is_note;        /* because of that, it is worth knowing and no more */
    bool is_volatile;    /* a race of volatile accesses, or of one and an atomic one */
    enum effect values;
    const char *effect;  /* of that, as a sentence, or "" */
    const char *witness; /* file, or "" */
    const char *second;  /* another one, for a run that shows other values, or "" */
    const char *run;     /* directory of the run that is the finding, or "" */
    const char *replay;  /* the command that shows it again, or "" */
    const char *fix;     /* the command that mends it, or "" */
    const char *about;   /* the object, by where it comes from: what has one is one story */
    const char *cause;   /* id of the finding that it is told under, or "" */
    struct finding_lines said; /* the last that the run printed on stderr */
    const char *seen;          /* how often, and in which tests of a campaign; or NULL or "" */
    const char *with;          /* id of a plainer bug of the same accesses, say a race; or "" */
    uint32_t alike;            /* others of the same cause, merged into this one */
    VEC(struct finding_thread) threads;
    VEC(struct place) sites;
    VEC(struct finding_step) steps;
    VEC(struct finding_weak) weak; /* what atomics did that no interleaving does */
    enum weak_label label;         /* of those, or of a race that atomics do not order */
    VEC(struct finding_fix) fixes; /* the best first; only who makes patches tells them */
};

/* By what pairs and triples were excluded: before they became candidates by lock sets and by
 * what has to come before what; after it by the latter, by synchronisation alone, by the
 * closure over data too, and by values. */
struct refuted {
    uint64_t locks, order, sync, closure, values;
};

/* What was looked at, for one pattern. */
struct account {
    enum pattern_id pattern;
    uint64_t candidates, refuted, found, unknown, confirmed;
    uint64_t skipped; /* not looked at: others of the same places were, and enough of them */
    struct refuted by;
};

/* What a stage had no time for. */
struct undone {
    const char *stage; /* "confirming" */
    const char *what;  /* "findings", "runs with other schedules" */
    uint64_t left, total;
    const char *next; /* what more time would look at first, or "" */
};

/* One of several tests that were checked apart. */
struct finding_test {
    const char *name;
    VEC(const char *) ids; /* of what is shown; borrowed from the findings */
    const char *trouble;   /* why that is not all, or "" */
};

enum stopped_by { STOPPED_BY_NOBODY, STOPPED_BY_SIGNAL, STOPPED_BY_TIME, STOPPED_BY_MEMORY };

struct finding_list {
    struct arena mem;
    const char *program;           /* with its arguments */
    const char *outcome;           /* of the recorded run */
    uint64_t events, threads;      /* of all runs; the most of one */
    uint64_t runs;                 /* that were recorded */
    enum stopped_by stopped_early; /* not all was looked at */
    uint64_t budget_ms, memory_mb; /* that was spent, if so */
    VEC(struct undone) undone;
    VEC(struct finding) findings;
    VEC(struct account) accounts;
    VEC(struct finding_test) tests; /* none: it was one program */
    uint32_t unwanted;        /* suppressed, or known by the baseline: they were taken out */
    VEC(const char *) unseen; /* "libz.so: not instrumented": what was not looked at */
    VEC(const char *) idle;   /* functions with accesses of which the run recorded none */
};

/* Where the user would look for it. */
static inline const struct place *finding_own_place(const struct finding_step *s)
{
    return s->own == 0 ? &s->place : &s->stack.at[s->own - 1].place;
}

struct finding finding_new(enum pattern_id pattern); /* every text is there, and empty */
void finding_done(struct finding *f);                /* its lists; the texts stay */
void finding_list_done(struct finding_list *l);

static inline void auto_finding_list(struct finding_list *l)
{
    finding_list_done(l);
}

struct finding *finding_find(const struct finding_list *l,
                             const char *id); /* NULL: there is none */
/* Takes it over. Of two of the same id the one that is confirmed stays, then the worse one. */
void finding_merge(struct finding_list *l, struct finding *f);
/* What it rests on becomes the beginning of its sentence. */
void finding_rests_on(struct finding *f, struct arena *mem, const char *only, bool is_note);

/* Worth a person's time without being asked for: docs/findings.md has the rule. */
bool finding_is_shown(const struct finding *f);
/* A race of volatile accesses, or silent in every order: for another day. */
bool finding_is_aside(const struct finding *f);
/* By verdict, then what stands aside, then harm, then what is silent last, then id. */
void finding_list_sort(struct finding_list *l);

/* A thread of the trace; its texts live in mem. created: the site, or NONE. */
struct finding_thread finding_thread_of(const struct trace *t, uint32_t thr, uint32_t created,
                                        struct arena *mem);
/* The place of a thread in the finding's own list, made if it is new: known has the number in
 * the trace of each, and room for one more. */
uint32_t finding_add_thread(struct finding *f, uint32_t *known, const struct trace *t,
                            uint32_t thr, uint32_t created, struct arena *mem);
/* What was looked at for this pattern; NULL: nothing. */
struct account *account_find(struct finding_list *l, enum pattern_id pattern);
struct account *account_get(struct finding_list *l, enum pattern_id pattern); /* made if new */
/* Its numbers on top of those of the pattern that are there. */
void account_add(struct finding_list *l, const struct account *a);

/* A stage came so far; its texts are borrowed, but for `next`. Of the same stage and the same
 * things it counts together, and what comes next first stays. */
void undone_add(struct finding_list *l, struct undone u);
/* What was not looked at is told once; the text is copied. */
void unseen_add(struct finding_list *l, const char *text);
/* Appends "confirming: 12 of 30 findings not done; next: race-1234abcd". */
void undone_say(struct str *out, const struct undone *u);
/* Was not everything looked at? (base/stop.h knows) */
void finding_list_stop(struct finding_list *l);
/* Appends why not. */
void stopped_say(struct str *out, const struct finding_list *l);

/* findings.json (docs/findings.md). */
void finding_list_print(const struct finding_list *l, struct str *out);
int finding_list_read(struct finding_list *out, const char *path, struct err *err);
/* The same of a text. */
int finding_list_parse(struct finding_list *out, struct text json, struct err *err);

#endif

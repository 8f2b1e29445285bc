/* SPDX-License-Identifier: Apache-2.0
 *
 * seen-run: runs, made under changing policies and looked at one by one, and one of them in
 * memory. Part of guards.h. */
#ifndef GUARDS_SEEN_RUN_H
#define GUARDS_SEEN_RUN_H

#include "base/arena.h"
#include "base/map.h"
#include "model/model.h"
#include "run/run.h"

/* ---- places ----------------------------------------------------------------------------- */

struct code_site {
    const char *file, *function; /* "" if not known */
    const char *name;            /* variable, field or callee, or "" */
    uint32_t line, column, statement;
    uint32_t unit, ordinal; /* which site of which unit: two of one line differ in this */
};

/* Functions that were active, the outermost first; the step's own is the last. Empty if the
 * program does not tell. */
struct code_stack {
    const struct code_site *frames; /* each: the function, at the line where it begins */
    uint32_t depth;
};

/* ---- runs ------------------------------------------------------------------------------- */

struct seek_runs {
    char *const *argv;
    struct run_opts run;       /* oracle, expect, timeout, seed */
    struct run_pool_opts pool; /* jobs, in_place, before_each */
    uint64_t runs;             /* to look for failing and passing runs; 0: the default */
    uint32_t tests;            /* causes to intervene for, of each failure; 0: the default */
    const char *given;         /* causes: directory of a run that failed; NULL: none */
    struct guards *guards;     /* causes: filled from the same runs; NULL: not wanted */
    void (*progress)(const char *what, uint64_t done); /* may be NULL */
};

/* Takes a look at a run that has ended; *enough: no more are needed. */
typedef int (*look_fn)(void *arg, struct run_done *d, bool *enough, struct err *err);
int explore_runs(const struct seek_runs *opts, uint64_t most, look_fn look, void *arg,
                 struct err *err);

/* ---- what several runs share ------------------------------------------------------------ */

/* The same site has the same number in all runs, and so has the same stack. */
struct site_table {
    struct arena *mem; /* borrowed */
    VEC(struct code_site) sites;
    VEC(uint32_t) before;          /* by site: an older one with the same hash */
    struct map by_hash;            /* hash -> the newest with it */
    VEC(uint32_t) outer, function; /* by stack: the one around it or NONE, its function */
    struct map stacks;             /* outer, function -> stack */
};

uint32_t site_number(struct site_table *t, const struct def_site *s);
struct code_stack stack_told(const struct site_table *t, uint32_t stack);
void site_table_done(struct site_table *t);

/* ---- one run ---------------------------------------------------------------------------- */

/* An event of the trace, as far as its order with others matters. */
struct happening {
    uint8_t kind, flags;
    uint16_t thr;
    uint32_t site, stack; /* in the tables */
    uint32_t peer;        /* create, join */
    uint32_t object;      /* sync: dense number; else NONE */
    uint32_t depth;       /* acquire: reached; release: left */
    uint32_t ref;         /* wait-leave: what woke it, or NONE */
    /* The time in which its thread holds any lock; the event itself if it holds none. */
    uint32_t held_first, held_last;
};

struct seen_run {
    struct trace trace;
    struct model *model;
    struct arena mem;
    const char **fields;  /* by cell, see names.h */
    struct happening *ev; /* by number of the event */
    uint32_t ev_count, object_count, thread_count;
    VEC(uint64_t) objects; /* addresses */
    uint32_t failure;      /* NONE: it passed */
    uint32_t id;
};

/* NULL: its trace cannot be read. */
struct seen_run *seen_run_open(const char *directory, struct site_table *sites,
                               struct err *err);
/* Fills ev and what goes with it from the trace. */
int seen_run_read(struct seen_run *r, struct site_table *sites, struct err *err);
void seen_run_free(struct seen_run *r);

#endif

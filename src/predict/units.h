/* SPDX-License-Identifier: Apache-2.0
 *
 * units: which accesses of a thread are meant to happen as one. Private to the pattern of
 * atomicity violations, which looks for what can come between them. */
#ifndef PREDICT_UNITS_H
#define PREDICT_UNITS_H

#include "predict/engine.h"

enum { UNIT_MAX = 64 }; /* accesses of a statement */

/* Who is told. The events of a unit are in program order, and gone when the call is over. */
struct unit_visitor {
    void *arg;
    /* A region, section or statement, and its accesses. */
    void (*unit)(void *arg, const ev_id *e, uint32_t count, enum group group);
    /* A read, and an access in a later section of the same lock that depends on it. */
    void (*pair)(void *arg, ev_id a, ev_id b, enum group group);
    /* Two outermost sections of a thread, with no other between them. */
    void (*neighbours)(void *arg, const ev_id *a, uint32_t a_count, const ev_id *b,
                       uint32_t b_count);
    uint64_t *skipped; /* counts units that were not told of */
};

void units_walk(const struct predictor *p, const struct intent *intent,
                const struct unit_visitor *to);

/* Two accesses of a thread to one cell, a before b, that belong together (pairs.c). */
struct access_pair {
    cell_id cell;
    thr_id thr;
    ev_id a, b;
    enum group group;
};

struct pairs {
    VEC(struct access_pair) list;
    struct map seen;  /* by two sites: how many pairs there were */
    uint64_t skipped; /* pairs of the same sites as many others */
};

/* Those of a region, section or statement. */
void pairs_find(const struct predictor *p, const struct intent *intent, struct pairs *out);
/* Is this one of those of its sites that are looked at? Counts it. */
bool pairs_take(struct pairs *all, const struct model *m, ev_id a, ev_id b);
void pairs_sort(struct pairs *all);
void pairs_done(struct pairs *all);

/* Violations of several variables (several.c): told of units, asked at the end. */
struct several;
struct several *several_new(struct scan *s);
void several_free(struct several *v);
void several_unit(struct several *v, const ev_id *e, uint32_t count, enum group group);
void several_pair(struct several *v, ev_id a, ev_id b, enum group group);
void several_neighbours(struct several *v, const ev_id *a, uint32_t a_count, const ev_id *b,
                        uint32_t b_count);
void several_ask(struct several *v);

#endif

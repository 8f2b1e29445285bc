/* SPDX-License-Identifier: Apache-2.0
 *
 * swan: what the files that try suspicious violations share.
 *
 *   suspect.c, order.c, group.c   found, refuted, put together
 *   swan.c                        schedules of them run, one after the other
 *   shown.c                       what such a run had of them
 *   culprit.c                     what a run that failed is about
 *   resolve.c                     what none had
 *   settle.c                      the same for violations that no legal trace has
 *   account.c                     what became of each */
#ifndef VERIFY_SWAN_H
#define VERIFY_SWAN_H

#include "predict/predict.h"
#include "verify/judge.h"

enum { TRIES_DEFAULT = 48, TRIES_EACH = 3, ALIKE_MAX = 3, VIOLATIONS_MAX = 30000 };

struct swan {
    struct judge *j;
    bool is_unenforced; /* locks were not enforced: the predictor would not understand it */
    struct trace trace;
    struct model *m;
    struct must *must;
    struct names names;  /* of the trace */
    uint32_t *rank;      /* by event: its place in the failing run, or NONE */
    uint32_t *line_rank; /* the same; where there is none, that of its neighbours */
    violations all;
    struct predictor *sync, *sound; /* made when needed */
};

/* Schedules to make, at most. */
static inline uint32_t swan_tries(const struct swan *s)
{
    return s->j->o->tries ? s->j->o->tries : TRIES_DEFAULT;
}

int swan_open(struct swan *s, const char *directory, struct err *err);
void swan_close(struct swan *s);
int swan_names(struct names *out, const char *directory, struct err *err); /* of a run */

static inline void auto_swan(struct swan *s)
{
    swan_close(s);
}

/* A run of the program after has ended: what does it say? */
int swan_take_run(struct swan *s, const struct trial *t, const violation_group *group,
                  enum verify_found found_by, struct err *err);

/* ---- shown.c ----------------------------------------------------------------------------- */

/* A run went well; group: what it was made for. */
void swan_note_passed(struct swan *s, const struct names *run, const violation_group *group);
/* How much of the violation a run had. PART: some of its events did not happen; NOT: all did,
 * in another order. last: where it ended. */
enum shown { SHOWN_NOT, SHOWN_PART, SHOWN_WHOLE };
enum shown swan_shown(const struct swan *s, const struct names *run, const struct violation *v,
                      uint32_t *last);

/* ---- account.c --------------------------------------------------------------------------- */

/* Counts what was decided; the others are appended to open. */
void account_decided(struct swan *s, violations *open);
/* One that the trace at hand leaves open; another may know. */
void account_open(struct swan *s, const struct violation *v);
/* Counts all, and what is open after every trace. */
void account_all(struct swan *s);
/* The same for all violations at the same places, in every trace. */
uint64_t account_places(const struct swan *s, const struct violation *v);

/* ---- resolve.c --------------------------------------------------------------------------- */

int swan_resolve(struct swan *s, struct err *err);

/* ---- settle.c ---------------------------------------------------------------------------- */

/* Violations of s, whose locks were not enforced: asks about those of which a run had every
 * event, in another order, on that run's trace. The rest stays open. */
int swan_settle(struct swan *s, const violations *open, struct err *err);

#endif

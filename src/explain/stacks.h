/* SPDX-License-Identifier: Apache-2.0
 *
 * stacks: which functions were active at the steps of a finding, and which of them the user
 * would call his own. A trace with calls says which functions; where each calls the next one
 * is what the compiler has kept (heddle/calls.h). Where that leaves a choice, it is told. */
#ifndef EXPLAIN_STACKS_H
#define EXPLAIN_STACKS_H

#include "finding/finding.h"

struct call_sites;

struct call_sites *call_sites_new(void);
void call_sites_add(struct call_sites *c, const char *record);
void call_sites_free(struct call_sites *c);

static inline void auto_call_sites(struct call_sites **c)
{
    call_sites_free(*c);
}

/* Fills stacks of the finding's steps, and entry functions of its threads, from a trace with
 * calls of the run that its steps are numbered by, which has so many other events. 1: it is
 * another run; nothing was filled. */
int explain_stacks(struct finding *f, struct arena *mem, const char *trace_path,
                   uint64_t events, const struct call_sites *calls, struct err *err);

/* What is the user's own: files below one of these paths; none: what is not the system's, and
 * no wrapper in a header. */
struct own_paths {
    const char *const *at;
    uint32_t len;
};

/* Sets `own` of the steps; the finding is reported where the first one of those stands that it
 * was reported for. */
void explain_own(struct finding *f, struct arena *mem, const struct own_paths *own);

#endif

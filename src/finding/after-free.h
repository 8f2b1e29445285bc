/* SPDX-License-Identifier: Apache-2.0
 *
 * after-free: does the trace of a run itself show memory that is used, or freed, after its end?
 * It knows addresses and the lives of blocks and nothing else, so it can judge what a witness
 * promised. */
#ifndef FINDING_AFTER_FREE_H
#define FINDING_AFTER_FREE_H

#include "trace/trace.h"

enum freed_what {
    FREED_ANY,
    FREED_USED,  /* use after free */
    FREED_TWICE, /* double free */
};

struct freed_use {
    uint64_t freed, use; /* numbers of the events: the first free, and what came too late */
    uint32_t site;       /* of what came too late */
    bool is_free;
};

/* The first event of this kind; 1: there is one, 0: there is none, -1: the trace is corrupt. */
int freed_find(struct trace *t, enum freed_what what, struct freed_use *out, struct err *err);

#endif

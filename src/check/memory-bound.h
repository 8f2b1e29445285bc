/* SPDX-License-Identifier: Apache-2.0
 *
 * memory-bound: how a long trace is predicted from. What prediction holds grows with the
 * events. What does not fit into memory goes into files; where those do not fit either the
 * trace is cut, for the first part of a run is a run too, and the report says where. */
#ifndef CHECK_MEMORY_BOUND_H
#define CHECK_MEMORY_BOUND_H

#include "finding/finding.h"
#include "model/model.h"

enum { MEMORY_LEAST_MB = 16, MEMORY_CHECK_MB = 256 }; /* of prediction; of all stages */

#define MEMORY_ROW(type_, field, for_what)        \
    {.type = OPTION_NUMBER,                       \
     .name = "memory",                            \
     .value = "MB",                               \
     .help = for_what " (half of the machine's)", \
     .offset = offsetof(type_, field)}

/* From here on (base/stop.h). */
void memory_limit(uint64_t megabytes);
/* -1: less than can work. 0 is what the machine has. */
int memory_check(uint64_t megabytes, uint64_t least, struct err *err);
/* What was decided for a trace. */
struct memory_plan {
    uint64_t megabytes; /* that prediction may use */
    uint64_t files_mb,
        room_mb;          /* of files that would hold the model, and that their disk has */
    uint64_t events;      /* that there is room for; 0: for all */
    struct str directory; /* owned: of them; lives as long as the model */
};

/* The model of a trace that does not fit goes into files beside it; without room for them the
 * trace is cut. */
void memory_bound(struct memory_plan *out, struct trace *t, const char *path,
                  uint64_t megabytes, struct model_opts *opts);
/* So many of its events were read: was it cut? */
bool memory_has_cut(const struct trace *t, uint64_t events);
/* Appends what that has left out, of a model with so many threads. */
void memory_say(struct str *out, const struct trace *t, const struct memory_plan *plan,
                uint32_t threads);

static inline void auto_memory_plan(struct memory_plan *p)
{
    str_done(&p->directory);
}

#endif

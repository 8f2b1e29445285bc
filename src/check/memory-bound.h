/* SPDX-License-Identifier: Apache-2.0
 *
 * memory-bound: how much of a long trace is predicted from. What prediction holds grows with
 * the events; the first part of a run is a run too, so a trace that is too long is cut, and
 * the report says where. */
#ifndef CHECK_MEMORY_BOUND_H
#define CHECK_MEMORY_BOUND_H

#include "finding/finding.h"

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
/* Cuts the trace if it has to be. */
void memory_bound(struct trace *t, uint64_t megabytes);
/* So many of its events were read: was it cut? */
bool memory_has_cut(const struct trace *t, uint64_t events);
/* Appends what that has left out. */
void memory_say(struct str *out, const struct trace *t, uint64_t megabytes);

#endif

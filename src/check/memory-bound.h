/* SPDX-License-Identifier: Apache-2.0
 *
 * memory-bound: how much of a long trace is predicted from. What prediction holds grows with
 * the events; the first part of a run is a run too, so a trace that is too long is cut, and
 * the report says where. */
#ifndef CHECK_MEMORY_BOUND_H
#define CHECK_MEMORY_BOUND_H

#include "finding/finding.h"

enum { MEMORY_LEAST_MB = 16 };

#define MEMORY_ROW(type_, field)                                            \
    {.type = OPTION_NUMBER,                                                 \
     .name = "memory",                                                      \
     .value = "MB",                                                         \
     .help = "predict from as much of a trace as this holds (half of all)", \
     .offset = offsetof(type_, field)}

/* -1: less than can work. 0 is what the machine has. */
int memory_check(uint64_t megabytes, struct err *err);
/* Cuts the trace if it has to be. */
void memory_bound(struct trace *t, uint64_t megabytes);
/* So many of its events were read: was it cut? */
bool memory_has_cut(const struct trace *t, uint64_t events);
/* Appends what that has left out. */
void memory_say(struct str *out, const struct trace *t, uint64_t megabytes);

#endif

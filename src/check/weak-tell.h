/* SPDX-License-Identifier: Apache-2.0
 *
 * weak-tell: what atomics did in a run that a finding is about. */
#ifndef CHECK_WEAK_TELL_H
#define CHECK_WEAK_TELL_H

#include "finding/finding.h"
#include "relaxed/relaxed.h"

/* A row for each stale read and early store of the run, who can do that, and what would forbid
 * it. Nothing if threads that take turns can do all of it. */
void weak_tell(struct finding_list *l, struct finding *f, const char *run);

/* The numbers of the events that the rows are about: at most `max`; how many. */
uint32_t weak_events(const char *run, uint64_t *out, uint32_t max);

/* Are there any? */
bool weak_has_races(const char *run, const struct relaxed_graph *base_graph,
                    const relaxed_races *base);
/* Races of plain memory in this run that atomics keep apart, but do not order: a finding each,
 * confirmed by it. `base`: races of a run in turns, whose pairs are not weak; may be NULL.
 * Gives the number of findings. */
uint32_t weak_races_tell(struct finding_list *l, const char *run, const relaxed_races *base,
                         const struct relaxed_graph *base_graph);

/* Code that is not instrumented may have atomics that order what a run with weak behaviour
 * shows: such findings are predicted, and say so. */
void weak_doubt(struct finding_list *l, const char *program);

#endif

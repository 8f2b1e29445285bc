/* SPDX-License-Identifier: Apache-2.0
 *
 * explain: the schedule of a finding as steps that a person can follow, with the values that
 * were read and written and the locks held. */
#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include "finding/finding.h"

/* Fills the finding's threads and steps from a run that followed its witness: what the witness
 * is about, the locks taken for it, and what its threads did to the same memory just before.
 * The texts live in mem. What the run did not come to (a lock never had) is a step too. */
int explain_run(struct told *f, struct arena *mem, const char *trace_path,
                const struct witness_file *w, struct err *err);

#endif

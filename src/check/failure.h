/* SPDX-License-Identifier: Apache-2.0
 *
 * failure: a run that failed, told as a finding: where, in which order of steps, and what the
 * switches bring about without which it does not fail. */
#ifndef CHECK_FAILURE_H
#define CHECK_FAILURE_H

#include "finding/finding.h"
#include "run/run.h"

struct failure {
    const struct run_result *result;
    const char *directory; /* of the run */
    const char *who;       /* "the recorded run failed" */
    bool shrink;           /* try to do with fewer switches first: it did not fail by itself */
    bool in_place;
    const struct run_opts *run; /* what judges it */
};

/* Adds the finding. What cannot be found out about the run is left out of it. */
void failure_tell(struct finding_list *out, const struct failure *what);
/* That it comes in every one of so many other schedules, if it was told. */
void failure_tell_plain(struct finding_list *out, const struct run_result *r, uint64_t tried);

#endif

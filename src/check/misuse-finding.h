/* SPDX-License-Identifier: Apache-2.0
 *
 * misuse-finding: calls of a recorded run that break the rules of what they are about, as
 * findings. The run has shown them: they are confirmed, and it is their replay. */
#ifndef CHECK_MISUSE_FINDING_H
#define CHECK_MISUSE_FINDING_H

#include "finding/finding.h"

struct misuse_run {
    const char *directory;            /* borrowed */
    const struct finding_list *known; /* borrowed: what other runs have shown */
    bool is_doubtful;                 /* the run cannot be judged */
};

/* t: its trace. */
void misuse_tell(struct finding_list *out, struct trace *t, const struct misuse_run *run);

#endif

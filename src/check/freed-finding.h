/* SPDX-License-Identifier: Apache-2.0
 *
 * freed-finding: a run that broke down because memory was used or freed after its end. Where it
 * broke down is anywhere; what its trace shows is the bug. */
#ifndef CHECK_FREED_FINDING_H
#define CHECK_FREED_FINDING_H

#include "finding/finding.h"
#include "run/run.h"

struct freed_seen {
    bool is_seen;            /* else the run shows neither */
    enum pattern_id pattern; /* double free or use after free */
    struct freed_use use;
    uint32_t line, column; /* of what came too late */
};

/* Only a run that crashed is looked into. */
struct freed_seen freed_look(const char *directory, const struct run_result *ended);
/* Is it among what was confirmed? */
bool freed_is_known(const struct finding_list *l, const struct freed_seen *seen,
                    enum harm harm);
/* Makes the finding that of the pattern; message says how the run was come by. */
void freed_tell(struct finding_list *l, struct finding *f, const struct freed_seen *seen,
                const char *directory, const char *who);

#endif

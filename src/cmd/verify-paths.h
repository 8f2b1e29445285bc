/* SPDX-License-Identifier: Apache-2.0
 *
 * verify-paths: a side that was built in a copy of the tree is told with the names of the tree:
 * nobody looks for his files in our copies. */
#ifndef CMD_VERIFY_PATHS_H
#define CMD_VERIFY_PATHS_H

#include "verify/verify.h"

/* What is below STORE/before/tree or STORE/after/tree is called as in the tree. */
void verify_paths_plain(struct verify_verdict *v, const char *store);
/* The same in a finding, whose texts live in mem. */
void finding_paths_plain(struct finding *f, struct arena *mem, const char *store);

#endif

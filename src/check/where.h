/* SPDX-License-Identifier: Apache-2.0
 *
 * where: the call stacks of what is shown, and whose code it is. */
#ifndef CHECK_WHERE_H
#define CHECK_WHERE_H

#include "check/check.h"

/* Of each finding that is shown its run is made once more, now with calls recorded: the first
 * time nobody needed them. What cannot be had is left out. */
void where_tell(struct finding_list *l, const struct check_opts *opts);

#endif

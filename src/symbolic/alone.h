/* SPDX-License-Identifier: Apache-2.0
 *
 * alone: can a check fail as far as its own thread goes? What the thread has passed on its way,
 * and what places can hold, is all that is looked at; what is read may come from anywhere.
 * Private to this module. */
#ifndef SYMBOLIC_ALONE_H
#define SYMBOLIC_ALONE_H

#include "symbolic/problem.h"

/* false: it cannot, whatever the other threads do. given: clauses that it took. */
bool alone_can_fail(const struct problem *p, node_id check, const struct engine *engine,
                    uint64_t work, uint64_t *given);

#endif

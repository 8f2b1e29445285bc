/* SPDX-License-Identifier: Apache-2.0
 *
 * reachable: where a thread of the program after can still come to, by the control-flow
 * graph. */
#ifndef VERIFY_REACHABLE_H
#define VERIFY_REACHABLE_H

#include "run/run.h"
#include "verify/identity.h"

struct reachable;

/* For the sites of a trace that was walked, borrowed. NULL: the program's bitcode cannot be
 * read; then everything can be reached. */
struct reachable *reachable_open(const char *program, const struct trace *t);
void reachable_close(struct reachable *r);
/* Sites by their own names (identity.h). False is a proof: a thread that is at `from` does not
 * come to `to` any more. */
bool reachable_named(struct reachable *r, uint64_t from, uint64_t to);
/* "a.c:40" */
void reachable_tell(const struct reachable *r, uint64_t name, struct str *out);
/* What run_greedily wants; r may be NULL. */
struct run_greedy reachable_greedy(struct reachable *r);

#endif

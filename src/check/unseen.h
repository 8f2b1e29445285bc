/* SPDX-License-Identifier: Apache-2.0
 *
 * unseen: what a check has not looked at: parts of the program that are not instrumented, and
 * functions of which the run recorded nothing. */
#ifndef CHECK_UNSEEN_H
#define CHECK_UNSEEN_H

#include "finding/finding.h"
#include "run/run.h"

/* Adds to the list's unseen and idle; the trace has been walked to its end. */
void unseen_find(struct finding_list *out, const char *program, const struct trace *t);

#endif

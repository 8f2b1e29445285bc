/* SPDX-License-Identifier: Apache-2.0
 *
 * control: what the program does without a violation. Whatever a run shows that followed a
 * witness is blamed on it only if it does not come without. */
#ifndef CONFIRM_CONTROL_H
#define CONFIRM_CONTROL_H

#include "confirm/confirm.h"

/* Does the run print a line that the recorded one has not, while that one and runs in which
 * threads take turns all print the same? why says which line. */
bool control_prints_otherwise(const struct confirm_opts *o, const char *run, struct str *why);
/* The key steps of the witness the other way round, the rest as it is; false: there is no such
 * order. out has room for as many lines. */
bool control_turn_round(struct witness_file *out, const struct witness_file *w);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * fix-start: what `heddle fix` begins with. */
#ifndef CMD_FIX_START_H
#define CMD_FIX_START_H

#include "cmd/cmd-fix.h"

/* Is a run recorded in this directory? */
bool fix_is_run(const char *path);
/* Follows the witness on the program that it names; out: the directory of that run. */
int fix_follow_witness(struct str *out, const char *path, const struct seek_opts *o,
                       struct err *err);
/* `heddle check` of the program: its findings are in PROGRAM.heddle then. */
int fix_check(char *const *program, const struct seek_opts *o, struct err *err);

#endif

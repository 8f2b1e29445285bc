/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-replay: what replay and run share: following a witness file. */
#ifndef CMD_CMD_REPLAY_H
#define CMD_CMD_REPLAY_H

#include "run/run.h"

bool is_witness(const char *path);
/* argv NULL: the program that the witness names. Returns an exit code. */
int replay_witness(const char *path, char *const *argv, bool in_place,
                   const struct run_opts *opts, struct err *err);

#endif

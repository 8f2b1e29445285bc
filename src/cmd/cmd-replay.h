/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-replay: what replay and run share: following a witness file. */
#ifndef CMD_CMD_REPLAY_H
#define CMD_CMD_REPLAY_H

#include "run/run.h"

bool is_witness(const char *path);
/* Appends the name of the link to the recorded run that it was predicted from. */
void witness_recorded(struct str *out, const char *witness);
/* Appends the name of the link to the run that followed it. */
void witness_run(struct str *out, const char *witness);
/* argv NULL: the program that the witness names. Returns an exit code. */
int replay_witness(const char *path, char *const *argv, const struct run_opts *opts,
                   struct err *err);

#endif

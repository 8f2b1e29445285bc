/* SPDX-License-Identifier: Apache-2.0
 *
 * replay-gdb: a recorded run in gdb, with commands that go from switch to switch and back. */
#ifndef CMD_REPLAY_GDB_H
#define CMD_REPLAY_GDB_H

#include "base/embedded.h"
#include "run/run.h"

extern const struct embedded replay_gdb; /* replay-gdb.py */

/* Up to this event; NO_EVENT: to the first key step of the finding that tells of the run, or to
 * its end. Returns an exit code. */
int replay_in_gdb(struct run_again *again, uint64_t stop, struct err *err);

#endif

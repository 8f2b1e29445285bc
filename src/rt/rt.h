/* SPDX-License-Identifier: Apache-2.0
 *
 * rt: the runtime inside the target. One token: exactly one thread runs, the others sleep on
 * a futex word of their own. Only the holder of the token touches `rt`, so nothing here is
 * locked; the few words that others may write are marked.
 *
 *            hook-*.c            what the target calls: one file per family of functions
 *               |  point, block, wake
 *            sched.c  <-->  policy-*.c     who runs next
 *               |
 *        record.c  outcome.c     what happened, how it ended
 *
 * What the files offer each other is in five headers: state.h (records), turns.h (who runs),
 * recording.h, outside.h (the world) and process.h (ends, families, signals).
 *
 * `self` is null in a process that is not recorded, in its forked children, in threads that
 * somebody else made and behind the end: every hook then does what libc does, and no more. */
#ifndef RT_RT_H
#define RT_RT_H

#include "rt/outside.h"
#include "rt/process.h"
#include "rt/recording.h"
#include "rt/state.h"
#include "rt/turns.h"

#endif

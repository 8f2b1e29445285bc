/* SPDX-License-Identifier: Apache-2.0
 *
 * capture: another program, run to its end, and what it printed. */
#ifndef BASE_CAPTURE_H
#define BASE_CAPTURE_H

#include "base/str.h"

/* stdout and stderr together; the exit code, or -1 if it could not be run or was killed. extra
 * is one more variable of its environment, or NULL. */
int capture(struct str *out, char *const *argv, char *extra);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * self: where the tool itself is, and what lies beside it, in a build directory as well as
 * where it was installed. */
#ifndef BASE_SELF_H
#define BASE_SELF_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <sys/types.h>

/* Our own executable; "" if the system does not tell. */
void self_path(struct str *out);
/* A place such as "../include", seen from the directory of our executable and made absolute.
 * False: it is not there, or has no file of this name in it ("": any will do). */
bool self_find(struct str *out, const char *place, const char *file);
/* Runs words[0] to its end, as a child; prepare(context), unless NULL, is called in the child
 * first. The exit code as a shell says it: 128 and the number of the signal that ended it. A
 * signal that tells us to end goes to it, too; stop_came says so afterwards. */
int self_run(char *const *words, void (*prepare)(const void *), const void *context,
             struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * results: where an earlier command left its files. */
#ifndef CMD_RESULTS_H
#define CMD_RESULTS_H

#include "base/err.h"
#include "base/str.h"

/* dir/file, or that of the PROGRAM.heddle here whose file was changed last; "run heddle check
 * first" if there is none. */
int results_find(struct str *out, const char *dir, const char *file, struct err *err);

/* The row of an option table for dir. */
#define DIR_ROW(options)                                        \
    {.type = OPTION_TEXT,                                       \
     .name = "dir",                                             \
     .value = "DIR",                                            \
     .help = "directory of the program's results (the newest)", \
     .offset = offsetof(options, dir)}

#endif

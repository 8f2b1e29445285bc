/* SPDX-License-Identifier: Apache-2.0
 *
 * watch: the same command again whenever files have changed. */
#ifndef CMD_WATCH_H
#define CMD_WATCH_H

#include <stdint.h>

/* Runs this program with these words, now and after each change of one of the files, until a
 * signal comes. An exit code: that of the last time. */
int watch(char *const *words, char *const *files, uint32_t file_count);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * log: what somebody who waits gets to see on stderr. At a terminal, work that takes longer
 * than a second says so in one line that is rewritten in place and removed at the end.
 * Elsewhere a command that has spent ten seconds says where it is, in a line every ten seconds
 * and for every stage that then begins. One clock for the whole command. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* From here on the line says `what`, then how long the command has taken. One at a time. */
void progress_begin(const char *what);
/* How much is done so far; shown with the unit. */
void progress_count(uint64_t done, const char *unit);
/* The same with what there is to do. */
void progress_of(uint64_t done, uint64_t total, const char *unit);
/* So much of that. */
void progress_done(uint64_t done);
/* So many findings so far. */
void progress_found(uint64_t count);
void progress_end(void);

#endif

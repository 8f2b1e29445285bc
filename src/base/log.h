/* SPDX-License-Identifier: Apache-2.0
 *
 * log: what somebody who waits at a terminal gets to see. Work that takes longer than a
 * second says so on stderr, in one line that is rewritten in place and removed at the end.
 * Nothing appears if stderr is no terminal. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* From here on the line says `what`, then how long it has taken. One work at a time. */
void progress_begin(const char *what);
/* How much is done so far; shown with the unit. */
void progress_count(uint64_t done, const char *unit);
/* The same with what there is to do: how long it will take is guessed from that. */
void progress_of(uint64_t done, uint64_t total, const char *unit);
/* So much of that. */
void progress_done(uint64_t done);
void progress_end(void);

#endif

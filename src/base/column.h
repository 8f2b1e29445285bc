/* SPDX-License-Identifier: Apache-2.0
 *
 * column: long arrays that need not be in memory. A column is memory, or a file without a name
 * in a directory, mapped: the same bytes for whoever uses it. Of files only what is being
 * worked on is in memory: once too much is, all of it leaves, and comes back where it is
 * touched.
 *
 * A file has its room on the disk from the beginning: who writes to it cannot be refused. */
#ifndef BASE_COLUMN_H
#define BASE_COLUMN_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the directory, or in memory if that is NULL. Never NULL: without room for it the command
 * ends, as without memory. */
void *column_get(const char *directory, size_t bytes);
/* Longer or shorter, with the old contents; NULL is a new one. */
void *column_resize(const char *directory, void *old, size_t bytes);
void column_free(void *column); /* NULL is fine */

/* A mapped file that is only read leaves memory along with the columns. */
void column_lend(const void *at, size_t bytes);
void column_lend_end(const void *at);

/* The process may keep so much in memory before columns leave it; 0: any amount. A thread looks
 * after that as long as there are columns in files. */
void columns_keep(uint64_t resident_bytes);
void columns_leave(void); /* now, however much it is */
/* So much can be written to this directory; UINT64_MAX if nobody knows. */
uint64_t columns_room(const char *directory);

#endif

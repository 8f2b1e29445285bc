/* SPDX-License-Identifier: Apache-2.0
 *
 * common: which lines two texts have in common, in their order. */
#ifndef SOURCE_COMMON_H
#define SOURCE_COMMON_H

#include "base/str.h"
#include "base/vec.h"

typedef VEC(struct text) text_lines;

/* Appends for each line of the old text which line of the new one it is, counted from 1; 0: it
 * is gone, or stands in a stretch too long to be compared. */
typedef VEC(uint32_t) line_pairs;
void common_lines(line_pairs *out, const text_lines *old, const text_lines *new);

#endif

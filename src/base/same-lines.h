/* SPDX-License-Identifier: Apache-2.0
 *
 * same-lines: two texts as sets of lines. Threads print in whatever order they like; that their
 * lines stand in another order makes no other text of it. */
#ifndef BASE_SAME_LINES_H
#define BASE_SAME_LINES_H

#include "base/str.h"

/* Have they the same lines, each as often as the other? If not, other (may be NULL) becomes the
 * first line, in sorted order, that b has and a has not; at NULL: b only lacks some. */
bool lines_same(struct text a, struct text b, struct text *other);
/* The first line, in sorted order, that b has and a has not even once; at NULL: none. */
struct text lines_new(struct text a, struct text b);

#endif

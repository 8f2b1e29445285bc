/* SPDX-License-Identifier: Apache-2.0
 *
 * line-map: where the lines of a text went when it was changed. Lines count from 1. */
#ifndef SOURCE_LINE_MAP_H
#define SOURCE_LINE_MAP_H

#include "source/common.h"

struct line_map {
    line_pairs to;      /* by old line - 1: its line in the new text; 0: changed or gone */
    VEC(int32_t) shift; /* the same: by how much its columns moved */
    uint32_t new_count; /* lines of the new text */
};

/* Lines are the same if they are but for the blanks at both ends. */
void line_map_make(struct line_map *out, struct text old, struct text new);
void line_map_done(struct line_map *m);

/* New line of an old one; 0: it was changed or is gone. */
uint32_t line_map_find(const struct line_map *m, uint32_t line);
/* The new lines that stand in the place of a line that was changed: first <= line < end. */
void line_map_place(const struct line_map *m, uint32_t line, uint32_t *first, uint32_t *end);

#endif

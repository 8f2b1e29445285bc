/* SPDX-License-Identifier: Apache-2.0
 *
 * places: private. The cells of a model, cut once more where an access of a path, which may be
 * a part of a recorded one, begins or ends in the middle. */
#ifndef SYMBOLIC_PLACES_H
#define SYMBOLIC_PLACES_H

#include "model/model.h"
#include "symbolic/problem.h"

struct places {
    const struct model *m; /* borrowed */
    VEC(uint64_t) cuts;    /* cell << 32 | offset, ascending once sorted */
};

void places_done(struct places *p);
/* Some access covers [addr, addr + size) of this cell, as far as that has it. */
void places_cut(struct places *p, cell_id c, uint64_t addr, uint64_t size);
/* After the last cut. */
void places_sort(struct places *p);
/* The places of a cell: [first, first + count). */
place_id places_of(const struct places *p, cell_id c, uint32_t *count);
/* Where the i-th place of a cell lies; bytes is UINT32_MAX if that is not known. */
uint64_t place_addr(const struct places *p, cell_id c, uint32_t i, uint32_t *bytes);

#endif

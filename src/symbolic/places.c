/* SPDX-License-Identifier: Apache-2.0
 *
 * places: see places.h. */
#include "symbolic/places.h"

#include "base/search.h"

void places_done(struct places *p)
{
    vec_done(&p->cuts);
}

void places_cut(struct places *p, cell_id c, uint64_t addr, uint64_t size)
{
    const struct cell *cell = &p->m->cells[c];
    const uint64_t ends[] = {addr, addr + size};
    for (uint32_t i = 0; i < 2; i++)
        if (ends[i] > cell->addr && ends[i] - cell->addr < cell->len)
            vec_push(&p->cuts, (uint64_t)c << 32 | (ends[i] - cell->addr));
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void places_sort(struct places *p)
{
    uint32_t kept = 0;
    if (p->cuts.len)
        qsort(p->cuts.at, p->cuts.len, sizeof *p->cuts.at, compare);
    for (uint32_t i = 0; i < p->cuts.len; i++)
        if (kept == 0 || p->cuts.at[kept - 1] != p->cuts.at[i])
            p->cuts.at[kept++] = p->cuts.at[i];
    p->cuts.len = kept;
}

static uint32_t cuts_before(const struct places *p, uint64_t key)
{
    return SEARCH(i, 0, p->cuts.len, p->cuts.at[i] < key);
}

place_id places_of(const struct places *p, cell_id c, uint32_t *count)
{
    uint32_t first = cuts_before(p, (uint64_t)c << 32);
    *count = 1 + cuts_before(p, ((uint64_t)c + 1) << 32) - first;
    return c + first;
}

uint64_t place_addr(const struct places *p, cell_id c, uint32_t i, uint32_t *bytes)
{
    const struct cell *cell = &p->m->cells[c];
    uint32_t first = cuts_before(p, (uint64_t)c << 32), count;
    places_of(p, c, &count);
    uint32_t from = i == 0 ? 0 : (uint32_t)p->cuts.at[first + i - 1];
    uint32_t to = i + 1 == count ? cell->len : (uint32_t)p->cuts.at[first + i];
    *bytes = to == UINT32_MAX ? UINT32_MAX : to - from;
    return cell->addr + from;
}

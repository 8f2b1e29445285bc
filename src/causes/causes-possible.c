/* SPDX-License-Identifier: Apache-2.0
 *
 * causes-possible: what a run has, by the sites of its steps. Two places of one run, or of two,
 * that differ only in threads and objects are the same possible cause. */
#include "causes/gather.h"

#include <string.h>

uint32_t possible_number(struct gathered *g, const struct possible_cause *wanted, bool *is_new)
{
    CHECK(wanted->count > 0 && wanted->count <= CAUSE_STEPS_MAX);
    uint64_t hash = hash_u64((uint64_t)wanted->kind << 32 | wanted->pattern);
    for (uint32_t i = 0; i < wanted->count; i++)
        hash = hash_u64(hash * 31 + wanted->site[i] + 1);
    uint32_t *slot = map_at(&g->by_hash, hash);
    *is_new = false;
    for (uint32_t i = *slot; i != NONE; i = g->before.at[i]) {
        const struct possible_cause *s = &g->possible.at[i];
        if (s->kind == wanted->kind && s->pattern == wanted->pattern &&
            s->count == wanted->count &&
            memcmp(s->site, wanted->site, s->count * sizeof *s->site) == 0)
            return i;
    }
    *is_new = true;
    vec_push(&g->before, *slot);
    *slot = g->possible.len;
    vec_push(&g->possible, *wanted);
    return g->possible.len - 1;
}

struct entering {
    struct gathered *g;
    const struct seen_run *r;
    struct verdict_row *row;
    struct map seen; /* possible of this run */
};

static const char *variable_name(struct entering *x, cell_id c)
{
    AUTO(str) struct str out = {0};
    variable_text(&out, x->r->model, c, x->r->fields[c]);
    return arena_text(x->g->sites.mem, out.at, out.len);
}

static void name_possible(struct entering *x, struct possible_cause *s, const struct mined *m)
{
    const struct pattern_row *row = &pattern_rows[m->pattern];
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t v = row->step[i].variable;
        s->stack[i] = x->r->ev[model_number(x->r->model, m->ev[i])].stack;
        if (!s->variables[v])
            s->variables[v] = variable_name(x, m->cell[v]);
    }
}

static void enter(void *arg, const struct mined *m)
{
    struct entering *x = arg;
    struct possible_cause s = {
        .kind = CAUSE_PATTERN, .pattern = m->pattern, .count = pattern_rows[m->pattern].count};
    for (uint32_t i = 0; i < s.count; i++)
        s.site[i] = x->r->ev[model_number(x->r->model, m->ev[i])].site;
    bool is_new;
    uint32_t number = possible_number(x->g, &s, &is_new);
    if (is_new)
        name_possible(x, &x->g->possible.at[number], m);
    uint32_t *slot = map_at(&x->seen, number);
    if (*slot == NONE) {
        *slot = 0;
        vec_push(&x->row->keys, number);
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void possible_of(struct gathered *g, const struct seen_run *r, struct verdict_row *row)
{
    CHECK(r->model && r->ev_count >= r->model->ev_count);
    struct entering x = {.g = g, .r = r, .row = row};
    patterns_mine(r->model, enter, &x);
    map_done(&x.seen);
    possible_stuck(g, r, row);
    if (row->keys.len)
        qsort(row->keys.at, row->keys.len, sizeof *row->keys.at, by_number);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * forbid: see relaxed.h. Sets of changes are tried on the recorded runs themselves, the
 * cheapest first: an order of acquire and release costs less than a fence, that less than
 * seq_cst. That a set forbids these runs is no proof that it forbids all that fail: that
 * takes the program. */
#include "relaxed/relaxed.h"

#include <string.h>

enum {
    SITES_MAX = 40,
    COST_MAX = 28,
    WORK_MAX = 40000000, /* steps that are gone through */
    COST_ORDER = 4,
    COST_FENCE = 6, /* acquire or release */
    COST_FULL = 7,  /* fence */
    COST_SC = 6,
};

struct option {
    struct relaxed_change change;
    uint32_t cost;
};

struct search {
    const struct relaxed_goal *goals;
    uint32_t count, max;
    uint32_t hardest; /* goal that was missed last: asked first */
    uint64_t work;
    VEC(struct option) options;
    struct relaxed_remedy now;
    relaxed_remedies *out;
};

bool relaxed_is_met(const struct relaxed_goal *g, struct relaxed_changes with)
{
    if (relaxed_first_forbidden(g->graph, with) != NONE)
        return true;
    return g->race.first != NONE &&
           relaxed_orders(g->graph, with, g->race.first, g->race.second);
}

static bool all_met(struct search *s)
{
    struct relaxed_changes with = {.at = s->now.at, .len = s->now.len};
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t at = (s->hardest + i) % s->count;
        s->work += s->goals[at].graph->steps.len;
        if (!relaxed_is_met(&s->goals[at], with)) {
            s->hardest = at;
            return false;
        }
    }
    return true;
}

/* Of one place that is done in several ways, all the same changes. */
static bool is_listed(const struct search *s, struct relaxed_change c)
{
    for (uint32_t i = 0; i < s->options.len; i++)
        if (memcmp(&s->options.at[i].change, &c, sizeof c) == 0)
            return true;
    return false;
}

static void option_add(struct search *s, uint64_t key, enum relaxed_move move, unsigned order,
                       uint32_t cost)
{
    struct relaxed_change c;
    memset(&c, 0, sizeof c);
    c.key = key;
    c.move = (uint8_t)move;
    c.order = (uint8_t)order;
    if (!is_listed(s, c))
        vec_push(&s->options, (struct option){c, cost});
}

static void list_of_step(struct search *s, const struct relaxed_step *e)
{
    bool stores = e->op != RELAXED_LOAD, loads = e->op != RELAXED_STORE || e->is_cas;
    if (e->order == WORD_VALUE(ORDER, SEQ_CST))
        return;
    if (stores && loads)
        option_add(s, e->key, RELAXED_RAISE, WORD_VALUE(ORDER, ACQ_REL), COST_ORDER + 1);
    if (stores)
        option_add(s, e->key, RELAXED_RAISE, WORD_VALUE(ORDER, RELEASE), COST_ORDER);
    if (loads)
        option_add(s, e->key, RELAXED_RAISE, WORD_VALUE(ORDER, ACQUIRE), COST_ORDER);
    option_add(s, e->key, RELAXED_RAISE, WORD_VALUE(ORDER, SEQ_CST), COST_SC);
    if (stores)
        option_add(s, e->key, RELAXED_FENCE_BEHIND, WORD_VALUE(ORDER, SEQ_CST), COST_FULL);
    else
        option_add(s, e->key, RELAXED_FENCE_BEFORE, WORD_VALUE(ORDER, SEQ_CST), COST_FULL);
    if (e->op == RELAXED_STORE)
        option_add(s, e->key, RELAXED_FENCE_BEFORE, WORD_VALUE(ORDER, RELEASE), COST_FENCE);
    if (e->op == RELAXED_LOAD) {
        option_add(s, e->key, RELAXED_FENCE_BEFORE, WORD_VALUE(ORDER, ACQUIRE), COST_FENCE);
        option_add(s, e->key, RELAXED_FENCE_BEHIND, WORD_VALUE(ORDER, ACQUIRE), COST_FENCE);
    }
}

static void list_options(struct search *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct relaxed_graph *g = s->goals[i].graph;
        for (uint32_t k = 0; k < g->steps.len && s->options.len < SITES_MAX * 5; k++)
            if (g->steps.at[k].op <= RELAXED_UPDATE && g->steps.at[k].site < g->trace.sites.len)
                list_of_step(s, &g->steps.at[k]);
    }
}

static bool contains(const struct relaxed_remedy *all, const struct relaxed_remedy *part)
{
    for (uint32_t i = 0; i < part->len; i++) {
        bool has = false;
        for (uint32_t k = 0; k < all->len; k++)
            has |= memcmp(&all->at[k], &part->at[i], sizeof all->at[k]) == 0;
        if (!has)
            return false;
    }
    return true;
}

static bool is_done(const struct search *s)
{
    return s->out->len >= s->max || s->work > WORK_MAX;
}

/* All sets with options from `from` on that cost so much more. */
static void try_cost(struct search *s, uint32_t from, uint32_t cost)
{
    if (cost == 0) {
        for (uint32_t i = 0; i < s->out->len; i++)
            if (contains(&s->now, &s->out->at[i]))
                return;
        if (all_met(s))
            vec_push(s->out, s->now);
        return;
    }
    for (uint32_t i = from; i < s->options.len && s->now.len < RELAXED_CHANGES_MAX; i++) {
        if (s->options.at[i].cost > cost || is_done(s))
            continue;
        s->now.at[s->now.len++] = s->options.at[i].change;
        s->now.cost += s->options.at[i].cost;
        try_cost(s, i + 1, cost - s->options.at[i].cost);
        s->now.cost -= s->options.at[i].cost;
        s->now.len--;
    }
}

void relaxed_find_remedies(const struct relaxed_goal *goals, uint32_t count, uint32_t max,
                           relaxed_remedies *out)
{
    struct search s = {.goals = goals, .count = count, .max = max, .out = out};
    list_options(&s);
    for (uint32_t cost = COST_ORDER; cost <= COST_MAX && !is_done(&s); cost++)
        try_cost(&s, 0, cost);
    vec_done(&s.options);
}

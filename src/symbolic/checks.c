/* SPDX-License-Identifier: Apache-2.0
 *
 * checks: all checks of a problem, asked about side by side: what is cheap first, for all of
 * them, then ever wider stretches for those that are left, as long as the cost allows. Checks
 * that the program's author wrote come before those that every access has. */
#include "symbolic/symbolic.h"

enum {
    TRIES_MAX = 8,       /* of one check in the source, at different times */
    SLICE_MIN_US = 4000, /* what a step may cost, where much is to be asked */
    US_PER_CLAUSE = 2,
    AHEAD = 2, /* a step may take what is left, shared with so many */
    GIVEN_PER_US = 2,
};

/* One check in the source, and the times at which it is asked about. */
struct check_group {
    uint8_t why;
    uint32_t site;
    uint32_t seen; /* instances on the recorded paths that some value could make fail */
    VEC(struct question) asked;
    bool is_found;
};

struct checks {
    const struct problem *p;
    const struct symbolic_checks *o;
    struct symbolic_stat *stat;
    VEC(struct check_group) groups;
};

static struct check_group *group_of(struct checks *c, uint8_t why, uint32_t site)
{
    for (uint32_t i = 0; i < c->groups.len; i++)
        if (c->groups.at[i].why == why && c->groups.at[i].site == site)
            return &c->groups.at[i];
    vec_push(&c->groups, (struct check_group){.why = why, .site = site});
    return &c->groups.at[c->groups.len - 1];
}

/* Evenly chosen ones of all instances: the n-th of so many is number k of the ones asked. */
static bool is_chosen(uint32_t n, uint32_t seen, uint32_t k)
{
    uint32_t tries = seen < TRIES_MAX ? seen : TRIES_MAX;
    uint32_t at = tries == 1 ? 0 : (uint32_t)((uint64_t)k * (seen - 1) / (tries - 1));
    return k < tries && at == n;
}

static void find_groups(struct checks *c)
{
    const struct problem *p = c->p;
    VEC(uint32_t) passed = {0};
    for (node_id n = 0; n < p->nodes.len; n++)
        if (p->nodes.at[n].op == NODE_CHECK)
            group_of(c, p->nodes.at[n].why, p->nodes.at[n].site)->seen +=
                !p->nodes.at[n].is_idle;
    for (uint32_t i = 0; i < c->groups.len; i++)
        vec_push(&passed, 0);
    for (node_id n = 0; n < p->nodes.len; n++) {
        if (p->nodes.at[n].op != NODE_CHECK || p->nodes.at[n].is_idle)
            continue;
        struct check_group *g = group_of(c, p->nodes.at[n].why, p->nodes.at[n].site);
        uint32_t number = passed.at[g - c->groups.at]++;
        struct goal goal = {.kind = GOAL_CHECK, .count = 1, .node = {n}, .also = NONE};
        if (is_chosen(number, g->seen, g->asked.len))
            vec_push(&g->asked, (struct question){.goal = goal});
    }
    vec_done(&passed);
}

/* ---- asking ------------------------------------------------------------------------------ */

static bool is_written(uint8_t why)
{
    return why == IR_ASSERT || why == IR_ORACLE;
}

static uint32_t count_open(const struct checks *c)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < c->groups.len; i++)
        for (uint32_t k = 0; !c->groups.at[i].is_found && k < c->groups.at[i].asked.len; k++)
            open += !c->groups.at[i].asked.at[k].is_over;
    return open;
}

static bool has_spent(const struct checks *c)
{
    return c->stat->cost >= c->o->cost_max || (c->o->stop && c->o->stop());
}

static uint64_t least(uint64_t a, uint64_t limit)
{
    return limit > 0 && limit < a ? limit : a;
}

/* A step may cost its share of what is left. */
struct symbolic_opts symbolic_share(const struct symbolic_opts *opts, uint64_t left,
                                    uint32_t among)
{
    struct symbolic_opts o = *opts;
    uint64_t slice = left / (among ? among : 1);
    slice = slice > SLICE_MIN_US ? slice : SLICE_MIN_US;
    o.work = least(slice, opts->work);
    o.clauses_max = (uint32_t)least(slice / US_PER_CLAUSE, opts->clauses_max);
    o.given_max = least(slice * GIVEN_PER_US, opts->given_max);
    return o;
}

static void step_group(struct checks *c, struct check_group *g, uint32_t among)
{
    AUTO(sym_witness) struct sym_witness w = {0};
    struct err refusal;
    for (uint32_t i = 0; i < g->asked.len && !g->is_found && !has_spent(c); i++) {
        struct question *q = &g->asked.at[i];
        if (q->is_over)
            continue;
        uint64_t left = c->o->cost_max - c->stat->cost;
        struct symbolic_opts o = symbolic_share(c->o->opts, left, among);
        symbolic_step(c->p, q, &o, &w, c->stat, &refusal);
        g->is_found = q->is_over && q->answer == SAT_YES;
        if (g->is_found)
            c->o->found(c->o->arg, &q->goal, &w);
    }
}

static void step_all(struct checks *c, bool written, uint32_t among)
{
    for (uint32_t i = 0; i < c->groups.len && !has_spent(c); i++)
        if (is_written(c->groups.at[i].why) == written)
            step_group(c, &c->groups.at[i], among);
}

static void step_until_spent(struct checks *c, uint32_t among)
{
    while (count_open(c) > 0 && !has_spent(c)) {
        step_all(c, true, among);
        step_all(c, false, among);
    }
}

/* What the author wrote, and was too much for its share, is asked about again with what the
 * others have left. */
static void reopen(struct checks *c)
{
    for (uint32_t i = 0; i < c->groups.len && !has_spent(c); i++)
        for (uint32_t k = 0; is_written(c->groups.at[i].why) && k < c->groups.at[i].asked.len;
             k++) {
            struct question *q = &c->groups.at[i].asked.at[k];
            if (!q->is_over || q->answer != SAT_UNKNOWN || q->why != UNDECIDED_SIZE)
                continue;
            q->is_over = false;
            c->stat->answers[SAT_UNKNOWN]--;
            c->stat->undecided[UNDECIDED_SIZE]--;
        }
}

static enum verdict_sat answer_of(const struct check_group *g)
{
    bool all_no = g->seen == g->asked.len;
    for (uint32_t i = 0; i < g->asked.len; i++)
        all_no &= g->asked.at[i].is_over && g->asked.at[i].answer == SAT_NO;
    return g->is_found ? SAT_YES : all_no ? SAT_NO : SAT_UNKNOWN;
}

void symbolic_checks(const struct problem *p, const struct symbolic_checks *o,
                     struct symbolic_stat *stat)
{
    struct checks c = {.p = p, .o = o, .stat = stat};
    find_groups(&c);
    step_until_spent(&c, AHEAD);
    reopen(&c);
    step_until_spent(&c, 1);
    for (uint32_t i = 0; i < c.groups.len; i++) {
        struct check_group *g = &c.groups.at[i];
        o->answered(o->arg, g->why, answer_of(g));
        for (uint32_t k = 0; k < g->asked.len; k++)
            stat->undecided[UNDECIDED_TOTAL] += !g->is_found && !g->asked.at[k].is_over;
        vec_done(&g->asked);
    }
    vec_done(&c.groups);
}

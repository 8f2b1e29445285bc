/* SPDX-License-Identifier: Apache-2.0
 *
 * causes: see fix.h. Ranked first by how often runs that have it fail (equation 1 of the paper,
 * by the least it may be, so that one chance meeting does not win), then by what the
 * interventions showed: what is necessary and sufficient first, then by the same bound; parts
 * of a pattern that have the same as the whole stand behind it. */
#include "causes/gather.h"

#include <math.h>
#include <string.h>

enum { TESTS_DEFAULT = 16, TOLD_MAX = 24 };

const char *cause_action_text(enum cause_action a)
{
    static const char *const words[] = {"read", "write", "lock", "want", "signal", "wait"};
    return words[a];
}

/* ---- scores ----------------------------------------------------------------------------- */

/* The lower end of Wilson's interval for hits of all, with 95 % confidence. */
static double wilson(double hits, double all)
{
    const double z = 1.96;
    if (all == 0)
        return 0;
    double p = hits / all, z2 = z * z;
    double middle = p + z2 / (2 * all);
    double half = z * sqrt(p * (1 - p) / all + z2 / (4 * all * all));
    double low = (middle - half) / (1 + z2 / all);
    return low > 0 ? low : 0;
}

struct score {
    uint32_t possible, fail, pass, length;
    double bound;
};

typedef VEC(struct score) scores;

/* Of two that runs do not tell apart: the longer one has more of the reason in it; but if one
 * variable is enough, the second one is chance. */
static uint32_t weight_of(uint32_t steps)
{
    return steps == 3 ? 5 : steps;
}

static int by_score(const void *a, const void *b)
{
    const struct score *x = a, *y = b;
    if (x->bound != y->bound)
        return x->bound > y->bound ? -1 : 1;
    if (weight_of(x->length) != weight_of(y->length))
        return weight_of(x->length) > weight_of(y->length) ? -1 : 1;
    return (x->possible > y->possible) - (x->possible < y->possible);
}

static void score_failure(scores *out, const struct gathered *g, uint32_t failure)
{
    uint32_t *fail = mem_zeroed(g->possible.len + 1, sizeof *fail);
    uint32_t *pass = mem_zeroed(g->possible.len + 1, sizeof *pass);
    for (uint32_t i = 0; i < g->rows.len; i++) {
        const struct verdict_row *row = &g->rows.at[i];
        uint32_t *count = row->failure == NONE ? pass : row->failure == failure ? fail : NULL;
        for (uint32_t j = 0; count && j < row->keys.len; j++) {
            CHECK(row->keys.at[j] < g->possible.len);
            count[row->keys.at[j]]++;
        }
    }
    for (uint32_t i = 0; i < g->possible.len; i++)
        if (fail[i] > 0)
            vec_push(out, (struct score){i, fail[i], pass[i], g->possible.at[i].count,
                                         wilson(fail[i], fail[i] + pass[i])});
    free(fail);
    free(pass);
    if (out->len)
        qsort(out->at, out->len, sizeof *out->at, by_score);
}

/* ---- telling ---------------------------------------------------------------------------- */

static enum cause_action action_of(const struct possible_cause *s, uint32_t step)
{
    if (s->kind == CAUSE_DEADLOCK)
        return step % 2 == 0 ? CAUSE_LOCK : CAUSE_WANT;
    if (s->kind == CAUSE_WAKEUP)
        return step == 0 ? CAUSE_SIGNAL : CAUSE_WAIT;
    return pattern_rows[s->pattern].step[step].writes ? CAUSE_WRITE : CAUSE_READ;
}

static void tell_pattern(struct cause *c, const struct possible_cause *s)
{
    CHECK(s->pattern <= CAUSE_PATTERNS && pattern_rows[s->pattern].count == s->count);
    const struct pattern_row *row = &pattern_rows[s->pattern];
    c->variable_count = 1;
    for (uint32_t i = 0; i < s->count; i++) {
        c->steps[i].thread = row->step[i].thread;
        c->steps[i].variable = row->step[i].variable;
        if (row->step[i].variable == 1)
            c->variable_count = 2;
    }
}

/* The objects by their names, each once. */
static void tell_stuck(struct cause *c, const struct possible_cause *s)
{
    const char *names[CAUSE_STEPS_MAX];
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t v = 0;
        while (v < c->variable_count && strcmp(names[v], s->variables[i]) != 0)
            v++;
        if (v == c->variable_count)
            names[c->variable_count++] = s->variables[i];
        c->steps[i].thread = s->kind == CAUSE_DEADLOCK ? i / 2 : i;
        c->steps[i].variable = v;
    }
    for (uint32_t v = 0; v < c->variable_count; v++)
        c->variables[v] = names[v];
}

static struct cause cause_of(const struct gathered *g, const struct score *score,
                             uint32_t failure)
{
    CHECK(score->possible < g->possible.len && failure < g->out->failures.len);
    CHECK(score->fail + score->pass > 0);
    const struct possible_cause *s = &g->possible.at[score->possible];
    CHECK(s->count > 0 && s->count <= CAUSE_STEPS_MAX);
    struct cause c = {.kind = s->kind,
                      .pattern = s->pattern,
                      .failure = failure,
                      .step_count = s->count,
                      .fail = score->fail,
                      .pass = score->pass,
                      .score = (double)score->fail / (score->fail + score->pass),
                      .bound = score->bound,
                      .flip = {.why = "not tried: others are more suspicious"},
                      .force = {.why = "not tried: others are more suspicious"}};
    for (uint32_t i = 0; i < s->count; i++) {
        c.variables[i] = s->variables[i];
        c.steps[i].action = action_of(s, i);
        c.steps[i].site = g->sites.sites.at[s->site[i]];
        c.steps[i].stack = stack_told(&g->sites, s->stack[i]);
    }
    if (s->kind == CAUSE_PATTERN)
        tell_pattern(&c, s);
    else
        tell_stuck(&c, s);
    return c;
}

/* ---- after the interventions ------------------------------------------------------------ */

/* What a patch can do is to take a cause away: necessary counts before sufficient. */
static uint32_t rank_of(const struct cause *c)
{
    bool helps = c->flip.hit > 0, brings = c->force.hit > 0;
    if (cause_is_necessary(c))
        return cause_is_sufficient(c) ? 0 : brings ? 1 : 2;
    if (helps && brings)
        return 3;
    if (brings || helps)
        return 4;
    return c->flip.tried + c->force.tried > 0 ? 6 : 5; /* refuted behind what was not tried */
}

static int by_rank(const void *a, const void *b)
{
    const struct cause *x = a, *y = b;
    if (rank_of(x) != rank_of(y))
        return rank_of(x) < rank_of(y) ? -1 : 1;
    if (x->bound != y->bound)
        return x->bound > y->bound ? -1 : 1;
    if (weight_of(x->step_count) != weight_of(y->step_count))
        return weight_of(x->step_count) > weight_of(y->step_count) ? -1 : 1;
    for (uint32_t i = 0; i < x->step_count; i++)
        if (x->steps[i].site.line != y->steps[i].site.line)
            return x->steps[i].site.line < y->steps[i].site.line ? -1 : 1;
    return (int)x->pattern - (int)y->pattern;
}

static int explain_failure(struct gathered *g, uint32_t failure, const struct seek_runs *opts,
                           struct err *err)
{
    struct causes *out = g->out;
    uint32_t first = out->causes.len, tests = opts->tests ? opts->tests : TESTS_DEFAULT;
    scores all = {0};
    VEC(uint32_t) possible = {0};
    score_failure(&all, g, failure);
    for (uint32_t i = 0; i < all.len && i < (tests > TOLD_MAX ? tests : TOLD_MAX); i++) {
        vec_push(&out->causes, cause_of(g, &all.at[i], failure));
        vec_push(&possible, all.at[i].possible);
    }
    uint32_t count = out->causes.len - first, tried = count < tests ? count : tests;
    CHECK(count == possible.len);
    int failed =
        count == 0 ? 0
                   : causes_intervene(g, out->causes.at + first, possible.at, tried, opts, err);
    if (count > 1)
        qsort(out->causes.at + first, count, sizeof *out->causes.at, by_rank);
    vec_done(&possible);
    vec_done(&all);
    return failed;
}

/* The most frequent first; the runs' own numbers follow. */
static void sort_failures(struct gathered *g)
{
    struct causes *out = g->out;
    for (uint32_t i = 1; i < out->failures.len; i++)
        for (uint32_t j = i; j > 0 && out->failures.at[j].count > out->failures.at[j - 1].count;
             j--) {
            struct cause_failure f = out->failures.at[j];
            out->failures.at[j] = out->failures.at[j - 1];
            out->failures.at[j - 1] = f;
            for (uint32_t k = 0; k < g->rows.len; k++) {
                uint32_t *own = &g->rows.at[k].failure;
                *own = *own == j ? j - 1 : *own == j - 1 ? j : *own;
            }
            for (uint32_t k = 0; k < g->failing.len; k++) {
                uint32_t *own = &g->failing.at[k]->failure;
                *own = *own == j ? j - 1 : *own == j - 1 ? j : *own;
            }
        }
}

static void note_functions(struct causes *out, const struct site_table *t)
{
    for (uint32_t i = 0; i < t->function.len; i++) {
        const char *name = t->sites.at[t->function.at[i]].function;
        bool is_there = false;
        for (uint32_t k = 0; k < out->ran.len; k++)
            is_there |= strcmp(out->ran.at[k], name) == 0;
        if (!is_there)
            vec_push(&out->ran, name);
    }
}

int causes_find(struct causes *out, const struct seek_runs *opts, struct err *err)
{
    *out = (struct causes){0};
    struct gathered g = {.out = out, .sites = {.mem = &out->mem}};
    int failed = causes_gather(&g, opts, err);
    sort_failures(&g);
    for (uint32_t i = 0; !failed && i < out->failures.len; i++)
        failed = explain_failure(&g, i, opts, err);
    note_functions(out, &g.sites);
    gathered_done(&g);
    if (failed)
        causes_done(out);
    return failed;
}

void causes_leave(struct causes *c, uint32_t harms)
{
    uint32_t *now = mem_zeroed(c->failures.len + 1, sizeof *now), kept = 0;
    for (uint32_t i = 0; i < c->failures.len; i++) {
        bool is_left = harm_in(harms, harm_of(c->failures.at[i].outcome));
        now[i] = is_left ? NONE : kept;
        if (!is_left)
            c->failures.at[kept++] = c->failures.at[i];
    }
    uint32_t failures = c->failures.len;
    c->failures.len = kept;
    kept = 0;
    for (uint32_t i = 0; i < c->causes.len; i++) {
        struct cause one = c->causes.at[i];
        CHECK(one.failure < failures);
        one.failure = now[one.failure];
        if (one.failure != NONE)
            c->causes.at[kept++] = one;
    }
    c->causes.len = kept;
    free(now);
}

void causes_done(struct causes *c)
{
    vec_done(&c->failures);
    vec_done(&c->causes);
    vec_done(&c->ran);
    arena_done(&c->mem);
}

int causes_circle(const char *directory, struct err *err)
{
    struct arena mem = {0};
    struct site_table sites = {.mem = &mem};
    struct plan plan;
    struct seen_run *run = seen_run_open(directory, &sites, err);
    int result = -1;
    if (run) {
        result = plan_circle(&plan, run, 0) || run_keeps_lock(run);
        plan_done(&plan);
        seen_run_free(run);
    }
    site_table_done(&sites);
    arena_done(&mem);
    return result;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * effect: does a violation change what is read or left? Its accesses are compared with both
 * orders in which one thread comes after the other: if each of them sees there what it sees in
 * the violation, and the same is left in memory, nobody can tell the difference, and it is
 * silent. Wang, Limaye, Ganai and Gupta (TACAS 2010, definition 2) call such accesses
 * independent under a condition; here the condition is asked about for all accesses of the
 * violation at once. */
#include "symbolic/symbolic.h"

#include "base/stop.h"

enum {
    ASKED_MAX = 16,        /* instances of the same places in the source */
    COMPARED_MAX = 200000, /* accesses, to find those */
};

/* ---- one violation ----------------------------------------------------------------------- */

static const struct node *node_at(const struct problem *p, const struct goal *g, uint32_t i)
{
    return &p->nodes.at[g->node[i]];
}

static const struct part *part_of(const struct problem *p, const struct node *n, place_id x)
{
    for (uint32_t i = 0; i < n->count; i++)
        if (p->parts.at[n->first + i].place == x)
            return &p->parts.at[n->first + i];
    return NULL;
}

static bool writes(const struct problem *p, const struct node *n, place_id x)
{
    const struct part *part = part_of(p, n, x);
    return part && part->writes;
}

/* Does the thread write the place between two of the accesses, beside them? */
static bool writes_between(const struct problem *p, const struct goal *g, place_id x)
{
    for (uint32_t i = 0; i < g->count; i++)
        for (uint32_t j = i + 1; j < g->count; j++) {
            const struct node *a = node_at(p, g, i), *b = node_at(p, g, j);
            const struct path *path = &p->paths.at[a->thr];
            for (uint32_t k = a->idx + 1; a->thr == b->thr && k < b->idx; k++) {
                bool is_asked = false;
                for (uint32_t l = 0; l < g->count; l++)
                    is_asked |= g->node[l] == path->nodes.at[k];
                if (!is_asked && writes(p, &p->nodes.at[path->nodes.at[k]], x))
                    return true;
            }
        }
    return false;
}

/* What a place holds on the way; NONE: what was there before all of them, and nobody read. */
static term content_before(const struct problem *p, const struct goal *g, place_id x)
{
    for (uint32_t i = 0; i < g->count; i++) {
        const struct part *part = part_of(p, node_at(p, g, i), x);
        if (part && (part->reads || part->writes))
            return part->reads ? part->read : NONE;
    }
    return NONE;
}

static term content_after(const struct problem *p, const struct goal *g, place_id x)
{
    term content = content_before(p, g, x);
    for (uint32_t i = 0; i < g->count; i++) {
        const struct part *part = part_of(p, node_at(p, g, i), x);
        if (part && part->writes)
            content = part->write;
    }
    return content;
}

static term same(const struct problem *p, term a, term b)
{
    if (a == NONE || b == NONE)
        return term_bool(p->pool, a == b);
    return term_eq(p->pool, a, b);
}

/* With all accesses of thread `first` before all others: the same is read from the place, and
 * left in it. */
static term is_same(const struct problem *p, const struct goal *g, place_id x, uint16_t first)
{
    term content = content_before(p, g, x), all = term_bool(p->pool, true);
    for (uint32_t i = 0; i < 2 * g->count; i++) {
        const struct node *n = node_at(p, g, i % g->count);
        const struct part *part = part_of(p, n, x);
        if (!part || (n->thr == first) != (i < g->count))
            continue;
        if (part->reads)
            all = term_and(p->pool, all,
                           content == NONE ? term_bool(p->pool, false)
                                           : same(p, part->read, content));
        if (part->writes)
            content = part->write;
    }
    return term_and(p->pool, all, same(p, content, content_after(p, g, x)));
}

/* Is everything that they do to the place known, and nothing else in between? */
static bool is_clear(const struct problem *p, const struct goal *g, place_id x)
{
    for (uint32_t i = 0; i < g->count; i++) {
        const struct part *part = part_of(p, node_at(p, g, i), x);
        if (part &&
            ((part->reads && part->read == NONE) || (part->writes && part->write == NONE)))
            return false;
    }
    return !writes_between(p, g, x);
}

static bool is_met_by_two(const struct problem *p, const struct goal *g, place_id x)
{
    uint32_t met = 0;
    for (uint32_t i = 0; i < g->count; i++)
        met += part_of(p, node_at(p, g, i), x) != NULL;
    return met > 1;
}

term symbolic_visible(const struct problem *p, const struct goal *g)
{
    uint16_t first = node_at(p, g, 0)->thr, other = first;
    term one = term_bool(p->pool, true), two = one;
    for (uint32_t i = 1; i < g->count; i++) {
        uint16_t thr = node_at(p, g, i)->thr;
        if (thr != first && other != first && thr != other)
            return NONE;
        other = thr != first ? thr : other;
    }
    for (uint32_t i = 0; i < g->count; i++)
        for (uint32_t k = 0; k < node_at(p, g, i)->count; k++) {
            place_id x = p->parts.at[node_at(p, g, i)->first + k].place;
            if (!is_met_by_two(p, g, x))
                continue;
            if (!is_clear(p, g, x))
                return NONE;
            one = term_and(p->pool, one, is_same(p, g, x, first));
            two = term_and(p->pool, two, is_same(p, g, x, other));
        }
    return term_not(p->pool, term_or(p->pool, one, two));
}

/* ---- all of the same places in the source ------------------------------------------------ */

struct asking {
    const struct problem *p;
    const struct goal *first;
    const struct symbolic_opts *opts;
    uint64_t cost_max;
    struct sym_witness *out;
    struct symbolic_stat *stat;
    VEC(node_id) at[GOAL_MAX]; /* accesses of the same sites */
    struct goal goal;
    uint32_t asked, compared;
    bool is_open; /* not everything was asked, or answered */
};

static bool share_memory(const struct problem *p, const struct node *a, const struct node *b)
{
    for (uint32_t i = a->first; i < a->first + a->count; i++)
        if (part_of(p, b, p->parts.at[i].place))
            return true;
    return false;
}

/* Is b the first access of its site behind a in their thread? */
static bool is_nearest(const struct problem *p, const struct node *a, const struct node *b)
{
    const struct path *path = &p->paths.at[a->thr];
    for (uint32_t k = a->idx + 1; k < b->idx; k++) {
        const struct node *n = &p->nodes.at[path->nodes.at[k]];
        if (n->op == NODE_ACCESS && n->site == b->site)
            return false;
    }
    return a->idx < b->idx;
}

/* Does this access stand to the ones before it as the one that was asked about does? */
static bool fits(const struct asking *a, uint32_t i, node_id id)
{
    const struct problem *p = a->p;
    const struct node *n = &p->nodes.at[id], *old = node_at(p, a->first, i);
    const struct node *last = NULL;
    for (uint32_t k = 0; k < i; k++) {
        const struct node *m = node_at(p, &a->goal, k), *was = node_at(p, a->first, k);
        if ((m->thr == n->thr) != (was->thr == old->thr))
            return false;
        if (share_memory(p, was, old) && !share_memory(p, m, n))
            return false;
        last = m->thr == n->thr ? m : last;
    }
    return !last || is_nearest(p, last, n);
}

/* Is there something that may fail, and so end the program, between the accesses? */
static bool may_fail(const struct asking *a)
{
    const struct problem *p = a->p;
    for (uint32_t i = 0; i < a->goal.count; i++) {
        const struct node *from = node_at(p, &a->goal, i);
        const struct path *path = &p->paths.at[from->thr];
        uint32_t last = from->idx;
        for (uint32_t k = i + 1; k < a->goal.count; k++)
            if (node_at(p, &a->goal, k)->thr == from->thr)
                last = node_at(p, &a->goal, k)->idx;
        /* what comes right behind the last one fails before anything else happens */
        for (uint32_t k = from->idx + 1; k < path->nodes.len; k++) {
            unsigned op = p->nodes.at[path->nodes.at[k]].op;
            if (op == NODE_CHECK)
                return true;
            if (k > last && op != NODE_GUARD)
                break;
        }
    }
    return false;
}

/* No order of this kind is visible, if there are any that go through: those in which the
 * program fails on the way are not looked at. */
static void doubt(struct asking *a)
{
    AUTO(sym_witness) struct sym_witness w = {0};
    struct err refusal;
    if (a->is_open || !may_fail(a))
        return;
    a->goal.also = NONE;
    a->is_open |= symbolic_ask(a->p, &a->goal, a->opts, &w, a->stat, &refusal) != SAT_YES;
}

static bool ask_one(struct asking *a)
{
    struct err refusal;
    a->goal.also = symbolic_visible(a->p, &a->goal);
    if (a->goal.also == NONE || a->asked == ASKED_MAX || a->stat->cost > a->cost_max) {
        a->is_open = true;
        return false;
    }
    if (term_is(a->p->pool, a->goal.also, 0))
        return false;
    a->asked++;
    enum verdict_sat answer = symbolic_ask(a->p, &a->goal, a->opts, a->out, a->stat, &refusal);
    a->is_open |= answer == SAT_UNKNOWN;
    if (answer == SAT_NO)
        doubt(a);
    return answer == SAT_YES;
}

/* Loops have thousands of accesses of one site, and several of them are combined. */
static bool is_spent(struct asking *a)
{
    bool is_over = a->asked == ASKED_MAX || a->compared >= COMPARED_MAX ||
                   a->stat->cost > a->cost_max || stop_signal() != 0;
    a->is_open |= is_over;
    return is_over;
}

static bool ask_from(struct asking *a, uint32_t i)
{
    if (i == a->first->count)
        return ask_one(a);
    for (uint32_t k = 0; k < a->at[i].len && !is_spent(a); k++) {
        a->compared++;
        if (!fits(a, i, a->at[i].at[k]))
            continue;
        a->goal.node[i] = a->at[i].at[k];
        if (ask_from(a, i + 1))
            return true;
    }
    return false;
}

/* The ones asked about come first: they are the likeliest. */
static void find_alike(struct asking *a)
{
    for (uint32_t i = 0; i < a->first->count; i++) {
        uint32_t site = node_at(a->p, a->first, i)->site;
        vec_push(&a->at[i], a->first->node[i]);
        for (node_id n = 0; n < a->p->nodes.len; n++)
            if (a->p->nodes.at[n].op == NODE_ACCESS && a->p->nodes.at[n].site == site &&
                n != a->first->node[i])
                vec_push(&a->at[i], n);
    }
}

enum effect symbolic_effect(const struct problem *p, struct goal *g,
                            const struct symbolic_opts *opts, uint64_t cost_max,
                            struct sym_witness *out, struct symbolic_stat *stat)
{
    struct asking a = {.p = p,
                       .first = g,
                       .opts = opts,
                       .cost_max = cost_max,
                       .out = out,
                       .stat = stat,
                       .goal = *g};
    find_alike(&a);
    bool found = ask_from(&a, 0);
    for (uint32_t i = 0; i < g->count; i++)
        vec_done(&a.at[i]);
    if (found)
        *g = a.goal;
    return found ? EFFECT_VISIBLE : a.is_open ? EFFECT_UNKNOWN : EFFECT_SILENT;
}

const char *effect_sentence(enum effect effect)
{
    static const char *const sentences[] = {
        "",
        "every read sees the same as with one thread after the other, and the same is left",
        "some order lets a read see, or leaves in memory, what neither order of one thread "
        "after the other gives",
    };
    return sentences[effect];
}

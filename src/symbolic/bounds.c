/* SPDX-License-Identifier: Apache-2.0
 *
 * bounds: see bounds.h. Every read sees what is there at the start or what somebody writes
 * there: whatever the order, a place holds nothing else. A value is one of a few, or lies
 * between two bounds; bounds are whole numbers, and stand for what they are modulo 2^width.
 * The values of places depend on each other: they grow until nothing changes.
 *
 * A write of what was read there plus a constant happens once: all of those together add at
 * most the sum of their constants. */
#include "symbolic/bounds.h"

#include "base/err.h"

#include <string.h>

enum { SET_MAX = 6, ROUNDS_MAX = 12, TERMS_MAX = 200000, WIDTH_MAX = 64 };
__extension__ typedef __int128 whole;

struct range {
    whole lo, hi;  /* lo > hi: there is no value at all */
    uint8_t count; /* so many values, and no others; 0: whatever lies between the bounds */
    uint64_t at[SET_MAX];
};

struct delta {
    bool has;
    whole down, up; /* what all writes of that kind may take away and add */
};

struct ranges {
    struct range *place; /* owned, by place */
    struct delta *delta; /* owned, by place */
    place_id *place_of;  /* owned, by variable: the place that it is read from; NONE: several */
    struct range *value; /* owned, by term; while they are made */
    uint32_t terms;
    bool is_first;           /* round */
    bool *has_changed;       /* owned, by place: in the last round */
    bool *is_new;            /* owned, by term: its value is another than in the last round */
    struct range *base;      /* owned, by place: what it holds by constants alone */
    VEC(uint32_t) varying;   /* parts that write what depends on something, and do not count */
    VEC(term) varying_terms; /* ascending: all but constants */
};

/* ---- ranges ------------------------------------------------------------------------------ */

static whole size_of(unsigned width)
{
    return (whole)1 << width;
}

static struct range empty(void)
{
    return (struct range){.lo = 1, .hi = 0};
}

static bool is_empty(const struct range *r)
{
    return r->lo > r->hi;
}

static struct range anything(unsigned width)
{
    return (struct range){.lo = 0, .hi = size_of(width < WIDTH_MAX ? width : WIDTH_MAX) - 1};
}

static struct range between(unsigned width, whole lo, whole hi)
{
    whole size = size_of(width);
    if (hi - lo >= size - 1)
        return anything(width);
    whole away = hi < 0 ? (hi + 1) / size - 1 : lo / size; /* as near to zero as can be */
    bool is_away = hi < 0 || lo >= size;
    return (struct range){.lo = is_away ? lo - away * size : lo,
                          .hi = is_away ? hi - away * size : hi};
}

static struct range one(unsigned width, term_bits v)
{
    uint64_t low = (uint64_t)(v & term_mask(width));
    return (struct range){.lo = low, .hi = low, .count = 1, .at = {low}};
}

static struct range either(unsigned width, const struct range *a, const struct range *b)
{
    if (is_empty(a) || is_empty(b))
        return is_empty(a) ? *b : *a;
    struct range r = *a;
    bool is_set = a->count && b->count;
    for (unsigned i = 0; i < b->count && is_set; i++) {
        unsigned k = 0;
        while (k < r.count && r.at[k] != b->at[i])
            k++;
        if (k == SET_MAX)
            is_set = false;
        else if (k == r.count)
            r.at[r.count++] = b->at[i];
    }
    whole lo = a->lo < b->lo ? a->lo : b->lo, hi = a->hi > b->hi ? a->hi : b->hi;
    if (!is_set)
        return between(width, lo, hi);
    r.lo = lo;
    r.hi = hi;
    return r;
}

static bool is_same(const struct range *a, const struct range *b)
{
    return (is_empty(a) && is_empty(b)) ||
           (a->lo == b->lo && a->hi == b->hi && a->count == b->count &&
            memcmp(a->at, b->at, a->count * sizeof a->at[0]) == 0);
}

/* The bounds as numbers without, or with, a sign; false: the values lie on both sides. */
static bool as_numbers(const struct range *r, unsigned width, bool is_signed, whole *lo,
                       whole *hi)
{
    whole least = is_signed ? -size_of(width - 1) : 0, size = size_of(width);
    for (whole k = -1; k <= 1; k++)
        if (r->lo + k * size >= least && r->hi + k * size < least + size) {
            *lo = r->lo + k * size;
            *hi = r->hi + k * size;
            return true;
        }
    return false;
}

/* ---- operations -------------------------------------------------------------------------- */

static struct range truth(bool can_be_false, bool can_be_true)
{
    if (can_be_false && can_be_true)
        return (struct range){.lo = 0, .hi = 1, .count = 2, .at = {0, 1}};
    return one(1, can_be_true);
}

static struct range less(const struct range *a, const struct range *b, unsigned width,
                         enum term_op op)
{
    whole a_lo, a_hi, b_lo, b_hi;
    bool is_signed = op == TERM_SLT || op == TERM_SLE;
    whole equal = op == TERM_ULE || op == TERM_SLE;
    if (!as_numbers(a, width, is_signed, &a_lo, &a_hi) ||
        !as_numbers(b, width, is_signed, &b_lo, &b_hi))
        return truth(true, true);
    return truth(a_hi >= b_lo + equal, a_lo < b_hi + equal);
}

static struct range equal(const struct range *a, const struct range *b, unsigned width)
{
    for (whole k = -1; k <= 1; k++)
        if (a->lo <= b->hi + k * size_of(width) && b->lo + k * size_of(width) <= a->hi)
            return truth(true, true);
    return truth(true, false);
}

static struct range product(const struct range *a, const struct range *b, unsigned width)
{
    const whole limit = (whole)1 << 60;
    bool is_small = a->count == 1 && a->hi < (1 << 20) && b->hi < limit && b->lo > -limit;
    return is_small ? between(width, a->lo * b->lo, a->lo * b->hi) : anything(width);
}

static struct range bounds(enum term_op op, unsigned width, const struct range *a,
                           const struct range *b)
{
    whole a_lo, a_hi, b_lo, b_hi;
    switch (op) {
    case TERM_ADD:
        return between(width, a->lo + b->lo, a->hi + b->hi);
    case TERM_SUB:
        return between(width, a->lo - b->hi, a->hi - b->lo);
    case TERM_MUL:
        return a->count == 1 ? product(a, b, width) : product(b, a, width);
    case TERM_AND: /* not more than the smaller one */
        if (!as_numbers(a, width, false, &a_lo, &a_hi))
            a_hi = size_of(width) - 1;
        if (!as_numbers(b, width, false, &b_lo, &b_hi))
            b_hi = size_of(width) - 1;
        return between(width, 0, a_hi < b_hi ? a_hi : b_hi);
    case TERM_EQ:
        return equal(a, b, width);
    case TERM_ULT:
    case TERM_ULE:
    case TERM_SLT:
    case TERM_SLE:
        return less(a, b, width, op);
    default:
        return op > TERM_EQ ? truth(true, true) : anything(width);
    }
}

static struct range binary(enum term_op op, unsigned width, const struct range *a,
                           const struct range *b)
{
    if (is_empty(a) || is_empty(b))
        return empty();
    if (!a->count || !b->count)
        return bounds(op, width, a, b);
    unsigned result = op >= TERM_EQ ? 1 : width;
    struct range all = empty();
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++) {
            struct range r = one(result, term_fold(op, width, a->at[i], b->at[k]));
            all = either(result, &all, &r);
        }
    return all;
}

static struct range inverted(const struct range *a, unsigned width)
{
    struct range r = between(width, -1 - a->hi, -1 - a->lo);
    for (unsigned i = 0; i < a->count; i++) {
        struct range v = one(width, ~(term_bits)a->at[i]);
        r = i ? either(width, &r, &v) : v;
    }
    return r;
}

/* To another width: with zeros or the sign above, or cut off. */
static struct range resized(const struct range *a, unsigned from, unsigned to, bool is_signed)
{
    whole lo, hi;
    struct range r = empty();
    for (unsigned i = 0; i < a->count; i++) {
        term_bits v = is_signed ? (term_bits)term_signed(a->at[i], from) : a->at[i];
        struct range n = one(to, v);
        r = either(to, &r, &n);
    }
    if (a->count)
        return r;
    if (to <= from)
        return between(to, a->lo, a->hi);
    return as_numbers(a, from, is_signed, &lo, &hi) ? between(to, lo, hi) : anything(to);
}

/* ---- terms ------------------------------------------------------------------------------- */

static struct range value_of_var(const struct ranges *r, const struct term_node *n)
{
    place_id x = r->place_of[n->a];
    return x == NONE ? anything(n->width) : r->place[x];
}

static struct range value_of(const struct ranges *r, const struct problem *p, term t)
{
    const struct term_node *n = term_at(p->pool, t);
    unsigned children = term_child_count(n);
    const struct range *a = children > 0 ? &r->value[n->a] : NULL;
    const struct range *b = children > 1 ? &r->value[n->b] : NULL;
    unsigned width = a ? term_width(p->pool, n->a) : n->width;
    if (n->width > WIDTH_MAX || width > WIDTH_MAX)
        return anything(n->width);
    if (n->op == TERM_CONST)
        return one(n->width, term_value(p->pool, t));
    if (n->op == TERM_VAR)
        return value_of_var(r, n);
    if (is_empty(a) || (b && is_empty(b) && n->op != TERM_ITE))
        return empty();
    switch (n->op) {
    case TERM_NOT:
        return inverted(a, n->width);
    case TERM_ITE:
        if (a->count == 1)
            return a->at[0] ? *b : r->value[n->c];
        return either(n->width, b, &r->value[n->c]);
    case TERM_ZEXT:
    case TERM_SEXT:
        return resized(a, width, n->width, n->op == TERM_SEXT);
    case TERM_EXTRACT:
        return n->low == 0 ? resized(a, width, n->width, false) : anything(n->width);
    case TERM_CONCAT:
        return a->count == 1 && a->at[0] == 0
                   ? resized(b, term_width(p->pool, n->b), n->width, false)
                   : anything(n->width);
    default:
        return binary(n->op, width, a, b);
    }
}

/* ---- places ------------------------------------------------------------------------------ */

/* Is it what was read there, and a constant? */
static bool is_delta(const struct ranges *r, const struct problem *p, const struct part *part,
                     whole *out)
{
    const struct term_node *n = term_at(p->pool, part->write);
    if (n->op != TERM_ADD && n->op != TERM_SUB)
        return false;
    bool is_first = term_is_const(p->pool, n->a) && n->op == TERM_ADD;
    term var = is_first ? n->b : n->a, by = is_first ? n->a : n->b;
    const struct term_node *v = term_at(p->pool, var);
    if (v->op != TERM_VAR || r->place_of[v->a] != part->place || !term_is_const(p->pool, by) ||
        n->width > WIDTH_MAX)
        return false;
    whole c = term_signed(term_value(p->pool, by), n->width);
    *out = n->op == TERM_SUB ? -c : c;
    return true;
}

static void find_deltas(struct ranges *r, const struct problem *p)
{
    whole c;
    for (uint32_t i = 0; i < p->parts.len; i++) {
        const struct part *part = &p->parts.at[i];
        struct delta *d = &r->delta[part->place];
        if (!part->writes || part->write == NONE || !is_delta(r, p, part, &c))
            continue;
        d->has = true;
        d->up += c > 0 ? c : 0;
        d->down += c < 0 ? -c : 0;
    }
}

static void find_variables(struct ranges *r, const struct problem *p)
{
    for (uint32_t i = 0; i < p->readings.len; i++) {
        const struct reading *x = &p->readings.at[i];
        place_id place = x->count == 1 ? p->parts.at[x->first].place : NONE;
        bool is_whole =
            place != NONE && p->places.at[place].width == term_width(p->pool, x->var);
        r->place_of[term_var_number(p->pool, x->var)] = is_whole ? place : NONE;
    }
}

/* Where something is not known, a read sees what is, or what it saw in the trace: nothing else
 * is an order that anybody asks about. */
static bool saw_unknown(const struct problem *p, const struct part *part)
{
    if (!part->reads || part->read == NONE || !p->places.at[part->place].is_odd)
        return false;
    if (part->source == NONE)
        return !p->places.at[part->place].is_known;
    const struct node *n = &p->nodes.at[part->source];
    for (uint32_t i = n->first; i < n->first + n->count; i++)
        if (p->parts.at[i].place == part->place && p->parts.at[i].write != NONE)
            return false;
    return true;
}

static struct range at_start(const struct sym_place *place)
{
    if (place->width > WIDTH_MAX)
        return anything(place->width);
    return place->is_known ? one(place->width, place->initial) : empty();
}

/* What places hold by the writes that do not count up or down: constants are done with at once,
 * the others are listed. */
static void find_writes(struct ranges *r, const struct problem *p)
{
    whole c;
    for (uint32_t x = 0; x < p->places.len; x++)
        r->base[x] = at_start(&p->places.at[x]);
    for (uint32_t i = 0; i < p->parts.len; i++) {
        const struct part *part = &p->parts.at[i];
        unsigned width = p->places.at[part->place].width;
        term write = problem_lean(p, part->write);
        struct range *base = &r->base[part->place], more = empty();
        if (width > WIDTH_MAX)
            continue;
        if (saw_unknown(p, part))
            more = one(width, part->saw);
        *base = either(width, base, &more);
        if (!part->writes || write == NONE || is_delta(r, p, part, &c))
            continue;
        if (!term_is_const(p->pool, write)) {
            vec_push(&r->varying, i);
            continue;
        }
        more = one(width, term_value(p->pool, write));
        *base = either(width, base, &more);
    }
}

static void join_writes(const struct ranges *r, const struct problem *p, struct range *out)
{
    memcpy(out, r->base, p->places.len * sizeof *out);
    for (uint32_t i = 0; i < r->varying.len; i++) {
        const struct part *part = &p->parts.at[r->varying.at[i]];
        out[part->place] = either(p->places.at[part->place].width, &out[part->place],
                                  &r->value[problem_lean(p, part->write)]);
    }
}

/* Constants have their value from the start. */
static void find_terms(struct ranges *r, const struct problem *p)
{
    for (term t = 0; t < r->terms; t++)
        if (term_is_const(p->pool, t))
            r->value[t] = value_of(r, p, t);
        else
            vec_push(&r->varying_terms, t);
}

/* A term is looked at again if something that it is made of has changed since. */
static void renew(struct ranges *r, const struct problem *p, term t)
{
    const struct term_node *n = term_at(p->pool, t);
    const term child[3] = {n->a, n->b, n->c};
    place_id x = n->op == TERM_VAR ? r->place_of[n->a] : NONE;
    bool is_stale = r->is_first || (x != NONE && r->has_changed[x]);
    for (unsigned i = 0; i < term_child_count(n); i++)
        is_stale |= r->is_new[child[i]];
    r->is_new[t] = false;
    if (!is_stale)
        return;
    struct range v = value_of(r, p, t);
    r->is_new[t] = r->is_first || !is_same(&v, &r->value[t]);
    r->value[t] = v;
}

/* One round; true: something has changed. Late ones leave nothing half known. */
static bool grow(struct ranges *r, const struct problem *p, bool is_late)
{
    bool changed = false;
    struct range *next = mem_zeroed(p->places.len + 1, sizeof *next);
    for (uint32_t i = 0; i < r->varying_terms.len; i++)
        renew(r, p, r->varying_terms.at[i]);
    join_writes(r, p, next);
    for (uint32_t x = 0; x < p->places.len; x++) {
        const struct delta *d = &r->delta[x];
        unsigned width = p->places.at[x].width;
        if (d->has && width <= WIDTH_MAX && !is_empty(&next[x]))
            next[x] = between(width, next[x].lo - d->down, next[x].hi + d->up);
        r->has_changed[x] = !is_same(&next[x], &r->place[x]);
        if (!r->has_changed[x])
            continue;
        changed = true;
        r->place[x] = is_late ? anything(width) : next[x];
    }
    free(next);
    return changed;
}

struct ranges *ranges_new(const struct problem *p)
{
    if (term_count(p->pool) > TERMS_MAX)
        return NULL;
    struct ranges *r = mem_zeroed(1, sizeof *r);
    uint32_t vars = term_var_count(p->pool);
    r->terms = term_count(p->pool);
    r->place = mem_zeroed(p->places.len + 1, sizeof *r->place);
    r->delta = mem_zeroed(p->places.len + 1, sizeof *r->delta);
    r->value = mem_zeroed(r->terms + 1, sizeof *r->value);
    r->place_of = mem_get((vars + 1) * sizeof *r->place_of);
    memset(r->place_of, 0xff, (vars + 1) * sizeof *r->place_of);
    for (uint32_t x = 0; x < p->places.len; x++)
        r->place[x] = empty();
    find_variables(r, p);
    find_deltas(r, p);
    r->base = mem_zeroed(p->places.len + 1, sizeof *r->base);
    find_writes(r, p);
    find_terms(r, p);
    r->has_changed = mem_zeroed(p->places.len + 1, sizeof *r->has_changed);
    r->is_new = mem_zeroed(r->terms + 1, sizeof *r->is_new);
    r->is_first = true;
    for (uint32_t rounds = 0; grow(r, p, rounds > ROUNDS_MAX); rounds++) {
        r->is_first = false;
        if (rounds > 3 * ROUNDS_MAX) {
            ranges_free(r);
            return NULL;
        }
    }
    return r;
}

void ranges_free(struct ranges *r)
{
    if (!r)
        return;
    free(r->place);
    free(r->delta);
    free(r->place_of);
    free(r->value);
    free(r->base);
    free(r->has_changed);
    free(r->is_new);
    vec_done(&r->varying);
    vec_done(&r->varying_terms);
    free(r);
}

static bool is_always(const struct ranges *r, const struct problem *p, term cond, bool value)
{
    if (!r || cond == NONE || cond >= r->terms)
        return false;
    struct range v = value_of(r, p, cond);
    return is_empty(&v) || (v.count == 1 && v.at[0] == value);
}

bool ranges_exclude(const struct ranges *r, const struct problem *p, term cond)
{
    return is_always(r, p, cond, false);
}

bool ranges_hold(const struct ranges *r, const struct problem *p, term cond)
{
    return is_always(r, p, cond, true);
}

term ranges_fact(const struct ranges *r, const struct problem *p, term var)
{
    struct term_pool *pool = p->pool;
    place_id x = r ? r->place_of[term_var_number(pool, var)] : NONE;
    unsigned width = term_width(pool, var);
    whole lo, hi;
    if (x == NONE || is_empty(&r->place[x]))
        return NONE;
    const struct range *v = &r->place[x];
    term fact = term_bool(pool, false);
    for (unsigned i = 0; i < v->count; i++)
        fact = term_or(pool, fact, term_eq(pool, var, term_const(pool, width, v->at[i])));
    if (v->count > 0)
        return fact;
    if (!as_numbers(v, width, false, &lo, &hi) || (lo == 0 && hi == size_of(width) - 1))
        return NONE;
    return term_and(pool,
                    term_binary(pool, TERM_ULE, term_const(pool, width, (term_bits)lo), var),
                    term_binary(pool, TERM_ULE, var, term_const(pool, width, (term_bits)hi)));
}

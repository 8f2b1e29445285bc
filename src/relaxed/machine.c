/* SPDX-License-Identifier: Apache-2.0
 *
 * machine: see relaxed.h. Step by step in the order of the run: what a thread knows is a clock
 * (happens-before) and a view, the oldest store of each location that it may still read.
 * Whatever a step has read or stored must be within that. */
#include "relaxed/relaxed.h"

#include <string.h>

struct machine {
    const struct relaxed_graph *g;
    struct relaxed_changes with;
    uint32_t width;            /* of a row: threads, then locations */
    uint32_t *cur, *acq, *rel; /* by thread: knows; would know by an acquire fence; knew at its
                                      last release fence */
    uint32_t *carried;         /* by store: what who acquires it gets */
    uint32_t *left, *left_to_all; /* by object: for writers, for all */
    uint32_t *sc;                 /* by location: what seq_cst operations have seen */
};

static uint32_t *row(const struct machine *m, uint32_t *table, uint32_t i)
{
    return table + (size_t)i * m->width;
}

static void join(const struct machine *m, uint32_t *into, const uint32_t *from)
{
    for (uint32_t i = 0; i < m->width; i++)
        into[i] = from[i] > into[i] ? from[i] : into[i];
}

static bool acquires(unsigned order)
{
    return order != WORD_VALUE(ORDER, RELAXED) && order != WORD_VALUE(ORDER, RELEASE);
}

static bool releases(unsigned order)
{
    return order >= WORD_VALUE(ORDER, RELEASE);
}

static bool is_sc(unsigned order)
{
    return order == WORD_VALUE(ORDER, SEQ_CST);
}

/* The weakest that is as strong as both. */
static unsigned stronger(unsigned a, unsigned b)
{
    if (is_sc(a) || is_sc(b))
        return WORD_VALUE(ORDER, SEQ_CST);
    bool gets = acquires(a) || acquires(b), gives = releases(a) || releases(b);
    return gets && gives ? WORD_VALUE(ORDER, ACQ_REL)
           : gets        ? WORD_VALUE(ORDER, ACQUIRE)
           : gives       ? WORD_VALUE(ORDER, RELEASE)
                         : WORD_VALUE(ORDER, RELAXED);
}

static unsigned order_of(const struct machine *m, const struct relaxed_step *s)
{
    unsigned order = s->order;
    if (m->with.all)
        order = stronger(order, WORD_VALUE(ORDER, ACQ_REL));
    for (uint32_t i = 0; i < m->with.len; i++)
        if (m->with.at[i].move == RELAXED_RAISE && m->with.at[i].key == s->key)
            order = stronger(order, m->with.at[i].order);
    return order;
}

static void fence(struct machine *m, uint32_t t, unsigned order)
{
    uint32_t *cur = row(m, m->cur, t), *view = cur + m->g->thread_count;
    if (acquires(order))
        join(m, cur, row(m, m->acq, t));
    for (uint32_t i = 0; is_sc(order) && i < m->g->loc_count; i++) {
        view[i] = m->sc[i] > view[i] ? m->sc[i] : view[i];
        m->sc[i] = view[i];
    }
    if (releases(order))
        memcpy(row(m, m->rel, t), cur, m->width * sizeof *cur);
    join(m, row(m, m->acq, t), cur);
}

static void fence_at(struct machine *m, const struct relaxed_step *s, enum relaxed_move move)
{
    for (uint32_t i = 0; i < m->with.len; i++)
        if (m->with.at[i].move == move && m->with.at[i].key == s->key)
            fence(m, s->thr, m->with.at[i].order);
}

static void see(struct machine *m, uint32_t *knows, uint32_t store)
{
    const struct relaxed_store *s = &m->g->stores.at[store];
    uint32_t *view = &knows[m->g->thread_count + s->loc];
    *view = s->rank > *view ? s->rank : *view;
}

static void raise_sc(struct machine *m, uint32_t store)
{
    const struct relaxed_store *s = &m->g->stores.at[store];
    m->sc[s->loc] = s->rank > m->sc[s->loc] ? s->rank : m->sc[s->loc];
}

/* False: the store that it reads, or the place that its own takes, is not allowed. */
static bool atomic(struct machine *m, const struct relaxed_step *s)
{
    unsigned order = order_of(m, s);
    uint32_t *cur = row(m, m->cur, s->thr), *acq = row(m, m->acq, s->thr);
    uint32_t low = cur[m->g->thread_count + s->loc];
    if (is_sc(order) && m->sc[s->loc] > low)
        low = m->sc[s->loc];
    if (s->from != NONE) {
        if (m->g->stores.at[s->from].rank < low)
            return false;
        const uint32_t *k = row(m, m->carried, s->from);
        see(m, cur, s->from);
        join(m, acq, k);
        join(m, acq, cur);
        if (acquires(order))
            join(m, cur, k);
        if (is_sc(order))
            raise_sc(m, s->from);
    }
    if (s->store == NONE)
        return true;
    if (s->from == NONE && m->g->stores.at[s->store].rank <= low)
        return false;
    see(m, cur, s->store);
    join(m, acq, cur);
    uint32_t *k = row(m, m->carried, s->store);
    memcpy(k, row(m, m->rel, s->thr), m->width * sizeof *k);
    if (releases(order))
        join(m, k, cur);
    see(m, k, s->store);
    if (s->from != NONE)
        join(m, k, row(m, m->carried, s->from));
    if (is_sc(order))
        raise_sc(m, s->store);
    return true;
}

static void step_sync(struct machine *m, const struct relaxed_step *s)
{
    uint32_t *cur = row(m, m->cur, s->thr);
    switch (s->op) {
    case RELAXED_TAKE:
        join(m, cur, row(m, m->left_to_all, s->loc));
        if (!s->shared)
            join(m, cur, row(m, m->left, s->loc));
        break;
    case RELAXED_LEAVE:
        join(m, row(m, s->shared ? m->left : m->left_to_all, s->loc), cur);
        break;
    case RELAXED_PIN:
        for (uint32_t t = 0; t < m->g->thread_count; t++)
            join(m, cur, row(m, m->cur, t));
        break;
    case RELAXED_CREATE:
        if (s->peer < m->g->thread_count) {
            join(m, row(m, m->cur, s->peer), cur);
            join(m, row(m, m->acq, s->peer), cur);
        }
        break;
    case RELAXED_JOIN:
        if (s->peer < m->g->thread_count)
            join(m, cur, row(m, m->cur, s->peer));
        break;
    default:
        break;
    }
    join(m, row(m, m->acq, s->thr), cur);
}

static bool step(struct machine *m, const struct relaxed_step *s)
{
    row(m, m->cur, s->thr)[s->thr] = s->index;
    fence_at(m, s, RELAXED_FENCE_BEFORE);
    bool good = true;
    if (s->op <= RELAXED_UPDATE)
        good = atomic(m, s);
    else if (s->op == RELAXED_FENCE)
        fence(m, s->thr, s->order);
    else if (s->op < RELAXED_PLAIN)
        step_sync(m, s);
    fence_at(m, s, RELAXED_FENCE_BEHIND);
    return good;
}

static void machine_init(struct machine *m, const struct relaxed_graph *g,
                         struct relaxed_changes with)
{
    *m = (struct machine){.g = g, .with = with, .width = g->thread_count + g->loc_count};
    m->cur = mem_zeroed((size_t)g->thread_count * m->width + 1, sizeof *m->cur);
    m->acq = mem_zeroed((size_t)g->thread_count * m->width + 1, sizeof *m->acq);
    m->rel = mem_zeroed((size_t)g->thread_count * m->width + 1, sizeof *m->rel);
    m->carried = mem_zeroed((size_t)g->stores.len * m->width + 1, sizeof *m->carried);
    m->left = mem_zeroed((size_t)g->object_count * m->width + 1, sizeof *m->left);
    m->left_to_all = mem_zeroed((size_t)g->object_count * m->width + 1, sizeof *m->left_to_all);
    m->sc = mem_zeroed(g->loc_count + 1, sizeof *m->sc);
}

static void machine_done(struct machine *m)
{
    uint32_t *parts[] = {m->cur, m->acq, m->rel, m->carried, m->left, m->left_to_all, m->sc};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
}

uint32_t relaxed_first_forbidden(const struct relaxed_graph *g, struct relaxed_changes with)
{
    struct machine m;
    uint32_t i = 0;
    machine_init(&m, g, with);
    while (i < g->steps.len && step(&m, &g->steps.at[i]))
        i++;
    machine_done(&m);
    return i < g->steps.len ? i : NONE;
}

bool relaxed_orders(const struct relaxed_graph *g, struct relaxed_changes with, uint32_t first,
                    uint32_t second)
{
    struct machine m;
    machine_init(&m, g, with);
    for (uint32_t i = 0; i <= second; i++)
        step(&m, &g->steps.at[i]);
    const struct relaxed_step *a = &g->steps.at[first];
    bool knows = row(&m, m.cur, g->steps.at[second].thr)[a->thr] >= a->index;
    machine_done(&m);
    return knows;
}

/* ---- races ------------------------------------------------------------------------------- */

enum { BYTES_MAX = 4096 }; /* of one access that are looked at */

/* The last steps of a thread at a byte, plus 1: 0 for none. */
struct last {
    uint32_t plain_write, plain_read, atomic_write, atomic_read;
};

struct racing {
    struct machine m;
    struct map bytes;      /* address -> index of ... */
    VEC(struct last) last; /* ... as many as there are threads */
    struct map told;
    relaxed_races *out;
};

static struct last *lasts_at(struct racing *r, uint64_t addr)
{
    uint32_t *at = map_at(&r->bytes, addr);
    if (*at == NONE) {
        *at = r->last.len;
        for (uint32_t i = 0; i < r->m.g->thread_count; i++)
            vec_push(&r->last, (struct last){0});
    }
    return &r->last.at[*at];
}

static void compare(struct racing *r, uint32_t before, uint32_t step)
{
    if (!before)
        return;
    const struct relaxed_graph *g = r->m.g;
    const struct relaxed_step *a = &g->steps.at[before - 1], *b = &g->steps.at[step];
    if (row(&r->m, r->m.cur, b->thr)[a->thr] >= a->index)
        return;
    uint64_t pair = hash_u64(a->key) + hash_u64(b->key);
    uint32_t *told = map_at(&r->told, pair);
    if (*told == NONE)
        vec_push(r->out, (struct relaxed_race){before - 1, step});
    *told = 0;
}

static void access_byte(struct racing *r, uint64_t addr, uint32_t step)
{
    const struct relaxed_step *s = &r->m.g->steps.at[step];
    bool is_atomic = s->op <= RELAXED_UPDATE, writes = s->writes || s->frees;
    struct last *all = lasts_at(r, addr);
    for (uint32_t t = 0; t < r->m.g->thread_count; t++) {
        if (t == s->thr)
            continue;
        compare(r, all[t].plain_write, step);
        if (writes)
            compare(r, all[t].plain_read, step);
        if (!is_atomic)
            compare(r, all[t].atomic_write, step);
        if (!is_atomic && writes)
            compare(r, all[t].atomic_read, step);
    }
    struct last *own = &all[s->thr];
    uint32_t *slot = is_atomic ? (writes ? &own->atomic_write : &own->atomic_read)
                               : (writes ? &own->plain_write : &own->plain_read);
    *slot = step + 1;
}

static void forget_bytes(struct racing *r, const struct relaxed_step *s)
{
    for (uint64_t i = 0; i < s->len && i < BYTES_MAX; i++) {
        uint32_t at = map_find(&r->bytes, s->addr + i);
        if (at != NONE)
            memset(&r->last.at[at], 0, r->m.g->thread_count * sizeof *r->last.at);
    }
}

void relaxed_find_races(const struct relaxed_graph *g, relaxed_races *out)
{
    struct racing r = {.out = out};
    machine_init(&r.m, g, (struct relaxed_changes){0});
    for (uint32_t i = 0; i < g->steps.len; i++) {
        const struct relaxed_step *s = &g->steps.at[i];
        step(&r.m, s);
        bool is_access = s->op <= RELAXED_UPDATE || s->op == RELAXED_PLAIN || s->frees;
        is_access &= !s->is_ignored;
        for (uint64_t k = 0; is_access && k < s->len && k < BYTES_MAX; k++)
            access_byte(&r, s->addr + k, i);
        if (s->op == RELAXED_NEW)
            forget_bytes(&r, s);
    }
    machine_done(&r.m);
    map_done(&r.bytes);
    map_done(&r.told);
    vec_done(&r.last);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * forward: see forward.h. */
#include "symbolic/forward.h"

#include "base/err.h"
#include "symbolic/must-order.h"

#include <string.h>

enum { LOOSE_MAX = 16 }; /* writes of a place that are not under a lock, to be looked at */

struct held {
    node_id acquire;
    uint32_t lock;
    bool is_shared;
};
typedef VEC(struct held) held_list;

/* Writes of a place that are made without a certain lock. */
struct loose {
    uint32_t count; /* LOOSE_MAX + 1: too many */
    node_id at[LOOSE_MAX];
};

/* What a thread has last read or written somewhere. */
struct last {
    node_id node;
    term content; /* NONE: not known */
};

struct forward {
    struct problem *p;
    struct must_order order;
    /* by node: what its thread holds there, held.at[held_first[n]] and the next ones */
    held_list held;
    uint32_t *held_first, *held_count;
    uint32_t *writes_first; /* by place */
    node_id *writes;
    struct map loose_of; /* place << 32 | lock -> loose */
    VEC(struct loose) loose;
    struct map last_of; /* thread << 32 | place -> lasts */
    VEC(struct last) lasts;
    VEC(term) instead; /* by variable, or NONE */
};

/* ---- what is held where ------------------------------------------------------------------ */

static void drop_held(held_list *now, node_id acquire)
{
    for (uint32_t i = now->len; i-- > 0;)
        if (now->at[i].acquire == acquire) {
            memmove(&now->at[i], &now->at[i + 1], (now->len - i - 1) * sizeof now->at[0]);
            now->len--;
            return;
        }
}

static void find_held(struct forward *f)
{
    struct problem *p = f->p;
    held_list *now = mem_zeroed(p->paths.len + 1, sizeof *now);
    uint32_t *since = mem_zeroed(p->paths.len + 1, sizeof *since);
    for (node_id n = 0; n < p->nodes.len; n++) {
        const struct node *node = &p->nodes.at[n];
        held_list *mine = &now[node->thr];
        bool changes = node->op == NODE_ACQUIRE || node->op == NODE_RELEASE;
        if (node->op == NODE_ACQUIRE)
            vec_push(mine, (struct held){n, node->obj, node->is_shared});
        else if (node->op == NODE_RELEASE)
            drop_held(mine, node->link);
        if (changes) {
            since[node->thr] = f->held.len;
            for (uint32_t i = 0; i < mine->len; i++)
                vec_push(&f->held, mine->at[i]);
        }
        f->held_first[n] = since[node->thr];
        f->held_count[n] = mine->len;
    }
    for (uint32_t t = 0; t < p->paths.len; t++)
        vec_done(&now[t]);
    free(now);
    free(since);
}

static bool holds(const struct forward *f, node_id n, uint32_t lock)
{
    for (uint32_t i = 0; i < f->held_count[n]; i++) {
        const struct held *h = &f->held.at[f->held_first[n] + i];
        if (h->lock == lock && !h->is_shared)
            return true;
    }
    return false;
}

/* ---- who writes -------------------------------------------------------------------------- */

static void index_writes(struct forward *f)
{
    const struct problem *p = f->p;
    uint32_t *first = mem_zeroed(p->places.len + 2, sizeof *first);
    for (uint32_t i = 0; i < p->parts.len; i++)
        first[p->parts.at[i].place + 2] += p->parts.at[i].writes;
    for (uint32_t x = 2; x < p->places.len + 2; x++)
        first[x] += first[x - 1];
    f->writes = mem_zeroed(first[p->places.len + 1] + 1, sizeof *f->writes);
    for (node_id n = 0; n < p->nodes.len; n++) {
        const struct node *node = &p->nodes.at[n];
        for (uint32_t i = node->first; i < node->first + node->count; i++)
            if (p->parts.at[i].writes)
                f->writes[first[p->parts.at[i].place + 1]++] = n;
    }
    f->writes_first = first;
}

/* Those without this lock; lock NONE: all of them. */
static const struct loose *loose_writes(struct forward *f, place_id x, uint32_t lock)
{
    uint32_t *at = map_at(&f->loose_of, (uint64_t)x << 32 | lock);
    if (*at != NONE)
        return &f->loose.at[*at];
    struct loose found = {0};
    for (uint32_t i = f->writes_first[x]; i < f->writes_first[x + 1]; i++) {
        if (lock != NONE && holds(f, f->writes[i], lock))
            continue;
        if (found.count++ == LOOSE_MAX)
            break;
        found.at[found.count - 1] = f->writes[i];
    }
    *at = f->loose.len;
    vec_push(&f->loose, found);
    return &f->loose.at[f->loose.len - 1];
}

static bool needs(const struct problem *p, node_id to, node_id from)
{
    for (uint32_t i = problem_needs(p, to); i < p->needs.len && p->needs.at[i].to == to; i++)
        if (p->needs.at[i].from == from)
            return true;
    return false;
}

/* Can none of these come between two accesses of a thread? */
static bool stay_away(const struct forward *f, const struct loose *l, node_id a, node_id b)
{
    const struct problem *p = f->p;
    if (l->count > LOOSE_MAX)
        return false;
    for (uint32_t i = 0; i < l->count; i++) {
        node_id w = l->at[i];
        if (p->nodes.at[w].thr != p->nodes.at[b].thr && !must_come_first(&f->order, p, w, a) &&
            !must_come_first(&f->order, p, b, w) && !needs(p, w, b))
            return false;
    }
    return true;
}

/* Does b find what a has left or seen there? */
static bool is_undisturbed(struct forward *f, place_id x, node_id a, node_id b)
{
    if (stay_away(f, loose_writes(f, x, NONE), a, b))
        return true;
    for (uint32_t i = 0; i < f->held_count[b]; i++) {
        struct held h = f->held.at[f->held_first[b] + i];
        if (h.acquire < a && stay_away(f, loose_writes(f, x, h.lock), a, b))
            return true;
    }
    return false;
}

/* ---- terms ------------------------------------------------------------------------------- */

/* What a read finds, if all of it is known: its parts, lowest bits first. */
static term content_of(struct forward *f, const struct node *n, node_id id,
                       const struct reading *r)
{
    struct problem *p = f->p;
    term whole = NONE;
    for (uint32_t i = r->first; i < r->first + r->count; i++) {
        place_id x = p->parts.at[i].place;
        uint32_t at = map_find(&f->last_of, (uint64_t)n->thr << 32 | x);
        const struct last *last = at == NONE ? NULL : &f->lasts.at[at];
        if (!last || last->content == NONE || p->parts.at[i].read == NONE ||
            !is_undisturbed(f, x, last->node, id))
            return NONE;
        whole = whole == NONE ? last->content : term_concat(p->pool, last->content, whole);
    }
    return whole != NONE && term_width(p->pool, whole) == term_width(p->pool, r->var) ? whole
                                                                                      : NONE;
}

static void forward_node(struct forward *f, node_id id)
{
    struct problem *p = f->p;
    const struct node *n = &p->nodes.at[id];
    for (uint32_t i = 0; i < n->read_count; i++) {
        struct reading *r = &p->readings.at[n->read_first + i];
        term content = content_of(f, n, id, r);
        if (content == NONE)
            continue;
        f->instead.at[term_var_number(p->pool, r->var)] = content;
        for (uint32_t k = r->first; k < r->first + r->count; k++)
            p->parts.at[k].is_forwarded = true;
    }
    for (uint32_t i = n->first; i < n->first + n->count; i++) {
        const struct part *part = &p->parts.at[i];
        if (!part->writes && part->read == NONE)
            continue;
        uint32_t *at = map_at(&f->last_of, (uint64_t)n->thr << 32 | part->place);
        if (*at == NONE) {
            *at = f->lasts.len;
            vec_push(&f->lasts, (struct last){0});
        }
        f->lasts.at[*at] = (struct last){id, part->writes ? part->write : part->read};
    }
}

/* ---- rewriting --------------------------------------------------------------------------- */

struct lean {
    VEC(term) at; /* by term: the same without reads that are forwarded; NONE: not made yet */
};

/* The same term over what its children have become. */
static term rebuilt(struct term_pool *pool, const struct lean *l, struct term_node n)
{
    term a = l->at.at[n.a];
    switch (n.op) {
    case TERM_NOT:
        return term_not(pool, a);
    case TERM_ITE:
        return term_ite(pool, a, l->at.at[n.b], l->at.at[n.c]);
    case TERM_ZEXT:
        return term_zext(pool, a, n.width);
    case TERM_SEXT:
        return term_sext(pool, a, n.width);
    case TERM_EXTRACT:
        return term_extract(pool, a, n.low, n.width);
    case TERM_CONCAT:
        return term_concat(pool, a, l->at.at[n.b]);
    default:
        return term_binary(pool, n.op, a, l->at.at[n.b]);
    }
}

/* The first of what this one is made of that has not been rewritten; NONE: all of it has. */
static term missing(const struct lean *l, const struct term_node *n, term instead)
{
    const term child[3] = {n->a, n->b, n->c};
    if (instead != NONE)
        return l->at.at[instead] == NONE ? instead : NONE;
    for (unsigned i = 0; i < term_child_count(n); i++)
        if (l->at.at[child[i]] == NONE)
            return child[i];
    return NONE;
}

static void rewrite(struct term_pool *pool, struct lean *l, term t, const term *instead)
{
    VEC(term) stack = {0};
    vec_push(&stack, t);
    while (stack.len) {
        term top = stack.at[stack.len - 1];
        struct term_node n = *term_at(pool, top);
        bool is_leaf = n.op == TERM_VAR || n.op == TERM_CONST;
        term other = n.op == TERM_VAR && instead ? instead[n.a] : NONE;
        term first = l->at.at[top] == NONE ? missing(l, &n, other) : NONE;
        if (first != NONE) {
            vec_push(&stack, first);
            continue;
        }
        stack.len--;
        if (l->at.at[top] == NONE)
            l->at.at[top] = other != NONE ? l->at.at[other]
                            : is_leaf     ? top
                                          : rebuilt(pool, l, n);
    }
    vec_done(&stack);
}

static void make_room(const struct term_pool *pool, struct lean *l)
{
    while (l->at.len < term_count(pool))
        vec_push(&l->at, NONE);
}

term problem_lean(const struct problem *p, term t)
{
    if (t == NONE || !p->lean)
        return t;
    make_room(p->pool, p->lean);
    if (p->lean->at.at[t] == NONE)
        rewrite(p->pool, p->lean, t, NULL);
    return p->lean->at.at[t];
}

void lean_free(struct lean *l)
{
    if (l)
        vec_done(&l->at);
    free(l);
}

void forward_reads(struct problem *p)
{
    struct forward f = {.p = p};
    f.held_first = mem_zeroed(p->nodes.len + 1, sizeof *f.held_first);
    f.held_count = mem_zeroed(p->nodes.len + 1, sizeof *f.held_count);
    musts_init(&f.order, p);
    find_held(&f);
    index_writes(&f);
    for (uint32_t i = 0; i < term_var_count(p->pool); i++)
        vec_push(&f.instead, NONE);
    for (node_id n = 0; n < p->nodes.len; n++)
        if (p->nodes.at[n].op == NODE_ACCESS)
            forward_node(&f, n);
    p->lean = mem_zeroed(1, sizeof *p->lean);
    make_room(p->pool, p->lean);
    for (term t = 0, count = p->lean->at.len; t < count; t++)
        rewrite(p->pool, p->lean, t, f.instead.at);
    musts_done(&f.order);
    vec_done(&f.held);
    vec_done(&f.loose);
    vec_done(&f.lasts);
    vec_done(&f.instead);
    map_done(&f.loose_of);
    map_done(&f.last_of);
    free(f.held_first);
    free(f.held_count);
    free(f.writes_first);
    free(f.writes);
}

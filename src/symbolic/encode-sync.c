/* SPDX-License-Identifier: Apache-2.0
 *
 * encode-sync: lock sections, waits, the lives of threads, and what else needs what. */
#include "symbolic/encode.h"

#include "base/err.h"

/* ---- locks ------------------------------------------------------------------------------- */

struct section {
    node_id acquire, release; /* release NONE: it does not end, as far as the stretch goes */
    uint32_t lock;
    uint16_t thr;
    bool is_shared;
};

/* Sections that begin in the stretch, or are open when it begins. */
static int compare_sections(const void *a, const void *b)
{
    const struct section *x = a, *y = b;
    if (x->lock != y->lock)
        return x->lock < y->lock ? -1 : 1;
    return (x->acquire > y->acquire) - (x->acquire < y->acquire);
}

/* The literal that s is over before t begins; s may still be open there otherwise. */
static lit over_before(struct encoder *e, const struct section *s, const struct section *t)
{
    if (s->release == NONE || !is_open(e, s->release) || t->acquire < e->from)
        return -e->yes;
    lit over = node_is_before(e, s->release, t->acquire);
    clause_begin(e);
    clause_add(e, -over);
    clause_add(e, executed(e, s->release));
    clause_end(e);
    return over;
}

static void exclude(struct encoder *e, const struct section *s, const struct section *t)
{
    lit one = over_before(e, s, t), other = over_before(e, t, s);
    clause_begin(e);
    clause_add(e, -executed(e, s->acquire));
    clause_add(e, -executed(e, t->acquire));
    clause_add(e, one);
    clause_add(e, other);
    clause_end(e);
}

static void encode_locks(struct encoder *e)
{
    VEC(struct section) sections = {0};
    for (node_id n = 0; n < e->end; n++) {
        const struct node *node = node_at(e, n);
        bool is_over = node->link != NONE && node->link < e->from;
        if (node->op == NODE_ACQUIRE && !is_over && (n < e->from || is_open(e, n)))
            vec_push(&sections, (struct section){.acquire = n,
                                                 .release = node->link,
                                                 .lock = node->obj,
                                                 .thr = node->thr,
                                                 .is_shared = node->is_shared});
    }
    if (sections.len)
        qsort(sections.at, sections.len, sizeof *sections.at, compare_sections);
    for (uint32_t i = 0; i < sections.len; i++)
        for (uint32_t j = i + 1; j < sections.len && sections.at[j].lock == sections.at[i].lock;
             j++) {
            const struct section *s = &sections.at[i], *t = &sections.at[j];
            if (s->thr == t->thr || (s->is_shared && t->is_shared))
                continue;
            group_begin(e, HINDER_LOCK, s->lock);
            exclude(e, s, t);
            group_end(e);
        }
    vec_done(&sections);
}

/* ---- waits ------------------------------------------------------------------------------- */

struct wake {
    node_id notify;
    lit l;
};
typedef VEC(struct wake) wake_list;

/* The literals that the wait which acquire a ends is woken by this or that. */
static void encode_wait(struct encoder *e, node_id a, wake_list *wakes)
{
    const struct node *n = node_at(e, a);
    VEC(lit) choices = {0};
    if (n->notify != NONE && n->notify < e->from)
        return;
    group_begin(e, HINDER_WAIT, a);
    for (node_id w = e->from; w < e->end; w++) {
        const struct node *notify = node_at(e, w);
        bool wakes_it = notify->op == NODE_SIGNAL || notify->op == NODE_BROADCAST;
        if (!wakes_it || notify->obj != node_at(e, n->wait)->obj || notify->thr == n->thr ||
            !is_open(e, w))
            continue;
        lit l = solver_bool(e->s);
        const lit then[] = {executed(e, w), executed(e, a), node_is_before(e, n->wait, w),
                            node_is_before(e, w, a)};
        for (uint32_t i = 0; i < sizeof then / sizeof *then; i++) {
            clause_begin(e);
            clause_add(e, -l);
            clause_add(e, then[i]);
            clause_end(e);
        }
        vec_push(&choices, l);
        if (notify->op == NODE_SIGNAL)
            vec_push(wakes, (struct wake){w, l});
    }
    clause_begin(e);
    clause_add(e, -executed(e, a));
    for (uint32_t i = 0; i < choices.len; i++)
        clause_add(e, choices.at[i]);
    clause_end(e);
    group_end(e);
    vec_done(&choices);
}

/* A signal wakes one thread. */
static void encode_waits(struct encoder *e)
{
    wake_list wakes = {0};
    for (node_id n = e->from; n < e->end; n++)
        if (node_at(e, n)->op == NODE_ACQUIRE && node_at(e, n)->wait != NONE && is_open(e, n))
            encode_wait(e, n, &wakes);
    for (uint32_t i = 0; i < wakes.len; i++)
        for (uint32_t j = i + 1; j < wakes.len; j++) {
            if (wakes.at[i].notify != wakes.at[j].notify)
                continue;
            clause_begin(e);
            clause_add(e, -wakes.at[i].l);
            clause_add(e, -wakes.at[j].l);
            clause_end(e);
        }
    vec_done(&wakes);
}

/* ---- threads, and the rest --------------------------------------------------------------- */

static void encode_thread(struct encoder *e, uint32_t t)
{
    const struct path *path = &e->p->paths.at[t];
    if (e->start[t] == e->stop[t] || path->create == NONE || path->create < e->from)
        return;
    group_begin(e, HINDER_CREATE, t);
    give_order(e, path->create, thread_node(e, t, e->start[t]));
    group_end(e);
}

static void encode_join(struct encoder *e, node_id join)
{
    const struct path *path = &e->p->paths.at[node_at(e, join)->obj];
    node_id last = path->nodes.len ? path->nodes.at[path->nodes.len - 1] : path->create;
    if (last == NONE)
        return;
    group_begin(e, HINDER_JOIN, join);
    give_order(e, last, join);
    group_end(e);
}

void encode_sync(struct encoder *e)
{
    encode_locks(e);
    encode_waits(e);
    for (uint32_t t = 0; t < e->p->paths.len; t++)
        encode_thread(e, t);
    for (node_id n = e->from; n < e->end; n++) {
        if (!is_open(e, n))
            continue;
        if (node_at(e, n)->op == NODE_JOIN)
            encode_join(e, n);
        for (uint32_t i = problem_needs(e->p, n);
             i < e->p->needs.len && e->p->needs.at[i].to == n; i++) {
            group_begin(e, HINDER_NEED, n);
            give_order(e, e->p->needs.at[i].from, n);
            group_end(e);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * must-order: see must-order.h. */
#include "symbolic/must-order.h"

#include "base/err.h"

#include <string.h>

/* What is over for a thread, with what this other one knows and has done. */
static void learn(struct must_order *m, uint32_t thr, uint32_t idx, uint32_t from,
                  uint32_t done)
{
    must_list *own = &m->threads[thr];
    const must_list *other = &m->threads[from];
    uint32_t *over = mem_zeroed(m->count + 1, sizeof *over);
    if (own->len)
        memcpy(over, own->at[own->len - 1].over, m->count * sizeof *over);
    for (uint32_t t = 0; other->len && t < m->count; t++) {
        uint32_t known = other->at[other->len - 1].over[t];
        over[t] = known > over[t] ? known : over[t];
    }
    over[from] = done;
    vec_push(own, (struct must_since){idx, over});
}

void musts_init(struct must_order *m, const struct problem *p)
{
    m->count = p->paths.len;
    m->threads = mem_zeroed(m->count + 1, sizeof *m->threads);
    for (node_id n = 0; n < p->nodes.len; n++) {
        const struct node *node = &p->nodes.at[n];
        bool is_other = node->obj < m->count && node->obj != node->thr;
        if (node->op == NODE_CREATE && is_other && p->paths.at[node->obj].create == n)
            learn(m, node->obj, 0, node->thr, node->idx + 1);
        if (node->op == NODE_JOIN && is_other)
            learn(m, node->thr, node->idx, node->obj, p->paths.at[node->obj].nodes.len);
    }
}

void musts_done(struct must_order *m)
{
    for (uint32_t t = 0; t < m->count; t++) {
        for (uint32_t i = 0; i < m->threads[t].len; i++)
            free(m->threads[t].at[i].over);
        vec_done(&m->threads[t]);
    }
    free(m->threads);
}

bool must_come_first(const struct must_order *m, const struct problem *p, node_id a, node_id b)
{
    const struct node *x = &p->nodes.at[a], *y = &p->nodes.at[b];
    if (x->thr == y->thr)
        return x->idx < y->idx;
    const must_list *own = &m->threads[y->thr];
    for (uint32_t i = own->len; i-- > 0;)
        if (own->at[i].idx <= y->idx)
            return own->at[i].over[x->thr] > x->idx;
    return false;
}

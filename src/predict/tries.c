/* SPDX-License-Identifier: Apache-2.0
 *
 * tries: the everyday search asks about the same places in the source again and again. Once
 * they are confirmed, or have failed a few times, they are left alone. */
#include "predict/engine.h"

bool tries_left(const struct tries *t, uint64_t key)
{
    uint32_t tried = map_find(&t->by_sites, key);
    return tried == NONE || tried < TRIES_MAX;
}

void tries_note(struct tries *t, uint64_t key, enum answer answer)
{
    uint32_t *slot = map_at(&t->by_sites, key);
    uint32_t before = *slot == NONE ? 0 : *slot;
    *slot = answer == ANSWER_YES || before >= TRIES_MAX ? TRIES_MAX : before + 1;
}

uint64_t sites_key(const struct predictor *p, const ev_id *e, uint32_t count)
{
    uint32_t sites[QUERY_MAX];
    for (uint32_t i = 0; i < count; i++)
        sites[i] = model_site(p->m, e[i]);
    return hash_bytes(sites, count * sizeof *sites);
}

/* Is there a lock that both threads hold where they are about to do these events? */
bool share_a_lock(const struct model *m, ev_id a, ev_id b)
{
    uint32_t n = m->idx[a], o = m->idx[b];
    for (uint32_t i = model_held(m, m->ev[a].thr, n); i != NONE; i = model_held_next(m, i, n))
        for (uint32_t j = model_held(m, m->ev[b].thr, o); j != NONE;
             j = model_held_next(m, j, o))
            if (m->obj[m->acquires[i]] == m->obj[m->acquires[j]])
                return true;
    return false;
}

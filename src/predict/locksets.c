/* SPDX-License-Identifier: Apache-2.0
 *
 * locksets: which locks a thread holds, as one number, so that two accesses are compared
 * without walking through what their threads hold. There are few sets, and few pairs of them
 * that meet: what was found out about a pair is kept. */
#include "predict/engine.h"

#include <string.h>

enum { PAIRS_COUNT = 1 << 12, MORE_COUNT = 1 << 12 }; /* powers of 2 */

struct member {
    sync_id lock;
    uint32_t shared;
};

struct set {
    uint32_t first, count; /* in members; innermost first */
};

struct pair {
    uint32_t a, b; /* a is 0: nothing */
    bool exclude;
};

/* A set and one lock more. */
struct more {
    uint32_t set;
    struct member member;
    uint32_t with; /* 0: nothing */
};

struct locksets {
    const struct model *m;
    VEC(struct set) sets;
    VEC(struct member) members;
    struct map by_content;
    struct pair pairs[PAIRS_COUNT];
    struct more more[MORE_COUNT];
};

struct locksets *locksets_new(const struct model *m)
{
    struct locksets *l = mem_zeroed(1, sizeof *l);
    l->m = m;
    vec_push(&l->sets, (struct set){0});
    return l;
}

void locksets_free(struct locksets *l)
{
    if (!l)
        return;
    vec_done(&l->sets);
    vec_done(&l->members);
    map_done(&l->by_content);
    free(l);
}

/* The set of the last members from first on; they are dropped if it is known. */
static uint32_t intern(struct locksets *l, uint32_t first)
{
    uint32_t count = l->members.len - first;
    size_t bytes = count * sizeof *l->members.at;
    uint64_t key = hash_bytes(l->members.at + first, bytes);
    for (;; key++) {
        uint32_t *id = map_at(&l->by_content, key);
        if (*id == NONE) {
            *id = l->sets.len;
            vec_push(&l->sets, (struct set){first, count});
            return l->sets.len - 1;
        }
        const struct set *s = &l->sets.at[*id];
        if (s->count == count &&
            memcmp(l->members.at + s->first, l->members.at + first, bytes) == 0) {
            l->members.len = first;
            return *id;
        }
    }
}

uint32_t lockset_at(struct locksets *l, thr_id t, uint32_t n)
{
    CHECK(t < l->m->thread_count && n <= l->m->threads[t].len);
    const struct model *m = l->m;
    uint32_t first = l->members.len, i = model_held(m, t, n);
    if (i == NONE)
        return 0;
    for (; i != NONE; i = model_held_next(m, i, n)) {
        ev_id a = m->acquires[i];
        vec_push(&l->members, (struct member){m->obj[a], m->ev[a].detail & FLAG(SHARED)});
    }
    return intern(l, first);
}

uint32_t lockset_with(struct locksets *l, uint32_t set, ev_id acquire)
{
    CHECK(l->m->ev[acquire].kind == EV_ACQUIRE);
    const struct model *m = l->m;
    struct member new = {m->obj[acquire], m->ev[acquire].detail & FLAG(SHARED)};
    struct more *known = &l->more[(set * 31 + new.lock) & (MORE_COUNT - 1)];
    if (known->with && known->set == set && known->member.lock == new.lock &&
        known->member.shared == new.shared)
        return known->with;
    uint32_t first = l->members.len;
    struct set old = l->sets.at[set];
    vec_push(&l->members, new);
    for (uint32_t i = old.first; i < old.first + old.count; i++)
        vec_push(&l->members, l->members.at[i]);
    *known = (struct more){set, new, intern(l, first)};
    return known->with;
}

uint32_t lockset_around(struct locksets *l, ev_id a, ev_id b)
{
    CHECK(l->m->ev[a].thr == l->m->ev[b].thr);
    const struct model *m = l->m;
    uint32_t first = l->members.len, n = m->idx[b];
    for (uint32_t i = model_held(m, m->ev[b].thr, n); i != NONE; i = model_held_next(m, i, n)) {
        ev_id e = m->acquires[i];
        if (m->idx[e] < m->idx[a])
            vec_push(&l->members, (struct member){m->obj[e], m->ev[e].detail & FLAG(SHARED)});
    }
    return l->members.len == first ? 0 : intern(l, first);
}

uint32_t lockset_common(struct locksets *l, uint32_t a, uint32_t b)
{
    uint32_t first = l->members.len;
    struct set x = l->sets.at[a], y = l->sets.at[b];
    for (uint32_t i = x.first; i < x.first + x.count; i++)
        for (uint32_t j = y.first; j < y.first + y.count; j++) {
            struct member m = l->members.at[i], n = l->members.at[j];
            if (m.lock == n.lock)
                vec_push(&l->members, (struct member){m.lock, m.shared | n.shared});
        }
    return l->members.len == first ? 0 : intern(l, first);
}

static bool find_exclusion(const struct locksets *l, const struct set *a, const struct set *b)
{
    for (uint32_t i = a->first; i < a->first + a->count; i++)
        for (uint32_t j = b->first; j < b->first + b->count; j++)
            if (l->members.at[i].lock == l->members.at[j].lock &&
                !(l->members.at[i].shared && l->members.at[j].shared))
                return true;
    return false;
}

bool locksets_exclude(struct locksets *l, uint32_t a, uint32_t b)
{
    if (a == 0 || b == 0)
        return false;
    struct pair *p = &l->pairs[(a * 31 + b) & (PAIRS_COUNT - 1)];
    if (p->a != a || p->b != b)
        *p = (struct pair){a, b, find_exclusion(l, &l->sets.at[a], &l->sets.at[b])};
    return p->exclude;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * stores: see stores.h. */
#include "explore/stores.h"

void stores_done(struct stores *s)
{
    vec_done(&s->all);
    map_done(&s->newest);
    map_done(&s->of);
}

/* The newest store of the object; what was there before, if it is met first. */
static uint32_t newest(struct stores *s, uint64_t addr)
{
    uint32_t *at = map_at(&s->newest, addr);
    if (*at == NONE) {
        *at = s->all.len;
        vec_push(&s->all, (struct stored){NONE, NONE, NONE});
    }
    return *at;
}

static uint32_t oldest(const struct stores *s, uint32_t store)
{
    while (s->all.at[store].before != NONE)
        store = s->all.at[store].before;
    return store;
}

uint32_t stores_read(struct stores *s, uint64_t addr, const uint64_t *stale)
{
    uint32_t last = newest(s, addr);
    uint32_t known = stale ? map_find(&s->of, *stale) : NONE;
    return !stale ? last : known != NONE ? known : oldest(s, last);
}

void stores_add(struct stores *s, uint64_t addr, uint64_t number, uint32_t step,
                uint32_t behind, const uint64_t *early)
{
    uint32_t before = early ? map_find(&s->of, *early) : NONE;
    if (behind == NONE)
        behind = newest(s, addr);
    if (before != NONE && s->all.at[before].before != NONE)
        behind = s->all.at[before].before;
    uint32_t own = s->all.len;
    uint32_t next = s->all.at[behind].next;
    vec_push(&s->all, (struct stored){step, behind, next});
    s->all.at[behind].next = own;
    if (next != NONE)
        s->all.at[next].before = own;
    else
        *map_at(&s->newest, addr) = own;
    *map_at(&s->of, number) = own;
}

/* Which one it is, in words that hold in other runs: the how-manieth step of which thread. */
static uint64_t name_of(const struct explore_run *run, const uint32_t *index, uint32_t step)
{
    return step == NONE ? 1 : hash_u64((uint64_t)run->steps.at[step].thr << 32 | index[step]);
}

/* By step: which one of its thread. Owned by the caller. */
static uint32_t *number_steps(const struct explore_run *run)
{
    struct map count = {0};
    uint32_t *index = mem_zeroed(run->steps.len + 1, sizeof *index);
    for (uint32_t i = 0; i < run->steps.len; i++) {
        if (run->steps.at[i].flags & STEP_CHOICE)
            continue;
        uint32_t *n = map_at(&count, run->steps.at[i].thr);
        *n = *n == NONE ? 1 : *n + 1;
        index[i] = *n;
    }
    map_done(&count);
    return index;
}

void stores_hash(const struct stores *s, struct explore_run *run)
{
    uint32_t *index = number_steps(run);
    for (uint32_t i = 0; i < run->steps.len; i++) {
        struct explore_step *e = &run->steps.at[i];
        for (uint32_t k = e->access; k < e->access + e->access_count; k++) {
            const struct access *a = &run->accesses.at[k];
            if (a->weak == WEAK_LOAD || a->weak == WEAK_CHANGE)
                e->what += hash_u64(name_of(run, index, a->from) + 7);
        }
    }
    for (uint32_t i = 0; i < s->all.len; i++) {
        const struct stored *t = &s->all.at[i];
        if (t->step == NONE)
            continue;
        CHECK(t->before != NONE && s->all.at[t->before].next == i);
        uint32_t before = s->all.at[t->before].step;
        run->steps.at[t->step].what += hash_u64(name_of(run, index, before) + 11);
    }
    free(index);
}

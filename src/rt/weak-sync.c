/* SPDX-License-Identifier: Apache-2.0
 *
 * weak-sync: what threads get to know by other things than atomics. Locks, conditions,
 * barriers and so on are modelled, so never weak: who gives one back leaves there all that he
 * knows, who gets it takes that. Of things of the system it is not asked who told whom: what
 * was told about one is known to all who ask about it, which loses weak behaviour and invents
 * none. */
#include "rt/weak.h"

#define SYNCS_AT 0x450000000000ULL
enum { SYNCS_MAX = 1 << 17 };

struct weak_sync {
    uint64_t addr;               /* 0: unused */
    struct know left;            /* by all but readers */
    struct know left_to_writers; /* by readers of a read-write lock */
};

static uint64_t slot_of(uint64_t addr)
{
    return (addr >> 3) * 0x9e3779b97f4a7c15ULL >> 47;
}

static struct weak_sync *sync_at(uint64_t addr)
{
    struct weak_sync *all = rt.weak.syncs;
    uint64_t i = slot_of(addr);
    while (all[i].addr && all[i].addr != addr)
        i = (i + 1) & (SYNCS_MAX - 1);
    if (!all[i].addr && rt.weak.sync_count < SYNCS_MAX / 2) {
        rt.weak.sync_count++;
        all[i].addr = addr;
    }
    return all[i].addr ? &all[i] : &all[SYNCS_MAX];
}

struct know weak_left_at(uint64_t addr)
{
    const struct weak_sync *all = rt.weak.syncs;
    uint64_t i = slot_of(addr);
    while (all[i].addr && all[i].addr != addr)
        i = (i + 1) & (SYNCS_MAX - 1);
    return all[i].addr ? know_hold(all[i].left) : (struct know){0};
}

static void leave(struct thr *t, struct know *k)
{
    struct know own = weak_publish(t);
    x86_flush(t); /* what locks do is locked */
    know_join(k, own);
    know_drop(&own);
}

static void take(struct thr *t, const struct know *k)
{
    x86_flush(t);
    know_join(&weak_of(t)->cur, *k);
}

void weak_sync(struct thr *t, unsigned kind, uint64_t addr, unsigned flags)
{
    struct weak_sync *s = sync_at(addr);
    switch (kind) {
    case EV_ACQUIRE:
        take(t, &s->left);
        if (!(flags & FLAG(SHARED)))
            take(t, &s->left_to_writers);
        break;
    case EV_RELEASE:
        leave(t, flags & FLAG(SHARED) ? &s->left_to_writers : &s->left);
        break;
    case EV_SEM_WAIT:
    case EV_DEPART:
    case EV_ONCE_PASS:
    case EV_ONCE_ENTER: /* another one may have tried, and thrown */
    case EV_WAIT_LEAVE:
        take(t, &s->left);
        break;
    case EV_SEM_POST:
    case EV_ARRIVE:
    case EV_ONCE_LEAVE:
    case EV_SIGNAL:
    case EV_BROADCAST:
        leave(t, &s->left);
        break;
    default:
        break;
    }
}

/* What comes behind this stays behind all that came before it, whoever did that. */
void weak_pin(struct thr *t)
{
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        struct know own = weak_publish(&rt.threads[i]);
        x86_flush(&rt.threads[i]);
        know_join(&weak_of(t)->cur, own);
        know_drop(&own);
    }
}

/* Of all things as if they were one. */
void weak_thing(struct thr *t, unsigned kind)
{
    if (kind == EV_CHANGE || kind == EV_CHANNEL_WRITE)
        leave(t, &rt.weak.told);
    else
        take(t, &rt.weak.told);
}

void weak_sync_start(void)
{
    rt.weak.syncs = memory_reserve(SYNCS_AT, (SYNCS_MAX + 1) * sizeof *rt.weak.syncs);
    if (!rt.weak.syncs)
        outcome_unsupported("weak behaviour of atomics: no address space");
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * temper: with --weak, runs by chance differ in character, so that what is rare in one kind of
 * run is common in another. Drawn once from the seed: how often an atomic access does another
 * thing than the usual one, everywhere or at some places much and at others never; and whether
 * threads are gathered before they do anything. Who runs at once is often at its end before
 * the next one is created, and what needs both of them never happens: on a corpus of small
 * programs gathering brings the outcomes seen in 2,000 runs from 83 to 98 of 100. */
#include "heddle/weak.h"
#include "rt/rt.h"

enum {
    SURE = 16,        /* what `stale` is out of */
    GATHERS_OF_4 = 3, /* runs that gather, of four */
    EARLY_IN = 8,     /* times that one who has not begun is looked at, when gathering */
};

static const uint8_t stale_of[] = {2, 8, 12, SURE};
static const uint8_t stale_of_site[] = {0, 8, SURE};

void temper_start(void)
{
    if (rt.set.weak == WEAK_OFF)
        return;
    rt.temper.gathers = random_below(4) < GATHERS_OF_4;
    rt.temper.stale = stale_of[random_below(sizeof stale_of)];
    if (random_below(2))
        rt.temper.by_site = random_next() | 1;
}

/* Out of SURE: how often this place does another thing. */
static uint32_t stale_at(const struct __heddle_site *site)
{
    if (!rt.temper.by_site || !site)
        return rt.temper.stale;
    uint64_t h =
        (site->line * 0x10001ULL + site->column + rt.temper.by_site) * 0x9e3779b97f4a7c15ULL;
    return stale_of_site[(h >> 32) % sizeof stale_of_site];
}

uint32_t temper_weak(struct thr *t, uint32_t count, struct __heddle_site *site)
{
    (void)t;
    return random_below(SURE) < stale_at(site) ? (uint32_t)random_below(count) : 0;
}

bool temper_holds(const struct thr *t)
{
    return rt.temper.gathers && t->step == 0 && random_below(EARLY_IN);
}

struct thr *temper_any(struct thr *t)
{
    struct thr *chosen = NULL;
    uint32_t count = 0;
    if (!rt.temper.gathers)
        return rt.ready_count ? rt.ready[random_below(rt.ready_count)] : t;
    for (uint32_t i = 0; i < rt.ready_count; i++)
        if (!temper_holds(rt.ready[i]) && random_below(++count) == 0)
            chosen = rt.ready[i];
    if (chosen || t)
        return chosen ? chosen : t;
    return rt.ready_count ? rt.ready[random_below(rt.ready_count)] : NULL;
}

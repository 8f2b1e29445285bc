/* SPDX-License-Identifier: Apache-2.0
 *
 * policy targeted: switches where it may matter. Whoever comes to one of the sites given waits
 * there, half of the times, until another thread has come to one too or nobody else can run;
 * then any of them goes on. Elsewhere as random, and rarely. */
#include "rt/rt.h"
#include "rt/sys.h"
#include "heddle/guide.h"

enum {
    WINDOW_TARGETS = 8,
    RARELY = 20,      /* times as rare as random */
    HOLD_STEPS = 400, /* choices for which a thread is held back at most */
    EXPIRE_IN = 64,
};

/* ---- which sites --------------------------------------------------------------------- */

/* File, line and, where given, column and function. */
static bool is_target(const struct __heddle_site *s)
{
    const struct guide_head *head = rt.targeted.targets;
    const struct guide_site *w = (const void *)(head + 1);
    const char *texts = (const void *)(w + head->site_count);
    const char *file = __heddle_site_text(s, s->file);
    const char *function = __heddle_site_text(s, s->function);
    for (const char *p = file; *p; p++)
        if (*p == '/')
            file = p + 1;
    for (uint32_t i = 0; i < head->site_count; i++)
        if (s->line == w[i].line && (!w[i].column || s->column == w[i].column) &&
            __builtin_strcmp(file, texts + w[i].file) == 0 &&
            (!texts[w[i].function] || __builtin_strcmp(function, texts + w[i].function) == 0))
            return true;
    return false;
}

/* Looked up once; remembered in the table itself. */
static bool site_is_target(struct __heddle_site *s)
{
    if (!s)
        return false;
    if (!(s->flags & HEDDLE_SITE_SEEN))
        s->flags |= HEDDLE_SITE_SEEN | (is_target(s) ? HEDDLE_SITE_TARGET : 0u);
    return s->flags & HEDDLE_SITE_TARGET;
}

/* ---- choosing ------------------------------------------------------------------------ */

static struct thr *any(struct thr *t, bool held)
{
    struct thr *chosen = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i <= rt.ready_count; i++) {
        struct thr *o = i < rt.ready_count ? rt.ready[i] : t;
        if (o && (held || !o->held_until) && random_below(++count) == 0)
            chosen = o;
    }
    return chosen;
}

static void let_go(void)
{
    for (uint32_t i = 0; i < rt.thread_count; i++)
        rt.threads[i].held_until = 0;
}

static uint64_t targeted_ask(struct thr *t)
{
    return t->step + 1;
}

/* Somebody has been held back for long. */
static bool is_over(void)
{
    for (uint32_t i = 0; i < rt.ready_count; i++)
        if (rt.ready[i]->held_until && rt.ready[i]->held_until < rt.targeted.choices)
            return true;
    return false;
}

static bool someone_is_held(void)
{
    for (uint32_t i = 0; i < rt.ready_count; i++)
        if (rt.ready[i]->held_until)
            return true;
    return false;
}

static struct thr *targeted_point(struct thr *t)
{
    sched_collect();
    policy_wakes_unasked();
    rt.targeted.choices++;
    struct thr *late = policy_expires(EXPIRE_IN);
    if (late)
        return late;
    if (is_over())
        let_go();
    if (!site_is_target(t->at.site))
        return random_below(rt.set.change * RARELY) || !rt.ready_count ? t : any(t, false);
    if (someone_is_held()) {
        let_go();
        return any(t, true);
    }
    struct thr *other = random_below(2) ? any(NULL, false) : NULL;
    if (!other)
        return t;
    t->held_until = rt.targeted.choices + HOLD_STEPS;
    return other;
}

static struct thr *targeted_pick(struct thr *t, uint16_t *why)
{
    sched_ensure_ready(t, why);
    struct thr *next = any(NULL, false);
    if (next)
        return next;
    let_go();
    CHECK(!someone_is_held());
    return any(NULL, true);
}

static void targeted_chosen(struct thr *t, struct thr *next, uint16_t why)
{
    (void)t, (void)why;
    next->held_until = 0;
}

/* Sites and texts, as many as the head says, and nothing else. */
static bool targets_fit(const struct guide_head *h, uint64_t bytes)
{
    if (bytes < sizeof *h || h->magic != GUIDE_MAGIC || guide_bytes(h) > bytes ||
        h->line_count || h->thread_count || h->counter_count || h->path_count ||
        h->target_count)
        return false;
    const struct guide_site *sites = (const void *)(h + 1);
    return guide_has_texts(h, sites, (const void *)(sites + h->site_count));
}

static void targeted_start(void)
{
    uint64_t bytes = 0;
    rt.targeted.targets = memory_file(rt.set.targets, WINDOW_TARGETS, &bytes);
    if (!rt.targeted.targets || !targets_fit(rt.targeted.targets, bytes))
        outcome_diverged("cannot read the targets");
    temper_start();
}

static uint32_t targeted_weak(struct thr *t, uint32_t count, struct __heddle_site *site)
{
    return site_is_target(site) ? temper_weak(t, count, site) : 0;
}

const struct policy policy_targeted = {
    .start = targeted_start,
    .ask = targeted_ask,
    .point = targeted_point,
    .pick = targeted_pick,
    .chosen = targeted_chosen,
    .waiter = policy_random_waiter,
    .weak = targeted_weak,
};

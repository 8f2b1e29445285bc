/* SPDX-License-Identifier: Apache-2.0
 *
 * late: time that passes although somebody could run. While everybody waits time is free: it
 * goes to whatever comes first. But a sleep that ends, or a wait that times out, while others
 * could have gone on, means that those were late by as much. About sleeps nothing is promised:
 * they may end at any moment, unless they are so long that they are limits themselves: a
 * watchdog sleeps for a minute, and ends what is not done by then. A wait for a limited time
 * says how late the others must not be; so no wait sees more of their lateness than the setting
 * `delay`, and what is more than that puts its end off. A wait that ends too late is always
 * allowed.
 *
 * A guide, or a schedule, may need more; then the run says which wait it was. */
#include "rt/rt.h"

#define LIMIT_NS (30 * 1000000000ULL) /* a sleep from here on is a limit for others */

/* Nobody is kept from running. */
static bool is_idle(void)
{
    return rt.ready_count == 0 && (!rt.running || rt.running->state != THR_RUNNING);
}

static bool is_sleep(const struct thr *t)
{
    return t->wait_how == WAIT_SLEEP && t->wait_ns < LIMIT_NS;
}

/* How late others would have been, all in all, if t's wait timed out now. */
static uint64_t lateness(const struct thr *t)
{
    uint64_t free_until =
        is_idle() && rt.next_deadline > rt.now_ns ? rt.next_deadline : rt.now_ns;
    uint64_t more = t->deadline > free_until ? t->deadline - free_until : 0;
    CHECK(sched_is_timed(t) && t->late_from <= rt.late_ns);
    return rt.late_ns - t->late_from + more;
}

/* ---- telling ------------------------------------------------------------------------- */

static void put_span(struct text *text, uint64_t ns)
{
    static const struct {
        uint64_t ns;
        const char *name;
    } units[] = {{1000000000, " s"}, {1000000, " ms"}, {1000, " us"}, {1, " ns"}};
    size_t i = 0;
    while (i < 3 && ns < units[i].ns - units[i].ns / 20)
        i++;
    uint64_t tenths = (ns * 10 + units[i].ns / 2) / units[i].ns;
    text_number(text, tenths / 10);
    if (tenths % 10 && tenths < 1000) {
        text_put(text, ".");
        text_number(text, tenths % 10);
    }
    text_put(text, units[i].name);
}

static void put_line(struct text *text, const struct __heddle_site *site)
{
    const char *file = site ? __heddle_site_text(site, site->file) : "";
    text_put(text, *file ? file : "?");
    if (site && site->line) {
        text_put(text, ":");
        text_number(text, site->line);
    }
}

static void put_needed(struct text *text, bool sleeps)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rt.lateness.needed_count; i++) {
        const struct needed_wait *n = &rt.lateness.needed[i];
        if (n->is_sleep != sleeps)
            continue;
        text_put(text, count++ ? ", the " : "the ");
        text_put(text, sleeps ? "sleep of " : "wait of ");
        put_span(text, n->ns);
        text_put(text, " at ");
        put_line(text, n->site);
    }
}

/* Which waits had to run out, or sleeps to be over, while others could run. */
void late_tell(void)
{
    char at[NEEDED_MAX * 256];
    for (int sleeps = 0; sleeps < 2; sleeps++) {
        struct text text = {at, 0, sizeof at};
        put_needed(&text, sleeps);
        if (text.len)
            outcome_doubt(sleeps ? DOUBT_SLEEP : DOUBT_TIME, at);
    }
}

static void note(const struct thr *t)
{
    bool sleeps = is_sleep(t);
    for (uint32_t i = 0; i < rt.lateness.needed_count; i++)
        if (rt.lateness.needed[i].site == t->wait_site &&
            rt.lateness.needed[i].is_sleep == sleeps)
            return;
    if (rt.lateness.needed_count < NEEDED_MAX)
        rt.lateness.needed[rt.lateness.needed_count++] =
            (struct needed_wait){t->wait_site, t->wait_ns, sleeps};
}

/* ---- passing ------------------------------------------------------------------------- */

uint64_t late_put_off(uint64_t *from)
{
    uint64_t late = rt.late_ns - *from;
    uint64_t over = late > rt.set.delay_ns ? late - rt.set.delay_ns : 0;
    CHECK(*from <= rt.late_ns);
    *from += over;
    return over;
}

static void be_late(uint64_t ns, const struct thr *but)
{
    rt.late_ns += ns;
    for (uint32_t i = 0; i < rt.timed_count; i++) {
        struct thr *t = rt.timed[i];
        uint64_t over = t == but || is_sleep(t) ? 0 : late_put_off(&t->late_from);
        t->deadline = t->deadline < NEVER - 1 - over ? t->deadline + over : NEVER - 1;
    }
    timer_put_off();
    sched_deadlines_changed();
    sched_pass_time(ns);
}

/* t's time is over, whoever could run. */
void sched_expire(struct thr *t)
{
    while (sched_is_timed(t) && is_idle())
        sched_expire_first();
    if (!sched_is_timed(t))
        return;
    uint64_t ns = t->deadline > rt.now_ns ? t->deadline - rt.now_ns : 0;
    if (lateness(t) > rt.set.delay_ns)
        note(t);
    rt.idle_ns = 0;
    be_late(ns, t);
    CHECK(!sched_is_timed(t)); /* its own end was not put off */
}

/* The next timer strikes, whoever could run. False: there is none, its signal would end the
 * process, or others would be too late. */
bool late_strike(void)
{
    uint64_t from, at = timer_first(&from);
    uint64_t ns = at == NEVER ? 0 : at > rt.now_ns ? at - rt.now_ns : 0;
    if (at == NEVER || rt.late_ns - from + ns > rt.set.delay_ns)
        return false;
    rt.idle_ns = 0;
    be_late(ns, NULL);
    return true;
}

/* ---- what policies ask --------------------------------------------------------------- */

/* Its wait can be made to end by time, and then it could run. */
bool can_expire(const struct thr *t)
{
    return t->state == THR_BLOCKED && sched_is_timed(t) && t->wait_how != WAIT_FD &&
           (!t->then || t->then->owner == NO_ID) &&
           (is_sleep(t) || rt.set.expired || lateness(t) <= rt.set.delay_ns);
}

/* Once in so many times: somebody whose wait has just timed out. Not while the world is waited
 * for, where time is real. */
struct thr *policy_expires(uint32_t times)
{
    struct thr *chosen = NULL;
    uint32_t count = 0;
    if (!rt.timed_count || sched_has_world() || random_below(times))
        return NULL;
    for (uint32_t i = 0; i < rt.thread_count; i++)
        if (can_expire(&rt.threads[i]) && random_below(++count) == 0)
            chosen = &rt.threads[i];
    if (chosen)
        sched_expire(chosen);
    return chosen;
}

static struct thr *most_important(bool sleeps_too)
{
    struct thr *best = NULL;
    if (sched_has_world())
        return NULL;
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        struct thr *t = &rt.threads[i];
        if (can_expire(t) && (sleeps_too || !is_sleep(t)) &&
            (!best || t->priority > best->priority))
            best = t;
    }
    return best;
}

/* Of those whose wait could time out now, the most important one; null: there is none. */
struct thr *policy_latest(void)
{
    return most_important(true);
}

/* The same, of those that do not just sleep. */
struct thr *policy_in_vain(void)
{
    return most_important(false);
}

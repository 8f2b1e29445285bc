/* SPDX-License-Identifier: Apache-2.0
 *
 * policy replay: what the schedule says, step by step; behind its end nobody is made to go, if
 * all the rest is as recorded, else fifo. A thread that is to run and cannot, and a wait where
 * the schedule knows none, are divergences. */
#include "heddle/weak.h"
#include "rt/rt.h"
#include "rt/sys.h"

#include <sys/mman.h>

enum { WINDOW_PLAN = 4, EXPIRE_MAX = 10000 };

static void replay_start(void)
{
    struct log_map m =
        memory_log(rt.set.schedule, memory_window(WINDOW_PLAN), LOG_SCHEDULE, PROT_READ);
    if (!m.head)
        outcome_diverged(m.is_there ? "not a schedule" : "cannot read the schedule");
    rt.plan = (const struct choice *)(const void *)(m.head + 1);
    uint64_t max = (m.bytes - sizeof *m.head) / sizeof *rt.plan;
    while (rt.plan_count < max && rt.plan[rt.plan_count].mark == LOG_MARK)
        rt.plan_count++;
    if (rt.plan_count == 0)
        return;
    if (schedule_is_timeless(rt.plan[0].step))
        rt.set.step_ns = 0;
    rt.set.delay_ns = schedule_delay_ns(rt.plan[0].step);
    rt.set.weak = weak_mode_of(rt.plan, rt.plan_count);
    if (rt.set.weak != WEAK_OFF)
        rt.set.history = weak_history_of(&rt.plan[1]);
}

/* Nothing that a thread chooses. */
static bool is_aside(const struct choice *c)
{
    return c->why == WORD_VALUE(SWITCH, ARRIVED) ||
           (choice_is_weak(c) && !weak_unpack(c).count);
}

static bool is_arrival(uint64_t i)
{
    return rt.plan[i].why == WORD_VALUE(SWITCH, ARRIVED);
}

/* Does something come from outside while t is at this step: behind the choices that stand
 * before it? */
bool replay_arrives(const struct thr *t, uint32_t *connection)
{
    while (rt.plan_arrival < rt.plan_count && !is_arrival(rt.plan_arrival))
        rt.plan_arrival++;
    while (rt.plan_next < rt.plan_count && is_aside(&rt.plan[rt.plan_next]))
        rt.plan_next++;
    if (rt.plan_arrival == rt.plan_count || rt.plan_next < rt.plan_arrival ||
        rt.plan[rt.plan_arrival].step != t->step)
        return false;
    *connection = rt.plan[rt.plan_arrival++].thr;
    return true;
}

static const struct choice *next_choice(void)
{
    while (rt.plan_next < rt.plan_count && is_aside(&rt.plan[rt.plan_next]))
        rt.plan_next++;
    return rt.plan_next < rt.plan_count ? &rt.plan[rt.plan_next] : NULL;
}

/* Made at a point that the thread need not have noticed, or at its own wish. */
static bool is_preempted(const struct choice *c)
{
    return c->why == WORD_VALUE(SWITCH, PREEMPTED);
}

static bool is_yielded(const struct choice *c)
{
    return c->why == WORD_VALUE(SWITCH, YIELDED);
}

static void diverge_weak(const struct thr *t, const struct choice *c, uint32_t count)
{
    char at[600];
    struct text text = {at, 0, sizeof at};
    struct weak_choice w = weak_unpack(c);
    text_put(&text, "choice ");
    text_number(&text, rt.plan_next);
    text_put(&text, " of the schedule: expected T");
    text_number(&text, w.thr);
    text_put(&text, " to take number ");
    text_number(&text, w.number);
    text_put(&text, " of ");
    text_number(&text, w.count);
    text_put(&text, " in an atomic access at its step ");
    text_number(&text, c->step);
    text_put(&text, "; got step ");
    text_number(&text, t->step);
    text_put(&text, " of T");
    text_number(&text, t->id);
    if (count) {
        text_put(&text, ", where there are ");
        text_number(&text, count);
    }
    outcome_diverged(at);
}

static void diverge(const struct thr *t, const struct choice *c, const char *got)
{
    char at[600];
    if (choice_is_weak(c))
        diverge_weak(t, c, 0);
    struct text text = {at, 0, sizeof at};
    text_put(&text, "choice ");
    text_number(&text, rt.plan_next);
    text_put(&text, " of the schedule: expected T");
    text_number(&text, c->thr);
    text_put(&text, " to go on at step ");
    text_number(&text, c->step);
    text_put(&text, " of T");
    text_number(&text, t->id);
    text_put(&text, "; got step ");
    text_number(&text, t->step);
    text_put(&text, ", ");
    text_put(&text, got);
    outcome_diverged(at);
}

/* What let next go on in the record: the world, a signal, or time. */
static void become_ready(const struct thr *t, struct thr *next)
{
    sched_serve_logged(t, t->step);
    if (next->state != THR_BLOCKED)
        return;
    if (next->step == next->signal_wait)
        sched_wake(next, WAKE_SIGNAL);
    else if (!sched_is_timed(next) || input_awaits_strike(next))
        for (int i = 0; i < EXPIRE_MAX && next->state == THR_BLOCKED; i++)
            sched_expire_first();
}

/* Makes the chosen thread able to run, as it was in the record. */
static struct thr *chosen_thread(struct thr *t, const struct choice *c)
{
    if (c->thr >= rt.thread_count)
        diverge(t, c, "where that thread does not exist");
    struct thr *next = &rt.threads[c->thr];
    if (rt.input.exact)
        become_ready(t, next);
    bool expires = c->why == WORD_VALUE(SWITCH, TIMEOUT);
    if (rt.play)
        peer_bring(t, next);
    while (!rt.input.exact && !rt.play &&
           (next->state == THR_OUTSIDE ||
            (next->state == THR_BLOCKED && next->wait_how == WAIT_FD && !expires)))
        if (!sched_outside_wait(NEVER) && next->state == THR_BLOCKED)
            break;
    if (next->state == THR_BLOCKED && sched_is_timed(next))
        sched_expire(next);
    if (next->state == THR_EXITED)
        diverge(t, c, "where that thread has ended");
    if (next->state == THR_BLOCKED)
        diverge(t, c, "where that thread waits");
    CHECK(next->state != THR_FREE);
    return next;
}

static uint64_t replay_ask(struct thr *t)
{
    const struct choice *c = next_choice();
    if (!c)
        return rt.input.exact ? NEVER : policy_fifo.ask(t);
    if (is_preempted(c) || c->why == WORD_VALUE(SWITCH, SPURIOUS))
        return c->step;
    if (choice_is_weak(c))
        return c->step + 1;
    return is_yielded(c) ? c->step + 1 : NEVER;
}

/* Waits that ended unasked at this point. */
static const struct choice *wake_unasked(struct thr *t, const struct choice *c)
{
    while (c && c->why == WORD_VALUE(SWITCH, SPURIOUS) && c->step == t->step) {
        struct thr *w = c->thr < rt.thread_count ? &rt.threads[c->thr] : NULL;
        if (!w || w->state != THR_BLOCKED || w->wait_how != WAIT_COND)
            diverge(t, c, "where that thread does not wait");
        sched_wake_unasked(w);
        rt.plan_next++;
        c = next_choice();
    }
    return c;
}

static struct thr *replay_point(struct thr *t)
{
    const struct choice *c = next_choice();
    if (!c)
        return rt.input.exact ? t : policy_fifo.point(t);
    bool woke = c->why == WORD_VALUE(SWITCH, SPURIOUS);
    c = wake_unasked(t, c);
    if (!c || (woke && (!is_preempted(c) || c->step != t->step)))
        return t;
    if (!is_preempted(c) && !is_yielded(c) && !choice_is_weak(c))
        return t;
    if (c->step != t->step || !is_preempted(c))
        diverge(t, c, "past it");
    return chosen_thread(t, c);
}

static struct thr *replay_pick(struct thr *t, uint16_t *why)
{
    const struct choice *c = next_choice();
    if (!c) {
        bool stays = rt.input.exact && *why == WORD_VALUE(SWITCH, YIELDED);
        struct thr *first = policy_fifo.pick(t, why);
        return stays && t->state == THR_READY ? t : first;
    }
    if (*why == WORD_VALUE(SWITCH, YIELDED)) {
        if (c->step != t->step || c->why != *why)
            return t;
    } else if (c->step != t->step || is_preempted(c) || is_yielded(c) || choice_is_weak(c)) {
        diverge(t, c,
                *why == WORD_VALUE(SWITCH, BLOCKED)  ? "where it has to wait"
                : *why == WORD_VALUE(SWITCH, EXITED) ? "where it ends"
                                                     : "where it goes outside");
    }
    *why = c->why;
    return chosen_thread(t, c);
}

/* Behind a creation, and at its step: its creator comes to no other wait there. */
static bool replay_created(struct thr *child)
{
    const struct choice *c = next_choice();
    (void)child;
    return c && is_yielded(c) && c->step == rt.running->step;
}

static void replay_chosen(struct thr *t, struct thr *next, uint16_t why)
{
    const struct choice *c = next_choice();
    (void)why;
    if (!c)
        return;
    if (c->thr != next->id)
        diverge(t, c, "where another thread goes on");
    rt.plan_next++;
}

static struct thr *replay_waiter(struct obj *o)
{
    const struct choice *c = next_choice();
    struct thr *t = rt.running, *w = o->first;
    if (!c || c->why != WORD_VALUE(SWITCH, WOKEN) || c->step != t->step)
        return w;
    while (w && w->id != c->thr)
        w = w->wait_next;
    if (!w)
        diverge(t, c, "where that thread does not wait");
    rt.plan_next++;
    t->ask = replay_ask(t);
    sched_until(t);
    return w;
}

static uint32_t replay_weak(struct thr *t, uint32_t count, struct __heddle_site *site)
{
    const struct choice *c = next_choice();
    (void)site;
    if (!c || !choice_is_weak(c) || c->step > t->step)
        return 0;
    struct weak_choice w = weak_unpack(c);
    if (c->step != t->step || w.thr != t->id || w.count != count || w.number >= count)
        diverge_weak(t, c, count);
    rt.plan_next++;
    t->ask = replay_ask(t);
    sched_until(t);
    return w.number;
}

const struct policy policy_replay = {
    .start = replay_start,
    .ask = replay_ask,
    .point = replay_point,
    .pick = replay_pick,
    .created = replay_created,
    .chosen = replay_chosen,
    .waiter = replay_waiter,
    .weak = replay_weak,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * sched: one token, and who has it. A thread that gives it away sets the futex word of the
 * next one and sleeps on its own; there is no spinning before the sleep, which would only
 * keep the next one from its processor.
 *
 *                  +--------- point, yield ---------+
 *                  v                                |
 *   new --> READY ------------ chosen ---------> RUNNING --> EXITED
 *             ^                                   | | |
 *             +-- woken, lock free -- BLOCKED <---+ | |
 *             +-- somebody wrote --- SPINNING <-----+ |
 *             +-- call is over ------ OUTSIDE <-------+
 *
 * A thread that waits for a lock is in the lock's queue and READY exactly while it could have
 * the lock, so that whoever is chosen gets what it waits for. Waits for conditions, barriers
 * and futexes end when somebody wakes them. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

enum {
    SPIN_STEPS = 1000,      /* without a write before we look closer */
    WATCH_STEPS = 128,      /* how long we look */
    END_STEPS = 20000,      /* for each of the others, when the process is about to end */
    LIVELOCK_ROUNDS = 1000, /* that often found spinning, and nobody else can run */
    SPIN_WAIT_NS = 1000000, /* for the world, before we let a spinning thread try again */
    AT_ONCE_NS = 20000000,  /* until what the target tells itself through the kernel is there */
    TRAVEL_NS = 300000000,  /* the same while the kernel says that it is on its way */
    LOOK_NS = 1000000,      /* between two looks, where one wait cannot cover everything */
    GONE_NS = 100000000,    /* until one that waits looks whether somebody is left */
    IDLE_NS = 100000000,    /* the longest real wait before we look at everything again */
    LOOK_STEPS = 5000,      /* between two looks, while somebody runs */
    FDS_MAX = 256,
};

/* ---- ready, timed, queues ------------------------------------------------------------ */

void sched_ready(struct thr *t)
{
    CHECK(t->state != THR_READY && t->state != THR_EXITED);
    CHECK(rt.ready_count < rt.live_count);
    t->state = THR_READY;
    rt.ready[rt.ready_count++] = t;
    if (rt.set.policy->ready)
        rt.set.policy->ready(t);
}

static void ready_remove(struct thr *t)
{
    uint32_t i = 0;
    while (i < rt.ready_count && rt.ready[i] != t)
        i++;
    CHECK(i < rt.ready_count);
    rt.ready_count--;
    __builtin_memmove(&rt.ready[i], &rt.ready[i + 1], (rt.ready_count - i) * sizeof *rt.ready);
}

void sched_unready(struct thr *t)
{
    ready_remove(t);
    t->state = THR_BLOCKED;
}

bool sched_is_timed(const struct thr *t)
{
    return t->deadline != NEVER;
}

static struct thr *earliest(void)
{
    struct thr *best = NULL;
    for (uint32_t i = 0; i < rt.timed_count; i++) {
        struct thr *t = rt.timed[i];
        if (!best || t->deadline < best->deadline ||
            (t->deadline == best->deadline && t->deadline_order < best->deadline_order))
            best = t;
    }
    uint64_t timer = timer_next();
    rt.next_deadline = best && best->deadline <= timer ? best->deadline : timer;
    return best;
}

void sched_deadlines_changed(void)
{
    earliest();
}

static void timed_add(struct thr *t, uint64_t deadline)
{
    CHECK(!sched_is_timed(t) && rt.timed_count < rt.live_count && deadline != NEVER);
    t->deadline = deadline;
    t->wait_ns = deadline > rt.now_ns ? deadline - rt.now_ns : 0;
    t->late_from = rt.late_ns;
    t->deadline_order = rt.sched.deadlines++;
    rt.timed[rt.timed_count++] = t;
    if (deadline < rt.next_deadline)
        rt.next_deadline = deadline;
}

static void timed_remove(struct thr *t)
{
    if (!sched_is_timed(t))
        return;
    uint32_t i = 0;
    while (i < rt.timed_count && rt.timed[i] != t)
        i++;
    CHECK(i < rt.timed_count);
    rt.timed[i] = rt.timed[--rt.timed_count];
    t->deadline = NEVER;
    earliest();
}

static void queue_add(struct obj *o, struct thr *t)
{
    CHECK(!t->wait_obj && !o->first == !o->last);
    CHECK(o->addr && o->waiting < rt.live_count);
    t->wait_obj = o;
    t->wait_next = NULL;
    if (o->last)
        o->last->wait_next = t;
    else
        o->first = t;
    o->last = t;
    o->waiting++;
    o->waiting_writers += t->wait_how == WAIT_WRITE;
}

static void queue_remove(struct thr *t)
{
    struct obj *o = t->wait_obj;
    if (!o)
        return;
    struct thr **link = &o->first, *before = NULL;
    for (; *link && *link != t; link = &(*link)->wait_next)
        before = *link;
    CHECK(*link == t && o->waiting > 0);
    *link = t->wait_next;
    if (o->last == t)
        o->last = before;
    o->waiting--;
    o->waiting_writers -= t->wait_how == WAIT_WRITE;
    CHECK(o->waiting_writers <= o->waiting && !o->waiting == !o->first);
    t->wait_obj = NULL;
}

void sched_leave_waiting(struct obj *o)
{
    while (o->first)
        queue_remove(o->first);
}

static bool can_have(const struct obj *o, const struct thr *t)
{
    int value = 0;
    switch (t->wait_how) {
    case WAIT_MUTEX:
    case WAIT_SPIN:
    case WAIT_ONCE:
        return o->owner == NO_ID;
    case WAIT_READ: /* wait_mask: writers go first */
        return o->owner == NO_ID && !(t->wait_mask && o->waiting_writers);
    case WAIT_WRITE:
        return o->owner == NO_ID && o->readers == 0;
    case WAIT_SEM:
        real.sem_getvalue((sem_t *)(uintptr_t)o->addr, &value);
        return value > 0;
    default:
        return false;
    }
}

/* What it is about to take there, if that is known to us. */
static const struct obj *lock_of(const struct place *p)
{
    static const uint8_t classes[] = {[WAIT_MUTEX] = WORD_VALUE(CLASS, MUTEX),
                                      [WAIT_READ] = WORD_VALUE(CLASS, RWLOCK),
                                      [WAIT_WRITE] = WORD_VALUE(CLASS, RWLOCK),
                                      [WAIT_SPIN] = WORD_VALUE(CLASS, SPIN),
                                      [WAIT_ONCE] = WORD_VALUE(CLASS, ONCE)};
    if (p->wait == WAIT_NONE || p->wait >= sizeof classes)
        return NULL;
    return obj_find((const void *)(uintptr_t)p->addr, classes[p->wait]);
}

static bool lock_is_new(const struct place *p)
{
    const struct obj *o = lock_of(p);
    return o && obj_is_stale(o);
}

bool sched_would_wait(const struct thr *t)
{
    const struct place *p = &t->at;
    if (t->state == THR_READY && t->wait_how != WAIT_NONE)
        return false; /* it has waited, and could have it now */
    int value = 1;
    if ((p->wait == WAIT_SEM || p->wait == WAIT_JOIN) && t->cancel_pending && !t->cancel_off)
        return false; /* it ends there */
    if (p->wait == WAIT_SEM) {
        real.sem_getvalue((sem_t *)(uintptr_t)p->addr, &value);
        return value == 0;
    }
    if (p->wait == WAIT_JOIN) {
        const struct thr *peer = thread_find((pthread_t)p->addr);
        return peer && peer != t && peer->state != THR_EXITED;
    }
    const struct obj *o = lock_of(p);
    if (!o || o->owner == t->id)
        return false;
    return o->owner != NO_ID || (p->wait == WAIT_WRITE && o->readers > 0);
}

/* The object changed hands: who of those that wait for it could run now? */
void sched_changed(struct obj *o)
{
    for (struct thr *t = o->first; t; t = t->wait_next) {
        bool can = can_have(o, t);
        if (can && t->state == THR_BLOCKED)
            sched_ready(t);
        else if (!can && t->state == THR_READY)
            sched_unready(t);
    }
}

/* A wait ends, or goes over into the wait for the condition's mutex. */
void sched_wake(struct thr *w, enum wake_how how)
{
    CHECK(w->state != THR_FREE && w->state != THR_OUTSIDE && w->state != THR_EXITED);
    queue_remove(w);
    timed_remove(w);
    w->woken = how;
    if (w->then) {
        CHECK(w->wait_how == WAIT_COND && w->then->wanted > 0);
        w->wait_how = WAIT_MUTEX;
        w->then->wanted--;
        queue_add(w->then, w);
        w->then = NULL;
        if (!can_have(w->wait_obj, w)) {
            if (w->state == THR_READY)
                sched_unready(w);
            return;
        }
    }
    if (w->state == THR_BLOCKED)
        sched_ready(w);
}

/* A signal of the system ends its wait: a replay is to know when. */
void sched_wake_logged(struct thr *w, bool is_at_point)
{
    input_woken(w, is_at_point);
    sched_wake(w, WAKE_SIGNAL);
}

struct thr *sched_wake_first(struct obj *o, uint64_t by)
{
    struct thr *w = o->first;
    CHECK(w && w->wait_obj == o);
    w->woken_by = by;
    sched_wake(w, WAKE_NORMAL);
    return w;
}

/* The one that waits longest, unless the policy wants another; then the schedule says so. */
void sched_wake_one(struct obj *o, uint64_t by)
{
    struct thr *w = o->first;
    CHECK(w);
    if (rt.set.policy->waiter && w->wait_next)
        w = rt.set.policy->waiter(o);
    CHECK(w && w->wait_obj == o);
    if (w != o->first)
        record_choice(rt.running->step, w->id, WORD_VALUE(SWITCH, WOKEN));
    w->woken_by = by;
    sched_wake(w, WAKE_NORMAL);
}

/* A condition wait may return although nobody asked for it. The schedule says so. */
void sched_wake_unasked(struct thr *w)
{
    CHECK(w->wait_how == WAIT_COND && w->wait_obj);
    record_choice(rt.running->step, w->id, WORD_VALUE(SWITCH, SPURIOUS));
    rt.spurious_count++;
    sched_wake(w, WAKE_SPURIOUS);
}

/* ---- time ---------------------------------------------------------------------------- */

void sched_pass_time(uint64_t ns)
{
    rt.now_ns = ns < NEVER - 1 - rt.now_ns ? rt.now_ns + ns : NEVER - 1; /* never back */
    while (rt.now_ns >= rt.next_deadline) {
        struct thr *t = earliest();
        if (t && t->deadline == rt.next_deadline)
            sched_wake(t, WAKE_TIMEOUT); /* and it has none any more */
        else
            timer_expire(rt.next_deadline);
        earliest();
    }
}

/* The running thread's steps take time too, or a sleeper would never wake while somebody
 * works. Counted at fixed places, so that a replay sees the same clock. */
static void settle(struct thr *t)
{
    CHECK(t->step >= t->time_step);
    uint64_t steps = t->step - t->time_step;
    t->time_step = t->step;
    sched_pass_time(steps * rt.set.step_ns);
}

uint64_t sched_now(void)
{
    settle(rt.running);
    return rt.now_ns;
}

static void jump_to(uint64_t deadline)
{
    rt.idle_ns = 0;
    sched_pass_time(deadline > rt.now_ns ? deadline - rt.now_ns : 0);
}

/* The next thing that time brings, whatever it is. False: it brings nothing. */
bool sched_expire_first(void)
{
    if (rt.next_deadline == NEVER)
        return false;
    jump_to(rt.next_deadline);
    return true;
}

/* ---- outside ------------------------------------------------------------------------- */

void sched_collect(void)
{
    uint32_t returns = __atomic_load_n(&rt.returns, __ATOMIC_ACQUIRE);
    if (returns == rt.returns_seen)
        return;
    rt.returns_seen = returns;
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        struct thr *t = &rt.threads[i];
        if (t->state == THR_OUTSIDE && __atomic_load_n(&t->returned, __ATOMIC_ACQUIRE)) {
            CHECK(rt.outside_count > 0);
            rt.outside_count--;
            input_ready(t);
            sched_ready(t);
        }
    }
}

static bool is_served(struct thr *t)
{
    if (t->wait_test)
        return t->wait_test(t);
    return sys_call(SYS_poll, (long)t->wait_fds, t->wait_fd_count, 0, 0, 0, 0) != 0;
}

static bool waits_for_world(const struct thr *t)
{
    return t->state == THR_BLOCKED && t->wait_how == WAIT_FD;
}

static void satisfy(struct thr *t)
{
    input_ready(t);
    sched_wake(t, WAKE_NORMAL);
}

/* In a replay: whoever became ready when this thread was at this step, or before. */
void sched_serve_logged(const struct thr *by, uint64_t step)
{
    for (struct thr *t; (t = input_next_ready(by, step));)
        satisfy(t);
}

/* Called behind every call of the target that can make a descriptor ready: what goes through
 * a pipe from thread to thread then comes at the same step in every run. */
void sched_look_at_fds(void)
{
    if (rt.input.exact) {
        sched_serve_logged(rt.running, rt.running->step);
        return;
    }
    if (rt.play)
        peer_look();
    for (uint32_t i = 0; rt.fd_count && i < rt.thread_count; i++) {
        struct thr *t = &rt.threads[i];
        if (waits_for_world(t) && is_served(t))
            satisfy(t);
    }
}

/* For what only threads of the target can bring about, if nobody else has its ends or sends it
 * signals: the next look says it all. */
static bool waits_inside(const struct thr *t)
{
    bool is_open = rt.shares_ends || rt.has_handlers || signal_awaited(t);
    if (is_open && company_may_act())
        return false;
    if (t->wait_test)
        return signal_awaited(t) || file_lock_is_ours(t);
    for (uint32_t i = 0; i < t->wait_fd_count; i++)
        if (t->wait_fds[i].fd >= 0 && !descriptor_is_inside(t->wait_fds[i].fd))
            return false;
    return true;
}

bool sched_has_world(void)
{
    if (rt.outside_count || (rt.family && rt.fd_count)) /* others of the family have it too */
        return true;
    for (uint32_t i = 0; rt.fd_count && i < rt.thread_count; i++)
        if (waits_for_world(&rt.threads[i]) && !waits_inside(&rt.threads[i]))
            return true;
    return false;
}

/* All that is waited for, as far as there is room; the rest is looked at again and again. */
static uint32_t gather_fds(struct pollfd *all, uint32_t max, bool *tests)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        const struct thr *t = &rt.threads[i];
        *tests |= t->wait_how == WAIT_FD && t->wait_test;
        for (uint32_t j = 0; t->wait_how == WAIT_FD && j < t->wait_fd_count && n < max; j++)
            all[n++] = t->wait_fds[j];
    }
    return n;
}

static bool wait_for_return(uint64_t ns)
{
    __atomic_store_n(&rt.idle, 1, __ATOMIC_SEQ_CST);
    bool back = false, late = false;
    while (!back && !late && ns) {
        back = __atomic_load_n(&rt.returns, __ATOMIC_SEQ_CST) != rt.returns_seen;
        late = !back && sys_futex_wait(&rt.returns, rt.returns_seen, ns) == -ETIMEDOUT;
    }
    __atomic_store_n(&rt.idle, 0, __ATOMIC_SEQ_CST);
    return back;
}

static bool wait_for_fds(uint64_t ns)
{
    struct pollfd all[FDS_MAX];
    bool tests = false;
    uint32_t n = gather_fds(all, FDS_MAX, &tests);
    if ((rt.outside_count || rt.has_handlers || rt.set.client[0] || tests || n == FDS_MAX) &&
        ns > LOOK_NS)
        ns = LOOK_NS;
    struct timespec span = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    long e = sys_call(SYS_ppoll, (long)all, n, (long)&span, 0, 8, 0);
    sched_look_at_fds();
    return e != 0 || rt.ready_count ||
           __atomic_load_n(&rt.returns, __ATOMIC_SEQ_CST) != rt.returns_seen;
}

/* In a network and among processes of its own the target talks to itself alone, and what it is
 * told is there at once or as soon as the kernel has carried it over: no need to wait as long
 * as a limit says, time can go on to it. */
static uint64_t carried_ns(void)
{
    if (!(rt.set.apart & APART_OVERLAY) || rt.set.apart & APART_NETWORK || rt.set.client[0] ||
        rt.play || rt.input.exact || rt.outside_count || rt.has_children || rt.shares_ends ||
        rt.family)
        return NEVER;
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        const struct thr *t = &rt.threads[i];
        if (t->wait_how != WAIT_FD)
            continue;
        if (t->wait_test)
            return NEVER;
        for (uint32_t j = 0; j < t->wait_fd_count; j++)
            if (t->wait_fds[j].fd >= 0 && !descriptor_is_made(t->wait_fds[j].fd))
                return NEVER;
    }
    return descriptor_any_travels() ? TRAVEL_NS : AT_ONCE_NS;
}

/* Really waits until the world has something for us, or for the time the next sleeper has
 * left. False: that time is up. */
bool sched_outside_wait(uint64_t max_ns)
{
    uint64_t left = max_ns < IDLE_NS ? max_ns : IDLE_NS, rest = NEVER;
    if (rt.next_deadline != NEVER) {
        uint64_t ahead = rt.next_deadline > rt.now_ns ? rt.next_deadline - rt.now_ns : 0;
        rest = ahead > rt.idle_ns ? ahead - rt.idle_ns : 0;
        uint64_t carried = rest > AT_ONCE_NS ? carried_ns() : NEVER;
        rest = carried < rest ? carried : rest;
        left = rest < left ? rest : left;
    }
    if (rt.family) {
        bool others = turn_yield(true);
        if (!turn_is_over())
            sched_look_at_fds();
        if (others || rt.ready_count || turn_is_stuck()) {
            sched_collect();
            return true;
        }
        if (turn_is_left(rt.sched.left_ns))
            outcome_left();
    }
    uint64_t begin = time_real_ns();
    bool came = rt.fd_count ? wait_for_fds(left) : wait_for_return(left);
    uint64_t spent = time_real_ns() - begin;
    rt.idle_ns += spent;
    rt.sched.left_ns += spent;
    sched_collect();
    if (rt.family)
        turn_used();
    if (__atomic_load_n(&rt.signals, __ATOMIC_SEQ_CST))
        signal_wakes();
    return came || spent < rest;
}

/* ---- spinning ------------------------------------------------------------------------ */

void sched_unspin(struct thr *t)
{
    CHECK(t->state == THR_SPINNING && rt.spinning_count > 0);
    rt.spinning_count--;
    sched_ready(t);
}

static void unspin_all(bool changed)
{
    for (uint32_t i = 0; rt.spinning_count && i < rt.thread_count; i++)
        if (rt.threads[i].state == THR_SPINNING) {
            if (changed)
                rt.threads[i].spin_rounds = 0;
            sched_unspin(&rt.threads[i]);
        }
}

static struct thr *least_spun(void)
{
    struct thr *best = NULL;
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        struct thr *t = &rt.threads[i];
        if (t->state == THR_SPINNING && (!best || t->spin_rounds < best->spin_rounds))
            best = t;
    }
    return best;
}

/* Does t spin and look at a clock? Time passes for it there, and not before. */
bool sched_watches_clock(const struct thr *t)
{
    return t->state == THR_SPINNING && t->looks &&
           t->look_step + SPIN_STEPS + WATCH_STEPS > t->step;
}

static bool is_clock_watched(void)
{
    for (uint32_t i = 0; rt.spinning_count && i < rt.thread_count; i++)
        if (sched_watches_clock(&rt.threads[i]))
            return true;
    return false;
}

/* Is t only looking at a few places, over and over, without changing anything? */
static bool is_spinning(struct thr *t, const struct place *p)
{
    uint64_t place = p->watch ? p->addr * 31 + (uint64_t)(uintptr_t)p->site : 0;
    if (t->last_write + SPIN_STEPS > t->step) {
        t->watch_end = 0;
        t->spin_rounds = 0;
        t->spin_step = t->last_write + SPIN_STEPS;
        return false;
    }
    if (!t->watch_end) {
        t->watch_end = t->step + WATCH_STEPS;
        t->watched_count = 0;
    }
    if (t->step >= t->watch_end) {
        t->watch_end = 0;
        t->spin_step = t->step + SPIN_STEPS;
        return true;
    }
    uint32_t i = 0;
    while (i < t->watched_count && t->watched[i] != place)
        i++;
    if (place && i == WATCH_MAX) {
        t->watch_end = 0;
        t->spin_rounds = 0;
        t->spin_step = t->step + SPIN_STEPS;
    } else if (place && i == t->watched_count) {
        t->watched_addr[t->watched_count] = p->addr;
        t->watched[t->watched_count++] = place;
    }
    return false;
}

/* ---- the token ----------------------------------------------------------------------- */

uint64_t sched_steps(void)
{
    const struct thr *t = rt.running;
    return rt.steps_past + (t ? t->step - t->in_step : 0);
}

/* The step of t at which all have made so many. They may have made more: some steps are counted
 * where nobody looks. */
static uint64_t step_when(const struct thr *t, uint64_t steps)
{
    return t->in_step + (steps > rt.steps_past ? steps - rt.steps_past : 0);
}

void sched_until(struct thr *t)
{
    uint64_t until = t->ask;
    if (t->watch_end)
        until = 0;
    else if (t->spin_step < until)
        until = t->spin_step;
    if (rt.set.steps && step_when(t, rt.set.steps) < until)
        until = step_when(t, rt.set.steps);
    if (UNLIKELY(rt.family != NULL) && step_when(t, rt.turn_steps) < until)
        until = step_when(t, rt.turn_steps);
    if (t->limit_step < until)
        until = t->limit_step;
    if (t->signal_step < until)
        until = t->signal_step;
    if (rt.input.exact && input_ready_step(t) < until)
        until = input_ready_step(t);
    if (rt.next_deadline != NEVER && rt.set.step_ns) {
        uint64_t ahead = rt.next_deadline > rt.now_ns ? rt.next_deadline - rt.now_ns : 0;
        uint64_t steps = (ahead + rt.set.step_ns - 1) / rt.set.step_ns;
        if (t->time_step + steps < until)
            until = t->time_step + steps;
    }
    if (rt.awaits_event || (t->cancel_pending && t->cancel_async && !t->cancel_off))
        until = 0;
    if (UNLIKELY(rt.stretch_pending) && stretch_until(t) < until)
        until = stretch_until(t);
    __atomic_store_n(&t->until, until, __ATOMIC_SEQ_CST);
    if ((__atomic_load_n(&rt.signals, __ATOMIC_SEQ_CST) | t->signals) & ~t->mask)
        t->until = 0;
}

/* Nobody can run: if that lasted until the time limit struck, it does so again. */
static void check_limit(struct thr *t, bool has_world)
{
    if (rt.late) {
        if (rt.guide && has_world) /* whoever was there when it was recorded is not */
            outcome_doubt(DOUBT_INPUT_MISSING, NULL);
        input_limit(t, true);
        outcome_late();
    }
    if (!rt.input.exact || !has_world)
        return;
    outcome_watch();
    if (input_limit_idle(t))
        outcome_late();
    if (input_has(t, "family stuck"))
        outcome_all_stuck();
    if (input_is_stuck(t))
        outcome_stuck();
    outcome_diverged("the record ends here, where every thread waits for the world");
}

/* Nobody can run, nor will. Whoever waits for a descriptor finds in a replay that it does. */
static void end_stuck(struct thr *t)
{
    if (rt.fd_count && !rt.input.exact)
        input_stuck(t);
    outcome_stuck();
}

/* Somebody can run when this returns. */
void sched_ensure_ready(struct thr *t, uint16_t *why)
{
    for (;;) {
        sched_collect();
        if (__atomic_load_n(&rt.signals, __ATOMIC_SEQ_CST))
            signal_wakes();
        if (rt.ready_count) {
            if (rt.family)
                turn_used();
            return;
        }
        bool has_world = sched_has_world();
        if (rt.play && has_world && !rt.outside_count) {
            if (peer_idle(t, rt.next_deadline != NEVER || rt.spinning_count)) {
                sched_look_at_fds();
                continue;
            }
            has_world = false; /* all that can come is played */
        }
        bool stays = rt.set.alone && !rt.input.exact && has_world && !rt.outside_count;
        if (stays && rt.next_deadline == NEVER && !rt.spinning_count && !rt.late)
            peer_end_run(t);
        check_limit(t, has_world);
        if (!has_world && rt.fd_count && !rt.input.exact)
            sched_look_at_fds();
        if (rt.ready_count)
            return;
        if (!has_world && !rt.spinning_count && !rt.timed_count && timer_only_kills())
            end_stuck(t);
        if (rt.family && turn_is_over()) {
            input_note(t, "family stuck");
            input_stuck(t);
            outcome_all_stuck();
        }
        bool has_time = rt.next_deadline != NEVER || rt.spinning_count;
        if (rt.family && !has_world && has_time && turn_yield(false))
            continue;
        if (rt.next_deadline != NEVER && !has_world && !is_clock_watched()) {
            if (t->state != THR_SPINNING)
                *why = WORD_VALUE(SWITCH, TIMEOUT);
            sched_expire_first();
        } else if (has_world && !rt.spinning_count) {
            if (!sched_outside_wait(NEVER)) {
                *why = WORD_VALUE(SWITCH, TIMEOUT);
                sched_expire_first();
            }
        } else if (rt.spinning_count) {
            struct thr *s = least_spun();
            CHECK(s);
            if (has_world)
                sched_outside_wait(SPIN_WAIT_NS);
            else if (s->spin_rounds > LIVELOCK_ROUNDS)
                outcome_livelock();
            sched_unspin(s);
        } else {
            end_stuck(t);
        }
    }
}

#ifdef HEDDLE_CHECKS
/* Who waits is in the queue once, and where only the lock's owner keeps it from going on it can
 * run exactly if there is none. */
static void wait_check(const struct thr *t)
{
    const struct obj *o = t->wait_obj;
    uint32_t found = 0, count = 0;
    for (const struct thr *w = o->first; w; w = w->wait_next) {
        CHECK(w->wait_obj == o && count < rt.live_count);
        CHECK(w->wait_next || w == o->last);
        found += w == t;
        count++;
    }
    CHECK(found == 1 && count == o->waiting);
    CHECK(o->owner == NO_ID || o->owner < rt.thread_count);
    if (t->wait_how == WAIT_MUTEX || t->wait_how == WAIT_SPIN || t->wait_how == WAIT_ONCE)
        CHECK((t->state == THR_READY) == can_have(o, t));
}

/* The lists are what the states say, and nobody has the token but who runs. */
static void sched_check(void)
{
    enum { CHECKED_MAX = 32 };
    uint32_t ready = 0, spinning = 0, outside = 0, running = 0, timed = 0, fds = 0, live = 0;
    if (rt.thread_count > CHECKED_MAX)
        return;
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        const struct thr *t = &rt.threads[i];
        ready += t->state == THR_READY;
        spinning += t->state == THR_SPINNING;
        outside += t->state == THR_OUTSIDE;
        running += t->state == THR_RUNNING;
        timed += sched_is_timed(t);
        live += t->state != THR_EXITED;
        fds += t->state != THR_EXITED && t->wait_how == WAIT_FD;
        if (t->wait_obj && t->state != THR_EXITED)
            wait_check(t);
        CHECK(t->id == i && (t->parent == NO_ID) == (i == 0));
        CHECK(t->parent == NO_ID || t->parent < i);
        CHECK(!t->then || t->wait_how == WAIT_COND);
        CHECK(t->in_step <= t->step && t->late_from <= rt.late_ns);
        CHECK(!t->wait_obj || t->state == THR_BLOCKED || t->state == THR_READY ||
              t->state == THR_EXITED); /* of the parent, in a forked child */
    }
    CHECK(ready == rt.ready_count && spinning == rt.spinning_count);
    CHECK(outside == rt.outside_count && timed == rt.timed_count && running == 1);
    CHECK(live - rt.live_count <= 1 && fds == rt.fd_count); /* the last one ends the process */
    CHECK(rt.running->state == THR_RUNNING && !rt.running->wait_obj);
    for (uint32_t i = 0; i < ready; i++)
        CHECK(rt.ready[i]->state == THR_READY);
    for (uint32_t i = 0; i < timed; i++)
        CHECK(sched_is_timed(rt.timed[i]) && rt.timed[i]->deadline >= rt.next_deadline);
}
#endif

/* The token goes from one to the other, on paper. */
static void enter(struct thr *from, struct thr *next, uint16_t why)
{
    CHECK(next && next->id < rt.thread_count);
    CHECK(next->state == THR_READY || next->state == THR_SPINNING);
    CHECK(from->step >= from->in_step);
    if (rt.input.exact)
        sched_serve_logged(from, from->step - 1);
    if (UNLIKELY(from->ended_count && from != next))
        frames_part(from);
    record_choice(from->step, next->id, why);
    if (rt.set.policy->chosen)
        rt.set.policy->chosen(from, next, why);
    if (next->state == THR_READY)
        ready_remove(next);
    else if (next->state == THR_SPINNING)
        rt.spinning_count--;
    next->state = THR_RUNNING; /* before those are let go who spin: it is none of them */
    queue_remove(next);
    timed_remove(next);
    rt.steps_past += from->step - from->in_step;
    from->left = rt.steps_past;
    if (from->last_write >= from->in_step)
        unspin_all(true);
    from->in_step = from->step;
    next->in_step = next->time_step = next->step;
    rt.running = next;
    CHECK_ALL(sched_check());
    next->ask = rt.set.policy->ask(next);
    sched_until(next);
}

static void pass(struct thr *next)
{
    CHECK(!next->go && next->state != THR_EXITED);
    CHECK(next == rt.running || rt.manage);
    __atomic_store_n(&next->go, 1, __ATOMIC_RELEASE);
    sys_futex_wake(&next->go);
}

/* Who has the token may have left by a system call in assembly, and nobody would go on. */
static void look_after(void)
{
    const struct thr *r = __atomic_load_n(&rt.running, __ATOMIC_ACQUIRE);
    if (r && r->tid && r->state == THR_RUNNING &&
        sys_call(SYS_tgkill, sys_getpid(), r->tid, 0, 0, 0, 0) == -ESRCH)
        outcome_unsupported("a thread that ends by a system call of its own");
}

static void park(struct thr *t)
{
    for (;;) {
        while (!__atomic_load_n(&t->go, __ATOMIC_ACQUIRE))
            if (sys_futex_wait(&t->go, 0, GONE_NS) == -ETIMEDOUT)
                look_after();
        t->go = 0;
        if (!rt.manage)
            return;
        rt.manage = false;
        uint16_t why = WORD_VALUE(SWITCH, OUTSIDE);
        struct thr *from = rt.last, *next = rt.set.policy->pick(from, &why);
        enter(from, next, why);
        if (next == t)
            return;
        pass(next);
    }
}

/* It has the token again. */
static void arrive(struct thr *t)
{
    CHECK(t == rt.running && t->state == THR_RUNNING);
    struct thr *dead = rt.dying;
    rt.dying = NULL;
    if (dead)
        thread_reap(dead);
    __heddle_here = t->here;
    __heddle_news = stretch_news(t);
}

static void leave_for(struct thr *t, struct thr *next, uint16_t why)
{
    t->here = __heddle_here;
    enter(t, next, why);
    if (next != t) {
        pass(next);
        park(t);
    }
    arrive(t);
}

static void give(struct thr *t, uint16_t why)
{
    struct thr *next = rt.set.policy->pick(t, &why);
    leave_for(t, next, why);
}

void sched_park_first(struct thr *t)
{
    park(t);
    arrive(t);
}

/* ---- what hooks ask for -------------------------------------------------------------- */

/* Time after time it has waited in vain: those that it waits for have to come before it. */
static void grows_tired(struct thr *t)
{
    if (++t->in_vain >= IN_VAIN_MAX && rt.set.policy->yields)
        rt.set.policy->yields(t);
}

/* It has given up a lock. Who tries again and again lets those have it that it keeps from what
 * it waits for in vain. */
void sched_let_have(struct thr *t)
{
    if (UNLIKELY(t->in_vain >= IN_VAIN_MAX))
        sched_yielded(t);
}

/* Returns when t runs again. The caller looks whether it has what it wanted. */
enum wake_how sched_block(struct thr *t, struct obj *o, enum wait_how how, uint64_t deadline)
{
    CHECK(t == rt.running && t->state == THR_RUNNING);
    CHECK(!t->wait_obj && how != WAIT_NONE);
    t->state = THR_BLOCKED;
    t->wait_how = how;
    t->wait_site = __heddle_here;
    t->woken = WAKE_NORMAL;
    t->woken_by = NO_EVENT;
    settle(t);
    if (o)
        queue_add(o, t);
    if (deadline != NEVER)
        timed_add(t, deadline);
    if (deadline <= rt.now_ns)
        sched_wake(t, WAKE_TIMEOUT);
    else if (UNLIKELY(t->signals & ~t->mask) && how != WAIT_BARRIER)
        signal_ends_wait(t); /* sent while it was on its way here */
    if (how == WAIT_FD)
        rt.fd_count++;
    give(t, how == WAIT_FD ? WORD_VALUE(SWITCH, OUTSIDE) : WORD_VALUE(SWITCH, BLOCKED));
    CHECK(t->state == THR_RUNNING && !t->wait_obj && !sched_is_timed(t));
    if (how == WAIT_FD)
        rt.fd_count--;
    t->wait_how = WAIT_NONE;
    CHECK(!t->then);
    enum wake_how woken = t->woken;
    if (UNLIKELY(woken == WAKE_SIGNAL))
        signal_deliver(t, SIGNAL_IN_WAIT);
    if (UNLIKELY(woken == WAKE_CANCEL) && !wait_is_cancellable(how))
        cancel_check(t); /* who called would wait again */
    if (UNLIKELY(woken == WAKE_TIMEOUT) && o)
        grows_tired(t);
    return woken;
}

enum wake_how sched_block_fds(struct thr *t, struct pollfd *fds, uint32_t count,
                              uint64_t deadline)
{
    t->wait_fds = fds;
    t->wait_fd_count = count;
    t->wait_test = NULL;
    return sched_block(t, NULL, WAIT_FD, deadline);
}

enum wake_how sched_block_test(struct thr *t, bool (*test)(struct thr *), const void *what,
                               const char *word, uint64_t deadline)
{
    t->wait_fd_count = 0;
    t->wait_test = test;
    t->wait_what = what;
    t->wait_word = word;
    return sched_block(t, NULL, WAIT_FD, deadline);
}

/* Is there anybody for whose end nobody has waited? Whether it has come must not matter: that
 * would be news that no event tells. */
static bool others_are_left(const struct thr *t)
{
    for (uint32_t i = 0; i < rt.thread_count; i++)
        if (&rt.threads[i] != t && (!rt.threads[i].joined || rt.threads[i].detached))
            return true;
    return false;
}

/* The process ends: others may run before it has. is_over: its handlers have run. */
void sched_before_end(struct thr *t, bool is_over)
{
    if (!others_are_left(t))
        return;
    if (rt.set.fair > END_STEPS)
        rt.set.fair = END_STEPS;
    if (!is_over && rt.set.policy->ends && rt.set.policy->ends()) {
        t->ask = t->step + 1;
        sched_until(t);
    }
    point(t);
}

void sched_yielded(struct thr *t)
{
    if (t->spin_step > t->step + WATCH_STEPS)
        t->spin_step = t->step + WATCH_STEPS;
    if (rt.set.policy->yields)
        rt.set.policy->yields(t);
    settle(t);
    sched_collect();
    sched_ready(t);
    uint16_t why = WORD_VALUE(SWITCH, YIELDED);
    struct thr *next = rt.set.policy->pick(t, &why);
    if (next != t) {
        leave_for(t, next, why);
        return;
    }
    ready_remove(t);
    t->state = THR_RUNNING;
    sched_until(t);
}

/* Until somebody has changed something, or nobody else can run. */
static void rest(struct thr *t)
{
    t->state = THR_SPINNING;
    rt.spinning_count++;
    if (rt.set.policy->yields)
        rt.set.policy->yields(t);
    uint16_t why = WORD_VALUE(SWITCH, YIELDED);
    struct thr *next = rt.set.policy->pick(t, &why);
    if (next == t) { /* nobody else can run: no switch */
        if (t->state == THR_READY)
            ready_remove(t);
        else
            rt.spinning_count--;
        t->state = THR_RUNNING;
        return;
    }
    leave_for(t, next, why);
}

static void spin(struct thr *t)
{
    t->spin_rounds++;
    rest(t);
}

/* It is no sign of a livelock: it may count its tries, and give up. */
void sched_tried(struct thr *t)
{
    settle(t);
    rest(t);
    sched_until(t);
}

/* A thread that makes no outside calls must not keep those from the world that wait for it. */
static void look_now_and_then(const struct thr *t)
{
    if (rt.input.exact) {
        sched_serve_logged(t, t->step - 1);
    } else if (rt.fd_count && (rt.signals || sched_steps() >= rt.sched.look_steps)) {
        rt.sched.look_steps = sched_steps() + LOOK_STEPS;
        sched_look_at_fds();
    }
}

/* So must a process not keep the others of its family from their turn. */
static void let_others_run(void)
{
    if (rt.family && !rt.input.exact && sched_steps() >= rt.turn_steps) {
        rt.is_at_point = true;
        turn_pause();
        rt.is_at_point = false;
        sched_look_at_fds();
    }
}

static bool has_run_long(const struct thr *t)
{
    return t->step - t->in_step >= rt.set.fair;
}

void sched_slow(struct thr *t, struct __heddle_site *site, uint64_t addr, uint64_t len,
                unsigned kind, unsigned how)
{
    CHECK(t == rt.running && !t->wait_obj && !sched_is_timed(t));
    if (UNLIKELY(rt.awaits_event))
        outcome_watch();
    t->at = (struct place){.site = site,
                           .addr = addr,
                           .len = len,
                           .kind = (uint8_t)kind,
                           .watch = how & POINT_IS_WATCHED,
                           .wait = (uint8_t)(how % POINT_IS_WATCHED),
                           .atomic = rt.weak.about};
    rt.weak.about = 0;
    if (UNLIKELY(t->at.wait != WAIT_NONE) && lock_is_new(&t->at))
        t->at.wait = WAIT_NONE;
    if (rt.set.steps && sched_steps() >= rt.set.steps) {
        __heddle_here = site ? site : __heddle_here;
        outcome_hang();
    }
    settle(t);
    if (UNLIKELY(rt.late || t->step >= t->limit_step)) {
        __heddle_here = site ? site : __heddle_here;
        input_limit(t, false);
        outcome_late();
    }
    uint64_t step = t->step;
    if ((rt.signals | t->signals) || t->step >= t->signal_step)
        signal_deliver(t, SIGNAL_AT_POINT);
    if (t->step != step)
        t->step++; /* what is chosen now is not chosen at the last step of a handler */
    look_now_and_then(t);
    let_others_run();
    if (t->cancel_pending && t->cancel_async)
        cancel_check(t);
    if ((t->watch_end || t->step >= t->spin_step) && is_spinning(t, &t->at)) {
        spin(t);
    } else if (t->step >= t->ask) {
        if (rt.spinning_count && t->last_write >= t->in_step && has_run_long(t))
            unspin_all(true); /* it may never leave: what it wrote may be what they wait for */
        struct thr *next = rt.set.policy->point(t);
        if (next != t) {
            sched_ready(t);
            leave_for(t, next, WORD_VALUE(SWITCH, PREEMPTED));
        } else {
            t->ask = rt.set.policy->ask(t);
        }
    }
    if (rt.set.policy->passes)
        rt.set.policy->passes(t);
    t->at.wait = WAIT_NONE;
    if (UNLIKELY(rt.stretch_pending))
        stretch_look(t);
    sched_until(t);
}

/* Returns if t is the last thread and goes on to the end of the process. Otherwise t has no
 * token any more and may only end. */
void sched_exit(struct thr *t)
{
    CHECK(t == rt.running && rt.live_count > 0 && !t->wait_obj);
    CHECK(!t->held && !sched_is_timed(t));
    settle(t);
    rt.live_count--;
    signal_give_back(t, ~0ULL);
    stir(t);
    if (t->joiner && t->joiner->wait_how == WAIT_JOIN) /* else it runs a handler meanwhile */
        sched_wake(t->joiner, WAKE_NORMAL);
    if (rt.live_count == 0)
        return;
    t->state = THR_EXITED;
    uint16_t why = WORD_VALUE(SWITCH, EXITED);
    struct thr *next = rt.set.policy->pick(t, &why);
    enter(t, next, why);
    rt.dying = t;
    self = NULL;
    pass(next);
}

/* ---- calls that wait for the world ------------------------------------------------------- */

static struct thr *any_parked(void)
{
    for (uint32_t i = 0; i < rt.thread_count; i++)
        if (rt.threads[i].state == THR_BLOCKED || rt.threads[i].state == THR_SPINNING)
            return &rt.threads[i];
    return NULL;
}

/* Everybody is outside: the first to come back takes the token. In a replay, the one that
 * did so in the record. */
static void set_free(struct thr *t)
{
    CHECK(t->state == THR_OUTSIDE && rt.outside_count > 0 && !rt.token_free);
    rt.last = t;
    rt.running = NULL;
    rt.sched.only = rt.plan_next < rt.plan_count ? rt.plan[rt.plan_next].thr : NO_ID;
    if (rt.family)
        turn_out();
    __atomic_store_n(&rt.token_free, 1, __ATOMIC_SEQ_CST);
}

static bool take_free(struct thr *t)
{
    uint32_t one = 1;
    if (!__atomic_load_n(&rt.token_free, __ATOMIC_SEQ_CST))
        return false;
    if (rt.sched.only != NO_ID && rt.sched.only != t->id)
        return false;
    return __atomic_compare_exchange_n(&rt.token_free, &one, 0, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

/* Between setting it free and now, somebody may have come back and missed it. */
static void set_free_check(struct thr *t)
{
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        struct thr *r = &rt.threads[i];
        if (r == t || r->state != THR_OUTSIDE ||
            !__atomic_load_n(&r->returned, __ATOMIC_SEQ_CST) || !take_free(r))
            continue;
        if (rt.family)
            turn_in();
        sched_collect();
        enter(rt.last, r, WORD_VALUE(SWITCH, OUTSIDE));
        pass(r);
        return;
    }
}

/* Whether a call waited in the record is part of the record. */
bool sched_goes_outside(const struct thr *t, bool would_wait)
{
    if (rt.plan_next >= rt.plan_count)
        return would_wait || input_limit_idle(t) || input_is_stuck(t);
    const struct choice *c = &rt.plan[rt.plan_next];
    return c->step == t->step && c->why != WORD_VALUE(SWITCH, PREEMPTED);
}

bool sched_follows(void)
{
    return rt.plan_next < rt.plan_count;
}

void sched_outside_begin(struct thr *t)
{
    if (rt.input.exact && sched_goes_outside(t, false))
        sched_block_fds(t, NULL, 0, NEVER);
    if (rt.family && rt.live_count == 1)
        turn_out();
    if (rt.input.exact || rt.live_count == 1)
        return;
    settle(t);
    sched_collect();
    t->here = __heddle_here;
    __atomic_store_n(&t->returned, 0, __ATOMIC_SEQ_CST);
    t->state = THR_OUTSIDE;
    rt.outside_count++;
    bool can_choose = rt.ready_count;
    uint16_t why = WORD_VALUE(SWITCH, OUTSIDE);
    if (rt.plan_next < rt.plan_count) /* the replay knows; it must not wait here */
        can_choose = rt.plan[rt.plan_next].thr < rt.thread_count &&
                     rt.threads[rt.plan[rt.plan_next].thr].state == THR_READY;
    struct thr *manager = can_choose ? NULL : any_parked();
    if (can_choose) {
        struct thr *next = rt.set.policy->pick(t, &why);
        enter(t, next, why);
        pass(next);
    } else if (manager) {
        rt.last = t;
        rt.manage = true;
        pass(manager);
    } else {
        set_free(t);
        set_free_check(t);
    }
}

void sched_outside_end(struct thr *t)
{
    if (t->state != THR_OUTSIDE) { /* was alone */
        if (rt.family && !rt.input.exact)
            turn_in();
        return;
    }
    __atomic_store_n(&t->returned, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&rt.returns, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&rt.idle, __ATOMIC_SEQ_CST))
        sys_futex_wake(&rt.returns);
    if (take_free(t)) {
        if (rt.family)
            turn_in();
        sched_collect();
        enter(rt.last, t, WORD_VALUE(SWITCH, OUTSIDE));
    } else {
        park(t);
    }
    arrive(t);
}

/* ---- start --------------------------------------------------------------------------- */

struct thr *sched_new_thread(struct thr *parent)
{
    if (rt.thread_count >= THREADS_MAX)
        outcome_unsupported("more than 65535 threads");
    if (rt.live_count >= LIVE_MAX)
        outcome_unsupported("more than 8192 threads at a time");
    struct thr *t = &rt.threads[rt.thread_count];
    CHECK(rt.live_count <= rt.thread_count && (!parent || parent == rt.running));
    *t = (struct thr){.id = rt.thread_count,
                      .parent = parent ? parent->id : NO_ID,
                      .spawn = parent ? parent->spawned : 0,
                      .deadline = NEVER,
                      .signal_step = NEVER,
                      .signal_wait = NEVER,
                      .woken_by = NO_EVENT,
                      .spin_step = SPIN_STEPS,
                      .learnt = true,
                      .slot = slot_get()};
    t->frames = (struct __heddle_site **)(void *)(rt.slots + (uint64_t)t->slot * SLOT_BYTES);
    t->lows = (uint64_t *)(void *)((uint8_t *)(void *)t->frames + SLOT_FRAMES_BYTES +
                                   SLOT_SIGNAL_BYTES);
    rt.thread_count++;
    rt.live_count++;
    chance_born(t);
    t->limit_step = input_next_limit(t);
    signal_due(t);
    if (rt.set.policy->born)
        rt.set.policy->born(t);
    return t;
}

void sched_start(void)
{
    rt.now_ns = TIME_START_NS;
    rt.next_deadline = NEVER;
    rt.sched.only = NO_ID;
    rt.random = rt.set.seed * 0x9e3779b97f4a7c15ULL + 0x1234567;
    rt.set.policy->start();
    struct thr *t = sched_new_thread(NULL);
    t->is_main = true;
    t->state = THR_RUNNING;
    rt.running = t;
    record_choice(schedule_start(rt.set.step_ns == 0, rt.set.delay_ns), 0,
                  WORD_VALUE(SWITCH, START));
    weak_start(t);
    if (rt.set.policy->chosen)
        rt.set.policy->chosen(t, t, WORD_VALUE(SWITCH, START));
    t->ask = rt.set.policy->ask(t);
    sched_until(t);
}

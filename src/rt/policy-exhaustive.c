/* SPDX-License-Identifier: Apache-2.0
 *
 * policy exhaustive: one run of many, all of which the host plans (src/explore). Every point
 * is a choice; the plan's choices come first, then the same thread goes on as long as it can.
 * Each choice is logged with everybody who could have been chosen.
 *
 * Whoever would only start to wait cannot be chosen, so that taking a lock is one step. Time
 * does not pass with steps: a wait for a limited time may end whenever somebody could run. */
#include "rt/rt.h"
#include "rt/know.h"
#include "rt/sys.h"
#include "heddle/points.h"
#include "heddle/weak.h"

#include <fcntl.h>
#include <sys/mman.h>

enum { WINDOW_LOG = 11, WINDOW_PICKS = 12, LOG_BYTES = 48 << 20 };

/* ---- who can be chosen --------------------------------------------------------------- */

static bool can_go(const struct thr *t)
{
    return (t->state == THR_READY || t->state == THR_RUNNING) && !sched_would_wait(t);
}

/* ---- the log ------------------------------------------------------------------------- */

static uint32_t *options_at(struct point_record *r)
{
    return (uint32_t *)(void *)(r + 1);
}

static void commit(struct point_record *r)
{
    struct points_head *head = rt.exhaustive.points;
    head->left_out |= rt.weak.left_out || know_is_full();
    uint64_t bytes = sizeof *r + (r->option_count * sizeof(uint32_t) + 7) / 8 * 8;
    CHECK((uint64_t)((char *)r - (char *)head) == head->used_bytes);
    CHECK(head->used_bytes + bytes <= LOG_BYTES);
    __atomic_store_n(&head->used_bytes, head->used_bytes + bytes, __ATOMIC_RELEASE);
}

static struct point_record *next_record(uint32_t options)
{
    struct points_head *head = rt.exhaustive.points;
    CHECK(options <= UINT16_MAX && head->used_bytes % 8 == 0);
    struct point_record *r = (void *)((char *)head + head->used_bytes);
    if (head->used_bytes + sizeof *r + options * sizeof(uint32_t) + 8 > LOG_BYTES) {
        head->full = 1;
        outcome_unsupported("exhaustive exploration of a run with so many steps");
    }
    *r = (struct point_record){.event = record_next()};
    return r;
}

static struct point_record *log_options(const struct thr *t)
{
    struct point_record *r = next_record(rt.thread_count);
    r->from = t->id;
    if (t->state == THR_RUNNING) {
        r->flags |= POINT_AT;
        r->addr = t->at.addr;
        r->len = t->at.len;
        r->from_kind = t->at.kind;
        r->flags |= (uint16_t)(t->at.watch ? POINT_WATCH : 0);
        r->flags |= (uint16_t)(t->at.wait ? POINT_WAITS : 0);
    } else if (t->state == THR_BLOCKED && sched_is_timed(t)) {
        r->flags |= POINT_TIMED;
    }
    for (uint32_t i = 0; i < rt.thread_count; i++)
        if (can_go(&rt.threads[i]) || can_expire(&rt.threads[i]))
            options_at(r)[r->option_count++] = i;
    return r;
}

/* ---- choosing ------------------------------------------------------------------------ */

static bool is_planned(void)
{
    return rt.exhaustive.pick_next < rt.exhaustive.pick_count;
}

static uint32_t take_pick(void)
{
    CHECK(rt.exhaustive.pick_next < rt.exhaustive.pick_count);
    uint32_t id = rt.exhaustive.picks[rt.exhaustive.pick_next++];
    if (rt.exhaustive.pick_next == rt.exhaustive.pick_count)
        for (uint32_t i = 0; i < rt.exhaustive.sleep_count; i++)
            if (rt.exhaustive.picks[rt.exhaustive.pick_count + i] < rt.thread_count)
                rt.threads[rt.exhaustive.picks[rt.exhaustive.pick_count + i]].asleep = true;
    return id;
}

static struct thr *planned(void)
{
    uint32_t id = take_pick();
    struct thr *next = id < rt.thread_count ? &rt.threads[id] : NULL;
    if (next && (can_go(next) || can_expire(next)))
        return next;
    outcome_diverged("the program did something else than in the run before");
}

/* Where atomics are weak, what comes behind a store has all the choices that it has before it,
 * and behind a read-modify-write, if it is a load. */
static int leaves_choices(const struct thr *t)
{
    if (rt.set.weak != WEAK_C11)
        return 0;
    return t->at.atomic == HEDDLE_ATOMIC_STORE ? 2 : t->at.atomic >= HEDDLE_ATOMIC_RMW ? 1 : 0;
}

/* Who is awake before who sleeps, who can run before who would have to time out, the running
 * thread before others. Null: nobody can be chosen. */
static struct thr *unplanned(struct thr *t)
{
    struct thr *best = NULL;
    int rank = 0;
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        struct thr *o = &rt.threads[i];
        bool goes = can_go(o);
        if (!goes && !can_expire(o))
            continue;
        int r = 1 + (o == t) + 2 * leaves_choices(o) + 8 * goes + 16 * !o->asleep;
        if (r > rank) {
            rank = r;
            best = o;
        }
    }
    return best;
}

#ifdef HEDDLE_CHECKS
static bool is_option(struct point_record *r, uint32_t id)
{
    for (uint32_t i = 0; i < r->option_count; i++)
        if (options_at(r)[i] == id)
            return true;
    return false;
}
#endif

static struct thr *choose(struct thr *t)
{
    struct point_record *r = log_options(t);
    struct thr *next = is_planned() ? planned() : unplanned(t);
    if (!next)
        return NULL;
    CHECK_ALL(CHECK(is_option(r, next->id)));
    r->thr = next->id;
    if (can_expire(next)) {
        r->flags |= POINT_TIMEOUT;
        sched_expire(next);
    }
    commit(r);
    return next;
}

static uint64_t exhaustive_ask(struct thr *t)
{
    return t->step + 1;
}

static struct thr *exhaustive_point(struct thr *t)
{
    sched_collect();
    struct thr *next = choose(t);
    if (next)
        return next;
    struct point_record *r = log_options(t);
    r->thr = t->id;
    commit(r);
    return t; /* it will wait, and then somebody finds that nobody can run */
}

static struct thr *exhaustive_pick(struct thr *t, uint16_t *why)
{
    sched_collect();
    struct thr *next = choose(t);
    if (next)
        return next;
    next = policy_fifo.pick(t, why);
    struct point_record *r = log_options(t);
    r->thr = next->id;
    commit(r);
    return next;
}

static struct thr *exhaustive_waiter(struct obj *o)
{
    struct thr *w = o->first;
    struct point_record *r = next_record(rt.thread_count);
    r->flags = POINT_CHOICE;
    for (struct thr *i = o->first; i; i = i->wait_next)
        options_at(r)[r->option_count++] = i->id;
    if (is_planned()) {
        uint32_t id = take_pick();
        while (w && w->id != id)
            w = w->wait_next;
        if (!w)
            outcome_diverged("the signal finds other threads than in the run before");
    }
    CHECK(r->option_count == o->waiting);
    r->thr = w->id;
    commit(r);
    return w;
}

static uint32_t exhaustive_weak(struct thr *t, uint32_t count, struct __heddle_site *site)
{
    struct point_record *r = next_record(count);
    (void)t;
    (void)site;
    r->flags = POINT_CHOICE | POINT_WEAK;
    for (uint32_t i = 0; i < count; i++)
        options_at(r)[r->option_count++] = i;
    r->thr = is_planned() ? take_pick() : 0;
    if (r->thr >= count)
        outcome_diverged("an atomic access has fewer choices than in the run before");
    commit(r);
    return r->thr;
}

/* What t does first leaves out nothing of what it would do. */
static bool stays_asleep(const struct thr *sleeper, const struct thr *t)
{
    return rt.set.weak == WEAK_C11 && t->at.atomic &&
           (sleeper->at.atomic == HEDDLE_ATOMIC_STORE ||
            (sleeper->at.atomic && t->at.atomic == HEDDLE_ATOMIC_LOAD));
}

/* Wakes those who are about to do what conflicts with this. The host looks again, and more
 * closely; here it only saves runs. */
static void exhaustive_passes(struct thr *t)
{
    for (uint32_t i = 0; i < rt.thread_count; i++)
        if (rt.threads[i].asleep && place_conflict(&t->at, &rt.threads[i].at) &&
            !stays_asleep(&rt.threads[i], t))
            rt.threads[i].asleep = false;
}

/* ---- start --------------------------------------------------------------------------- */

static void start_log(void)
{
    char path[PATH_BYTES + 32];
    struct text text = {path, 0, sizeof path};
    text_put(&text, rt.set.dir);
    text_put(&text, "/points");
    int fd = sys_open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    struct points_head *head = NULL;
    if (fd >= 0 && sys_truncate(fd, LOG_BYTES) >= 0)
        head = sys_map(memory_window(WINDOW_LOG), LOG_BYTES, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    if (!head)
        outcome_diverged("cannot write the log of choices");
    sys_close(fd);
    head->clock = (uint64_t)(uintptr_t)&rt;
    head->weak = rt.set.weak;
    head->used_bytes = sizeof *head;
    head->magic = POINTS_MAGIC;
    rt.exhaustive.points = head;
}

static void exhaustive_start(void)
{
    rt.set.step_ns = 0;
    start_log();
    if (!rt.set.schedule[0])
        return;
    uint64_t bytes = 0;
    const struct points_plan *plan = memory_file(rt.set.schedule, WINDOW_PICKS, &bytes);
    if (!plan || bytes < sizeof *plan || plan->magic != POINTS_MAGIC ||
        (bytes - sizeof *plan) / sizeof *rt.exhaustive.picks <
            (uint64_t)plan->pick_count + plan->sleep_count)
        outcome_diverged("cannot read the plan");
    rt.exhaustive.picks = (const uint32_t *)(const void *)(plan + 1);
    rt.exhaustive.pick_count = plan->pick_count;
    rt.exhaustive.sleep_count = plan->sleep_count;
}

const struct policy policy_exhaustive = {
    .start = exhaustive_start,
    .ask = exhaustive_ask,
    .point = exhaustive_point,
    .pick = exhaustive_pick,
    .waiter = exhaustive_waiter,
    .passes = exhaustive_passes,
    .weak = exhaustive_weak,
};

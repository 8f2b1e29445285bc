/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-sem: semaphores. Their value stays in the target's own object, so that those that other
 * processes use are right too; only the waiting is ours. Where another process may post, what a
 * call finds is input: logged, and pinned like a message. */
#include "rt/rt.h"
#include "rt/real.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

enum { CLASS_SEM_ = WORD_VALUE(CLASS, SEM) };

static uint64_t value_of(sem_t *s)
{
    int value = 0;
    real.sem_getvalue(s, &value);
    return (uint64_t)value;
}

static int fail(struct thr *t, sem_t *s, unsigned kind, unsigned flags, int error,
                struct __heddle_site *site)
{
    t->learnt = true;
    record_sync(t, kind, s, flags, (uint64_t)error, site);
    errno = error;
    return -1;
}

/* Do other processes know it? */
static bool is_world(const struct obj *o)
{
    return o->is_shared && (rt.has_children || o->is_foreign);
}

static bool is_posted(struct thr *t)
{
    return value_of((sem_t *)(uintptr_t)t->wait_what) > 0;
}

/* 0: another attempt may be good. Else an error. */
static int await_post(struct thr *t, sem_t *s, uint64_t deadline)
{
    while (sched_goes_outside(t, !rt.input.exact && value_of(s) == 0)) {
        t->interrupted = false;
        enum wake_how how = sched_block_test(t, is_posted, s, "a semaphore", deadline);
        if (how == WAKE_CANCEL)
            cancel_check(t);
        if (how == WAKE_TIMEOUT && !rt.input.exact)
            return ETIMEDOUT;
        if (how == WAKE_SIGNAL && t->interrupted)
            return EINTR;
    }
    return 0;
}

static int take_of_world(struct thr *t, sem_t *s, unsigned flags, uint64_t deadline)
{
    struct call c = call_inside(t, "sem_wait");
    int e = 0;
    do {
        if (!(flags & FLAG(TRY)))
            e = await_post(t, s, deadline);
        if (!call_live(&c))
            break;
        CALL_MADE(c, e ? -1 : real.sem_trywait(s));
        c.error = e ? e : c.error;
    } while (c.result < 0 && c.error == EAGAIN && !(flags & FLAG(TRY)));
    semaphore_told(&c);
    return (int)call_end(&c);
}

static int take(struct thr *t, sem_t *s, unsigned flags, uint64_t deadline)
{
    struct __heddle_site *site = __heddle_here;
    struct obj *o = obj_get(s, CLASS_SEM_);
    if (UNLIKELY(is_world(o)))
        return take_of_world(t, s, flags, deadline);
    if (!(flags & FLAG(TRY)))
        record_held(t, EV_REQUEST, s, flags, 0, site);
    while (real.sem_trywait(s) != 0) {
        if (flags & FLAG(TRY))
            return fail(t, s, EV_REFUSED, flags, EAGAIN, site);
        t->interrupted = false;
        enum wake_how how = sched_block(t, o, WAIT_SEM, deadline);
        if (how == WAKE_CANCEL)
            cancel_check(t);
        if (how == WAKE_TIMEOUT)
            return fail(t, s, EV_TIMEOUT, flags, ETIMEDOUT, site);
        if (how == WAKE_SIGNAL && t->interrupted) {
            errno = EINTR;
            return -1;
        }
        o = obj_get(s, CLASS_SEM_);
    }
    stir(t);
    t->learnt = true;
    record_sync(t, EV_SEM_WAIT, s, flags, value_of(s), site);
    if (o->first)
        sched_changed(o);
    return 0;
}

EXPORT int sem_init(sem_t *s, int shared, unsigned value)
{
    struct thr *t = self;
    if (t)
        point_on(t, s);
    int e = real.sem_init(s, shared, value);
    if (t && e)
        record_mark(t, WORD_VALUE(MARK, INVALID), s, __heddle_here);
    if (!t || e)
        return e;
    struct obj *o = obj_get(s, CLASS_SEM_);
    obj_reset(o);
    o->is_shared = shared;
    record_class(t, EV_INIT, s, CLASS_SEM_, __heddle_here);
    if (value && rt.recording) /* what it starts with counts as posted by its maker */
        record_sync(t, EV_SEM_POST, s, 0, value, __heddle_here);
    return 0;
}

EXPORT int sem_destroy(sem_t *s)
{
    struct thr *t = self;
    if (!t)
        return real.sem_destroy(s);
    point_on(t, s);
    struct obj *o = obj_get(s, CLASS_SEM_);
    if (o->first && !is_world(o))
        record_mark(t, WORD_VALUE(MARK, DESTROY_AWAITED), s, __heddle_here);
    stir(t);
    obj_drop(o);
    record_class(t, EV_DESTROY, s, CLASS_SEM_, __heddle_here);
    return 0;
}

EXPORT int sem_wait(sem_t *s)
{
    struct thr *t = self;
    if (!t)
        return real.sem_wait(s);
    point_wait(t, s, WAIT_SEM);
    cancel_check(t);
    return take(t, s, 0, NEVER);
}

EXPORT int sem_trywait(sem_t *s)
{
    struct thr *t = self;
    if (!t)
        return real.sem_trywait(s);
    point_at(t, s, __heddle_here);
    return take(t, s, FLAG(TRY), NEVER);
}

/* A clock or a time that is none is refused also where nobody has to wait. */
static int take_until(struct thr *t, sem_t *s, clockid_t clock, const struct timespec *when)
{
    uint64_t deadline = time_deadline(clock, when);
    if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) || deadline == 0) {
        record_mark(t, WORD_VALUE(MARK, INVALID), s, __heddle_here);
        errno = EINVAL;
        return -1;
    }
    point_on(t, s);
    cancel_check(t);
    return take(t, s, FLAG(TIMED), deadline);
}

EXPORT int sem_timedwait(sem_t *restrict s, const struct timespec *restrict when)
{
    struct thr *t = self;
    if (!t)
        return real.sem_timedwait(s, when);
    return take_until(t, s, CLOCK_REALTIME, when);
}

EXPORT int sem_clockwait(sem_t *restrict s, clockid_t clock,
                         const struct timespec *restrict when)
{
    struct thr *t = self;
    if (!t)
        return real.sem_clockwait(s, clock, when);
    return take_until(t, s, clock, when);
}

static int post_to_world(struct thr *t, sem_t *s)
{
    struct call c = call_inside(t, "sem_post");
    if (call_live(&c))
        CALL_MADE(c, real.sem_post(s));
    else if (c.result == 0) /* for those of us who wait since no other process knew it */
        real.sem_post(s);
    semaphore_told(&c);
    return (int)call_end(&c);
}

EXPORT int sem_post(sem_t *s)
{
    struct thr *t = self;
    if (!t)
        return real.sem_post(s);
    point_on(t, s);
    struct obj *o = obj_get(s, CLASS_SEM_);
    bool world = is_world(o), full = !world && value_of(s) == SEM_VALUE_MAX;
    if (!world && !full) /* before it is done: in memory that has ended it may be the end */
        record_sync(t, EV_SEM_POST, s, 0, value_of(s) + 1, __heddle_here);
    int e = world ? post_to_world(t, s) : real.sem_post(s);
    if (e)
        return e;
    stir(t);
    if (o->first)
        sched_changed(o);
    return 0;
}

EXPORT int sem_getvalue(sem_t *restrict s, int *restrict value)
{
    struct thr *t = self;
    if (!t)
        return real.sem_getvalue(s, value);
    point_at(t, s, __heddle_here);
    t->learnt = true;
    if (!is_world(obj_get(s, CLASS_SEM_)))
        return real.sem_getvalue(s, value);
    struct call c = call_inside(t, "sem_getvalue");
    if (call_live(&c))
        CALL_MADE(c, real.sem_getvalue(s, value));
    call_fills(&c, value, c.result == 0 ? (int64_t)sizeof *value : 0);
    semaphore_told(&c);
    return (int)call_end(&c);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-sem: semaphores. Their value stays in the target's own object, so that named ones that
 * other processes use are right too; only the waiting is ours. */
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

static int take(struct thr *t, sem_t *s, unsigned flags, uint64_t deadline)
{
    struct __heddle_site *site = __heddle_here;
    struct obj *o = obj_get(s, CLASS_SEM_);
    if (!(flags & FLAG(TRY)))
        record_held(t, EV_REQUEST, s, flags, 0, site);
    while (real.sem_trywait(s) != 0) {
        if (flags & FLAG(TRY))
            return fail(t, s, EV_REFUSED, flags, EAGAIN, site);
        if (deadline == 0)
            return fail(t, s, EV_REFUSED, flags, EINVAL, site);
        enum wake_how how = sched_block(t, o, WAIT_SEM, deadline);
        if (how == WAKE_CANCEL)
            cancel_check(t);
        if (how == WAKE_TIMEOUT)
            return fail(t, s, EV_TIMEOUT, flags, ETIMEDOUT, site);
        if (how == WAKE_SIGNAL) {
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
    int e = real.sem_init(s, shared, value);
    if (!t || e)
        return e;
    t->step++;
    obj_reset(obj_get(s, CLASS_SEM_));
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
    stir(t);
    obj_drop(obj_get(s, CLASS_SEM_));
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

EXPORT int sem_timedwait(sem_t *restrict s, const struct timespec *restrict when)
{
    struct thr *t = self;
    if (!t)
        return real.sem_timedwait(s, when);
    point_on(t, s);
    cancel_check(t);
    return take(t, s, FLAG(TIMED), time_deadline(CLOCK_REALTIME, when));
}

EXPORT int sem_clockwait(sem_t *restrict s, clockid_t clock,
                         const struct timespec *restrict when)
{
    struct thr *t = self;
    if (!t)
        return real.sem_clockwait(s, clock, when);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) {
        errno = EINVAL;
        return -1;
    }
    point_on(t, s);
    cancel_check(t);
    return take(t, s, FLAG(TIMED), time_deadline(clock, when));
}

EXPORT int sem_post(sem_t *s)
{
    struct thr *t = self;
    if (!t)
        return real.sem_post(s);
    point_on(t, s);
    int e = real.sem_post(s);
    if (e)
        return e;
    stir(t);
    struct obj *o = obj_get(s, CLASS_SEM_);
    record_sync(t, EV_SEM_POST, s, 0, value_of(s), __heddle_here);
    if (o->first)
        sched_changed(o);
    return 0;
}

EXPORT int sem_getvalue(sem_t *restrict s, int *restrict value)
{
    struct thr *t = self;
    if (t) {
        point_at(t, s, __heddle_here);
        t->learnt = true;
    }
    return real.sem_getvalue(s, value);
}

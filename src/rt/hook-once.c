/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-once: what is done once, by whoever comes first: pthread_once, and the guards of local
 * static objects in C++. Who comes meanwhile waits until it is done, or tries again. */
#include "rt/rt.h"
#include "rt/real.h"

enum { CLASS_ONCE_ = WORD_VALUE(CLASS, ONCE), ONCE_DONE = 2 /* as in glibc */ };

/* True: it is done. False: the caller is the one who does it now. */
static bool once_passes(struct thr *t, void *what, bool (*is_done)(const void *),
                        struct __heddle_site *site)
{
    point_wait(t, what, WAIT_ONCE);
    struct obj *o = obj_get(what, CLASS_ONCE_);
    if (!is_done(what) && o->owner != NO_ID)
        record_held(t, EV_REQUEST, what, 0, 0, site);
    while (!is_done(what) && o->owner != NO_ID) {
        sched_block(t, o, WAIT_ONCE, NEVER);
        o = obj_get(what, CLASS_ONCE_);
    }
    if (is_done(what)) {
        record_sync(t, EV_ONCE_PASS, what, 0, 0, site);
        return true;
    }
    o->owner = t->id;
    o->since = site;
    if (o->first)
        sched_changed(o);
    stir(t);
    record_sync(t, EV_ONCE_ENTER, what, 0, 0, site);
    return false;
}

static void once_left(struct thr *t, void *what, bool done, struct __heddle_site *site)
{
    struct obj *o = obj_get(what, CLASS_ONCE_);
    record_sync(t, EV_ONCE_LEAVE, what, done ? 0 : FLAG(FAILED), 0, site);
    o->owner = NO_ID;
    stir(t);
    if (o->first)
        sched_changed(o);
}

/* ---- pthread_once ---------------------------------------------------------------------- */

struct once_run {
    pthread_once_t *control;
    struct thr *thr;
    struct __heddle_site *site;
    bool done;
};

/* Also if the routine threw, or its thread was cancelled in it: the next one tries again. */
static void once_end(struct once_run *run)
{
    run->thr->step++;
    *run->control = run->done ? ONCE_DONE : 0;
    once_left(run->thr, run->control, run->done, run->site);
}

static bool control_is_done(const void *control)
{
    return *(const volatile pthread_once_t *)control == ONCE_DONE;
}

int once_call(struct thr *t, pthread_once_t *control, void (*routine)(void))
{
    struct __heddle_site *site = __heddle_here;
    if (once_passes(t, control, control_is_done, site))
        return 0;
    __attribute__((cleanup(once_end))) struct once_run run = {control, t, site, false};
    routine();
    run.done = true;
    return 0;
}

EXPORT int pthread_once(pthread_once_t *control, void (*routine)(void))
{
    struct thr *t = self;
    if (!t)
        return real.pthread_once(control, routine);
    return once_call(t, control, routine);
}

/* ---- guards of local static objects ------------------------------------------------------- *
 * The first byte says that the object is there: compiled code looks at it before it calls. */

int __cxa_guard_acquire(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard);

static bool guard_is_done(const void *guard)
{
    return *(const volatile uint8_t *)guard;
}

EXPORT int __cxa_guard_acquire(uint64_t *guard)
{
    struct thr *t = self;
    if (!t)
        return real.cxa_guard_acquire(guard);
    struct __heddle_site *site = __heddle_here;
    return !once_passes(t, guard, guard_is_done, site);
}

static void guard_end(struct thr *t, uint64_t *guard, bool done)
{
    point(t);
    if (UNLIKELY(rt.weak.on) && done)
        weak_before(t, guard,
                    1 | HEDDLE_ATOMIC_STORE << HEDDLE_ATOMIC_KIND_SHIFT |
                        WORD_VALUE(ORDER, RELEASE) << HEDDLE_ATOMIC_ORDER_SHIFT,
                    0, __heddle_here ? __heddle_here : &rt.nowhere);
    *(volatile uint8_t *)guard = done;
    stir(t);
    if (done) /* compiled code looks at the byte without calling us */
        __heddle_atomic_store(guard, 1, 1, WORD_VALUE(ORDER, RELEASE), __heddle_here);
    once_left(t, guard, done, __heddle_here);
}

EXPORT void __cxa_guard_release(uint64_t *guard)
{
    struct thr *t = self;
    if (t)
        guard_end(t, guard, true);
    else
        real.cxa_guard_release(guard);
}

EXPORT void __cxa_guard_abort(uint64_t *guard)
{
    struct thr *t = self;
    if (t)
        guard_end(t, guard, false);
    else
        real.cxa_guard_abort(guard);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-pthread: threads, conditions, barriers. Mutexes and their kin are next door. */
#include "rt/rt.h"
#include "rt/real.h"

#include <errno.h>

/* ---- threads ------------------------------------------------------------------------- */

EXPORT int pthread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *),
                          void *arg)
{
    if (!self)
        return real.pthread_create(handle, attr, start, arg);
    refuse_thread(start);
    return thread_create(handle, attr, start, arg, false);
}

/* What a forked child has inherited is not judged. */
static int no_thread(struct thr *t, pthread_t handle, int error)
{
    if (!*rt.process)
        record_mark(t, WORD_VALUE(MARK, THREAD_GONE), (void *)handle, __heddle_here);
    return error;
}

/* The thread has ended: take its result, and let libc have its stack back. */
static int join_ended(struct thr *t, struct thr *peer, void **result,
                      struct __heddle_site *site)
{
    CHECK(peer->state == THR_EXITED && !peer->joined);
    t->learnt = true;
    int e = real.pthread_join(peer->handle, result);
    peer->joined = true;
    shadow_join(t, peer);
    if (UNLIKELY(rt.weak.on))
        weak_joined(t, peer);
    record_peer(t, EV_JOIN, peer->id, site);
    return e;
}

int join_thread(struct thr *t, pthread_t handle, void **result, unsigned flags,
                uint64_t deadline)
{
    struct __heddle_site *site = __heddle_here;
    struct thr *peer = thread_find(handle);
    if (!peer)
        return no_thread(t, handle, ESRCH);
    if ((flags & FLAG(TRY)) && peer->state != THR_EXITED) { /* whoever it is */
        t->learnt = true;
        return EBUSY;
    }
    if (peer->detached)
        return no_thread(t, handle, EINVAL);
    if (peer == t || (t->joiner == peer && peer->wait_how == WAIT_JOIN))
        return EDEADLK;
    if (peer->joiner && peer->joiner != t)
        return EINVAL;
    if (peer->state == THR_EXITED)
        return join_ended(t, peer, result, site);
    if (deadline == 0)
        return EINVAL;
    peer->joiner = t;
    enum wake_how how;
    do
        how = sched_block(t, NULL, WAIT_JOIN, deadline);
    while (peer->state != THR_EXITED && how != WAKE_TIMEOUT && how != WAKE_CANCEL);
    CHECK(peer->joiner == t);
    peer->joiner = NULL;
    if (how == WAKE_CANCEL)
        cancel_check(t);
    if (how == WAKE_TIMEOUT) {
        t->learnt = true;
        return ETIMEDOUT;
    }
    return join_ended(t, peer, result, site);
}

EXPORT int pthread_join(pthread_t handle, void **result)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_join(handle, result);
    point_wait(t, (void *)handle, WAIT_JOIN);
    cancel_check(t);
    return join_thread(t, handle, result, 0, NEVER);
}

EXPORT int pthread_tryjoin_np(pthread_t handle, void **result)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_tryjoin_np(handle, result);
    point_at(t, (void *)handle, __heddle_here);
    return join_thread(t, handle, result, FLAG(TRY), NEVER);
}

EXPORT int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *when)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_timedjoin_np(handle, result, when);
    point(t);
    cancel_check(t);
    return join_thread(t, handle, result, FLAG(TIMED),
                       when ? time_deadline(CLOCK_REALTIME, when) : NEVER);
}

EXPORT int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock,
                                const struct timespec *when)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_clockjoin_np(handle, result, clock, when);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    point(t);
    cancel_check(t);
    return join_thread(t, handle, result, FLAG(TIMED),
                       when ? time_deadline(clock, when) : NEVER);
}

EXPORT int pthread_detach(pthread_t handle)
{
    struct thr *t = self, *peer;
    if (!t)
        return real.pthread_detach(handle);
    point(t);
    peer = thread_find(handle);
    if (!peer)
        return no_thread(t, handle, ESRCH);
    if (peer->detached)
        return no_thread(t, handle, EINVAL);
    record_peer(t, EV_DETACH, peer->id, __heddle_here);
    if (peer->joiner) /* as in glibc: who waits for its end has it */
        return 0;
    peer->detached = true;
    if (peer->state == THR_EXITED && !peer->is_main) {
        real.pthread_join(peer->handle, NULL);
        peer->joined = true;
    }
    return 0;
}

EXPORT void pthread_exit(void *result)
{
    struct thr *t = self;
    if (t) {
        point(t);
        t->cancel_off = true;
    }
    real.pthread_exit(result);
    __builtin_unreachable();
}

/* ---- cancellation -------------------------------------------------------------------- */

EXPORT int pthread_cancel(pthread_t handle)
{
    struct thr *t = self, *peer;
    if (!t)
        return real.pthread_cancel(handle);
    point(t);
    peer = thread_find(handle);
    if (!peer)
        return ESRCH;
    stir(t);
    record_peer(t, EV_CANCEL, peer->id, __heddle_here);
    peer->cancel_pending = true;
    if (peer == t) {
        if (t->cancel_async)
            cancel_check(t);
        return 0;
    }
    bool waits = peer->state == THR_BLOCKED;
    bool may = wait_is_cancellable(peer->wait_how) || peer->cancel_async;
    if (waits && !peer->cancel_off && may)
        sched_wake(peer, WAKE_CANCEL);
    if (peer->state == THR_OUTSIDE && !peer->cancel_off)
        real.pthread_cancel(peer->handle); /* libc gets it out of its call */
    return 0;
}

EXPORT void pthread_testcancel(void)
{
    struct thr *t = self;
    if (!t) {
        if (real.pthread_testcancel)
            real.pthread_testcancel();
        return;
    }
    point_at(t, t, __heddle_here);
    cancel_check(t);
}

EXPORT int pthread_setcancelstate(int state, int *old)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_setcancelstate(state, old);
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
        return EINVAL;
    if (old)
        *old = t->cancel_off ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    t->step++;
    t->cancel_off = state == PTHREAD_CANCEL_DISABLE;
    if (t->cancel_async)
        cancel_check(t);
    return 0;
}

EXPORT int pthread_setcanceltype(int type, int *old)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_setcanceltype(type, old);
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
        return EINVAL;
    if (old)
        *old = t->cancel_async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    t->step++;
    t->cancel_async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
    if (t->cancel_async)
        cancel_check(t);
    return 0;
}

/* ---- conditions ---------------------------------------------------------------------- */

enum {
    CLASS_COND_ = WORD_VALUE(CLASS, COND),
    CLASS_MUTEX_ = WORD_VALUE(CLASS, MUTEX),
    COND_SHARED = 1, /* these are in __wrefs */
    COND_MONOTONIC = 2,
    COND_ATTRIBUTES = 3,
};

/* Of a condition that processes share: how many have come to wait, and how many of them, in
 * that order, were woken. In fields of the system's that it does not use as long as it does not
 * do the waiting. */
static unsigned *cond_came(pthread_cond_t *c)
{
    return &c->__data.__g_refs[0];
}

static unsigned *cond_woken(pthread_cond_t *c)
{
    return &c->__data.__g_refs[1];
}

static bool cond_counts(const struct obj *o)
{
    return UNLIKELY(o->is_shared) && shared_counts(o) && rt.has_children;
}

struct cond_place {
    pthread_cond_t *cond;
    unsigned number;
};

static bool cond_is_woken(struct thr *t)
{
    const struct cond_place *p = t->wait_what;
    return (int)(*cond_woken(p->cond) - p->number) > 0;
}

/* As sched_block: who gives up makes others look in vain, which a wait may do. */
static enum wake_how cond_await(struct thr *t, pthread_cond_t *c, uint64_t deadline)
{
    struct cond_place p = {c, (*cond_came(c))++};
    if (shared_await(t, cond_is_woken, &p, SHARED_WORD "a condition", deadline))
        return WAKE_SPURIOUS;
    *cond_woken(c) = *cond_came(c);
    return WAKE_TIMEOUT;
}

static void cond_tell(pthread_cond_t *c, bool all)
{
    if (*cond_woken(c) != *cond_came(c))
        *cond_woken(c) = all ? *cond_came(c) : *cond_woken(c) + 1;
}

/* Nobody has initialised it, not even with zeros: of what is in there only the attributes are
 * in use with us, or, if processes share it, more. */
static bool is_garbage(const pthread_cond_t *c)
{
    const struct __pthread_cond_s *d = &c->__data;
    bool is_known = obj_find(c, CLASS_COND_) || d->__wrefs & COND_SHARED;
    return !is_known &&
           (d->__wrefs & ~(unsigned)COND_ATTRIBUTES || d->__g_refs[0] || d->__g_refs[1] ||
            d->__g_size[0] || d->__g_size[1] || d->__g_signals[0] || d->__g_signals[1]);
}

static struct obj *cond_at(struct thr *t, const pthread_cond_t *c)
{
    if (UNLIKELY(is_garbage(c)))
        record_mark(t, WORD_VALUE(MARK, NO_OBJECT), c, __heddle_here);
    return obj_get(c, CLASS_COND_);
}

/* Wait, and have the mutex again in every case: also a cancelled thread's cleanup handlers
 * run with it. */
int cond_wait(struct thr *t, pthread_cond_t *c, pthread_mutex_t *m, unsigned flags,
              uint64_t deadline)
{
    struct __heddle_site *site = __heddle_here;
    struct obj *o = cond_at(t, c), *lock = obj_get(m, CLASS_MUTEX_);
    if (deadline == 0) {
        record_mark(t, WORD_VALUE(MARK, INVALID), c, site);
        return EINVAL;
    }
    if (lock->owner != t->id && m->__data.__kind != PTHREAD_MUTEX_NORMAL)
        return EPERM;
    if (UNLIKELY(lock->owner != t->id) && !lock->is_inherited && !shared_counts(lock))
        record_mark(t, WORD_VALUE(MARK, WAIT_UNHELD), m, site);
    if (UNLIKELY(o->first && o->first->then && o->first->then != lock))
        record_mark(t, WORD_VALUE(MARK, WAIT_OTHER), c, site);
    record_sync(t, EV_WAIT_ENTER, c, flags, 0, site);
    mutex_unlock(t, m, FLAG(WAITING));
    bool counts = cond_counts(o);
    bool still = lock->owner == t->id; /* recursive, and locked more than once */
    CHECK(!t->then);
    t->then = counts || still ? NULL : lock;
    lock->wanted += t->then == lock;
    t->woken_by = NO_EVENT;
    enum wake_how how =
        counts ? cond_await(t, c, deadline) : sched_block(t, o, WAIT_COND, deadline);
    uint64_t by = t->woken_by;
    __heddle_here = site;
    t->learnt = true;
    if (how == WAKE_TIMEOUT)
        record_sync(t, EV_TIMEOUT, c, flags, 0, site);
    int e = mutex_lock(t, m, FLAG(WAITING), NEVER);
    if (how == WAKE_SIGNAL || how == WAKE_SPURIOUS)
        flags |= FLAG(SPURIOUS);
    if (UNLIKELY(rt.weak.on))
        weak_sync(t, EV_WAIT_LEAVE, (uint64_t)(uintptr_t)c, flags);
    if (rt.recording)
        record_event(t,
                     &(struct ev){.kind = EV_WAIT_LEAVE,
                                  .addr = (uint64_t)(uintptr_t)c,
                                  .flags = (uint8_t)flags,
                                  .ref = by},
                     site);
    if (how == WAKE_CANCEL)
        cancel_check(t);
    return how == WAKE_TIMEOUT && e == 0 ? ETIMEDOUT : e;
}

EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
    struct thr *t = self;
    if (t)
        point_on(t, c);
    int e = real.pthread_cond_init(c, attr);
    if (!t || e)
        return e;
    int shared = 0;
    struct obj *o = obj_get(c, CLASS_COND_);
    obj_reset(o);
    if (attr && pthread_condattr_getpshared(attr, &shared) == 0)
        shared_lock(o, shared == PTHREAD_PROCESS_SHARED);
    record_class(t, EV_INIT, c, CLASS_COND_, __heddle_here);
    return 0;
}

/* Destroying it under a waiter blocks in glibc until all have left; nobody would wake them. */
EXPORT int pthread_cond_destroy(pthread_cond_t *c)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_cond_destroy(c);
    point_on(t, c);
    stir(t);
    struct obj *o = obj_get(c, CLASS_COND_);
    if (o->first) {
        record_mark(t, WORD_VALUE(MARK, DESTROY_AWAITED), c, __heddle_here);
        sched_block(t, o, WAIT_COND, NEVER);
    }
    obj_drop(o);
    record_class(t, EV_DESTROY, c, CLASS_COND_, __heddle_here);
    return 0;
}

EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_cond_wait(c, m);
    point_on(t, c);
    cancel_check(t);
    return cond_wait(t, c, m, 0, NEVER);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                  const struct timespec *when)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_cond_timedwait(c, m, when);
    int clock = c->__data.__wrefs & COND_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    point_on(t, c);
    cancel_check(t);
    return cond_wait(t, c, m, FLAG(TIMED), time_deadline(clock, when));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                  const struct timespec *when)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_cond_clockwait(c, m, clock, when);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    point_on(t, c);
    cancel_check(t);
    return cond_wait(t, c, m, FLAG(TIMED), time_deadline(clock, when));
}

EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_cond_signal(c);
    point_on(t, c);
    struct obj *o = cond_at(t, c);
    uint64_t number = record_next();
    stir(t);
    record_sync(t, EV_SIGNAL, c, 0, 0, __heddle_here);
    if (o->first)
        sched_wake_one(o, number);
    else if (cond_counts(o))
        cond_tell(c, false);
    return 0;
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_cond_broadcast(c);
    point_on(t, c);
    struct obj *o = cond_at(t, c);
    uint64_t number = record_next();
    stir(t);
    record_sync(t, EV_BROADCAST, c, 0, 0, __heddle_here);
    while (o->first)
        sched_wake_first(o, number);
    if (cond_counts(o))
        cond_tell(c, true);
    return 0;
}

/* ---- barriers ------------------------------------------------------------------------ */

enum { CLASS_BARRIER_ = WORD_VALUE(CLASS, BARRIER) };

EXPORT int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr,
                                unsigned count)
{
    struct thr *t = self;
    if (t)
        point_on(t, b);
    int e = real.pthread_barrier_init(b, attr, count);
    if (!t || e)
        return e;
    struct obj *o = obj_get(b, CLASS_BARRIER_);
    obj_reset(o);
    o->need = count;
    int shared = 0;
    if (attr && pthread_barrierattr_getpshared(attr, &shared) == 0)
        shared_lock(o, shared == PTHREAD_PROCESS_SHARED);
    record_class(t, EV_INIT, b, CLASS_BARRIER_, __heddle_here);
    return 0;
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *b)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_barrier_destroy(b);
    point_on(t, b);
    struct obj *o = obj_get(b, CLASS_BARRIER_);
    if (o->first)
        record_mark(t, WORD_VALUE(MARK, DESTROY_AWAITED), b, __heddle_here);
    stir(t);
    obj_drop(o);
    record_class(t, EV_DESTROY, b, CLASS_BARRIER_, __heddle_here);
    return 0;
}

/* Of one that processes share: how many are there, and its rounds, in glibc's own fields. */
struct barrier_words {
    unsigned arrived, round, need;
};

struct barrier_place {
    const struct barrier_words *words;
    unsigned round;
};

static bool barrier_is_over(struct thr *t)
{
    const struct barrier_place *p = t->wait_what;
    return p->words->round != p->round;
}

static int barrier_shared(struct thr *t, pthread_barrier_t *b, struct __heddle_site *site)
{
    struct barrier_words *w = (struct barrier_words *)(void *)b;
    struct barrier_place p = {w, w->round};
    bool is_last = ++w->arrived == w->need;
    stir(t);
    record_sync(t, EV_ARRIVE, b, 0, p.round, site);
    if (is_last) {
        w->arrived = 0;
        w->round++;
    } else {
        shared_await(t, barrier_is_over, &p, SHARED_WORD "a barrier", NEVER);
    }
    record_sync(t, EV_DEPART, b, 0, p.round, site);
    return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_barrier_wait(b);
    struct __heddle_site *site = __heddle_here;
    point_on(t, b);
    struct obj *o = obj_get(b, CLASS_BARRIER_);
    if (UNLIKELY(shared_counts(o)))
        return barrier_shared(t, b, site);
    uint64_t round = o->round;
    int result = 0;
    stir(t);
    record_sync(t, EV_ARRIVE, b, 0, round, site);
    CHECK(o->need == 0 || o->arrived < o->need);
    CHECK(o->waiting <= o->arrived);
    if (++o->arrived == o->need) {
        o->arrived = 0;
        o->round++;
        while (o->first)
            sched_wake_first(o, NO_EVENT);
        result = PTHREAD_BARRIER_SERIAL_THREAD;
    } else {
        sched_block(t, o, WAIT_BARRIER, NEVER);
    }
    record_sync(t, EV_DEPART, b, 0, round, site);
    return result;
}

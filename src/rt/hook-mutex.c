/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-mutex: mutexes (normal, recursive, error-checking, robust), spin locks and read-write
 * locks. The kind is read from the target's object each time: it may be a new mutex in old
 * memory. Error codes and their order are glibc's. */
#include "rt/rt.h"
#include "rt/real.h"

#include <errno.h>

enum {
    KIND_MASK = 3,
    KIND_NONE = 12,
    KIND_ROBUST = 16,
    KIND_INHERIT = 32,
    KIND_PROTECT = 64,
    KIND_SHARED = 128,
    CLASS_MUTEX_ = WORD_VALUE(CLASS, MUTEX)
};

static unsigned kind_of(const pthread_mutex_t *m)
{
    return (unsigned)m->__data.__kind & KIND_MASK;
}

static bool is_robust(const pthread_mutex_t *m)
{
    return m->__data.__kind & KIND_ROBUST;
}

/* glibc's answer to what is no mutex: also to one that was destroyed. */
static bool is_mutex(const pthread_mutex_t *m)
{
    unsigned kind = (unsigned)m->__data.__kind;
    return !(kind & KIND_NONE) &&
           (kind & (KIND_ROBUST | KIND_PROTECT)) != (KIND_ROBUST | KIND_PROTECT);
}

/* What the memory holds now: maybe a lock that is new there. */
static struct obj *lock_at(struct thr *t, const volatile void *lock, unsigned class)
{
    struct obj *o = obj_get(lock, class);
    if (UNLIKELY(o->owner != NO_ID || o->readers) && obj_is_stale(o)) {
        obj_renew(o);
        record_class(t, EV_INIT, lock, class, __heddle_here);
    }
    return o;
}

/* An unlock by who does not have it. What a forked child has inherited is not judged. */
static void unlock_is_wrong(struct thr *t, const struct obj *o, const volatile void *lock,
                            bool is_free)
{
    if (!o->is_inherited)
        record_mark(t,
                    is_free ? WORD_VALUE(MARK, UNLOCK_FREE) : WORD_VALUE(MARK, UNLOCK_OTHERS),
                    lock, __heddle_here);
}

static void destroy_is_wrong(struct thr *t, const struct obj *o, const volatile void *lock)
{
    if (!o->is_inherited)
        record_mark(t,
                    o->owner != NO_ID || o->readers ? WORD_VALUE(MARK, DESTROY_HELD)
                                                    : WORD_VALUE(MARK, DESTROY_AWAITED),
                    lock, __heddle_here);
}

/* ---- mutex --------------------------------------------------------------------------- */

/* The lock is free: take it. */
static int take(struct thr *t, struct obj *o, pthread_mutex_t *m, unsigned flags,
                struct __heddle_site *site)
{
    CHECK_ALL(CHECK(o->owner == NO_ID && o->depth == 0));
    o->inconsistent |= is_robust(m) && m->__data.__owner == LOCK_IS_LEFT;
    o->owner = t->id;
    o->is_inherited = false;
    o->depth = 1;
    o->since = site;
    m->__data.__owner = LOCK_IS_HELD;
    stir(t);
    if (UNLIKELY(is_robust(m))) {
        CHECK(!o->held_next && t->held != o);
        o->held_next = t->held;
        t->held = o;
        if (o->inconsistent)
            flags |= FLAG(ABANDONED);
    }
    if (UNLIKELY(o->first != NULL))
        sched_changed(o);
    record_held(t, EV_ACQUIRE, m, flags, 1, site);
    return o->inconsistent ? EOWNERDEAD : 0;
}

static int take_again(struct thr *t, struct obj *o, pthread_mutex_t *m, unsigned flags,
                      struct __heddle_site *site)
{
    if (o->depth == UINT32_MAX)
        return EAGAIN;
    CHECK(o->depth > 0);
    o->depth++;
    stir(t);
    record_held(t, EV_ACQUIRE, m, flags, o->depth, site);
    return 0;
}

static int refused(struct thr *t, const volatile void *m, unsigned flags, int error,
                   struct __heddle_site *site)
{
    t->learnt = true;
    record_sync(t, EV_REFUSED, m, flags, (uint64_t)error, site);
    return error;
}

/* attempt: what it would have been. The object is used all the same. */
static int invalid(struct thr *t, unsigned attempt, const volatile void *m, unsigned flags,
                   struct __heddle_site *site)
{
    if (UNLIKELY(rt.guide != NULL))
        guided_attempt(t, attempt, site);
    record_mark(t, WORD_VALUE(MARK, INVALID), m, site);
    return refused(t, m, flags, EINVAL, site);
}

static int timed_out(struct thr *t, const volatile void *m, unsigned flags,
                     struct __heddle_site *site)
{
    t->learnt = true;
    record_sync(t, EV_TIMEOUT, m, flags, 0, site);
    return ETIMEDOUT;
}

/* Another process has it. */
static bool is_elsewhere(const struct obj *o, const pthread_mutex_t *m)
{
    return o->owner == NO_ID && shared_counts(o) && m->__data.__owner == LOCK_IS_HELD;
}

/* Robust, and its last owner did not make it consistent. */
static bool is_lost(const struct obj *o, const pthread_mutex_t *m)
{
    return o->unrecoverable || (is_robust(m) && m->__data.__owner == LOCK_IS_LOST);
}

static bool mutex_is_free(struct thr *t)
{
    return ((const pthread_mutex_t *)t->wait_what)->__data.__owner != LOCK_IS_HELD;
}

/* A guide leaves some locks free: these are recorded as if they were taken. */
static bool is_pretended(struct thr *t, pthread_mutex_t *m, unsigned flags,
                         struct __heddle_site *site)
{
    if (LIKELY(!rt.guide) || flags || !guided_pretend(t, m, site))
        return false;
    record_freed();
    obj_get(m, CLASS_MUTEX_);
    record_held(t, EV_REQUEST, m, flags, 0, site);
    stir(t);
    record_held(t, EV_ACQUIRE, m, flags, 1, site);
    return true;
}

/* Without the point. deadline NEVER: wait for ever; 0: an invalid time, found when waiting. */
int mutex_lock(struct thr *t, pthread_mutex_t *m, unsigned flags, uint64_t deadline)
{
    struct __heddle_site *site = __heddle_here;
    if (UNLIKELY(!is_mutex(m)))
        return invalid(t, EV_ACQUIRE, m, flags, site);
    if (deadline == NEVER && is_pretended(t, m, flags, site))
        return 0;
    struct obj *o = lock_at(t, m, CLASS_MUTEX_);
    bool may_be_shared = m->__data.__kind & KIND_SHARED && (!is_robust(m) || rt.has_children);
    if (UNLIKELY(may_be_shared) && !o->is_shared)
        shared_lock(o, true); /* another process has made it, or may use it */
    if (UNLIKELY(o->owner == t->id)) {
        if (kind_of(m) == PTHREAD_MUTEX_RECURSIVE)
            return take_again(t, o, m, flags, site);
        if (kind_of(m) == PTHREAD_MUTEX_ERRORCHECK)
            return refused(t, m, flags, EDEADLK, site);
    }
    if (!(flags & FLAG(WAITING)))
        record_held(t, EV_REQUEST, m, flags, 0, site);
    while (UNLIKELY(o->owner != NO_ID)) {
        if (deadline == 0)
            return invalid(t, EV_ACQUIRE, m, flags, site);
        if (sched_block(t, o, WAIT_MUTEX, deadline) == WAKE_TIMEOUT)
            return timed_out(t, m, flags, site);
        o = obj_get(m, CLASS_MUTEX_);
    }
    if (UNLIKELY(shared_counts(o)) && rt.has_children) {
        if (!shared_await(t, mutex_is_free, m, SHARED_WORD "a mutex", deadline))
            return timed_out(t, m, flags, site);
        o = obj_get(m, CLASS_MUTEX_);
    }
    if (UNLIKELY(is_lost(o, m)))
        return refused(t, m, flags, ENOTRECOVERABLE, site);
    return take(t, o, m, flags, site);
}

/* Does an attempt by the owner say so? glibc's error-checking ones do if they are robust, too,
 * or inherit priorities. */
static bool tells_owner(const pthread_mutex_t *m)
{
    return kind_of(m) == PTHREAD_MUTEX_ERRORCHECK &&
           m->__data.__kind & (KIND_ROBUST | KIND_INHERIT);
}

int mutex_trylock(struct thr *t, pthread_mutex_t *m)
{
    struct __heddle_site *site = __heddle_here;
    if (UNLIKELY(!is_mutex(m)))
        return invalid(t, EV_ACQUIRE, m, FLAG(TRY), site);
    struct obj *o = lock_at(t, m, CLASS_MUTEX_);
    if (o->owner == t->id && kind_of(m) == PTHREAD_MUTEX_RECURSIVE)
        return take_again(t, o, m, FLAG(TRY), site);
    if (o->owner != NO_ID)
        return refused(t, m, FLAG(TRY), tells_owner(m) && o->owner == t->id ? EDEADLK : EBUSY,
                       site);
    if (UNLIKELY(is_elsewhere(o, m)))
        return refused(t, m, FLAG(TRY), EBUSY, site);
    if (is_lost(o, m))
        return refused(t, m, FLAG(TRY), ENOTRECOVERABLE, site);
    return take(t, o, m, FLAG(TRY), site);
}

int mutex_unlock(struct thr *t, pthread_mutex_t *m, unsigned flags)
{
    struct __heddle_site *site = __heddle_here;
    if (UNLIKELY(!is_mutex(m)))
        return invalid(t, EV_RELEASE, m, flags, site);
    if (UNLIKELY(rt.guide != NULL) && guided_unpretend(t, m)) {
        stir(t);
        record_held(t, EV_RELEASE, m, flags, 0, site);
        return 0;
    }
    struct obj *o = obj_get(m, CLASS_MUTEX_);
    if (UNLIKELY(o->owner != t->id || o->is_inherited) &&
        (kind_of(m) == PTHREAD_MUTEX_RECURSIVE || kind_of(m) == PTHREAD_MUTEX_ERRORCHECK ||
         is_robust(m))) {
        if (kind_of(m) == PTHREAD_MUTEX_RECURSIVE && !is_robust(m) && !shared_counts(o))
            unlock_is_wrong(t, o, m, o->owner == NO_ID || obj_is_stale(o));
        return refused(t, m, flags, EPERM, site);
    }
    if (UNLIKELY(o->owner != t->id) && !(flags & FLAG(WAITING)) && !is_elsewhere(o, m))
        unlock_is_wrong(t, o, m, o->owner == NO_ID || obj_is_stale(o));
    stir(t);
    if (UNLIKELY(o->depth > 1)) {
        o->depth--;
        record_held(t, EV_RELEASE, m, flags, o->depth, site);
        return 0;
    }
    if (UNLIKELY(t->held != NULL)) /* whatever the target has made of the mutex meanwhile */
        obj_unhold(o);
    if (UNLIKELY(is_robust(m))) {
        o->unrecoverable = o->inconsistent;
        o->inconsistent = false;
    }
    o->owner = NO_ID;
    o->depth = 0;
    m->__data.__owner = o->unrecoverable && shared_counts(o) ? LOCK_IS_LOST : 0;
    record_held(t, EV_RELEASE, m, flags, 0, site);
    if (UNLIKELY(o->first != NULL)) {
        sched_changed(o);
        if (!(flags & FLAG(WAITING)))
            sched_let_have(t);
    }
    return 0;
}

/* Its owner ends with robust mutexes in hand. */
void mutex_abandon(struct thr *t)
{
    while (t->held) {
        struct obj *o = t->held;
        CHECK(o->owner == t->id && o->class == CLASS_MUTEX_ + 1);
        t->held = o->held_next;
        o->held_next = NULL;
        o->owner = NO_ID;
        o->depth = 0;
        o->inconsistent = true;
        obj_unmark(o);
        if (shared_counts(o))
            obj_leave(o);
        record_held(t, EV_RELEASE, (void *)(uintptr_t)o->addr, FLAG(ABANDONED), 0, o->since);
        sched_changed(o);
    }
}

/* The process ends: others of the family are to hear of it. */
void mutex_abandon_all(void)
{
    for (uint32_t i = 0; i < rt.thread_count; i++)
        for (const struct obj *o = rt.threads[i].held; o; o = o->held_next)
            if (shared_counts(o))
                obj_leave(o);
}

EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
    struct thr *t = self;
    if (t)
        point_on(t, m);
    int e = real.pthread_mutex_init(m, attr);
    if (t && e)
        record_mark(t, WORD_VALUE(MARK, INVALID), m, __heddle_here);
    if (!t || e)
        return e;
    int shared = 0;
    struct obj *o = obj_get(m, CLASS_MUTEX_);
    obj_renew(o);
    if (attr && pthread_mutexattr_getpshared(attr, &shared) == 0)
        shared_lock(o, shared == PTHREAD_PROCESS_SHARED);
    record_class(t, EV_INIT, m, CLASS_MUTEX_, __heddle_here);
    return 0;
}

EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_mutex_destroy(m);
    point_on(t, m);
    struct obj *o = lock_at(t, m, CLASS_MUTEX_);
    if (o->owner != NO_ID || o->first) {
        destroy_is_wrong(t, o, m);
        return EBUSY;
    }
    int e = real.pthread_mutex_destroy(m);
    if (e)
        return e;
    stir(t);
    obj_drop(o);
    record_class(t, EV_DESTROY, m, CLASS_MUTEX_, __heddle_here);
    return 0;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_mutex_lock(m);
    point_wait(t, m, WAIT_MUTEX);
    return mutex_lock(t, m, 0, NEVER);
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_mutex_trylock(m);
    point_at(t, m, __heddle_here);
    return mutex_trylock(t, m);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *when)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_mutex_timedlock(m, when);
    point_on(t, m);
    return mutex_lock(t, m, FLAG(TIMED), time_deadline(CLOCK_REALTIME, when));
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
                                   const struct timespec *when)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_mutex_clocklock(m, clock, when);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    point_on(t, m);
    return mutex_lock(t, m, FLAG(TIMED), time_deadline(clock, when));
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_mutex_unlock(m);
    point_on(t, m);
    return mutex_unlock(t, m, 0);
}

EXPORT int pthread_mutex_consistent(pthread_mutex_t *m)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_mutex_consistent(m);
    t->step++;
    struct obj *o = obj_get(m, CLASS_MUTEX_);
    if (!is_robust(m) || !o->inconsistent)
        return EINVAL;
    o->inconsistent = false;
    return 0;
}

/* ---- spin lock ----------------------------------------------------------------------- */

enum { CLASS_SPIN_ = WORD_VALUE(CLASS, SPIN) };

enum { SPIN_FREE = 1 }; /* as in glibc */

static bool spin_is_free(struct thr *t)
{
    return *(const volatile int *)t->wait_what == SPIN_FREE;
}

static int spin_lock(struct thr *t, pthread_spinlock_t *s, unsigned flags)
{
    struct __heddle_site *site = __heddle_here;
    struct obj *o = obj_get(s, CLASS_SPIN_);
    if (flags & FLAG(TRY)) {
        if (o->owner != NO_ID || (shared_counts(o) && *s != SPIN_FREE))
            return refused(t, s, flags, EBUSY, site);
    } else {
        record_held(t, EV_REQUEST, s, flags, 0, site);
        while (o->owner != NO_ID) {
            sched_block(t, o, WAIT_SPIN, NEVER);
            o = obj_get(s, CLASS_SPIN_);
        }
        if (UNLIKELY(shared_counts(o)) && rt.has_children)
            shared_await(t, spin_is_free, (const void *)s, SHARED_WORD "a spin lock", NEVER);
        o = obj_get(s, CLASS_SPIN_);
    }
    if (shared_counts(o))
        *s = !SPIN_FREE;
    CHECK(o->owner == NO_ID && o->depth == 0);
    o->owner = t->id;
    o->depth = 1;
    o->since = site;
    stir(t);
    if (o->first)
        sched_changed(o);
    record_held(t, EV_ACQUIRE, s, flags, 1, site);
    return 0;
}

EXPORT int pthread_spin_init(pthread_spinlock_t *s, int shared)
{
    struct thr *t = self;
    if (t)
        point_on(t, s);
    int e = real.pthread_spin_init(s, shared);
    if (!t || e)
        return e;
    struct obj *o = obj_get(s, CLASS_SPIN_);
    obj_reset(o);
    shared_lock(o, shared == PTHREAD_PROCESS_SHARED);
    record_class(t, EV_INIT, s, CLASS_SPIN_, __heddle_here);
    return 0;
}

EXPORT int pthread_spin_destroy(pthread_spinlock_t *s)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_spin_destroy(s);
    point_on(t, s);
    struct obj *o = obj_get(s, CLASS_SPIN_);
    if (o->owner != NO_ID || o->first)
        destroy_is_wrong(t, o, s);
    stir(t);
    obj_drop(o);
    record_class(t, EV_DESTROY, s, CLASS_SPIN_, __heddle_here);
    return 0;
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *s)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_spin_lock(s);
    point_wait(t, s, WAIT_SPIN);
    return spin_lock(t, s, 0);
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *s)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_spin_trylock(s);
    point_at(t, s, __heddle_here);
    return spin_lock(t, s, FLAG(TRY));
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *s)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_spin_unlock(s);
    point_on(t, s);
    struct obj *o = obj_get(s, CLASS_SPIN_);
    if (shared_counts(o))
        *s = SPIN_FREE;
    else if (UNLIKELY(o->owner != t->id))
        unlock_is_wrong(t, o, s, o->owner == NO_ID);
    o->owner = NO_ID;
    o->depth = 0;
    stir(t);
    record_held(t, EV_RELEASE, s, 0, 0, __heddle_here);
    if (o->first)
        sched_changed(o);
    return 0;
}

/* ---- read-write lock ----------------------------------------------------------------- */

enum { CLASS_RWLOCK_ = WORD_VALUE(CLASS, RWLOCK) };

static bool prefers_writers(const pthread_rwlock_t *l)
{
    return l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

static bool rw_free(struct thr *t, const struct obj *o, const pthread_rwlock_t *l,
                    unsigned flags)
{
    (void)t;
    if (o->owner != NO_ID)
        return false;
    if (flags & FLAG(SHARED))
        return !(prefers_writers(l) && o->waiting_writers);
    return o->readers == 0;
}

/* Of all processes: who reads, and whether somebody writes. */
static bool can_read(struct thr *t)
{
    return ((const pthread_rwlock_t *)t->wait_what)->__data.__writers == 0;
}

static bool can_write(struct thr *t)
{
    return can_read(t) && ((const pthread_rwlock_t *)t->wait_what)->__data.__readers == 0;
}

static void rw_count(const struct obj *o, pthread_rwlock_t *l, bool is_read, int by)
{
    if (!shared_counts(o))
        return;
    if (is_read)
        l->__data.__readers += (unsigned)by;
    else
        l->__data.__writers += (unsigned)by;
}

static void rw_take(struct thr *t, struct obj *o, pthread_rwlock_t *l, unsigned flags,
                    struct __heddle_site *site)
{
    uint32_t depth = 1;
    CHECK(o->owner == NO_ID && (flags & FLAG(SHARED) || o->readers == 0));
    if (flags & FLAG(SHARED)) {
        read_add(o, t, site);
        depth = read_find(o, t)->count;
    } else {
        o->owner = t->id;
        o->depth = 1;
        o->since = site;
    }
    rw_count(o, l, flags & FLAG(SHARED), 1);
    l->__data.__pad3 = LOCK_IS_HELD;
    stir(t);
    if (o->first)
        sched_changed(o);
    record_held(t, EV_ACQUIRE, l, flags, depth, site);
}

static int rw_lock(struct thr *t, pthread_rwlock_t *l, unsigned flags, uint64_t deadline)
{
    struct __heddle_site *site = __heddle_here;
    struct obj *o = lock_at(t, l, CLASS_RWLOCK_);
    if (flags & FLAG(TRY)) {
        t->wait_what = l;
        bool is_elsewhere =
            shared_counts(o) && !(flags & FLAG(SHARED) ? can_read : can_write)(t);
        if (is_elsewhere || !rw_free(t, o, l, flags))
            return refused(t, l, flags, EBUSY, site);
        rw_take(t, o, l, flags, site);
        return 0;
    }
    if (deadline == 0)
        return invalid(t, EV_ACQUIRE, l, flags, site);
    if (o->owner == t->id) {
        record_mark(t, WORD_VALUE(MARK, LOCK_OWN), l, site);
        return refused(t, l, flags, EDEADLK, site);
    }
    record_held(t, EV_REQUEST, l, flags, 0, site);
    enum wait_how how = flags & FLAG(SHARED) ? WAIT_READ : WAIT_WRITE;
    while (!rw_free(t, o, l, flags)) {
        t->wait_mask = prefers_writers(l);
        if (sched_block(t, o, how, deadline) == WAKE_TIMEOUT) {
            if (o->first) /* readers may have waited for this writer */
                sched_changed(o);
            return timed_out(t, l, flags, site);
        }
        o = obj_get(l, CLASS_RWLOCK_);
    }
    if (UNLIKELY(shared_counts(o)) && rt.has_children) {
        if (!shared_await(t, flags & FLAG(SHARED) ? can_read : can_write, l,
                          SHARED_WORD "a read-write lock", deadline))
            return timed_out(t, l, flags, site);
        o = obj_get(l, CLASS_RWLOCK_);
    }
    rw_take(t, o, l, flags, site);
    return 0;
}

EXPORT int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
    struct thr *t = self;
    if (t)
        point_on(t, l);
    int e = real.pthread_rwlock_init(l, attr);
    if (!t || e)
        return e;
    int shared = 0;
    struct obj *o = obj_get(l, CLASS_RWLOCK_);
    obj_renew(o);
    if (attr && pthread_rwlockattr_getpshared(attr, &shared) == 0)
        shared_lock(o, shared == PTHREAD_PROCESS_SHARED);
    record_class(t, EV_INIT, l, CLASS_RWLOCK_, __heddle_here);
    return 0;
}

EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_rwlock_destroy(l);
    point_on(t, l);
    struct obj *o = lock_at(t, l, CLASS_RWLOCK_);
    if (o->owner != NO_ID || o->readers || o->first)
        destroy_is_wrong(t, o, l);
    stir(t);
    obj_drop(o);
    l->__data.__pad3 = 0;
    record_class(t, EV_DESTROY, l, CLASS_RWLOCK_, __heddle_here);
    return 0;
}

#define RWLOCK(name, parameters, arguments, flags, deadline, place) \
    EXPORT int name parameters                                      \
    {                                                               \
        struct thr *t = self;                                       \
        if (!t)                                                     \
            return real.name arguments;                             \
        place;                                                      \
        return rw_lock(t, l, flags, deadline);                      \
    }
#define L pthread_rwlock_t *l
#define WHEN const struct timespec *when
#define IS_CLOCK(clock)                                      \
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) \
        return EINVAL;                                       \
    point_on(t, l)

RWLOCK(pthread_rwlock_rdlock, (L), (l), FLAG(SHARED), NEVER, point_wait(t, l, WAIT_READ))
RWLOCK(pthread_rwlock_wrlock, (L), (l), 0, NEVER, point_wait(t, l, WAIT_WRITE))
RWLOCK(pthread_rwlock_tryrdlock, (L), (l), FLAG(SHARED) | FLAG(TRY), NEVER,
       point_at(t, l, __heddle_here))
RWLOCK(pthread_rwlock_trywrlock, (L), (l), FLAG(TRY), NEVER, point_at(t, l, __heddle_here))
RWLOCK(pthread_rwlock_timedrdlock, (L, WHEN), (l, when), FLAG(SHARED) | FLAG(TIMED),
       time_deadline(CLOCK_REALTIME, when), point_on(t, l))
RWLOCK(pthread_rwlock_timedwrlock, (L, WHEN), (l, when), FLAG(TIMED),
       time_deadline(CLOCK_REALTIME, when), point_on(t, l))
RWLOCK(pthread_rwlock_clockrdlock, (L, clockid_t clock, WHEN), (l, clock, when),
       FLAG(SHARED) | FLAG(TIMED), time_deadline(clock, when), IS_CLOCK(clock))
RWLOCK(pthread_rwlock_clockwrlock, (L, clockid_t clock, WHEN), (l, clock, when), FLAG(TIMED),
       time_deadline(clock, when), IS_CLOCK(clock))

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_rwlock_unlock(l);
    point_on(t, l);
    struct obj *o = obj_get(l, CLASS_RWLOCK_);
    struct read_hold *h = read_find(o, t);
    if (!h && o->owner == NO_ID && o->reader_head != NO_ID)
        h = &rt.reads[o->reader_head]; /* on behalf of another thread: undefined, works */
    if (UNLIKELY(o->owner != t->id && !read_find(o, t)) && !shared_counts(o))
        unlock_is_wrong(t, o, l, o->owner == NO_ID && !h);
    stir(t);
    CHECK(o->owner == NO_ID || o->readers == 0);
    if (h) {
        rw_count(o, l, true, -1);
        read_remove(o, h);
        record_held(t, EV_RELEASE, l, FLAG(SHARED), h->count, __heddle_here);
    } else {
        rw_count(o, l, false, -1);
        o->owner = NO_ID;
        o->depth = 0;
        record_held(t, EV_RELEASE, l, 0, 0, __heddle_here);
    }
    if (o->owner == NO_ID && o->readers == 0)
        l->__data.__pad3 = 0;
    if (o->first)
        sched_changed(o);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-threads: C11 threads. In glibc their objects are the pthread ones under other names. */
#include "rt/rt.h"
#include "rt/real.h"

#include <errno.h>

static int thrd_code(int e)
{
    switch (e) {
    case 0:
        return thrd_success;
    case ENOMEM:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    case EBUSY:
        return thrd_busy;
    default:
        return thrd_error;
    }
}

EXPORT int thrd_create(thrd_t *handle, thrd_start_t start, void *arg)
{
    if (!self)
        return real.thrd_create(handle, start, arg);
    void *(*as_pthread)(void *);
    __builtin_memcpy(&as_pthread, &start, sizeof start);
    return thrd_code(thread_create(handle, NULL, as_pthread, arg, true));
}

EXPORT int thrd_join(thrd_t handle, int *result)
{
    struct thr *t = self;
    if (!t)
        return real.thrd_join(handle, result);
    void *value = NULL;
    point(t);
    int e = join_thread(t, handle, &value, 0, NEVER);
    if (result)
        *result = (int)(intptr_t)value;
    return thrd_code(e);
}

EXPORT int thrd_detach(thrd_t handle)
{
    return self ? thrd_code(pthread_detach(handle)) : real.thrd_detach(handle);
}

EXPORT void thrd_exit(int result)
{
    if (!self)
        real.thrd_exit(result);
    pthread_exit((void *)(intptr_t)result);
}

EXPORT int thrd_sleep(const struct timespec *span, struct timespec *rest)
{
    if (!self)
        return real.thrd_sleep(span, rest);
    int e = clock_nanosleep(CLOCK_REALTIME, 0, span, rest);
    return e == 0 ? 0 : e == EINTR ? -1 : -2;
}

EXPORT void thrd_yield(void)
{
    struct thr *t = self;
    if (!t) {
        real.thrd_yield();
        return;
    }
    point_at(t, &rt, __heddle_here);
    sched_yielded(t);
}

/* ---- mutexes ------------------------------------------------------------------------- */

static pthread_mutex_t *mutex_of(mtx_t *m)
{
    return (pthread_mutex_t *)(void *)m;
}

EXPORT int mtx_init(mtx_t *m, int type)
{
    struct thr *t = self;
    if (t)
        point_on(t, m);
    int e = real.mtx_init(m, type);
    if (!t || e != thrd_success)
        return e;
    obj_renew(obj_get(m, WORD_VALUE(CLASS, MUTEX)));
    record_class(t, EV_INIT, m, WORD_VALUE(CLASS, MUTEX), __heddle_here);
    return e;
}

EXPORT void mtx_destroy(mtx_t *m)
{
    if (self)
        pthread_mutex_destroy(mutex_of(m));
    else
        real.mtx_destroy(m);
}

EXPORT int mtx_lock(mtx_t *m)
{
    return self ? thrd_code(pthread_mutex_lock(mutex_of(m))) : real.mtx_lock(m);
}

EXPORT int mtx_trylock(mtx_t *m)
{
    return self ? thrd_code(pthread_mutex_trylock(mutex_of(m))) : real.mtx_trylock(m);
}

EXPORT int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict when)
{
    return self ? thrd_code(pthread_mutex_timedlock(mutex_of(m), when))
                : real.mtx_timedlock(m, when);
}

EXPORT int mtx_unlock(mtx_t *m)
{
    return self ? thrd_code(pthread_mutex_unlock(mutex_of(m))) : real.mtx_unlock(m);
}

/* ---- conditions, once ---------------------------------------------------------------- */

static pthread_cond_t *cond_of(cnd_t *c)
{
    return (pthread_cond_t *)(void *)c;
}

EXPORT int cnd_init(cnd_t *c)
{
    return self ? thrd_code(pthread_cond_init(cond_of(c), NULL)) : real.cnd_init(c);
}

EXPORT void cnd_destroy(cnd_t *c)
{
    if (self)
        pthread_cond_destroy(cond_of(c));
    else
        real.cnd_destroy(c);
}

EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
    return self ? thrd_code(pthread_cond_wait(cond_of(c), mutex_of(m))) : real.cnd_wait(c, m);
}

EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m,
                         const struct timespec *restrict when)
{
    return self ? thrd_code(pthread_cond_timedwait(cond_of(c), mutex_of(m), when))
                : real.cnd_timedwait(c, m, when);
}

EXPORT int cnd_signal(cnd_t *c)
{
    return self ? thrd_code(pthread_cond_signal(cond_of(c))) : real.cnd_signal(c);
}

EXPORT int cnd_broadcast(cnd_t *c)
{
    return self ? thrd_code(pthread_cond_broadcast(cond_of(c))) : real.cnd_broadcast(c);
}

EXPORT void call_once(once_flag *flag, void (*routine)(void))
{
    struct thr *t = self;
    if (t)
        once_call(t, (pthread_once_t *)(void *)flag, routine);
    else
        real.call_once(flag, routine);
}

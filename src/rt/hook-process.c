/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-process: ends, what a forked child has to forget, and shared objects that come and go.
 * Also where it all runs: on one processor, for waking a thread on another one costs twenty
 * times as much. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>

/* ---- ends ---------------------------------------------------------------------------- */

EXPORT void _exit(int code)
{
    outcome_exit(code);
    sys_exit(code);
}

EXPORT void _Exit(int code)
{
    outcome_exit(code);
    sys_exit(code);
}

EXPORT void quick_exit(int code)
{
    outcome_exit(code); /* its handlers run without us */
    real.quick_exit(code);
    __builtin_unreachable();
}

EXPORT void __assert_fail(const char *expression, const char *file, unsigned line,
                          const char *function)
{
    char at[TEXT_MAX_BYTES];
    struct text text = {at, 0, sizeof at};
    text_put(&text, file);
    text_put(&text, ":");
    text_number(&text, line);
    text_put(&text, ": ");
    text_put(&text, function);
    text_put(&text, ": Assertion `");
    text_put(&text, expression);
    text_put(&text, "' failed.");
    outcome_assert(at);
    self = NULL;
    real.assert_fail(expression, file, line, function);
    __builtin_unreachable();
}

/* HEDDLE_EXPECT of heddle/annotate.h. */
EXPORT void __heddle_failed(const char *expression, const char *file, unsigned line,
                            const char *function);
EXPORT void __heddle_failed(const char *expression, const char *file, unsigned line,
                            const char *function)
{
    __assert_fail(expression, file, line, function);
}

/* ---- processors ---------------------------------------------------------------------- */

/* The n-th of those that the target may use, beginning anew behind the last; from 1. */
static unsigned nth_cpu(uint64_t n)
{
    enum { CPUS = sizeof rt.cpus * 8 };
    unsigned count = 0;
    for (unsigned i = 0; i < CPUS; i++)
        count += rt.cpus[i / 64] >> (i % 64) & 1;
    unsigned left = count ? (unsigned)((n - 1) % count) : 0;
    for (unsigned i = 0; i < CPUS; i++)
        if ((rt.cpus[i / 64] >> (i % 64) & 1) && left-- == 0)
            return i;
    return 0;
}

static void pin_to(unsigned cpu)
{
    uint64_t one[sizeof rt.cpus / 8] = {0};
    one[cpu / 64] = 1ULL << (cpu % 64);
    sys_call(SYS_sched_setaffinity, 0, sizeof one, (long)one, 0, 0, 0);
}

/* Called before there is a second thread; threads inherit it. */
void process_pin(void)
{
    unsigned cpu = 0;
    if (rt.pinned || !rt.set.pin)
        return;
    rt.pinned = true;
    long bytes = sys_call(SYS_sched_getaffinity, 0, sizeof rt.cpus, (long)rt.cpus, 0, 0, 0);
    sys_call(SYS_getcpu, (long)&cpu, 0, 0, 0, 0, 0);
    if (rt.set.cpu)
        cpu = nth_cpu(rt.set.cpu);
    if (bytes <= 0 || cpu >= sizeof rt.cpus * 8)
        return;
    rt.cpu = cpu;
    pin_to(cpu);
}

/* The target sees what it would see without us. */
static int affinity(size_t len, cpu_set_t *out)
{
    if (len < 8)
        return EINVAL;
    size_t bytes = len < sizeof rt.cpus ? len : sizeof rt.cpus;
    __builtin_memset(out, 0, len);
    __builtin_memcpy(out, rt.cpus, bytes);
    return 0;
}

EXPORT int sched_getaffinity(pid_t pid, size_t len, cpu_set_t *out)
{
    if (!self || !rt.pinned || (pid != 0 && pid != rt.pid))
        return real.sched_getaffinity(pid, len, out);
    errno = affinity(len, out);
    return errno ? -1 : 0;
}

EXPORT int pthread_getaffinity_np(pthread_t thread, size_t len, cpu_set_t *out)
{
    if (!self || !rt.pinned)
        return real.pthread_getaffinity_np(thread, len, out);
    return affinity(len, out);
}

/* ---- fork ---------------------------------------------------------------------------- */

/* The child's thread has another id than its owner had: where that is asked, it is not ours. */
static void hold_mutex(const struct obj *o)
{
    pthread_mutex_t *m = (pthread_mutex_t *)(uintptr_t)o->addr;
    m->__data.__owner = 0;
    real.pthread_mutex_lock(m);
    m->__data.__owner = LOCK_IS_HELD;
    if ((m->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE)
        m->__data.__count = o->depth;
}

static void hold_rwlock(const struct obj *o)
{
    pthread_rwlock_t *l = (pthread_rwlock_t *)(uintptr_t)o->addr;
    l->__data.__pad3 = 0;
    if (o->owner != NO_ID)
        real.pthread_rwlock_wrlock(l);
    for (uint32_t n = 0; n < o->readers; n++)
        real.pthread_rwlock_rdlock(l);
}

/* In the child: what was held becomes really held, as it is after a fork, by whomever. libc
 * makes its streams free. */
static void materialise(const struct thr *t)
{
    for (uint32_t i = 0; i < rt.object_used; i++) {
        const struct obj *o = &rt.objects[i];
        bool is_held = o->owner != NO_ID || o->readers, is_mine = o->owner == t->id;
        if (!is_held || o->is_stream || (o->is_shared && !is_mine) || !obj_is_there(o))
            continue;
        if (o->class == WORD_VALUE(CLASS, MUTEX) + 1)
            hold_mutex(o);
        else if (o->class == WORD_VALUE(CLASS, RWLOCK) + 1)
            hold_rwlock(o);
        else if (o->class == WORD_VALUE(CLASS, SPIN) + 1 && is_mine)
            real.pthread_spin_lock((pthread_spinlock_t *)(uintptr_t)o->addr);
    }
}

/* Registered first: runs in a child before any handler of the target does. */
void process_off(void)
{
    const struct thr *t = self;
    if (!rt.on)
        return;
    self = NULL;
    __heddle_news = &rt.no_news;
    rt.on = false;
    record_off();
    input_off();
    if (t)
        materialise(t);
    if (rt.pinned)
        sys_call(SYS_sched_setaffinity, 0, sizeof rt.cpus, (long)rt.cpus, 0, 0, 0);
    signal_off(t);
}

/* Around the start of another program: what it inherits is what it would without us. */
void process_lend(struct thr *t, bool on)
{
    signal_mask_real(t, on);
    if (!rt.pinned)
        return;
    if (on)
        sys_call(SYS_sched_setaffinity, 0, sizeof rt.cpus, (long)rt.cpus, 0, 0, 0);
    else
        pin_to(rt.cpu);
}

/* ---- shared objects ------------------------------------------------------------------ */

EXPORT void *dlopen(const char *path, int flags)
{
    struct thr *t = self;
    void *handle = real.dlopen(path, flags);
    if (t && handle)
        globals_after_dlopen();
    return handle;
}

EXPORT int dlclose(void *handle)
{
    struct thr *t = self;
    int e = real.dlclose(handle);
    if (t) {
        record_forget_texts();
        globals_after_dlclose();
    }
    return e;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-ids: where the target runs, and who it is. It runs on one processor, for waking a thread
 * on another one costs twenty times as much, and believes what it would without us. Numbers of
 * processes and threads are the system's, which gives the same ones in every run that has a
 * world of its own; in a replay they are those of the log, and what is asked or told by such a
 * number is answered from the log too: there is nobody of that number. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

/* ---- on one processor ------------------------------------------------------------------- */

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

void process_pin_again(void)
{
    pin_to(rt.cpu);
}

/* ---- where a thread believes to run ---------------------------------------------------- *
 * The target sees what it would see without us, and what it asked for. */

/* Its own, or null if the number is nobody's of ours. */
static struct thr *thread_of(struct thr *t, pid_t id)
{
    if (id == 0 || id == t->tid || (t->shown_tid && id == t->shown_tid))
        return t;
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        struct thr *other = &rt.threads[i];
        bool is_it = other->shown_tid ? other->shown_tid == id
                     : other->is_main ? id == (rt.shown_pid ? rt.shown_pid : rt.pid)
                                      : other->tid == id && !rt.input.exact;
        if (is_it && other->state != THR_EXITED)
            return other;
    }
    return NULL;
}

static void know_cpus(void)
{
    if (!rt.pinned && !rt.cpus[0])
        sys_call(SYS_sched_getaffinity, 0, sizeof rt.cpus, (long)rt.cpus, 0, 0, 0);
}

static const uint64_t *cpus_of(const struct thr *t)
{
    know_cpus();
    return t->has_cpus ? t->cpus : rt.cpus;
}

static int affinity(const struct thr *t, size_t len, cpu_set_t *out)
{
    if (len < 8)
        return EINVAL;
    size_t bytes = len < sizeof rt.cpus ? len : sizeof rt.cpus;
    __builtin_memset(out, 0, len);
    __builtin_memcpy(out, cpus_of(t), bytes);
    return 0;
}

/* Of what was asked for, what there is. */
static int set_affinity(struct thr *t, size_t len, const cpu_set_t *set)
{
    uint64_t wanted[sizeof rt.cpus / 8] = {0}, any = 0;
    know_cpus();
    __builtin_memcpy(wanted, set, len < sizeof wanted ? len : sizeof wanted);
    for (size_t i = 0; i < sizeof rt.cpus / 8; i++)
        any |= wanted[i] &= rt.cpus[i];
    if (!any)
        return EINVAL;
    __builtin_memcpy(t->cpus, wanted, sizeof wanted);
    t->has_cpus = true;
    return 0;
}

EXPORT int sched_getaffinity(pid_t pid, size_t len, cpu_set_t *out)
{
    const struct thr *t = self ? thread_of(self, pid) : NULL;
    if (!t)
        return real.sched_getaffinity(pid, len, out);
    errno = affinity(t, len, out);
    return errno ? -1 : 0;
}

EXPORT int pthread_getaffinity_np(pthread_t thread, size_t len, cpu_set_t *out)
{
    const struct thr *t = self ? thread_find(thread) : NULL;
    return t ? affinity(t, len, out) : real.pthread_getaffinity_np(thread, len, out);
}

EXPORT int sched_setaffinity(pid_t pid, size_t len, const cpu_set_t *set)
{
    struct thr *t = self, *whose = t ? thread_of(t, pid) : NULL;
    if (!t)
        return real.sched_setaffinity(pid, len, set);
    struct call c = call_begin(t, "sched_setaffinity");
    int error = whose ? set_affinity(whose, len, set) : 0;
    if (call_live(&c) && whose) {
        errno = error;
        CALL_MADE(c, error ? -1 : 0);
    } else if (c.live) {
        CALL_MADE(c, real.sched_setaffinity(pid, len, set));
    }
    return (int)call_end(&c);
}

EXPORT int pthread_setaffinity_np(pthread_t thread, size_t len, const cpu_set_t *set)
{
    struct thr *whose = self ? thread_find(thread) : NULL;
    if (!whose)
        return real.pthread_setaffinity_np(thread, len, set);
    point(self);
    return set_affinity(whose, len, set);
}

/* The first that it may use. */
static unsigned cpu_of(const struct thr *t)
{
    const uint64_t *set = cpus_of(t);
    for (unsigned i = 0; i < sizeof rt.cpus / 8; i++)
        if (set[i])
            return i * 64 + (unsigned)__builtin_ctzll(set[i]);
    return 0;
}

EXPORT int sched_getcpu(void)
{
    struct thr *t = self;
    if (!t)
        return real.sched_getcpu();
    struct call c = call_begin(t, "sched_getcpu");
    if (call_live(&c))
        CALL_MADE(c, cpu_of(t));
    return (int)call_end(&c);
}

EXPORT int getcpu(unsigned *cpu, unsigned *node)
{
    if (!self)
        return real.getcpu(cpu, node);
    int at = sched_getcpu();
    if (cpu)
        *cpu = (unsigned)at;
    if (node)
        *node = 0;
    return 0;
}

/* ---- how a thread is scheduled, by its number ------------------------------------------- */

CALL(int, sched_setscheduler, (pid_t pid, int policy, const struct sched_param *how),
     (pid, policy, how), )
CALL(int, sched_getscheduler, (pid_t pid), (pid), )
CALL(int, sched_setparam, (pid_t pid, const struct sched_param *how), (pid, how), )
CALL(int, sched_getparam, (pid_t pid, struct sched_param *out), (pid, out),
     call_fills(&c, out, c.result == 0 ? (int64_t)sizeof *out : 0))
CALL(int, setpriority, (__priority_which_t which, id_t id, int nice), (which, id, nice), )
CALL(int, prlimit,
     (pid_t pid, enum __rlimit_resource what, const struct rlimit *new, struct rlimit *out),
     (pid, what, new, out),
     call_fills(&c, out, c.result == 0 && out ? (int64_t)sizeof *out : 0))
ALSO(prlimit, prlimit64);

/* -1 is a priority too. */
EXPORT int getpriority(__priority_which_t which, id_t id)
{
    struct thr *t = self;
    enum { LOWEST = 100 };
    if (!t)
        return real.getpriority(which, id);
    struct call c = call_begin(t, "getpriority");
    if (call_live(&c)) {
        errno = 0;
        int nice = real.getpriority(which, id);
        CALL_MADE(c, errno ? -1 : nice + LOWEST);
    }
    int64_t result = call_end(&c);
    return result < 0 ? -1 : (int)result - LOWEST;
}

/* ---- who we are -------------------------------------------------------------------------- */

/* Always the same: asked once. */
EXPORT pid_t getpid(void)
{
    struct thr *t = self;
    if (!t)
        return sys_getpid();
    if (rt.shown_pid)
        return rt.shown_pid;
    struct call c = call_begin(t, "getpid");
    if (call_live(&c))
        CALL_MADE(c, rt.pid);
    rt.shown_pid = (int)c.result;
    return (pid_t)call_end(&c);
}

EXPORT pid_t gettid(void)
{
    struct thr *t = self;
    if (!t)
        return sys_gettid();
    struct call c = call_begin(t, "gettid");
    if (call_live(&c))
        CALL_MADE(c, t->tid);
    t->shown_tid = (int)c.result;
    return (pid_t)call_end(&c);
}

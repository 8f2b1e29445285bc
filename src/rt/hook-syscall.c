/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-syscall: system calls by number. Most of them are a function of libc that we know, and
 * are treated as that one. Those that we do not know are named, made while other threads may
 * run, for they may wait, and what they return is logged; what they fill in is not. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <stdarg.h>

enum {
    NUMBERS = 1024,
    MEMBARRIER_NOW = 1 | 2 | 8 | 32 | 128, /* the others ask, or say that they will */
};

static long answer(long result)
{
    if (result >= 0)
        return result;
    errno = (int)-result;
    return -1;
}

static bool is_harmless(long number)
{
    switch (number) {
#define AS(name, call)
#define HARMLESS(name) case SYS_##name:
#include "rt/syscall.def"
#undef AS
#undef HARMLESS
        return true;
    default:
        return false;
    }
}

static void name_once(const char *name, long number)
{
    static uint64_t named[NUMBERS / 64];
    uint64_t bit = 1ULL << (number % 64);
    if (number < 0 || number >= NUMBERS || (named[number / 64] & bit))
        return;
    named[number / 64] |= bit;
    outcome_doubt(DOUBT_UNMODELLED_CALL, name);
}

static long make(long number, const long *a)
{
    return answer(sys_call(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

static long make_unknown(struct thr *t, long number, const long *a)
{
    char name[32];
    struct text text = {name, 0, sizeof name};
    text_put(&text, "system call ");
    text_number(&text, (uint64_t)number);
    name_once(name, number);
    struct call c = call_begin(t, name);
    bool live = call_live(&c);
    OUTSIDE(out, t, true);
    if (live)
        CALL_MADE(c, make(number, a));
    outside_end(&out);
    return call_end(&c);
}

/* Entries of a directory, or the name of one. */
static long make_filling(struct thr *t, const char *name, long number, const long *a, int which)
{
    struct call c = call_begin(t, name);
    c.fd = number == SYS_getdents64 ? (int)a[0] : -1;
    if (call_live(&c))
        CALL_MADE(c, make(number, a));
    call_fills(&c, (void *)a[which], c.result);
    return call_end(&c);
}

/* Where libc returns an error instead of setting errno, or has another function for it. */
static long make_otherwise(struct thr *t, long number, const long *a)
{
    long n;
    switch (number) {
    case SYS_clock_nanosleep:
        return answer(
            -clock_nanosleep((clockid_t)a[0], (int)a[1], (const void *)a[2], (void *)a[3]));
    case SYS_mmap:
        return (long)mmap((void *)a[0], (size_t)a[1], (int)a[2], (int)a[3], (int)a[4], a[5]);
    case SYS_mremap:
        return (long)mremap((void *)a[0], (size_t)a[1], (size_t)a[2], (int)a[3], (void *)a[4]);
    case SYS_getdents64:
        return make_filling(t, "getdents64", number, a, 1);
    case SYS_getcwd:
        return make_filling(t, "getcwd", number, a, 0);
    case SYS_getpriority: /* the kernel counts from the other end */
        errno = 0;
        n = getpriority((__priority_which_t)a[0], (id_t)a[1]);
        return errno ? -1 : 20 - n;
    case SYS_sched_getaffinity: /* how much of it was filled in */
        n = sched_getaffinity((pid_t)a[0], (size_t)a[1], (void *)a[2]);
        return n < 0 ? n : a[1] < (long)sizeof rt.cpus ? a[1] : (long)sizeof rt.cpus;
    case SYS_membarrier:
        n = make(number, a);
        if (n >= 0 && rt.weak.on && (a[0] & MEMBARRIER_NOW))
            weak_fence_all(t);
        return n;
    case SYS_exit_group:
        _exit((int)a[0]);
    case SYS_exit:
        outcome_unsupported("exit of a thread by syscall");
    default:
        return is_harmless(number) ? make(number, a) : make_unknown(t, number, a);
    }
}

static long make_known(struct thr *t, long number, const long *a)
{
    int i0 = (int)a[0], i1 = (int)a[1], i2 = (int)a[2], i3 = (int)a[3];
    long n0 = a[0], n1 = a[1], n2 = a[2], n3 = a[3], n4 = a[4], n5 = a[5];
    void *p0 = (void *)n0, *p1 = (void *)n1, *p2 = (void *)n2, *p3 = (void *)n3,
         *p4 = (void *)n4, *p5 = (void *)n5;
    switch (number) {
#define AS(name, call) \
    case SYS_##name:   \
        return call;
#define HARMLESS(name)
#include "rt/syscall.def"
#undef AS
#undef HARMLESS
    default:
        return make_otherwise(t, number, a);
    }
}

EXPORT long syscall(long number, ...)
{
    struct thr *t = self;
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (!t)
        return make(number, a);
    if (number == SYS_futex)
        return answer(futex_call(t, a));
    if (refuse_syscall(number))
        return answer(-ENOSYS);
    return make_known(t, number, a);
}

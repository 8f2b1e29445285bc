/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-futex: what libstdc++ builds atomic::wait, latch, semaphore and future on (it calls
 * syscall(SYS_futex, ...)). */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <limits.h>

enum { CLASS_FUTEX_ = WORD_VALUE(CLASS, FUTEX) };
#define ALL_BITS 0xffffffffU

static void put_wait(struct thr *t, uint32_t *word, uint32_t value, int error, uint64_t by,
                     struct __heddle_site *site)
{
    t->learnt = true;
    if (rt.recording)
        record_event(t,
                     &(struct ev){.kind = EV_FUTEX_WAIT,
                                  .addr = (uint64_t)(uintptr_t)word,
                                  .value = value,
                                  .number = (uint64_t)error,
                                  .ref = by},
                     site);
}

static long futex_wait(struct thr *t, uint32_t *word, uint32_t value, uint64_t deadline,
                       uint32_t bits)
{
    struct __heddle_site *site = __heddle_here;
    struct obj *o = obj_get(word, CLASS_FUTEX_);
    if (deadline == 0 || bits == 0)
        return -EINVAL;
    record_held(t, EV_REQUEST, word, 0, 0, site);
    int error = 0;
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) {
        error = EAGAIN;
        t->woken_by = NO_EVENT;
    } else {
        t->wait_mask = bits;
        enum wake_how how = sched_block(t, o, WAIT_FUTEX, deadline);
        error = how == WAKE_TIMEOUT ? ETIMEDOUT : how == WAKE_NORMAL ? 0 : EINTR;
    }
    put_wait(t, word, value, error, t->woken_by, site);
    return -error;
}

static long futex_wake(struct thr *t, uint32_t *word, uint32_t count, uint32_t bits)
{
    struct obj *o = obj_get(word, CLASS_FUTEX_);
    uint64_t number = record_next();
    long woken = 0;
    if (bits == 0)
        return -EINVAL;
    for (struct thr *w = o->first, *next; w && woken < count; w = next) {
        next = w->wait_next;
        if (!(w->wait_mask & bits))
            continue;
        w->woken_by = number;
        sched_wake(w, WAKE_NORMAL);
        woken++;
    }
    if (woken)
        stir(t);
    record_sync(t, EV_FUTEX_WAKE, word, 0, (uint64_t)woken, __heddle_here);
    return woken;
}

static uint64_t relative(const struct timespec *span)
{
    if (!span)
        return NEVER;
    if (span->tv_sec < 0 || span->tv_nsec < 0 || span->tv_nsec >= 1000000000)
        return 0;
    return sched_now() + (uint64_t)span->tv_sec * 1000000000 + (uint64_t)span->tv_nsec;
}

long futex_call(struct thr *t, const long *a)
{
    point(t);
    uint32_t *word = (uint32_t *)a[0];
    const struct timespec *time = (const struct timespec *)a[3];
    int clock = a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    switch (a[1] & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)) {
    case FUTEX_WAIT:
        return futex_wait(t, word, (uint32_t)a[2], relative(time), ALL_BITS);
    case FUTEX_WAIT_BITSET:
        return futex_wait(t, word, (uint32_t)a[2], time ? time_deadline(clock, time) : NEVER,
                          (uint32_t)a[5]);
    case FUTEX_WAKE:
        return futex_wake(t, word, (uint32_t)a[2], ALL_BITS);
    case FUTEX_WAKE_BITSET:
        return futex_wake(t, word, (uint32_t)a[2], (uint32_t)a[5]);
    default:
        refuse_futex(a[1] & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME));
    }
}

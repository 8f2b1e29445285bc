/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-time: clocks and sleeps, in virtual time. Time passes with steps and with looks at a
 * clock, and jumps to the next deadline when nobody can run. All clocks run alike. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <errno.h>

#define SECOND_NS 1000000000ULL
enum {
    CLOSE_STEPS = 256,   /* between two looks at the clock of one that waits for it */
    LOOKS_PLAIN = 2048,  /* such looks that cost what a look costs */
    LOOKS_FASTER = 1024, /* behind them: after so many, twice as much each */
    FASTER_MAX = 22,
};

uint64_t time_real_ns(void)
{
    struct timespec now;
    sys_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

/* What a clock shows at TIME_START_NS. */
static uint64_t clock_start(int clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
        return rt.set.time_ns;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        return 0;
    default:
        return TIME_START_NS;
    }
}

uint64_t time_deadline(int clock, const struct timespec *when)
{
    if (when->tv_nsec < 0 || (uint64_t)when->tv_nsec >= SECOND_NS)
        return 0;
    if (when->tv_sec < 0)
        return 1;
    uint64_t start = clock_start(clock);
    if ((uint64_t)when->tv_sec > UINT64_MAX / 4 / SECOND_NS)
        return NEVER - 1;
    uint64_t at = (uint64_t)when->tv_sec * SECOND_NS + (uint64_t)when->tv_nsec;
    return at > start ? TIME_START_NS + (at - start) : 1;
}

/* What a look costs. One that does little else but to look waits for the clock: if nobody else
 * can run, time goes faster and faster, up to what somebody waits for. */
static uint64_t tick(struct thr *t)
{
    t->looks = t->step <= t->look_step + CLOSE_STEPS ? t->looks + 1 : 0;
    t->look_step = t->step;
    uint64_t ns = rt.set.tick_ns;
    if (t->looks < LOOKS_PLAIN || rt.ready_count)
        return ns;
    uint32_t more = (t->looks - LOOKS_PLAIN) / LOOKS_FASTER;
    ns <<= more < FASTER_MAX ? more : FASTER_MAX;
    uint64_t left = rt.next_deadline > rt.now_ns ? rt.next_deadline - rt.now_ns : 0;
    return ns < left || rt.next_deadline == NEVER ? ns : left;
}

static uint64_t look(struct thr *t, int clock)
{
    t->step++;
    t->learnt = true;
    uint64_t now = sched_now();
    sched_pass_time(tick(t));
    sched_until(t);
    return clock_start(clock) + (now - TIME_START_NS);
}

static struct timespec spec_of(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS)};
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *out)
{
    struct thr *t = self;
    if (!t)
        return real.clock_gettime
                   ? real.clock_gettime(clock, out)
                   : (int)sys_call(SYS_clock_gettime, clock, (long)out, 0, 0, 0, 0);
    if (clock > CLOCK_TAI) {
        errno = EINVAL;
        return -1;
    }
    *out = spec_of(look(t, clock));
    return 0;
}

EXPORT int timespec_get(struct timespec *out, int base)
{
    struct thr *t = self;
    if (!t)
        return real.timespec_get(out, base);
    if (base != TIME_UTC)
        return 0;
    *out = spec_of(look(t, CLOCK_REALTIME));
    return base;
}

EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct thr *t = self;
    if (!t)
        return real.gettimeofday(out, zone);
    uint64_t ns = look(t, CLOCK_REALTIME);
    *out = (struct timeval){(time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS / 1000)};
    return 0;
}

EXPORT time_t time(time_t *out)
{
    struct thr *t = self;
    if (!t)
        return real.time(out);
    time_t now = (time_t)(look(t, CLOCK_REALTIME) / SECOND_NS);
    if (out)
        *out = now;
    return now;
}

EXPORT clock_t clock(void)
{
    struct thr *t = self;
    return t ? (clock_t)(look(t, CLOCK_PROCESS_CPUTIME_ID) / 1000) : real.clock();
}

/* All of it the target's own. */
EXPORT clock_t times(struct tms *out)
{
    struct thr *t = self;
    if (!t)
        return real.times(out);
    uint64_t tick_ns = SECOND_NS / (uint64_t)real.sysconf(_SC_CLK_TCK);
    uint64_t ns = look(t, CLOCK_MONOTONIC);
    if (out)
        *out = (struct tms){.tms_utime = (clock_t)((ns - TIME_START_NS) / tick_ns)};
    return (clock_t)(ns / tick_ns);
}

/* The number of such a clock is made of a number of the system. */
#define NAMES_CLOCK(name, parameter, argument)                         \
    EXPORT int name(parameter, clockid_t *out)                         \
    {                                                                  \
        struct thr *t = self;                                          \
        if (!t)                                                        \
            return real.name(argument, out);                           \
        struct call c = call_inside(t, #name);                         \
        if (call_live(&c))                                             \
            CALL_MADE(c, real.name(argument, out));                    \
        call_fills(&c, out, c.result == 0 ? (int64_t)sizeof *out : 0); \
        return (int)call_end(&c);                                      \
    }

NAMES_CLOCK(pthread_getcpuclockid, pthread_t handle, handle)
NAMES_CLOCK(clock_getcpuclockid, pid_t pid, pid)

/* ---- sleeps -------------------------------------------------------------------------- */

/* False: a signal ended it. */
static bool sleep_until(struct thr *t, uint64_t deadline)
{
    point_at(t, &rt, __heddle_here);
    cancel_check(t);
    if (deadline <= sched_now()) {
        sched_yielded(t);
        return true;
    }
    enum wake_how how = sched_block(t, NULL, WAIT_SLEEP, deadline);
    if (how == WAKE_CANCEL)
        cancel_check(t);
    return how != WAKE_SIGNAL;
}

static bool sleep_for(struct thr *t, uint64_t ns)
{
    return sleep_until(t, sched_now() + ns);
}

EXPORT unsigned sleep(unsigned seconds)
{
    struct thr *t = self;
    if (!t)
        return real.sleep(seconds);
    uint64_t end = sched_now() + seconds * SECOND_NS;
    if (sleep_for(t, seconds * SECOND_NS))
        return 0;
    uint64_t now = sched_now();
    return now < end ? (unsigned)((end - now + SECOND_NS - 1) / SECOND_NS) : 0;
}

static int interrupted(void)
{
    errno = EINTR;
    return -1;
}

EXPORT int usleep(useconds_t us)
{
    struct thr *t = self;
    if (!t)
        return real.usleep(us);
    return sleep_for(t, (uint64_t)us * 1000) ? 0 : interrupted();
}

bool time_is_span(const struct timespec *span)
{
    return span->tv_sec >= 0 && span->tv_nsec >= 0 && (uint64_t)span->tv_nsec < SECOND_NS;
}

uint64_t time_span_ns(const struct timespec *span)
{
    if ((uint64_t)span->tv_sec > UINT64_MAX / 4 / SECOND_NS)
        return UINT64_MAX / 4;
    return (uint64_t)span->tv_sec * SECOND_NS + (uint64_t)span->tv_nsec;
}

/* An error code: how clock_nanosleep answers. */
static int nap(struct thr *t, const struct timespec *span, struct timespec *rest)
{
    if (!time_is_span(span))
        return EINVAL;
    uint64_t end = sched_now() + time_span_ns(span);
    if (sleep_until(t, end))
        return 0;
    uint64_t now = sched_now();
    if (rest)
        *rest = spec_of(now < end ? end - now : 0);
    return EINTR;
}

EXPORT int nanosleep(const struct timespec *span, struct timespec *rest)
{
    struct thr *t = self;
    if (!t)
        return real.nanosleep(span, rest);
    int e = nap(t, span, rest);
    if (!e)
        return 0;
    errno = e;
    return -1;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *span,
                           struct timespec *rest)
{
    struct thr *t = self;
    if (!t)
        return real.clock_nanosleep(clock, flags, span, rest);
    if (clock == CLOCK_THREAD_CPUTIME_ID || clock > CLOCK_TAI)
        return EINVAL;
    if (clock > CLOCK_THREAD_CPUTIME_ID && clock != CLOCK_BOOTTIME && clock != CLOCK_TAI)
        return EOPNOTSUPP; /* coarse and raw clocks can only be read */
    if (!(flags & TIMER_ABSTIME))
        return nap(t, span, rest);
    uint64_t deadline = time_deadline(clock, span);
    if (deadline == 0 || span->tv_sec < 0)
        return EINVAL;
    return sleep_until(t, deadline) ? 0 : EINTR;
}

EXPORT int sched_yield(void)
{
    struct thr *t = self;
    if (!t)
        return real.sched_yield();
    point_at(t, &rt, __heddle_here);
    sched_yielded(t);
    return 0;
}

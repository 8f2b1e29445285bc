/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-timer: timers in virtual time. They strike when the scheduler's clock gets there: at the
 * same step in every run, without the kernel. A timerfd is an eventfd that we count up. One
 * that starts threads (SIGEV_THREAD) has a helper that starts them, as in libc. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <sys/eventfd.h>
#include <sys/timerfd.h>

#define SECOND_NS 1000000000ULL
enum { ITIMERS = 3, SIGNAL_MAX = 64 };

/* One whose signal is still pending has nothing new to say. */
static bool is_armed(const struct timer *r)
{
    if (!r->used || r->deadline == NEVER)
        return false;
    return !r->signal || !(rt.signals & 1ULL << (r->signal - 1));
}

static struct timer *first(void)
{
    struct timer *best = NULL;
    for (int i = 0; i < rt.timer_count; i++) {
        struct timer *r = &rt.timers[i];
        if (is_armed(r) && (!best || r->deadline < best->deadline))
            best = r;
    }
    return best;
}

uint64_t timer_next(void)
{
    const struct timer *r = rt.timer_count ? first() : NULL;
    return r ? r->deadline : NEVER;
}

/* Is the next thing that time brings the end of the process, by a signal of one of its own
 * timers? Who waits then waits in vain. */
bool timer_only_kills(void)
{
    const struct timer *r = rt.timer_count ? first() : NULL;
    return r && r->deadline == rt.next_deadline && r->signal && !r->notify && r->fd < 0 &&
           rt.actions[r->signal].sa_handler == SIG_DFL &&
           (r->signal == SIGALRM || r->signal == SIGVTALRM || r->signal == SIGPROF);
}

/* When the next one strikes, and from when on others were late for it; NEVER: none does, or
 * its signal would end the process. */
uint64_t timer_first(uint64_t *late_from)
{
    const struct timer *r = rt.timer_count ? first() : NULL;
    if (!r || (r->signal && rt.actions[r->signal].sa_handler == SIG_DFL))
        return NEVER;
    *late_from = r->late_from;
    return r->deadline;
}

static void wake_helper(struct timer *r)
{
    struct thr *helper = &rt.threads[r->helper];
    if (helper->state == THR_BLOCKED)
        sched_wake(helper, WAKE_NORMAL);
}

/* The first one strikes. */
void timer_expire(uint64_t now)
{
    struct timer *r = first();
    uint64_t one = 1;
    if (!r)
        return;
    CHECK(r->deadline <= now);
    bool again = r->interval && r->interval < NEVER - r->deadline;
    r->deadline = again ? r->deadline + r->interval : NEVER; /* later: passing time ends */
    r->late_from = rt.late_ns;
    if (r->fd >= 0 && !rt.input.exact)
        sys_write(r->fd, &one, sizeof one);
    rt.strikes_ns = now;
    if (r->fd >= 0)
        sched_look_at_fds();
    rt.strikes_ns = 0;
    siginfo_t info = {.si_signo = r->signal,
                      .si_code = r->is_posix ? SI_TIMER : SI_KERNEL,
                      .si_value = r->value};
    if (r->signal)
        signal_fire(r->signal, r->thr, &info, NO_EVENT);
    if (r->notify) {
        r->due++;
        wake_helper(r);
    }
}

/* Others are late: not by more than a timer may see. */
void timer_put_off(void)
{
    for (int i = 0; i < rt.timer_count; i++) {
        struct timer *r = &rt.timers[i];
        uint64_t over = is_armed(r) ? late_put_off(&r->late_from) : 0;
        r->deadline = over ? r->deadline + over : r->deadline;
    }
}

static uint64_t ns_of(const struct timespec *s)
{
    return (uint64_t)s->tv_sec * SECOND_NS + (uint64_t)s->tv_nsec;
}

static struct timespec spec_of(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS)};
}

static struct itimerspec left_of(const struct timer *r)
{
    uint64_t now = sched_now();
    uint64_t left = !r->used || r->deadline == NEVER ? 0
                    : r->deadline > now              ? r->deadline - now
                                                     : 1;
    return (struct itimerspec){.it_interval = spec_of(r->interval), .it_value = spec_of(left)};
}

static void arm(struct timer *r, const struct itimerspec *s, bool is_absolute)
{
    uint64_t ns = ns_of(&s->it_value);
    r->interval = ns_of(&s->it_interval);
    r->deadline = ns == 0       ? NEVER
                  : is_absolute ? time_deadline(r->clock, &s->it_value)
                                : sched_now() + ns;
    r->late_from = rt.late_ns;
    sched_deadlines_changed();
    sched_until(rt.running);
}

static bool is_valid(const struct itimerspec *s)
{
    return s->it_value.tv_sec >= 0 && s->it_value.tv_nsec >= 0 &&
           s->it_value.tv_nsec < (long)SECOND_NS && s->it_interval.tv_nsec >= 0 &&
           s->it_interval.tv_nsec < (long)SECOND_NS && s->it_interval.tv_sec >= 0;
}

static int refuse(int error)
{
    errno = error;
    return -1;
}

/* ---- setitimer, alarm ------------------------------------------------------------------ */

static void use_itimers(void)
{
    static const int signals[ITIMERS] = {SIGALRM, SIGVTALRM, SIGPROF};
    for (int i = 0; i < ITIMERS && rt.timer_count < ITIMERS; i++)
        rt.timers[rt.timer_count++] = (struct timer){.deadline = NEVER,
                                                     .signal = signals[i],
                                                     .fd = -1,
                                                     .thr = NO_ID,
                                                     .used = true,
                                                     .clock = CLOCK_MONOTONIC};
}

static struct timespec of_timeval(struct timeval v)
{
    return (struct timespec){v.tv_sec, v.tv_usec * 1000};
}

static struct itimerval to_itimerval(struct itimerspec s)
{
    return (struct itimerval){{s.it_interval.tv_sec, s.it_interval.tv_nsec / 1000},
                              {s.it_value.tv_sec, s.it_value.tv_nsec / 1000}};
}

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict value,
                     struct itimerval *restrict old)
{
    struct thr *t = self;
    if (!t)
        return real.setitimer(which, value, old);
    if ((unsigned)which >= ITIMERS)
        return refuse(EINVAL);
    point(t);
    use_itimers();
    struct timer *r = &rt.timers[which];
    if (old)
        *old = to_itimerval(left_of(r));
    struct itimerspec s = {of_timeval(value->it_interval), of_timeval(value->it_value)};
    if (!is_valid(&s))
        return refuse(EINVAL);
    arm(r, &s, false);
    return 0;
}

EXPORT int getitimer(__itimer_which_t which, struct itimerval *out)
{
    struct thr *t = self;
    if (!t)
        return real.getitimer(which, out);
    if ((unsigned)which >= ITIMERS)
        return refuse(EINVAL);
    t->step++;
    use_itimers();
    *out = to_itimerval(left_of(&rt.timers[which]));
    return 0;
}

EXPORT unsigned alarm(unsigned seconds)
{
    struct itimerval value = {.it_value.tv_sec = seconds}, old;
    if (!self)
        return real.alarm(seconds);
    setitimer(ITIMER_REAL, &value, &old);
    return (unsigned)(old.it_value.tv_sec + (old.it_value.tv_usec > 0));
}

EXPORT useconds_t ualarm(useconds_t us, useconds_t interval)
{
    struct itimerval value = {{0, interval}, {0, us}}, old;
    if (!self)
        return real.ualarm(us, interval);
    setitimer(ITIMER_REAL, &value, &old);
    return (useconds_t)(old.it_value.tv_sec * 1000000 + old.it_value.tv_usec);
}

/* ---- timer_create ------------------------------------------------------------------------ */

static struct timer *unused(void)
{
    use_itimers();
    for (int i = ITIMERS; i < rt.timer_count; i++)
        if (!rt.timers[i].used && !rt.timers[i].notify) /* no helper is about to end */
            return &rt.timers[i];
    return rt.timer_count < TIMERS_MAX ? &rt.timers[rt.timer_count++] : NULL;
}

static struct timer *timer_at(timer_t id)
{
    uintptr_t i = (uintptr_t)id;
    return i > ITIMERS && i <= (uintptr_t)rt.timer_count && rt.timers[i - 1].used &&
                   rt.timers[i - 1].is_posix
               ? &rt.timers[i - 1]
               : NULL;
}

static void *run_notify(void *arg)
{
    const struct timer *r = arg;
    r->notify(r->value);
    return NULL;
}

static thing_id thing_of_timer(const struct timer *r)
{
    return thing_of(THING_TIMER, (uint64_t)(r - rt.timers), 0);
}

/* What a timer starts comes after whoever set it, and before whoever sets it anew. */
static void *help(void *arg)
{
    struct timer *r = arg;
    struct thr *t = self;
    struct call c = {.thr = t, .site = __heddle_here};
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    while (r->used) {
        point(t);
        if (r->used && r->due == 0)
            sched_block(t, NULL, WAIT_SLEEP, NEVER);
        if (!r->used || r->due == 0)
            continue;
        r->due--;
        thing_sum(&c, thing_of_timer(r));
        thread_create(NULL, &detached, run_notify, r, false);
    }
    r->notify = NULL;
    return NULL;
}

/* 0, or an error. */
static int start_helper(struct timer *r, void (*notify)(union sigval))
{
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    r->helper = rt.thread_count;
    r->notify = notify;
    return thread_create(NULL, &detached, help, r, false);
}

EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict out)
{
    struct thr *t = self;
    if (!t)
        return real.timer_create(clock, event, out);
    point(t);
    int how = event ? event->sigev_notify : SIGEV_SIGNAL;
    if (clock > CLOCK_TAI || (clock > CLOCK_THREAD_CPUTIME_ID && clock < CLOCK_BOOTTIME))
        return refuse(clock > CLOCK_TAI ? EINVAL : EOPNOTSUPP);
    bool is_told = how == SIGEV_SIGNAL || how == SIGEV_THREAD_ID;
    if (event && is_told && (event->sigev_signo < 1 || event->sigev_signo > 64))
        return refuse(EINVAL);
    struct timer *r = unused();
    if (!r)
        return refuse(EAGAIN);
    uintptr_t id = (uintptr_t)(r - rt.timers) + 1;
    *r = (struct timer){.deadline = NEVER,
                        .signal = how == SIGEV_NONE || how == SIGEV_THREAD ? 0
                                  : event                                  ? event->sigev_signo
                                                                           : SIGALRM,
                        .fd = -1,
                        .thr = how == SIGEV_THREAD_ID ? t->id : NO_ID,
                        .used = true,
                        .is_posix = true,
                        .clock = clock};
    if (event)
        r->value = event->sigev_value;
    else
        r->value.sival_ptr = (void *)id;
    int e = how == SIGEV_THREAD ? start_helper(r, event->sigev_notify_function) : 0;
    if (e) {
        r->used = false;
        return refuse(e);
    }
    *out = (timer_t)id;
    return 0;
}

EXPORT int timer_settime(timer_t id, int flags, const struct itimerspec *restrict value,
                         struct itimerspec *restrict old)
{
    struct thr *t = self;
    if (!t)
        return real.timer_settime(id, flags, value, old);
    point(t);
    struct timer *r = timer_at(id);
    if (!r || !is_valid(value))
        return refuse(EINVAL);
    if (old)
        *old = left_of(r);
    arm(r, value, flags & TIMER_ABSTIME);
    thing_change(&(struct call){.thr = t, .site = __heddle_here}, thing_of_timer(r));
    return 0;
}

EXPORT int timer_gettime(timer_t id, struct itimerspec *out)
{
    struct thr *t = self;
    if (!t)
        return real.timer_gettime(id, out);
    t->step++;
    struct timer *r = timer_at(id);
    if (!r)
        return refuse(EINVAL);
    *out = left_of(r);
    return 0;
}

EXPORT int timer_getoverrun(timer_t id)
{
    if (!self)
        return real.timer_getoverrun(id);
    self->step++;
    return timer_at(id) ? 0 : refuse(EINVAL);
}

EXPORT int timer_delete(timer_t id)
{
    struct thr *t = self;
    if (!t)
        return real.timer_delete(id);
    point(t);
    struct timer *r = timer_at(id);
    if (!r)
        return refuse(EINVAL);
    r->used = false;
    thing_change(&(struct call){.thr = t, .site = __heddle_here}, thing_of_timer(r));
    if (r->notify)
        wake_helper(r);
    sched_deadlines_changed();
    return 0;
}

/* ---- timerfd ----------------------------------------------------------------------------- */

static struct timer *timer_of_fd(int fd)
{
    for (int i = ITIMERS; i < rt.timer_count; i++)
        if (rt.timers[i].used && rt.timers[i].fd == fd)
            return &rt.timers[i];
    return NULL;
}

EXPORT int timerfd_create(clockid_t clock, int flags)
{
    struct thr *t = self;
    if (!t)
        return real.timerfd_create(clock, flags);
    if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME) ||
        flags & ~(TFD_NONBLOCK | TFD_CLOEXEC))
        return refuse(EINVAL);
    struct timer *r = unused();
    if (!r)
        return refuse(EMFILE);
    int fd = eventfd(0, (flags & TFD_NONBLOCK ? EFD_NONBLOCK : 0) |
                            (flags & TFD_CLOEXEC ? EFD_CLOEXEC : 0));
    struct timer *old = timer_of_fd(fd);
    if (old) /* closed, and its number is used again */
        old->used = false;
    if (fd >= 0)
        *r = (struct timer){
            .deadline = NEVER, .fd = fd, .thr = NO_ID, .used = true, .clock = clock};
    return fd;
}

EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *value,
                           struct itimerspec *old)
{
    struct thr *t = self;
    if (!t)
        return real.timerfd_settime(fd, flags, value, old);
    point(t);
    struct timer *r = timer_of_fd(fd);
    if (!r || !is_valid(value))
        return refuse(r ? EINVAL : EBADF);
    if (old)
        *old = left_of(r);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    uint64_t count;
    if (!rt.input.exact && sys_call(SYS_poll, (long)&p, 1, 0, 0, 0, 0) > 0)
        sys_call(SYS_read, fd, (long)&count, sizeof count, 0, 0, 0);
    arm(r, value, flags & TFD_TIMER_ABSTIME);
    outside_told(&(struct call){.thr = t, .site = __heddle_here}); /* who reads it hears */
    return 0;
}

EXPORT int timerfd_gettime(int fd, struct itimerspec *out)
{
    struct thr *t = self;
    if (!t)
        return real.timerfd_gettime(fd, out);
    t->step++;
    struct timer *r = timer_of_fd(fd);
    if (!r)
        return refuse(EBADF);
    *out = left_of(r);
    return 0;
}

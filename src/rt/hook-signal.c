/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-signal: handlers of the target run at points, in the thread that has the token or in
 * the one they were sent to. What the kernel delivers, wherever, is only noted. What the
 * target sends to itself does not go through the kernel: it comes at the same step in every
 * run. Calls outside are interrupted by it and made again if the handler says SA_RESTART. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <ucontext.h>

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

static bool is_fatal(int signal)
{
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        if (fatal[i] == signal)
            return true;
    return false;
}

static uint64_t bit(int signal)
{
    return 1ULL << (signal - 1);
}

static bool is_handler(const struct sigaction *a)
{
    return a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN;
}

/* ---- delivery ------------------------------------------------------------------------ */

static void run_handler(struct thr *t, int signal)
{
    const struct sigaction action = rt.actions[signal];
    struct __heddle_site *here = __heddle_here;
    siginfo_t info = {.si_signo = signal, .si_code = SI_USER, .si_pid = rt.pid};
    static ucontext_t context;
    if (!is_handler(&action))
        return;
    int error = errno;
    uint64_t mask = t->mask;
    t->mask |= bit(signal);
    if (action.sa_flags & (int)SA_RESETHAND)
        rt.actions[signal].sa_handler = SIG_DFL;
    if (!(action.sa_flags & SA_RESTART))
        t->interrupted = true;
    stir(t);
    t->learnt = true;
    record_sync(t, EV_HANDLER_ENTER, NULL, 0, (uint64_t)signal, here);
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(signal, &info, &context);
    else
        action.sa_handler(signal);
    record_sync(t, EV_HANDLER_LEAVE, NULL, 0, (uint64_t)signal, here);
    t->mask = mask;
    __heddle_here = here;
    errno = error;
}

/* Is there a handler that somebody who waits could run? */
bool signal_wakes(void)
{
    uint64_t pending = __atomic_load_n(&rt.signals, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; pending && i < rt.thread_count; i++) {
        struct thr *t = &rt.threads[i];
        if (t->state == THR_BLOCKED && t->wait_how != WAIT_BARRIER &&
            t->wait_how != WAIT_JOIN && (pending & ~t->mask)) {
            sched_wake(t, WAKE_SIGNAL);
            return rt.ready_count > 0;
        }
    }
    return false;
}

/* What is pending for the process or for t, and not blocked by it. */
void signal_deliver(struct thr *t)
{
    for (;;) {
        uint64_t all = __atomic_load_n(&rt.signals, __ATOMIC_SEQ_CST) | t->signals;
        uint64_t now = all & ~t->mask;
        if (!now) {
            signal_wakes();
            return;
        }
        int signal = __builtin_ctzll(now) + 1;
        __atomic_and_fetch(&rt.signals, ~bit(signal), __ATOMIC_SEQ_CST);
        __atomic_and_fetch(&t->signals, ~bit(signal), __ATOMIC_SEQ_CST);
        run_handler(t, signal);
    }
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    struct thr *t = self, *running = rt.running;
    if (!t) { /* not ours, or over */
        const struct sigaction *a = &rt.actions[signal];
        if (a->sa_flags & SA_SIGINFO)
            a->sa_sigaction(signal, info, context);
        else if (is_handler(a))
            a->sa_handler(signal);
        return;
    }
    uint64_t *where = info->si_code == SI_TKILL ? &t->signals : &rt.signals;
    __atomic_or_fetch(where, bit(signal), __ATOMIC_SEQ_CST);
    if (running)
        __atomic_store_n(&running->until, 0, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&rt.returns, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&rt.idle, __ATOMIC_SEQ_CST))
        sys_futex_wake(&rt.returns);
}

/* To another thread of the target: at its next point, or now if it waits. */
static void send_to(struct thr *peer, int signal)
{
    __atomic_or_fetch(&peer->signals, bit(signal), __ATOMIC_SEQ_CST);
    if (peer->state == THR_OUTSIDE)
        sys_tgkill(rt.pid, peer->tid, signal);
    else if (peer->state == THR_BLOCKED && !(peer->mask & bit(signal)) &&
             peer->wait_how != WAIT_BARRIER && peer->wait_how != WAIT_JOIN)
        sched_wake(peer, WAKE_SIGNAL);
}

/* ---- what the target asks for -------------------------------------------------------- */

EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
    struct thr *t = self;
    if (!t || signal < 1 || signal > 64 || signal == SIGKILL || signal == SIGSTOP ||
        (signal > 31 && signal < SIGRTMIN))
        return real.sigaction(signal, action, old);
    t->step++;
    struct sigaction before = rt.actions[signal];
    if (action) {
        struct sigaction ours = *action;
        rt.actions[signal] = *action;
        if (is_handler(action) && !is_fatal(signal)) {
            rt.has_handlers = true;
            ours.sa_sigaction = on_signal;
            ours.sa_flags = (action->sa_flags & ~(SA_RESTART | (int)SA_RESETHAND)) | SA_SIGINFO;
        }
        if (is_fatal(signal) && action->sa_handler == SIG_DFL)
            outcome_fatal_signals();
        else if (real.sigaction(signal, &ours, NULL) < 0)
            return -1;
    }
    if (old)
        *old = before;
    return 0;
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    if (!self)
        return real.signal(number, handler);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    return sigaction(number, &action, &old) < 0 ? SIG_ERR : old.sa_handler;
}

static bool is_modelled(int signal)
{
    return signal >= 1 && signal <= 64 && is_handler(&rt.actions[signal]) && !is_fatal(signal);
}

EXPORT int raise(int signal)
{
    struct thr *t = self;
    if (!t || !is_modelled(signal))
        return real.raise(signal);
    point(t);
    t->signals |= bit(signal);
    signal_deliver(t);
    return 0;
}

EXPORT int kill(pid_t pid, int signal)
{
    struct thr *t = self;
    if (!t || pid != rt.pid || !is_modelled(signal))
        return real.kill(pid, signal);
    point(t);
    if (t->mask & bit(signal)) /* the kernel knows who does not block it */
        return real.kill(pid, signal);
    t->signals |= bit(signal);
    signal_deliver(t);
    return 0;
}

EXPORT int pthread_kill(pthread_t handle, int signal)
{
    struct thr *t = self, *peer;
    if (!t || !is_modelled(signal))
        return real.pthread_kill(handle, signal);
    point(t);
    peer = thread_find(handle);
    if (!peer)
        return ESRCH;
    if (peer->state == THR_EXITED)
        return 0;
    stir(t);
    if (peer == t) {
        t->signals |= bit(signal);
        signal_deliver(t);
    } else {
        send_to(peer, signal);
    }
    return 0;
}

static void note_mask(struct thr *t)
{
    uint64_t mask = 0;
    sys_call(SYS_rt_sigprocmask, 0, 0, (long)&mask, 8, 0, 0);
    t->mask = mask;
    signal_deliver(t);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    struct thr *t = self;
    int e = real.pthread_sigmask(how, set, old);
    if (t && !e && set)
        note_mask(t);
    return e;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    struct thr *t = self;
    int e = real.sigprocmask(how, set, old);
    if (t && !e && set)
        note_mask(t);
    return e;
}

/* ---- waiting for a signal ------------------------------------------------------------ */

#define WAITS(type, name, parameters, arguments) \
    EXPORT type name parameters                  \
    {                                            \
        struct thr *t = self;                    \
        if (!t)                                  \
            return real.name arguments;          \
        point(t);                                \
        cancel_check(t);                         \
        t->learnt = true;                        \
        OUTSIDE(out, t, true);                   \
        type result = real.name arguments;       \
        int error = errno;                       \
        outside_end(&out);                       \
        signal_deliver(t);                       \
        errno = error;                           \
        return result;                           \
    }

WAITS(int, sigwait, (const sigset_t *restrict set, int *restrict signal), (set, signal))
WAITS(int, sigwaitinfo, (const sigset_t *restrict set, siginfo_t *restrict info), (set, info))
WAITS(int, sigtimedwait,
      (const sigset_t *restrict set, siginfo_t *restrict info,
       const struct timespec *restrict span),
      (set, info, span))

static void set_mask(uint64_t mask)
{
    sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8, 0, 0);
}

/* With another mask, until a handler has run. The kernel has to know the mask, or the signal
 * stays with it. */
static int suspend(struct thr *t, uint64_t mask)
{
    uint64_t before = t->mask;
    point(t);
    cancel_check(t);
    t->learnt = true;
    t->mask = mask;
    set_mask(mask);
    enum wake_how how = WAKE_SIGNAL;
    if (!((__atomic_load_n(&rt.signals, __ATOMIC_SEQ_CST) | t->signals) & ~mask))
        how = sched_block_fds(t, NULL, 0, NEVER);
    signal_deliver(t);
    set_mask(before);
    t->mask = before;
    if (how == WAKE_CANCEL)
        cancel_check(t);
    errno = EINTR;
    return -1;
}

EXPORT int pause(void)
{
    struct thr *t = self;
    return t ? suspend(t, t->mask) : real.pause();
}

EXPORT int sigsuspend(const sigset_t *set)
{
    struct thr *t = self;
    uint64_t mask;
    __builtin_memcpy(&mask, set, sizeof mask);
    return t ? suspend(t, mask) : real.sigsuspend(set);
}

/* After a call outside that ended with EINTR: make it again? */
bool signal_restarts(struct thr *t)
{
    t->interrupted = false;
    if (!((__atomic_load_n(&rt.signals, __ATOMIC_SEQ_CST) | t->signals) & ~t->mask))
        return false;
    signal_deliver(t);
    return !t->interrupted;
}

void signal_off(void)
{
    for (int signal = 1; signal <= 64; signal++)
        if (is_handler(&rt.actions[signal]) || is_fatal(signal))
            real.sigaction(signal, &rt.actions[signal], NULL);
}

/* What was there when we came: mostly the default. */
void signal_start(void)
{
    for (int signal = 1; signal <= 64; signal++)
        if (signal <= 31 || signal >= SIGRTMIN)
            real.sigaction(signal, NULL, &rt.actions[signal]);
}

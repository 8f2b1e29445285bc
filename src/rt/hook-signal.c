/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-signal: the model of signals. Masks and what is pending are ours; the kernel's mask
 * stays open, and what it delivers, wherever, is only noted. Handlers run at points, in the
 * thread that has the token or in the one they were sent to. What the target sends to itself,
 * and what its timers send, does not go through the kernel: it comes at the same step in every
 * run. What the system sends is logged with its step when its handler runs, and a replay runs
 * the handler there. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

/* Left to the kernel: faults are outcomes, the last ones stop and continue the process, and
 * SIGXCPU is how we are told that the time is up. */
static const int not_ours[] = {SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGABRT, SIGKILL, SIGSTOP,
                               SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGXCPU, SIGTRAP};
enum { FAULTS = 5 };

/* Set in rt.signals, like that of a signal: something is in the queue. No program has this
 * one, it is libc's own. */
#define QUEUE_BIT (1ULL << 31)

static bool is_among(int signal, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (not_ours[i] == signal)
            return true;
    return false;
}

static bool is_fatal(int signal)
{
    return is_among(signal, FAULTS);
}

static bool is_signal(int signal)
{
    return (signal >= 1 && signal <= 31) || (signal >= SIGRTMIN && signal <= 64);
}

static bool can_catch(int signal)
{
    return is_signal(signal) && !is_among(signal, sizeof not_ours / sizeof *not_ours);
}

static uint64_t bit(int signal)
{
    CHECK(signal >= 1 && signal <= 64);
    return 1ULL << (signal - 1);
}

static bool is_handler(const struct sigaction *a)
{
    return a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN;
}

static uint64_t bits_of(const sigset_t *set)
{
    uint64_t bits;
    __builtin_memcpy(&bits, set, sizeof bits);
    return bits;
}

/* ---- delivery --------------------------------------------------------------------- */

/* The signal is ours now: not pending any more. */
static void take(struct thr *t, int signal)
{
    if (!signal_is_queued(signal) || !(t->signals & bit(signal)))
        __atomic_and_fetch(&rt.signals, ~bit(signal), __ATOMIC_SEQ_CST);
    __atomic_and_fetch(&t->signals, ~bit(signal), __ATOMIC_SEQ_CST);
    t->routed &= ~bit(signal);
    __atomic_and_fetch(&rt.arrived, ~bit(signal), __ATOMIC_SEQ_CST);
    sched_deadlines_changed(); /* a timer may strike again */
}

/* Those of the process that t was to take: it does not, and anybody else may. */
void signal_give_back(struct thr *t, uint64_t which)
{
    which &= t->signals & t->routed;
    __atomic_and_fetch(&t->signals, ~which, __ATOMIC_SEQ_CST);
    t->routed &= ~which;
    __atomic_or_fetch(&rt.signals, which, __ATOMIC_SEQ_CST);
}

static void default_action(int signal)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    if (signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH)
        return;
    real.sigaction(signal, &action, NULL);
    outcome_crash(signal, NULL, NULL);
    sys_tgkill(sys_getpid(), sys_gettid(), signal);
}

/* Threads of the target have sent it, and nobody else: it comes after what they did before.
 * Those of real time do not merge: each has its own sender. */
static bool tell_senders(struct thr *t, int signal)
{
    if (!(rt.signal.sent & bit(signal)) || !rt.recording)
        return false;
    rt.signal.sent &= ~bit(signal);
    struct call c = {.thr = t, .site = __heddle_here};
    thing_id sent = thing_of(THING_SIGNAL, (uint64_t)signal, 0);
    if (signal_is_queued(signal))
        thing_hear(&c, sent, rt.signal.sent_by[signal]);
    else
        thing_sum(&c, sent);
    return true;
}

/* Nothing is wrong with it as long as the handler cannot interrupt such a function, too. */
void signal_unsafe(struct thr *t)
{
    if (LIKELY(!t->handling))
        t->unsafe_open |= ~t->mask;
    else if (t->handler_signal && t->unsafe_open & bit(t->handler_signal))
        record_mark(t, WORD_VALUE(MARK, UNSAFE), NULL, __heddle_here);
}

/* A handler that runs, in the frame of who called it. */
struct handling {
    struct handling *outer;
    struct thr *thr;
    uint64_t mask; /* of signals, before it */
};

/* It has returned, or something was thrown out of it. */
static void handled(struct handling *h)
{
    CHECK(h->thr == rt.running && h->thr->handling == h);
    h->thr->handling = h->outer;
}

static void run_handler(struct thr *t, int signal, siginfo_t *info)
{
    const struct sigaction action = rt.actions[signal];
    struct __heddle_site *here = __heddle_here;
    static ucontext_t context;
    int error = errno;
    __attribute__((cleanup(handled))) struct handling h = {t->handling, t, t->mask};
    t->handling = &h;
    t->handled++;
    t->mask |= bits_of(&action.sa_mask) | (action.sa_flags & SA_NODEFER ? 0 : bit(signal));
    signal_give_back(t, t->mask);
    if (action.sa_flags & (int)SA_RESETHAND)
        rt.actions[signal].sa_handler = SIG_DFL;
    if (!(action.sa_flags & SA_RESTART))
        t->interrupted = true;
    stir(t);
    t->learnt = true;
    if (tell_senders(t, signal))
        record_cause(t, rt.trace.event_count - 1, here);
    record_sync(t, EV_HANDLER_ENTER, NULL, 0, (uint64_t)signal, here);
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(signal, info, &context);
    else
        action.sa_handler(signal);
    record_sync(t, EV_HANDLER_LEAVE, NULL, 0, (uint64_t)signal, here);
    t->mask = h.mask;
    __heddle_here = here;
    errno = error;
}

/* Whatever its action is. */
static void act(struct thr *t, int signal, siginfo_t *info, enum signal_where where)
{
    int outer = t->handler_signal;
    t->handler_signal = where == SIGNAL_AT_POINT ? signal : 0;
    if (is_handler(&rt.actions[signal]))
        run_handler(t, signal, info);
    else if (rt.actions[signal].sa_handler == SIG_DFL)
        default_action(signal);
    t->handler_signal = outer;
}

/* One that is pending for it. */
void signal_ends_wait(struct thr *t)
{
    if (t->signals & ~t->mask & rt.arrived)
        sched_wake_logged(t, rt.is_at_point);
    else
        sched_wake(t, WAKE_SIGNAL);
}

/* To one thread: at its next point, or now if it waits. */
static void send_to(struct thr *t, int signal)
{
    __atomic_or_fetch(&t->signals, bit(signal), __ATOMIC_SEQ_CST);
    if (t->mask & bit(signal))
        return;
    if (t->state == THR_SPINNING)
        sched_unspin(t);
    else if (t->state == THR_OUTSIDE)
        sys_tgkill(rt.pid, t->tid, signal);
    else if (t->state == THR_BLOCKED && t->wait_how != WAIT_BARRIER)
        signal_ends_wait(t);
}

static bool can_take(const struct thr *t, int signal)
{
    return t->state != THR_EXITED && t->state != THR_FREE && !(t->mask & bit(signal)) &&
           !(t->state == THR_BLOCKED && t->wait_how == WAIT_BARRIER);
}

/* Who gets a signal of the process: main if it can, as the kernel has it, then whoever runs,
 * then any other. */
static struct thr *taker(struct thr *t, int signal)
{
    if (can_take(&rt.threads[0], signal))
        return &rt.threads[0];
    if (t && can_take(t, signal))
        return t;
    for (uint32_t i = 1; i < rt.thread_count; i++)
        if (can_take(&rt.threads[i], signal))
            return &rt.threads[i];
    return NULL;
}

static bool is_alive(const struct thr *t)
{
    return t->state != THR_EXITED && t->state != THR_FREE;
}

/* Nobody is about to take another of its number: that one's words would be overwritten. */
static bool may_be_pending(const struct queued *q)
{
    const struct thr *to = q->to == NO_ID ? NULL : &rt.threads[q->to];
    if ((to ? to->signals : rt.signals) & bit(q->signal))
        return false;
    for (uint32_t i = 0; i < rt.thread_count; i++)
        if (is_alive(&rt.threads[i]) &&
            rt.threads[i].signals & ~rt.threads[i].mask & bit(q->signal))
            return false;
    return true;
}

static void serve_queue(void)
{
    struct queued q;
    __atomic_and_fetch(&rt.signals, ~QUEUE_BIT, __ATOMIC_SEQ_CST);
    if (UNLIKELY(__atomic_exchange_n(&rt.signal.has_lost, false, __ATOMIC_SEQ_CST)))
        outcome_unsupported("more than 1024 signals of real time from outside at a time");
    while (rt.queued_count && signal_queue_take(may_be_pending, &q)) {
        rt.signal.infos[q.signal] = q.info;
        rt.signal.sent_by[q.signal] = q.by;
        rt.signal.sent =
            q.by == NO_EVENT ? rt.signal.sent & ~bit(q.signal) : rt.signal.sent | bit(q.signal);
        if (q.arrived)
            __atomic_or_fetch(&rt.arrived, bit(q.signal), __ATOMIC_SEQ_CST);
        if (q.to == NO_ID)
            __atomic_or_fetch(&rt.signals, bit(q.signal), __ATOMIC_SEQ_CST);
        else if (is_alive(&rt.threads[q.to]))
            send_to(&rt.threads[q.to], q.signal);
    }
}

static uint64_t pending_of(const struct thr *t)
{
    if (UNLIKELY(__atomic_load_n(&rt.queued_count, __ATOMIC_SEQ_CST)))
        serve_queue();
    return (__atomic_load_n(&rt.signals, __ATOMIC_SEQ_CST) | t->signals) & ~QUEUE_BIT;
}

static uint64_t blocked_by_all(void)
{
    uint64_t all = ~0ULL;
    for (uint32_t i = 0; i < rt.thread_count; i++)
        if (rt.threads[i].state != THR_EXITED)
            all &= rt.threads[i].mask;
    return all;
}

/* Those that are to be read. */
static bool read_off(uint64_t *pending, uint64_t blocked)
{
    bool any = false;
    for (uint64_t left = *pending & blocked & rt.signalfd_mask; left; left &= left - 1) {
        int signal = __builtin_ctzll(left) + 1;
        if (!signalfd_takes(signal, &rt.signal.infos[signal]))
            continue;
        any = true;
        __atomic_and_fetch(pending, ~bit(signal), __ATOMIC_SEQ_CST);
        __atomic_and_fetch(&rt.arrived, ~bit(signal), __ATOMIC_SEQ_CST);
    }
    return any;
}

static void serve_readers(void)
{
    bool any;
    do {
        any = read_off(&rt.signals, blocked_by_all());
        for (uint32_t i = 0; i < rt.thread_count; i++)
            if (is_alive(&rt.threads[i]))
                any |= read_off(&rt.threads[i].signals, rt.threads[i].mask);
        serve_queue();
    } while (any);
}

static void route(struct thr *t)
{
    if (UNLIKELY(__atomic_load_n(&rt.signals, __ATOMIC_SEQ_CST) & QUEUE_BIT || rt.queued_count))
        serve_queue();
    if (UNLIKELY(rt.signalfd_mask))
        serve_readers();
    for (uint64_t left = __atomic_load_n(&rt.signals, __ATOMIC_SEQ_CST) & ~QUEUE_BIT; left;
         left &= left - 1) {
        int signal = __builtin_ctzll(left) + 1;
        struct thr *to = taker(t, signal);
        if (!to || to == t || (signal_is_queued(signal) && to->signals & bit(signal)))
            continue;
        CHECK(to->state != THR_EXITED && !(to->mask & bit(signal)));
        __atomic_and_fetch(&rt.signals, ~bit(signal), __ATOMIC_SEQ_CST);
        if (!(to->signals & bit(signal)))
            to->routed |= bit(signal);
        send_to(to, signal);
    }
}

/* Nobody can run: somebody who waits may have a handler to run. */
bool signal_wakes(void)
{
    route(NULL);
    return rt.ready_count > 0;
}

/* In a replay: where the system's next signal comes to t. */
void signal_due(struct thr *t)
{
    struct signal_note note;
    bool is_any = input_next_signal(t, &note) != 0;
    t->signal_step = is_any && note.where == SIGNAL_AT_POINT ? note.step : NEVER;
    t->signal_wait = is_any && note.where == SIGNAL_IN_WAIT ? note.step : NEVER;
}

/* One of the system, in a replay: if it came exactly here. */
static int logged_signal(struct thr *t, enum signal_where where, siginfo_t *info)
{
    struct signal_note note;
    int signal = input_next_signal(t, &note);
    if (!signal)
        return 0;
    if (note.step < t->step)
        outcome_diverged("a signal of the system came at a step that was passed over");
    if (note.step != t->step || note.handled != t->handled || note.where != where)
        return 0;
    *info = note.info;
    input_take_signal(t);
    signal_due(t);
    sched_until(t); /* the next one may come at the handler's first step */
    return signal;
}

/* What is pending for the process or for t, and not blocked by it. */
void signal_deliver(struct thr *t, enum signal_where where)
{
    for (;;) {
        siginfo_t info;
        rt.is_at_point = where == SIGNAL_AT_POINT;
        route(t);
        rt.is_at_point = false;
        int signal = rt.input.exact ? logged_signal(t, where, &info) : 0;
        bool arrived = signal != 0, is_logged = arrived;
        uint64_t now = pending_of(t) & ~t->mask;
        if (!signal && !now)
            return;
        if (!signal) {
            signal = __builtin_ctzll(now) + 1;
            info = rt.signal.infos[signal];
            arrived = rt.arrived & bit(signal);
        }
        if (!is_logged || !signal_is_queued(signal)) /* what we sent ourselves waits on */
            take(t, signal);
        if (arrived)
            input_signal(t, signal, where, &info);
        act(t, signal, &info, where);
    }
}

/* The running thread is to look at everything at its next point; if none runs, who waits. */
void signal_prompt(void)
{
    struct thr *running = rt.running;
    if (running)
        __atomic_store_n(&running->until, 0, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&rt.returns, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&rt.idle, __ATOMIC_SEQ_CST))
        sys_futex_wake(&rt.returns);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    if (!rt.on || rt.ended) { /* a thread that begins or ends is not self, but ours */
        const struct sigaction *a = &rt.actions[signal];
        if (a->sa_flags & SA_SIGINFO)
            a->sa_sigaction(signal, info, context);
        else if (is_handler(a))
            a->sa_handler(signal);
        return;
    }
    if (rt.input.exact) /* not a part of the run that is replayed */
        return;
    if (signal_is_queued(signal)) {
        if (!signal_queue_add(&(struct queued){
                .signal = signal, .to = NO_ID, .arrived = true, .by = NO_EVENT, .info = *info}))
            __atomic_store_n(&rt.signal.has_lost, true, __ATOMIC_SEQ_CST);
        __atomic_or_fetch(&rt.signals, QUEUE_BIT, __ATOMIC_SEQ_CST);
    } else {
        rt.signal.infos[signal] = *info;
        __atomic_and_fetch(&rt.signal.sent, ~bit(signal), __ATOMIC_SEQ_CST);
        __atomic_or_fetch(&rt.arrived, bit(signal), __ATOMIC_SEQ_CST);
        __atomic_or_fetch(&rt.signals, bit(signal), __ATOMIC_SEQ_CST);
    }
    signal_prompt();
}

/* ---- sending ---------------------------------------------------------------------- */

static siginfo_t info_of(int signal, int code)
{
    return (siginfo_t){.si_signo = signal, .si_code = code, .si_pid = rt.shown_pid};
}

static bool is_ignored(int signal)
{
    const struct sigaction *a = &rt.actions[signal];
    bool by_default = signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH;
    return a->sa_handler == SIG_IGN || (a->sa_handler == SIG_DFL && by_default);
}

/* From ourselves (by that event), or from a timer: whoever can take it does. False: too many
 * are pending. */
bool signal_fire(int signal, thr_id to, const siginfo_t *info, uint64_t by)
{
    struct thr *running = rt.running;
    struct queued q = {.signal = signal, .to = to, .by = by, .info = *info};
    if (is_ignored(signal) && !(blocked_by_all() & bit(signal)))
        return true;
    bool is_sent = !signal_is_queued(signal) || signal_queue_add(&q);
    if (signal_is_queued(signal)) {
        serve_queue();
    } else {
        rt.signal.infos[signal] = *info;
        rt.signal.sent =
            by == NO_EVENT ? rt.signal.sent & ~bit(signal) : rt.signal.sent | bit(signal);
        if (to != NO_ID)
            send_to(&rt.threads[to], signal);
        else
            __atomic_or_fetch(&rt.signals, bit(signal), __ATOMIC_SEQ_CST);
    }
    if (to == NO_ID || rt.signalfd_mask)
        route(running && running->state == THR_RUNNING ? running : NULL);
    if (to == NO_ID && running)
        running->until = 0;
    sched_look_at_fds();
    return is_sent;
}

/* Is it for us to send? Those that would end the process at once are for the kernel. */
static bool is_modelled(int signal)
{
    return can_catch(signal);
}

static bool send_signal(struct thr *t, int signal, thr_id to, const siginfo_t *info)
{
    struct call c = {.thr = t, .site = __heddle_here};
    uint64_t by = thing_change(&c, thing_of(THING_SIGNAL, (uint64_t)signal, 0));
    return signal_fire(signal, to, info, by);
}

static bool may_stop(int signal)
{
    return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/* A signal that is not modelled. Who stops itself gives its turn away; in a replay nobody would
 * let it go on. */
static int kill_self(int signal)
{
    if (!may_stop(signal) || !rt.family)
        return may_stop(signal) && rt.input.exact ? 0 : real.kill(rt.pid, signal);
    turn_out();
    int result = real.kill(rt.pid, signal);
    turn_in();
    return result;
}

EXPORT int raise(int signal)
{
    struct thr *t = self;
    if (t && may_stop(signal))
        return kill_self(signal);
    if (!t || !is_modelled(signal))
        return real.raise(signal);
    point(t);
    siginfo_t info = info_of(signal, SI_TKILL);
    send_signal(t, signal, t->id, &info);
    signal_deliver(t, SIGNAL_IN_CALL);
    return 0;
}

static int kill_other(struct thr *t, pid_t pid, int signal)
{
    struct call c = call_begin(t, "kill");
    if (may_stop(signal))
        turn_stops();
    if (call_live(&c))
        CALL_MADE(c, real.kill(pid, signal));
    outside_told(&c);
    return (int)call_end(&c);
}

/* In a replay the process has another id than the target believes. */
static bool is_self(pid_t pid)
{
    return pid > 0 && (pid == rt.shown_pid || (pid == rt.pid && !rt.input.exact));
}

EXPORT int kill(pid_t pid, int signal)
{
    struct thr *t = self;
    if (!t)
        return real.kill(pid, signal);
    if (!is_self(pid) || !is_modelled(signal))
        return is_self(pid) && signal ? kill_self(signal) : kill_other(t, pid, signal);
    point(t);
    siginfo_t info = info_of(signal, SI_USER);
    send_signal(t, signal, NO_ID, &info);
    signal_deliver(t, SIGNAL_IN_CALL);
    return 0;
}

EXPORT int sigqueue(pid_t pid, int signal, const union sigval value)
{
    struct thr *t = self;
    if (!t)
        return real.sigqueue(pid, signal, value);
    if (!is_self(pid) || !is_modelled(signal))
        return kill(pid, signal);
    point(t);
    siginfo_t info = info_of(signal, SI_QUEUE);
    info.si_value = value;
    bool is_sent = send_signal(t, signal, NO_ID, &info);
    signal_deliver(t, SIGNAL_IN_CALL);
    errno = is_sent ? errno : EAGAIN;
    return is_sent ? 0 : -1;
}

EXPORT int pthread_kill(pthread_t handle, int signal)
{
    struct thr *t = self, *peer;
    if (!t || (signal && !is_modelled(signal)))
        return real.pthread_kill(handle, signal);
    point(t);
    peer = thread_find(handle);
    if (!peer)
        return ESRCH;
    if (peer->state == THR_EXITED || signal == 0)
        return 0;
    stir(t);
    siginfo_t info = info_of(signal, SI_TKILL);
    send_signal(t, signal, peer->id, &info);
    if (peer == t)
        signal_deliver(t, SIGNAL_IN_CALL);
    return 0;
}

/* In a replay a thread has another number than the target believes. */
static struct thr *thread_numbered(int tid)
{
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        struct thr *t = &rt.threads[i];
        int number = t->shown_tid ? t->shown_tid : t->is_main ? rt.shown_pid : 0;
        if (number == tid && t->state != THR_EXITED)
            return t;
    }
    return NULL;
}

EXPORT int tgkill(pid_t pid, pid_t tid, int signal)
{
    struct thr *t = self, *peer = t ? thread_numbered(tid) : NULL;
    if (!t || !is_self(pid))
        return real.tgkill(pid, tid, signal);
    if (peer && signal && !is_modelled(signal))
        return real.tgkill(rt.pid, peer->tid, signal);
    int e = peer ? pthread_kill(peer->handle, signal) : ESRCH;
    errno = e ? e : errno;
    return e ? -1 : 0;
}

/* ---- actions and masks ---------------------------------------------------------------- */

/* From now on the kernel tells us of these. */
static void catch_all(uint64_t set)
{
    struct sigaction ours = {.sa_sigaction = on_signal,
                             .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    for (uint64_t left = set & ~rt.caught; left; left &= left - 1) {
        int signal = __builtin_ctzll(left) + 1;
        if (!can_catch(signal))
            continue;
        rt.caught |= bit(signal);
        rt.has_handlers = true;
        real.sigaction(signal, &ours, NULL);
    }
}

EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
    struct thr *t = self;
    if (!t || (!can_catch(signal) && !(is_signal(signal) && is_fatal(signal))))
        return real.sigaction(signal, action, old);
    t->step++;
    struct sigaction before = rt.actions[signal];
    if (action) {
        rt.actions[signal] = *action;
        if (!is_fatal(signal) && is_handler(action))
            catch_all(bit(signal));
        else if (!is_fatal(signal) && !(rt.caught & bit(signal)))
            real.sigaction(signal, action, NULL);
        else if (is_fatal(signal) && action->sa_handler == SIG_DFL)
            outcome_fatal_signals();
        else if (is_fatal(signal))
            real.sigaction(signal, action, NULL);
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

static void set_mask(struct thr *t, uint64_t mask)
{
    mask &= ~(bit(SIGKILL) | bit(SIGSTOP));
    catch_all(mask);
    t->mask = mask;
    signal_give_back(t, mask);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    struct thr *t = self;
    if (!t)
        return real.pthread_sigmask(how, set, old);
    t->step++;
    uint64_t before = t->mask, bits = set ? bits_of(set) : 0;
    if (set && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
        return EINVAL;
    if (set)
        set_mask(t, how == SIG_BLOCK     ? before | bits
                    : how == SIG_UNBLOCK ? before & ~bits
                                         : bits);
    if (old) {
        __builtin_memset(old, 0, sizeof *old);
        __builtin_memcpy(old, &before, sizeof before);
    }
    signal_deliver(t, SIGNAL_IN_CALL);
    return 0;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    if (!self)
        return real.sigprocmask(how, set, old);
    int e = pthread_sigmask(how, set, old);
    if (!e)
        return 0;
    errno = e;
    return -1;
}

EXPORT int sigpending(sigset_t *out)
{
    struct thr *t = self;
    if (!t)
        return real.sigpending(out);
    t->step++;
    uint64_t bits = pending_of(t) & t->mask;
    __builtin_memset(out, 0, sizeof *out);
    __builtin_memcpy(out, &bits, sizeof bits);
    return 0;
}

/* The kernel's mask, for what is started while it is so. */
void signal_mask_real(const struct thr *t, bool on)
{
    uint64_t mask = on ? t->mask : 0;
    sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8, 0, 0);
}

/* ---- waiting for a signal --------------------------------------------------------- */

static bool has_come(struct thr *t)
{
    return pending_of(t) & *(const uint64_t *)t->wait_what;
}

bool signal_awaited(const struct thr *t)
{
    return t->wait_test ? t->wait_test == has_come : t->wait_fd_count == 0;
}

/* False: the time is up, or a handler came. */
static bool await_signal(struct thr *t, const uint64_t *set, uint64_t deadline)
{
    uint64_t handled = t->handled;
    for (;;) {
        t->wait_what = set;
        if (!sched_goes_outside(t, !rt.input.exact && !has_come(t)))
            return true;
        enum wake_how how = sched_block_test(t, has_come, set, "a signal", deadline);
        if (how == WAKE_CANCEL)
            cancel_check(t);
        if (how == WAKE_TIMEOUT && !rt.input.exact)
            return false;
        if (how == WAKE_SIGNAL && handled != t->handled)
            return false;
    }
}

/* The signal, or -1 with EAGAIN or EINTR. */
static int64_t take_one(struct thr *t, uint64_t set, siginfo_t *info, uint64_t handled)
{
    uint64_t now = pending_of(t) & set;
    if (!now) {
        errno = handled != t->handled ? EINTR : EAGAIN;
        return -1;
    }
    int signal = __builtin_ctzll(now) + 1;
    *info = rt.signal.infos[signal];
    return signal;
}

/* In a replay one that the system sent is not here: what we sent ourselves waits on. */
static bool is_elsewhere(int signal, const siginfo_t *info)
{
    return rt.input.exact && signal_is_queued(signal) && info->si_code != SI_TIMER &&
           info->si_pid != rt.shown_pid;
}

static int wait_for(struct thr *t, const char *name, uint64_t set, siginfo_t *info,
                    uint64_t deadline)
{
    struct call c = call_begin(t, name);
    siginfo_t got = {0};
    uint64_t handled = t->handled;
    catch_all(set);
    if (deadline != 0)
        await_signal(t, &set, deadline);
    if (call_live(&c))
        CALL_MADE(c, take_one(t, set, &got, handled));
    call_keeps(&c, &got, sizeof got);
    if (c.result > 0 && !is_elsewhere((int)c.result, &got)) {
        if (signal_is_queued((int)c.result)) /* a replay does not know whose it was: of all */
            thing_sum(&c, thing_of(THING_SIGNAL, (uint64_t)c.result, 0));
        else
            tell_senders(t, (int)c.result);
        take(t, (int)c.result);
    }
    if (info && c.result > 0) {
        *info = got;
        if (got.si_code == SI_TKILL) /* so glibc has it */
            info->si_code = SI_USER;
    }
    return (int)call_end(&c);
}

EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    struct thr *t = self;
    return t ? wait_for(t, "sigwaitinfo", bits_of(set), info, NEVER)
             : real.sigwaitinfo(set, info);
}

EXPORT int sigwait(const sigset_t *restrict set, int *restrict signal)
{
    struct thr *t = self;
    int got;
    if (!t)
        return real.sigwait(set, signal);
    do
        got = wait_for(t, "sigwait", bits_of(set), NULL, NEVER);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return errno;
    *signal = got;
    return 0;
}

EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                        const struct timespec *restrict span)
{
    struct thr *t = self;
    if (!t)
        return real.sigtimedwait(set, info, span);
    if (span && !time_is_span(span)) {
        errno = EINVAL;
        return -1;
    }
    uint64_t ns = span ? (uint64_t)span->tv_sec * 1000000000 + (uint64_t)span->tv_nsec : 0;
    uint64_t deadline = !span ? NEVER : ns ? sched_now() + ns : 0;
    return wait_for(t, "sigtimedwait", bits_of(set), info, deadline);
}

/* With another mask, until a handler has run. */
static int suspend(struct thr *t, uint64_t mask)
{
    uint64_t before = t->mask, handled = t->handled;
    point(t);
    cancel_check(t);
    t->learnt = true;
    set_mask(t, mask);
    signal_deliver(t, SIGNAL_IN_CALL);
    while (handled == t->handled) {
        if (sched_block_fds(t, NULL, 0, NEVER) == WAKE_CANCEL)
            cancel_check(t);
    }
    t->mask = before;
    signal_give_back(t, before);
    signal_deliver(t, SIGNAL_IN_CALL);
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
    return t ? suspend(t, bits_of(set)) : real.sigsuspend(set);
}

/* ---- jumps out of a handler -------------------------------------------------------------- */

/* Out of every handler whose frame is not above where it goes; so, too, to another stack. */
static void jumps(const struct __jmp_buf_tag *env)
{
    struct thr *t = self;
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    uint64_t to = arch_jump_stack(env->__jmpbuf);
    while (t && t->handling && !(to >= here && to < (uint64_t)(uintptr_t)t->handling)) {
        if (env->__mask_was_saved)
            t->mask = t->handling->mask;
        t->handling = t->handling->outer;
    }
}

#define JUMPS(name)                                          \
    void name(struct __jmp_buf_tag env[1], int value);       \
    EXPORT void name(struct __jmp_buf_tag env[1], int value) \
    {                                                        \
        jumps(env);                                          \
        real.siglongjmp(env, value);                         \
        __builtin_unreachable();                             \
    }

JUMPS(siglongjmp)
JUMPS(longjmp)
JUMPS(_longjmp)
JUMPS(__longjmp_chk)

/* ---- start and end ---------------------------------------------------------------- */

/* In a forked child: as it would be without us. */
void signal_off(const struct thr *t)
{
    for (int signal = 1; signal <= 64; signal++)
        if (is_signal(signal) && ((rt.caught & bit(signal)) || is_fatal(signal)))
            real.sigaction(signal, &rt.actions[signal], NULL);
    real.signal(SIGXCPU, SIG_DFL);
    if (t)
        signal_mask_real(t, true);
}

/* What was there when we came: mostly the default. The kernel says by a signal that a file may
 * not grow further; where that is our record it is not the target's death. */
void signal_early(void)
{
    struct sigaction ours = {.sa_sigaction = on_signal,
                             .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    for (int signal = 1; signal <= 64; signal++)
        if (is_signal(signal))
            real.sigaction(signal, NULL, &rt.actions[signal]);
    rt.caught |= bit(SIGXFSZ);
    real.sigaction(SIGXFSZ, &ours, NULL);
}

/* Its default action comes at a point of ours, and the run's files are complete. */
void signal_end_properly(int signal)
{
    struct sigaction ours = {.sa_sigaction = on_signal,
                             .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    rt.caught |= bit(signal);
    real.sigaction(signal, &ours, NULL);
}

void signal_start(void)
{
    struct thr *t = rt.running;
    uint64_t mask = 0;
    sys_call(SYS_rt_sigprocmask, 0, 0, (long)&mask, 8, 0, 0);
    set_mask(t, mask);
    signal_mask_real(t, false);
}

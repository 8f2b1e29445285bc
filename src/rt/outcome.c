/* SPDX-License-Identifier: Apache-2.0
 *
 * outcome: how the run ended, in words and with every thread's stack. The first outcome
 * stands; what comes after it (the abort of a failed assertion) is only its echo. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <fcntl.h>
#include <string.h>

enum {
    CODE_STUCK = 1,
    CODE_DIVERGED = 3,
    CODE_UNSUPPORTED = 4,
    STACK_LINES_MAX = 64,
    FRAME_MAX_BYTES = 1 << 20,
    PAGE_BYTES = 4096,
};

/* ---- text ---------------------------------------------------------------------------- */

void text_put_len(struct text *t, const char *s, size_t len)
{
    for (size_t i = 0; i < len && t->len + 1 < t->cap; i++)
        t->at[t->len++] = s[i];
    t->at[t->len] = 0;
}

void text_put(struct text *t, const char *s)
{
    text_put_len(t, s ? s : "", s ? __builtin_strlen(s) : 0);
}

static void text_base(struct text *t, uint64_t n, unsigned base)
{
    char digits[24], *p = digits + sizeof digits;
    do
        *--p = "0123456789abcdef"[n % base];
    while (n /= base);
    text_put_len(t, p, (size_t)(digits + sizeof digits - p));
}

void text_number(struct text *t, uint64_t n)
{
    text_base(t, n, 10);
}

void text_hex(struct text *t, uint64_t n)
{
    text_put(t, "0x");
    text_base(t, n, 16);
}

void text_site(struct text *t, const struct __heddle_site *site)
{
    const char *file = site ? __heddle_site_text(site, site->file) : "";
    if (!*file) {
        text_put(t, "?");
        return;
    }
    const char *function = __heddle_site_text(site, site->function);
    text_put(t, file);
    text_put(t, ":");
    text_number(t, site->line);
    if (*function) {
        text_put(t, " (");
        text_put(t, function);
        text_put(t, ")");
    }
}

void text_address(struct text *t, uint64_t addr)
{
    const struct __heddle_global *g = globals_find(addr);
    if (!g) {
        text_hex(t, addr);
        return;
    }
    uint64_t offset = addr - (uint64_t)(uintptr_t)g->addr;
    text_put(t, g->name);
    if (g->element) {
        text_put(t, "[");
        text_number(t, offset / g->element);
        text_put(t, "]");
        offset %= g->element;
    }
    if (offset) {
        text_put(t, "+");
        text_number(t, offset);
    }
}

void text_thread(struct text *t, const struct thr *thr)
{
    text_put(t, "T");
    text_number(t, thr->id);
}

/* ---- the file ------------------------------------------------------------------------ */

static int outcome_open(int flags)
{
    char path[PATH_BYTES + 32];
    struct text text = {path, 0, sizeof path};
    if (!rt.set.dir[0])
        return -1;
    text_put(&text, rt.set.dir);
    text_put(&text, "/outcome");
    return sys_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | flags, 0666);
}

void log_put(int fd, struct log_record *r, const char *data, uint32_t len)
{
    static const char zeros[8];
    r->mark = LOG_MARK;
    r->bytes = len;
    sys_write(fd, r, sizeof *r);
    sys_write(fd, data, len);
    sys_write(fd, zeros, -len & 7);
}

void outcome_start(void)
{
    struct log_head head = {LOG_MAGIC, TRACE_VERSION, LOG_OUTCOME};
    int fd = outcome_open(O_TRUNC);
    if (fd < 0)
        return;
    sys_write(fd, &head, sizeof head);
    sys_close(fd);
}

/* A function that calls itself has one line. */
static void put_frames(struct text *text, const struct thr *t, uint32_t depth)
{
    uint32_t again = 0;
    for (uint32_t left = depth, lines = 0; left > 0 && lines < STACK_LINES_MAX; left--) {
        const struct __heddle_site *frame = t->frames[left - 1];
        if (left > 1 && t->frames[left - 2] == frame) {
            again++;
            continue;
        }
        text_put(text, "\n  in ");
        text_site(text, frame);
        if (again) {
            text_put(text, ", and ");
            text_number(text, again);
            text_put(text, " more of it");
        }
        again = 0;
        lines++;
    }
}

/* Innermost first. The innermost function's line is where the thread is; of the others we
 * know where they begin. */
static void put_stack(int fd, const struct thr *t)
{
    char at[8192];
    struct text text = {at, 0, sizeof at};
    uint32_t depth = t->depth < FRAMES_MAX ? t->depth : FRAMES_MAX;
    const struct __heddle_site *top = t->state == THR_SPINNING ? t->at.site
                                      : t == rt.running        ? __heddle_here
                                      : t->wait_how            ? t->wait_site
                                                               : t->here;
    if (!top && depth)
        top = t->frames[depth - 1];
    static const char *const states[] = {[THR_READY] = ", could run",
                                         [THR_RUNNING] = ", runs",
                                         [THR_BLOCKED] = ", waits",
                                         [THR_SPINNING] = ", spins",
                                         [THR_OUTSIDE] = ", waits outside"};
    text_put(&text, "at ");
    text_site(&text, top);
    text_put(&text, ", step ");
    text_number(&text, t->step);
    text_put(&text, states[t->state]);
    put_frames(&text, t, depth);
    struct log_record r = {.tag = TAG_STACK, .thr = t->id};
    log_put(fd, &r, at, text.len);
}

/* A failure that needs wake-ups which nobody asked for says so. */
static const char *with_spurious(const char *text)
{
    static char at[2048];
    struct text all = {at, 0, sizeof at};
    if (!rt.spurious_count)
        return text;
    text_put(&all, text);
    text_put(&all, "\nafter ");
    text_number(&all, rt.spurious_count);
    text_put(&all, " spurious wake-ups: condition waits that returned unasked");
    return at;
}

static bool is_stuck(unsigned word)
{
    return word == WORD_VALUE(OUTCOME, DEADLOCK) || word == WORD_VALUE(OUTCOME, LIVELOCK) ||
           word == WORD_VALUE(OUTCOME, HANG);
}

/* Nothing: a place for a debugger to stop at. */
EXPORT __attribute__((noinline)) void __heddle_stop(void)
{
    __asm__ volatile("");
}

/* For the debugger, while it has stopped there: how many events there have been, and before
 * which one to stop next. */
EXPORT uint64_t __heddle_event(void)
{
    return rt.trace.event_count;
}

/* What the kernel calls a thread. */
EXPORT uint64_t __heddle_tid(uint64_t thread)
{
    return thread < rt.thread_count ? (uint64_t)rt.threads[thread].tid : 0;
}

EXPORT uint64_t __heddle_stop_at(uint64_t event)
{
    rt.set.stop = event;
    rt.outcome.stopped = false;
    return __heddle_event();
}

static int32_t thousands(uint64_t steps)
{
    return steps / 1000 < INT32_MAX ? (int32_t)(steps / 1000) + 1 : INT32_MAX;
}

static void finish(unsigned word, int64_t result, const char *text)
{
    if (rt.ended)
        return;
    rt.ended = true;
    if (rt.set.stop != NEVER)
        __heddle_stop();
    late_tell();
    weak_tell();
    int fd = outcome_open(0);
    if (fd >= 0) {
        struct log_record r = {.tag = TAG_OUTCOME,
                               .thr = rt.running ? rt.running->id : 0,
                               .ordinal = word,
                               .error = thousands(sched_steps()),
                               .result = result};
        text = with_spurious(text);
        log_put(fd, &r, text, (uint32_t)__builtin_strlen(text));
        if (is_stuck(word))
            waits_write(fd);
        for (uint32_t i = 0; word != WORD_VALUE(OUTCOME, EXIT) && i < rt.thread_count; i++)
            if (rt.threads[i].state != THR_EXITED)
                put_stack(fd, &rt.threads[i]);
        sys_close(fd);
    }
    if (!rt.outcome.torn) /* else an event may be half written: the files stay as they are */
        record_end();
    mutex_abandon_all();
    if (word == WORD_VALUE(OUTCOME, HANG))
        turn_tell(SIGXCPU); /* now that nobody is told to have ended whom we waited for */
    turn_leave(true);
    if (sys_getpid() == rt.pid)
        apart_leave();
}

static int64_t event_number(void)
{
    return rt.recording ? (int64_t)rt.trace.event_count : -1;
}

/* ---- kinds of ends ------------------------------------------------------------------- */

static char sanitizer_said[256]; /* the first thing */

void outcome_sanitizer(const char *summary)
{
    struct text text = {sanitizer_said, 0, sizeof sanitizer_said};
    if (!self || sanitizer_said[0])
        return;
    text_put(&text, "sanitizer: ");
    text_put(&text, summary);
}

void outcome_exit(int code)
{
    char at[64];
    struct text text = {at, 0, sizeof at};
    struct thr *t = self;
    if (rt.ended || !t || sys_getpid() != rt.pid)
        return;
    if (rt.recording)
        record_event(t, &(struct ev){.kind = EV_END_EXIT, .number = (uint8_t)code},
                     __heddle_here);
    text_put(&text, "exit ");
    text_number(&text, (uint8_t)code);
    bool clean = !sanitizer_said[0];
    finish(clean ? WORD_VALUE(OUTCOME, EXIT) : WORD_VALUE(OUTCOME, SANITIZER), (uint8_t)code,
           clean ? at : sanitizer_said);
    rt.on = false;
    self = NULL;
}

static void __attribute__((noreturn)) stuck(unsigned word, const char *title)
{
    finish(word, event_number(), title);
    sys_exit(rt.is_unrecorded ? CODE_UNRECORDED : CODE_STUCK);
}

void outcome_stuck(void)
{
    shared_ends_stuck();
    stuck(WORD_VALUE(OUTCOME, DEADLOCK), "deadlock: no thread can run");
}

/* What t is about there is not seen, so nothing follows from how the run ends. */
static void doubt_unseen(const struct thr *t, const struct __heddle_site *site)
{
    char at[300];
    struct text text = {at, 0, sizeof at};
    text_thread(&text, t);
    text_put(&text, " at ");
    text_site(&text, site);
    outcome_doubt(DOUBT_SPIN_UNMODELLED, at);
}

/* t waits for something, and we do not know whether it comes. */
static void __attribute__((noreturn)) unseen(const struct thr *t,
                                             const struct __heddle_site *site)
{
    doubt_unseen(t, site);
    stuck(WORD_VALUE(OUTCOME, HANG),
          "hang: a thread waits for something that Heddle does not see");
}

/* Nor any other process of the family. */
void outcome_all_stuck(void)
{
    stuck(WORD_VALUE(OUTCOME, DEADLOCK), "deadlock: no process of the family can run");
}

/* The program has ended, and we wait for nobody in particular. */
void outcome_left(void)
{
    finish(WORD_VALUE(OUTCOME, CUT), 0, "cut: the program had ended, and it waited");
    sys_exit(0);
}

/* Nobody wants to know how it would go on. */
void outcome_given_up(void)
{
    finish(WORD_VALUE(OUTCOME, CUT), 0, "cut: the witness cannot be followed");
    sys_exit(0);
}

void outcome_livelock(void)
{
    const struct thr *t = spin_on_shared();
    if (t)
        unseen(t, t->at.site);
    stuck(WORD_VALUE(OUTCOME, LIVELOCK), "livelock: every thread that can run only waits for "
                                         "others to change something");
}

void outcome_hang(void)
{
    char at[128];
    struct text text = {at, 0, sizeof at};
    text_put(&text, "hang: the budget of ");
    text_number(&text, rt.set.steps);
    text_put(&text, " steps is spent");
    stuck(WORD_VALUE(OUTCOME, HANG), at);
}

void outcome_watch(void)
{
    if (!rt.recording)
        return;
    if (rt.trace.event_count >= rt.set.stop && !rt.outcome.stopped) {
        rt.outcome.stopped = true;
        __heddle_stop();
    }
    if (rt.trace.event_count >= rt.set.end) {
        finish(WORD_VALUE(OUTCOME, CUT), event_number(), "cut: here the recorded run stopped");
        sys_exit(CODE_STUCK);
    }
}

/* The time limit struck, and the thread with the token has come to a point, or nobody can run:
 * here a replay ends too. */
void outcome_late(void)
{
    stuck(WORD_VALUE(OUTCOME, HANG), "hang: the time limit struck");
}

/* The host's patience is at its end; it asks twice. After the first time the next point is the
 * end. The second time it is clear that the thread with the token does not come to one. */
static void on_late(int signal, siginfo_t *info, void *context)
{
    char at[400];
    struct text text = {at, 0, sizeof at};
    struct thr *t = rt.running;
    (void)context;
    if (!rt.on || rt.ended || sys_getpid() != rt.pid)
        return;
    rt.outcome.probing |= info->si_code == SI_TIMER;
    if (t && t->tid != sys_gettid()) { /* only that one may touch what it works on */
        sys_tgkill(rt.pid, t->tid, signal);
        return;
    }
    if (rt.outcome.probing) {
        rt.outcome.probing = false;
        if (!spin_probe(t))
            return;
        rt.outcome.torn = true;
        unseen(t, __heddle_here);
    }
    uint64_t steps = sched_steps();
    if (rt.late++ == 0) {
        rt.outcome.late_steps = steps;
        signal_prompt();
        return;
    }
    rt.outcome.torn = true;
    text_put(&text, "hang: the time limit struck");
    if (t && t->state == THR_RUNNING && steps == rt.outcome.late_steps) {
        if (rt.live_count > 1)
            doubt_unseen(t, __heddle_here);
        text_put(&text, "; ");
        text_thread(&text, t);
        text_put(&text, " has its turn and made no call for 200 ms: it computes, or waits for "
                        "something that Heddle does not see");
    }
    stuck(WORD_VALUE(OUTCOME, HANG), at);
}

void outcome_assert(const char *text)
{
    char at[TEXT_MAX_BYTES + 16];
    struct text said = {at, 0, sizeof at};
    struct thr *t = self;
    if (!t || rt.ended || sys_getpid() != rt.pid)
        return;
    if (rt.recording)
        record_event(t,
                     &(struct ev){.kind = EV_END_ASSERT,
                                  .text = text,
                                  .text_len = (uint32_t)__builtin_strlen(text)},
                     __heddle_here);
    text_put(&said, "assert: ");
    text_put(&said, text);
    finish(WORD_VALUE(OUTCOME, ASSERT), event_number(), at);
}

static void __attribute__((noreturn)) judged(unsigned word, const char *name, const char *what,
                                             int code)
{
    char at[1024];
    struct text text = {at, 0, sizeof at};
    text_put(&text, name);
    text_put(&text, ": ");
    text_put(&text, what);
    finish(word, event_number(), at);
    text_put(&text, "\n");
    if (rt.is_unrecorded)
        sys_exit(CODE_UNRECORDED);
    if (!rt.set.dir[0]) { /* else who reads the outcome there says it */
        sys_write(2, "heddle: ", 8);
        sys_write(2, at, text.len);
    }
    sys_exit(code);
}

void outcome_diverged(const char *what)
{
    judged(WORD_VALUE(OUTCOME, DIVERGED), "diverged", what, CODE_DIVERGED);
}

void outcome_unsupported(const char *name)
{
    judged(WORD_VALUE(OUTCOME, UNSUPPORTED), "unsupported", name, CODE_UNSUPPORTED);
}

void outcome_broken(const char *what)
{
    char at[300];
    struct text text = {at, 0, sizeof at};
    if (rt.outcome.is_broken) /* while it was told */
        sys_exit(CODE_UNSUPPORTED);
    rt.outcome.is_broken = true;
    text_put(&text, "a mistake in Heddle itself, ");
    text_put(&text, what);
    outcome_unsupported(at);
}

void outcome_doubt(enum doubt doubt, const char *detail)
{
    if (doubt_forbids(doubt, true) && rt.outcome.doubts >> doubt & 1)
        return;
    rt.outcome.doubts |= 1u << doubt;
    int fd = outcome_open(0);
    if (fd < 0)
        return;
    struct log_record r = {.tag = TAG_DOUBT, .thr = self ? self->id : 0, .ordinal = doubt};
    log_put(fd, &r, detail, detail ? (uint32_t)__builtin_strlen(detail) : 0);
    sys_close(fd);
}

/* ---- fatal signals ------------------------------------------------------------------- */

/* Below the stack pointer, or not far above it, nothing but the end of the stack is missing.
 * Where exactly it was reached is also up to our own frames, and not told. */
static bool is_overflow(int signal, uint64_t addr, const void *context)
{
    uint64_t stack_pointer = arch_stack_pointer(context);
    return signal == SIGSEGV && addr + FRAME_MAX_BYTES > stack_pointer &&
           addr < stack_pointer + PAGE_BYTES;
}

void outcome_crash(int signal, const siginfo_t *fault, const void *context)
{
    char at[256];
    struct text text = {at, 0, sizeof at};
    struct thr *t = self ? self : rt.running;
    if (!rt.on || rt.ended || !t || sys_getpid() != rt.pid)
        return;
    const char *name = sigabbrev_np(signal);
    uint64_t addr = fault ? (uint64_t)(uintptr_t)fault->si_addr : 0;
    bool overflow = fault && is_overflow(signal, addr, context);
    if (rt.recording)
        record_event(t,
                     &(struct ev){.kind = EV_END_SIGNAL,
                                  .number = (uint64_t)signal,
                                  .addr = overflow ? 0 : addr},
                     __heddle_here);
    text_put(&text, "crash: SIG");
    text_put(&text, name ? name : "?");
    if (overflow) {
        text_put(&text, ", stack overflow");
    } else if (fault) {
        text_put(&text, " at address ");
        text_address(&text, addr);
    }
    text_put(&text, " in ");
    text_thread(&text, t);
    finish(WORD_VALUE(OUTCOME, CRASH), signal, at);
}

/* Its default action once we return: a fault happens again, anything else is sent again. */
static void on_fatal(int signal, siginfo_t *info, void *context)
{
    bool can_fault = signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE ||
                     signal == SIGILL || signal == SIGTRAP;
    bool is_fault = can_fault && info->si_code > 0;
    if (signal == SIGBUS && is_fault)
        apart_bus();
    outcome_crash(signal, is_fault ? info : NULL, context);
    struct sigaction action = {.sa_handler = SIG_DFL};
    real.sigaction(signal, &action, NULL);
    if (!is_fault)
        sys_tgkill(sys_getpid(), sys_gettid(), signal);
}

void outcome_signal_stack(const struct thr *t)
{
    stack_t stack = {.ss_sp = (uint8_t *)(void *)t->frames + SLOT_FRAMES_BYTES,
                     .ss_size = SLOT_SIGNAL_BYTES};
    sys_call(SYS_sigaltstack, (long)&stack, 0, 0, 0, 0, 0);
}

void outcome_fatal_signals(void)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        real.sigaction(fatal[i], &action, NULL);
    struct sigaction late = {.sa_sigaction = on_late,
                             .sa_flags = SA_ONSTACK | SA_RESTART | SA_SIGINFO};
    real.sigaction(SIGXCPU, &late, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * forked: a forked child goes on under the scheduler. Its run is the run of one process, from
 * the start of the program through the fork to the child's own end: it gets a directory of its
 * own in that of its parent (child-K after the K-th fork) and, in it, copies of what was
 * recorded so far. So whatever can be done with a run can be done with a child's; who replays
 * it exactly becomes the child where the log says that fork returned 0.
 *
 * A run may be about one process (the setting `process`: 2/1 is the first child of the second
 * child of the program). Then that one inherits the files and the policy of its parent, which
 * goes on unrecorded, and so do all others.
 *
 * In the child there is one thread, with the number that it had. The others ended at the fork,
 * and everything that they did is before what it does (the mark `fork`). */
#include "rt/repeat.h"
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { RECORDED_MAX = 1000 };

/* ---- files --------------------------------------------------------------------------- */

static void path_in(char *at, uint32_t cap, const char *directory, const char *name)
{
    struct text text = {at, 0, cap};
    text_put(&text, directory);
    text_put(&text, "/");
    text_put(&text, name);
}

/* The parent's file as it is now, or its first bytes. The copy's descriptor, or -errno. */
static long copy_file(const char *from, const char *to, const char *name, uint64_t bytes)
{
    char path[PATH_BYTES + 32];
    struct stat st;
    uint64_t done = 0;
    path_in(path, sizeof path, from, name);
    int in = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (in < 0)
        return in;
    path_in(path, sizeof path, to, name);
    long out = sys_open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out >= 0 && bytes == NEVER)
        bytes = sys_call(SYS_fstat, in, (long)&st, 0, 0, 0, 0) < 0 ? 0 : (uint64_t)st.st_size;
    while (out >= 0 && done < bytes) {
        long n = sys_call(SYS_sendfile, out, in, (long)&done, (long)(bytes - done), 0, 0);
        if (n <= 0) {
            sys_close((int)out);
            out = n < 0 ? n : -EIO;
        }
    }
    sys_close(in);
    return out < 0 ? out : input_high((int)out);
}

/* The window stays where it is and shows the copy. */
static long copy_run_file(struct run_file *f, const char *from, uint64_t used)
{
    if (f->fd < 0)
        return 0;
    long fd = copy_file(from, rt.set.dir, f->name, used);
    uint64_t end = f->offset + f->window_bytes;
    if (fd < 0)
        return fd;
    long e = sys_truncate((int)fd, end < rt.file_max ? end : rt.file_max);
    if (e < 0)
        return e;
    sys_close(f->fd);
    f->fd = (int)fd;
    return sys_map(f->at, f->window_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                   f->fd, f->offset)
               ? 0
               : -ENOMEM;
}

static long copy_log(int *fd, const char *from, const char *name)
{
    if (*fd < 0)
        return 0;
    long copy = copy_file(from, rt.set.dir, name, NEVER);
    if (copy < 0)
        return copy;
    sys_call(SYS_fcntl, copy, F_SETFL, O_APPEND, 0, 0, 0);
    sys_close(*fd);
    *fd = (int)copy;
    return 0;
}

/* What the parent's says, and which process this is. */
static long write_command(const char *from, const struct __heddle_site *site)
{
    char at[1024];
    struct text text = {at, 0, sizeof at};
    struct log_record process = {.tag = TAG_PROCESS}, made = {.tag = TAG_MADE};
    long fd = copy_file(from, rt.set.dir, "command", NEVER);
    if (fd < 0)
        return fd == -ENOENT ? 0 : fd;
    log_put((int)fd, &process, rt.process, (uint32_t)__builtin_strlen(rt.process));
    text_site(&text, site);
    log_put((int)fd, &made, at, text.len);
    sys_close((int)fd);
    return 0;
}

/* 0, or -errno. */
static long copy_files(const char *from)
{
    uint64_t traced = rt.trace_file.offset;
    if (rt.recording)
        traced += (uint64_t)(rt.trace.at - rt.trace_file.at);
    long e = copy_run_file(&rt.trace_file, from, traced);
    if (e == 0)
        e = copy_run_file(&rt.schedule_file, from, rt.schedule_file.used);
    if (e == 0)
        e = copy_run_file(&rt.shared_file, from, rt.shared_file.used);
    if (e == 0)
        e = copy_log(&rt.input.fd, from, "input");
    if (e == 0)
        e = copy_log(&rt.input.stdin_fd, from, "stdin");
    if (e < 0)
        return e;
    long outcome = copy_file(from, rt.set.dir, "outcome", NEVER);
    if (outcome >= 0)
        sys_close((int)outcome);
    return outcome < 0 ? outcome : 0;
}

/* from: the parent's directory, to be filled in. */
static void open_directory(char from[PATH_BYTES])
{
    struct text text = {rt.set.dir, (uint32_t)__builtin_strlen(rt.set.dir), PATH_BYTES};
    __builtin_memcpy(from, rt.set.dir, PATH_BYTES);
    text_put(&text, "/child-");
    text_number(&text, rt.forked.forks);
    long e = sys_call(SYS_mkdir, (long)rt.set.dir, 0777, 0, 0, 0, 0);
    if (e == 0 || e == -EEXIST)
        e = copy_files(from);
    if (e < 0)
        record_failed("child", e);
}

/* Nothing more goes to files; the scheduler goes on. */
static void be_silent(void)
{
    record_off();
    input_off();
    repeat_break();
    rt.accesses = false;
    rt.pause_told = true;
    rt.set.dir[0] = 0;
    rt.is_unrecorded = true;
}

/* ---- policies ------------------------------------------------------------------------ */

/* It is about one process, and that is another one. */
static void go_plainly(struct thr *t)
{
    rt.set.policy = &policy_fifo;
    rt.guide = NULL;
    rt.plan_next = rt.plan_count;
    t->ask = policy_fifo.ask(t);
    sched_until(t);
}

static bool is_about_one(const struct policy *p)
{
    return p == &policy_replay || p == &policy_guided || p == &policy_exhaustive ||
           p == &policy_nudge;
}

/* ---- which process ------------------------------------------------------------------- */

/* The first number of the setting `process`, and what is behind it. */
static uint64_t next_on_way(const char **rest)
{
    const char *at = rt.set.process;
    uint64_t number = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    *rest = *at == '/' ? at + 1 : at;
    return number;
}

static enum fork_how choose_how(void)
{
    const char *rest;
    if (rt.about_one)
        return rt.set.process[0] && next_on_way(&rest) == rt.forked.forks ? FORK_HEIR
                                                                          : FORK_SILENT;
    return rt.set.dir[0] ? FORK_RECORDED : FORK_SILENT;
}

static void set_process(void)
{
    const char *rest;
    struct text text = {rt.process, (uint32_t)__builtin_strlen(rt.process), sizeof rt.process};
    if (text.len)
        text_put(&text, "/");
    text_number(&text, rt.forked.forks);
    next_on_way(&rest);
    uint64_t len = rt.forking == FORK_HEIR ? __builtin_strlen(rest) : 0;
    __builtin_memmove(rt.set.process, rest, len);
    rt.set.process[len] = 0;
}

/* ---- in the child -------------------------------------------------------------------- */

/* What others had locked stays locked for ever; libc has made its streams free. What processes
 * share is not the child's. */
static void leave_objects(const struct thr *t)
{
    for (uint32_t i = 0; i < rt.object_used; i++) {
        struct obj *o = &rt.objects[i];
        o->first = o->last = NULL;
        o->waiting = o->waiting_writers = o->wanted = 0;
        o->is_inherited = o->owner != NO_ID;
        o->held_next = NULL;
        if (o->is_stream && o->owner != t->id) {
            o->owner = NO_ID;
            o->depth = 0;
        }
        if (o->is_shared) { /* its parent has it, and gives it back */
            o->owner = o->reader_head = NO_ID;
            o->depth = o->readers = 0;
        }
    }
}

/* The thread that forked is alone. */
static void leave_threads(struct thr *t)
{
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        struct thr *u = &rt.threads[i];
        if (u == t)
            continue;
        if (u->state != THR_EXITED)
            slot_free(u->slot);
        if (u->step == 0) /* whether it knows its stack already is up to the system */
            u->stack_low = u->stack_high = 0;
        u->state = THR_EXITED;
        u->deadline = NEVER;
        u->wait_how = WAIT_NONE;
        u->wait_obj = u->then = NULL;
        u->held = NULL;
        u->joined = true;
        shadow_join(t, u);
        if (rt.weak.on)
            weak_joined(t, u);
    }
    t->held = NULL; /* the system forgets them, too */
    t->joiner = NULL;
    rt.live_count = 1;
    rt.ready_count = rt.timed_count = rt.spinning_count = 0;
    rt.outside_count = rt.fd_count = 0;
    rt.token_free = 0;
    rt.returns_seen = rt.returns;
    rt.dying = rt.last = NULL;
    rt.manage = false;
    rt.running = t;
    leave_objects(t);
}

static void leave_signals(struct thr *t)
{
    rt.signals = rt.arrived = t->signals = 0;
    rt.queued_count = 0;
    __builtin_memset(rt.queued, 0, sizeof rt.queued);
    for (int i = 0; i < rt.timer_count; i++)
        if (rt.timers[i].fd < 0) {
            rt.timers[i].deadline = NEVER;
            rt.timers[i].used &= !rt.timers[i].is_posix;
        }
    sched_deadlines_changed();
}

/* From here on this process is the child. */
static void become(struct thr *t, struct __heddle_site *site)
{
    rt.pid = sys_getpid();
    t->tid = sys_gettid();
    rt.shown_pid = t->shown_tid = 0;
    leave_threads(t);
    leave_signals(t);
    if (rt.recording)
        record_event(t, &(struct ev){.kind = EV_MARK, .word = WORD_VALUE(MARK, FORK)}, site);
    rt.random ^= rt.forked.forks * 0xd6e8feb86659fd93ULL;
    rt.forked.forks = 0;
    sched_until(t);
}

/* Runs in the child before any handler of the target does. */
void forked_begin(void)
{
    struct thr *t = self;
    struct __heddle_site *site = __heddle_here;
    char from[PATH_BYTES];
    bool is_recorded = rt.forking == FORK_RECORDED;
    set_process();
    if (is_recorded)
        open_directory(from);
    else if (rt.forking == FORK_SILENT)
        be_silent();
    become(t, site);
    if (rt.forking == FORK_SILENT || (is_recorded && is_about_one(rt.set.policy)))
        go_plainly(t);
    if (rt.forking == FORK_REPLAYED)
        sys_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
    else
        turn_begin(rt.forked.fork_place);
    long e = is_recorded ? write_command(from, site) : 0; /* until then there is no run */
    if (e < 0)
        record_failed("child", e);
    rt.forking = FORK_OFF;
}

/* ---- in the parent ------------------------------------------------------------------- */

static void doubt_rest(uint64_t max)
{
    char at[64];
    struct text text = {at, 0, sizeof at};
    text_put(&text, "all children but the first ");
    text_number(&text, max);
    outcome_doubt(DOUBT_CHILD_NOT_FOLLOWED, at);
}

/* Made before the child: it would have to say so in the parent's file otherwise. */
static bool has_room(void)
{
    rt.forked.fork_place = turn_place();
    if (rt.forked.fork_place == NO_ID) {
        if (!rt.forked.said_many)
            outcome_doubt(DOUBT_CHILD_NOT_FOLLOWED,
                          "fork fails in a family of more than 200 processes");
        rt.forked.said_many = true;
        return false;
    }
    uint64_t max = rt.set.children > 1 ? rt.set.children : RECORDED_MAX;
    if (rt.forking == FORK_RECORDED && turn_records() > max) {
        if (!rt.forked.said_many)
            doubt_rest(max);
        rt.forked.said_many = true;
        rt.forking = FORK_SILENT;
    }
    return true;
}

/* Policies that leave anything to chance leave this to it too. */
static void choose_first(void)
{
    bool is_random = rt.set.policy == &policy_random || rt.set.policy == &policy_pct ||
                     rt.set.policy == &policy_pos;
    if (is_random && random_below(2))
        turn_pause();
}

/* As real.fork, errno included; the child is under the scheduler, and has its turn when this
 * returns there. */
int64_t forked_make(struct thr *t)
{
    rt.forked.forks++;
    rt.forking = choose_how();
    if (!has_room()) {
        rt.forking = FORK_OFF;
        rt.forked.forks--;
        errno = EAGAIN;
        return -1;
    }
    enum fork_how how = rt.forking;
    shared_keep();
    pid_t pid = real.fork();
    if (pid == 0)
        return 0;
    int error = errno;
    rt.forking = FORK_OFF;
    rt.forked.forks -= pid < 0;
    turn_await_child(rt.forked.fork_place, pid);
    if (pid > 0 && how == FORK_HEIR) {
        be_silent();
        go_plainly(t);
        rt.set.process[0] = 0;
    } else if (pid > 0) {
        choose_first();
    }
    errno = error;
    return pid;
}

/* Another program, started by or in place of this one: said once for each. */
void forked_stranger(const char *name)
{
    uint64_t h = 0xcbf29ce484222325ULL;
    turn_strangers();
    for (const char *p = name; *p; p++)
        h = (h ^ (uint8_t)*p) * 0x100000001b3ULL;
    uint64_t *said = &rt.forked.strangers[h % STRANGERS_MAX];
    if (*said == h)
        return;
    *said = h;
    outcome_doubt(DOUBT_CHILD_NOT_FOLLOWED, name);
}

/* ---- in a replay --------------------------------------------------------------------- */

static int replayed; /* the child that does it */

static void pass_on(int signal)
{
    sys_call(SYS_kill, replayed, signal, 0, 0, 0, 0);
}

/* The parent is there to end as the child does, and for nothing else. */
static void __attribute__((noreturn)) stand_for(int pid)
{
    struct sigaction forward = {.sa_handler = pass_on}, plain = {.sa_handler = SIG_DFL};
    int status = 0;
    replayed = pid;
    rt.on = false;
    self = NULL;
    for (int i = 1; i <= 64; i++) /* handlers are the child's to run */
        if (rt.caught >> (i - 1) & 1)
            real.sigaction(i, &plain, NULL);
    real.sigaction(SIGXCPU, &forward, NULL);
    while (sys_call(SYS_wait4, pid, (long)&status, 0, 0, 0, 0) == -EINTR)
        ;
    if (!WIFSIGNALED(status))
        sys_exit(WEXITSTATUS(status));
    real.sigaction(WTERMSIG(status), &plain, NULL);
    uint64_t none = 0;
    sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, sizeof none, 0, 0);
    sys_tgkill(sys_getpid(), sys_gettid(), WTERMSIG(status));
    sys_exit(128 + WTERMSIG(status));
}

/* The log says that fork returned 0: this is the run of the child. */
void forked_replay(void)
{
    rt.forked.forks++;
    rt.forking = FORK_REPLAYED;
    pid_t pid = real.fork();
    if (pid < 0)
        outcome_diverged("the child cannot be made");
    if (pid > 0)
        stand_for(pid);
}

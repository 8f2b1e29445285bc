/* SPDX-License-Identifier: Apache-2.0
 *
 * run: see run.h. The target gets pipes for stdout and stderr and a process group of its own;
 * everything it prints goes through here, so that a run's output is complete even if the
 * target dies, and nobody outlives the time limit. */
#include "run/parts.h"

#include "base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum {
    LOOK_MS = 200,   /* between the two questions where everybody is */
    GRACE_MS = 2000, /* for the answer */
    END_MS = 400,    /* to end by itself when we are to */
    LEFT_MS = 5000,  /* for children that outlive it */
    LEFT_LOOK_MS = 2,
    SPENT_LOOK_MS = 50, /* has the time been spent? */
    PRINTED_MAX_BYTES = 64 << 20,
    ROOM_MIN_BYTES = (1 << 20) + (256 << 10), /* a block of the trace, and the small files */
};

#define ADDRESS_MIN_MIB 14000ULL /* with the program itself; less has never been enough */

int64_t run_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- command ---------------------------------------------------------------------------- */

static void add_text(struct runfile_out *o, uint16_t tag, const char *text)
{
    runfile_add(o, (struct log_record){.tag = tag, .bytes = strlen(text)}, text);
}

int write_runfile(struct runfile_out *o, const char *directory, const char *name,
                  struct err *err)
{
    AUTO(str) struct str path = {0};
    str_add(&path, "%s/%s", directory, name);
    int result = file_write(path.at, o->bytes.at, o->bytes.len, err);
    str_done(&o->bytes);
    return result;
}

extern char **environ;

static int write_command(char *const *argv, const char *directory, struct run_server *server,
                         struct err *err)
{
    AUTO(str) struct str build = {0};
    struct runfile_out o = {0};
    char here[4096];
    runfile_begin(&o, LOG_COMMAND);
    for (int i = 0; argv[i]; i++)
        add_text(&o, TAG_ARGUMENT, argv[i]);
    if (getcwd(here, sizeof here))
        add_text(&o, TAG_DIRECTORY, here);
    for (char **e = environ; *e; e++)
        add_text(&o, TAG_ENVIRONMENT, *e);
    if (!server)
        run_build(&build, argv[0]);
    const char *known = server ? server_build(server) : build.at;
    if (known)
        add_text(&o, TAG_BUILD, known);
    return write_runfile(&o, directory, "command", err);
}

/* ---- settings --------------------------------------------------------------------------- */

/* A colon in the path would end it. */
static void add_path(struct str *out, const char *key, const char *path)
{
    str_add(out, "%s=", key);
    for (; *path; path++) {
        if (*path == ':' || *path == '\\')
            str_char(out, '\\');
        str_char(out, *path);
    }
}

/* What goes into the trace, and its clock. A replay finds HEDDLE_RECORD in its environment. */
static void add_recording(struct str *out, const struct run_opts *opts)
{
    if (opts->pace_ns)
        str_add(out, ":pace=%llu", (unsigned long long)opts->pace_ns);
    if (opts->budget_bytes)
        str_add(out, ":budget=%llu", (unsigned long long)opts->budget_bytes);
    if (opts->find_shared)
        str_add(out, ":sharing=1");
    if (opts->shared)
        add_path(out, ":shared", opts->shared);
    const char *recording = getenv("HEDDLE_RECORD");
    if (recording && recording[0])
        str_add(out, ":%s", recording);
}

/* policy "pct:3" gives policy=pct and depth=3. */
static void settings(struct str *out, const char *directory, const struct run_opts *opts)
{
    const char *policy = opts->guide      ? "guided"
                         : opts->nudged   ? "nudge"
                         : opts->schedule ? "replay"
                         : opts->policy   ? opts->policy
                                          : "fifo";
    const char *depth = strchr(policy, ':');
    int len = depth ? (int)(depth - policy) : (int)strlen(policy);
    add_path(out, "dir", directory);
    str_add(out, ":policy=%.*s:seed=%llu", len, policy, (unsigned long long)opts->seed);
    if (depth)
        str_add(out, ":depth=%s", depth + 1);
    const char *follow = opts->guide ? opts->guide : opts->plan ? opts->plan : opts->schedule;
    if (follow)
        add_path(out, ":schedule", follow);
    if (opts->world)
        add_path(out, ":input", opts->world);
    if (opts->targets)
        add_path(out, ":targets", opts->targets);
    if (opts->peers && !run_has_client(opts))
        add_path(out, ":peers", opts->peers);
    if (run_has_client(opts)) {
        AUTO(str) struct str told = {0};
        client_told(&told, directory);
        add_path(out, ":client", told.at);
    }
    if (opts->alone)
        str_add(out, ":alone=1");
    if (opts->steps_max)
        str_add(out, ":steps=%llu", (unsigned long long)opts->steps_max);
    if (opts->delay_us)
        str_add(out, ":delay=%llu", (unsigned long long)opts->delay_us * 1000);
    if (opts->expired_waits)
        str_add(out, ":expired=1");
    if (opts->stall_ms)
        str_add(out, ":stall=%u", opts->stall_ms);
    if (opts->spurious)
        str_add(out, ":spurious=6");
    if (opts->weak != WEAK_OFF && (!opts->schedule || opts->nudged)) /* else that says it */
        str_add(out, ":weak=%u:history=%u", (unsigned)opts->weak,
                opts->weak_history ? opts->weak_history : (unsigned)WEAK_HISTORY);
    if (opts->no_trace)
        str_add(out, ":record=0");
    if (opts->in)
        str_add(out, ":apart=%u", world_apart(opts->in));
    if (opts->in && run_world_is_copy(opts->in)) {
        add_path(out, ":copy", run_world_directory(opts->in));
        add_path(out, ":from", world_from(opts->in));
    }
    if (opts->keep_before)
        str_add(out, ":before=1");
    if (opts->family)
        str_add(out, ":family=1");
    if (!opts->no_children || (opts->process && *opts->process))
        str_add(out, ":children=%u", opts->children_max ? opts->children_max : 1);
    if (opts->process && *opts->process)
        str_add(out, ":process=%s", opts->process);
    if (opts->cpu)
        str_add(out, ":cpu=%u", opts->cpu);
    if (opts->window)
        str_add(out, ":window=1");
    if (opts->calls)
        str_add(out, ":calls=1");
    if (opts->stop)
        str_add(out, ":stop=%llu", (unsigned long long)(opts->stop - 1));
    if (opts->end)
        str_add(out, ":end=%llu", (unsigned long long)(opts->end - 1));
    add_recording(out, opts);
}

void run_settings(struct str *out, const char *directory, const struct run_opts *opts)
{
    settings(out, directory, opts);
    pad_settings(out);
}

/* ---- starting --------------------------------------------------------------------------- */

static void auto_streams(int (*fds)[5])
{
    for (int i = 0; i < 5; i++)
        if ((*fds)[i] >= 0)
            close((*fds)[i]);
}

/* fds: stdin, stdout and stderr of the target, then our ends of the last two. */
static int open_streams(int (*fds)[5], struct run_live *r, struct err *err)
{
    (*fds)[0] = stdin_open(r, err);
    if ((*fds)[0] < 0)
        return -1;
    for (int i = 1; i <= 2; i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) < 0)
            return err_sys(err, "pipe");
        (*fds)[i] = ends[1];
        (*fds)[i + 2] = ends[0];
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }
    return 0;
}

static int start(struct run_live *r, char *const *argv, struct err *err)
{
    AUTO(str) struct str set = {0};
    AUTO(streams) int fds[5] = {-1, -1, -1, -1, -1};
    settings(&set, r->directory.at, &r->opts);
    if (open_streams(&fds, r, err) < 0)
        return -1;
    struct launch l = {.argv = argv,
                       .settings = set.at,
                       .directory = r->opts.directory,
                       .streams = {fds[0], fds[1], fds[2]},
                       .aslr = r->opts.aslr,
                       .init = -1};
    if (r->opts.in) {
        l.directory = run_world_directory(r->opts.in);
        l.init = world_descriptor(r->opts.in, &l.flags);
    }
    r->pid = target_launch(&l, r->opts.server, err);
    if (r->pid < 0)
        return -1;
    r->pid_fd = (int)syscall(SYS_pidfd_open, r->pid, 0);
    stop_child(r->pid);
    terminal_lend(r);
    for (int i = 0; i < 2; i++)
        r->from[i] = take_fd(&fds[3 + i]);
    uint32_t seconds = r->opts.timeout_s ? r->opts.timeout_s : RUN_TIMEOUT_S;
    r->limit_ms = run_now_ms() + 1000LL * seconds;
    return 0;
}

/* ---- while it runs ---------------------------------------------------------------------- */

/* False once there is nothing more to take now. */
static bool take_output(struct run_live *r, int which)
{
    char buf[65536];
    ssize_t n = read(r->from[which], buf, sizeof buf);
    if (n < 0 && errno == EINTR)
        return true;
    if (n < 0 && errno == EAGAIN)
        return false;
    if (n <= 0) {
        close(r->from[which]);
        r->from[which] = -1;
        return false;
    }
    if (r->opts.show_output) {
        ssize_t ignored = write(which == 0 ? STDOUT_FILENO : STDERR_FILENO, buf, (size_t)n);
        (void)ignored;
    }
    if (r->log.bytes.len > PRINTED_MAX_BYTES) {
        r->dropped_bytes += (uint64_t)n;
        return true;
    }
    runfile_add(&r->log,
                (struct log_record){
                    .tag = TAG_PRINTED, .ordinal = (uint32_t)which + 1, .bytes = (uint64_t)n},
                buf);
    if (which == 0)
        str_bytes(&r->printed, buf, (size_t)n);
    return true;
}

/* Is one of the family that it forked still there (rt/turn.c)? */
static bool is_alive(const struct run_live *r)
{
    AUTO(str) struct str path = {0};
    str_add(&path, "%s/alive", r->directory.at);
    AUTO(fd) int fd = open(path.at, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENXIO)
        unlink(path.at);
    return fd >= 0;
}

/* Nobody is left. What it started may hold the pipes open: that does not count. */
static void put_away(struct run_live *r)
{
    r->gone = true;
    client_end(r);
    if (r->opts.in)
        world_end(r->opts.in);
    stdin_close(r);
    int typed = terminal_take_back(r);
    if (typed)
        stop_by(r->signal = typed);
    for (int i = 0; i < 2; i++)
        while (r->from[i] >= 0 && take_output(r, i))
            ;
}

/* Children that outlive it go on for a while, until they have nothing to do. */
static void collect(struct run_live *r)
{
    int64_t now = run_now_ms();
    if (!r->ended) {
        waitpid(r->pid, &r->status, 0);
        stop_child_gone(r->pid);
        r->ended = true;
        close(take_fd(&r->pid_fd));
        r->left_ms = now + LEFT_MS < r->limit_ms ? now + LEFT_MS : r->limit_ms;
    }
    if (now < r->left_ms && !r->signal && is_alive(r))
        return;
    r->left_ms = 0;
    kill(-r->pid, SIGKILL);
    if (!client_goes_on(r))
        put_away(r);
}

/* First the runtime is asked, twice, to say where everybody is, and then it ends. Children are
 * asked later: whoever waits for them still does. */
static void lose_patience(struct run_live *r)
{
    if (r->warnings >= 2) {
        kill(-r->pid, SIGKILL);
        kill(r->pid, SIGKILL);
    } else if (!r->signal) {
        kill(r->opts.family && r->warnings > 0 ? -r->pid : r->pid, SIGXCPU);
        r->late = true;
    }
    r->limit_ms = run_now_ms() + (r->warnings == 0 && !r->signal ? LOOK_MS : GRACE_MS);
    r->warnings++;
}

/* Spent time is no matter of the target's: it is asked to end. */
static void pass_on(struct run_live *r, int why)
{
    int signal = why == STOP_TIME || why == STOP_MEMORY ? SIGTERM : why;
    r->signal = signal;
    r->warnings = 2;
    r->limit_ms = run_now_ms() + END_MS;
    kill(-r->pid, signal);
    if (r->client.pid)
        kill(-r->client.pid, signal);
}

/* No run takes more than all of us may. Nothing follows from its end. */
static void look_at_memory(struct run_live *r)
{
    AUTO(str) struct str most = {0};
    uint64_t bytes = stop_memory_bytes();
    if (r->ended || r->is_large || bytes == 0 || stop_resident(r->pid) <= bytes)
        return;
    r->is_large = true;
    str_add(&most, "%llu MB (--memory)", (unsigned long long)bytes >> 20);
    run_doubt(&r->doubts, DOUBT_MEMORY, most.at);
    pass_on(r, SIGTERM);
}

void run_catch_signals(void)
{
    stop_catch();
}

int run_signal(void)
{
    return stop_signal();
}

enum { OWN_FDS = 4, FDS_PER_RUN = OWN_FDS + CLIENT_FDS, RUNS_MAX = RUN_JOBS_MAX };

static void look_at_client(struct run_live *r, const struct pollfd *fds, int64_t now_ms)
{
    if (!r->gone && r->client.stage != CLIENT_NONE && client_look(r, fds, now_ms))
        put_away(r);
}

static void wait_for_some(struct run_live *const *all, uint32_t count, const sigset_t *mask)
{
    struct pollfd fds[RUNS_MAX * FDS_PER_RUN + 1], *own = fds + (size_t)count * FDS_PER_RUN;
    int64_t first = INT64_MAX, now = run_now_ms();
    *own = (struct pollfd){-1, POLLIN, 0};
    for (uint32_t i = 0; i < count; i++) {
        struct pollfd *f = fds + (size_t)i * FDS_PER_RUN;
        const struct run_live *r = all[i];
        f[0] = (struct pollfd){r->from[0], POLLIN, 0};
        f[1] = (struct pollfd){r->from[1], POLLIN, 0};
        f[2] = (struct pollfd){r->pid_fd, POLLIN, 0};
        f[3] = (struct pollfd){r->to, stdin_wants(r), 0};
        client_poll(r, f + OWN_FDS);
        if (stdin_needs_more(r))
            own->fd = STDIN_FILENO;
        first = !r->ended && r->limit_ms < first ? r->limit_ms : first;
        first = r->client.due_ms < first ? r->client.due_ms : first;
        first = r->left_ms && now + LEFT_LOOK_MS < first ? now + LEFT_LOOK_MS : first;
    }
    bool is_bounded = stop_budget_ms() != UINT64_MAX || stop_memory_bytes() > 0;
    if (is_bounded && now + SPENT_LOOK_MS < first)
        first = now + SPENT_LOOK_MS;
    int64_t left = first > now ? first - now : 0;
    struct timespec span = {left / 1000, left % 1000 * 1000000};
    if (ppoll(fds, count * FDS_PER_RUN + 1, &span, mask) < 0)
        return;
    now = run_now_ms();
    if (own->revents)
        stdin_take();
    for (uint32_t i = 0; i < count; i++) {
        struct pollfd *f = fds + (size_t)i * FDS_PER_RUN;
        if (all[i]->to >= 0 && (f[3].revents || own->revents))
            stdin_give(all[i]);
        for (int j = 0; j < 2; j++)
            if (f[j].revents && all[i]->from[j] >= 0)
                take_output(all[i], j);
        if (f[2].revents || all[i]->left_ms)
            collect(all[i]);
        else if (!all[i]->ended && now >= all[i]->limit_ms)
            lose_patience(all[i]);
        look_at_memory(all[i]);
        look_at_client(all[i], f + OWN_FDS, now);
    }
}

uint32_t run_wait(struct run_live *const *all, uint32_t count)
{
    sigset_t signals, mask;
    CHECK(count > 0 && count <= RUNS_MAX);
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, &mask);
    uint32_t done = NONE;
    while (done == NONE) {
        for (uint32_t i = 0; i < count && done == NONE; i++) {
            if (all[i]->gone)
                done = i;
            else if (stop_signal() && !all[i]->signal)
                pass_on(all[i], stop_signal());
        }
        if (done == NONE)
            wait_for_some(all, count, &mask);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return done;
}

/* ---- from beginning to end -------------------------------------------------------------- */

static void live_free(struct run_live *r)
{
    for (int i = 0; i < 2; i++)
        if (r->from[i] >= 0)
            close(r->from[i]);
    stdin_close(r);
    client_close(r);
    if (r->pid_fd >= 0)
        close(r->pid_fd);
    str_done(&r->log.bytes);
    str_done(&r->printed);
    str_done(&r->directory);
    run_doubts_done(&r->doubts);
    free(r);
}

/* Better said now than by a target that can say it nowhere. */
static int check_room(const char *directory, struct err *err)
{
    struct statvfs st;
    if (statvfs(directory, &st) < 0 || st.f_blocks == 0)
        return 0;
    uint64_t left = (uint64_t)st.f_bavail * st.f_frsize;
    if (left >= ROOM_MIN_BYTES)
        return 0;
    return err_set(err,
                   "%s: no room on the disk for a run: %llu bytes are left (see heddle clean)",
                   directory, (unsigned long long)left);
}

/* The runtime reserves all its memory at once, and hardly uses any of it. */
static int check_address_space(struct err *err)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >= ADDRESS_MIN_MIB << 20)
        return 0;
    return err_set(
        err,
        "the limit of address space (%llu MiB) is too low for a run, which reserves "
        "%llu MiB and uses little of it: raise it (ulimit -v %llu, or unlimited) and "
        "try again",
        (unsigned long long)limit.rlim_cur >> 20, ADDRESS_MIN_MIB, ADDRESS_MIN_MIB << 10);
}

/* Those that are played belong to this run as to the one that they came to: it may be made
 * again when that one is gone. */
static void keep_peers(const struct run_opts *opts, const char *directory)
{
    AUTO(str) struct str path = {0};
    if (!opts->peers || opts->world || opts->client)
        return;
    str_add(&path, "%s/peers", directory);
    if (link(opts->peers, path.at) < 0)
        return; /* then it cannot be made smaller */
}

/* Whoever runs it again begins with the same. */
static void link_before(struct run_live *r, const struct run_world *in)
{
    AUTO(str) struct str link = {0};
    const char *before = world_before(in);
    const run_doubts *doubts = world_doubts(in);
    for (uint32_t i = 0; i < doubts->len; i++)
        run_doubt(&r->doubts, doubts->at[i].why, doubts->at[i].detail.at);
    if (world_is_soiled(in))
        run_doubt(&r->doubts, DOUBT_NOT_RESET, "an earlier run");
    str_add(&link, "%s/before", r->directory.at);
    if (before && symlink(before, link.at) < 0 && errno != EEXIST)
        run_doubt(&r->doubts, DOUBT_NOT_RESET, link.at);
}

int run_begin(struct run_live **out, char *const *argv, const char *directory,
              const struct run_opts *opts, struct err *err)
{
    char absolute[4096];
    if (!realpath(directory, absolute))
        return err_sys(err, "%s", directory);
    if (check_address_space(err) < 0 || check_room(directory, err) < 0 ||
        write_command(argv, directory, opts->server, err) < 0)
        return -1;
    if (opts->in && world_begin(opts->in, absolute, err) < 0)
        return -1;
    struct run_live *r = mem_resize(NULL, sizeof *r);
    *r = (struct run_live){.opts = *opts, .pid_fd = -1, .to = -1, .from = {-1, -1}};
    str_add(&r->directory, "%s", absolute);
    if (opts->in)
        link_before(r, opts->in);
    runfile_begin(&r->log, LOG_OUTPUT);
    keep_peers(opts, absolute);
    if (client_open(r, err) < 0 || start(r, argv, err) < 0) {
        live_free(r);
        return -1;
    }
    *out = r;
    return 0;
}

int run_end(struct run_live *r, struct run_result *out, struct err *err)
{
    struct run_result result = {0};
    int failed = write_runfile(&r->log, r->directory.at, "output", err);
    if (r->opts.keep_before)
        before_ended(r->directory.at);
    if (!failed)
        failed = stdin_check(err);
    if (!failed)
        failed = run_judge(&result, r, err);
    if (!failed && r->opts.in)
        world_judged(r->opts.in, &result);
    live_free(r);
    if (failed) {
        run_result_done(&result);
        return -1;
    }
    *out = result;
    return 0;
}

void run_abandon(struct run_live *r)
{
    if (!r->gone) {
        if (!r->ended) {
            kill(-r->pid, SIGKILL);
            kill(r->pid, SIGKILL);
            waitpid(r->pid, NULL, 0);
            stop_child_gone(r->pid);
        }
        client_end(r);
        if (r->opts.in)
            world_end(r->opts.in);
    }
    terminal_take_back(r);
    live_free(r);
}

int run_target(struct run_result *out, char *const *argv, const char *directory,
               const struct run_opts *opts, struct err *err)
{
    struct run_live *r = NULL;
    if (run_begin(&r, argv, directory, opts, err) < 0)
        return -1;
    run_wait(&r, 1);
    return run_end(r, out, err);
}

void run_result_done(struct run_result *r)
{
    str_done(&r->text);
    str_done(&r->child);
    run_doubts_done(&r->doubts);
    vec_done(&r->waits);
    vec_done(&r->holders);
    arena_done(&r->mem);
}

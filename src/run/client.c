/* SPDX-License-Identifier: Apache-2.0
 *
 * client: somebody who talks to the target while it runs, a command of the user's that is
 * started with every run once the target listens (rt/live-client.c says so in a file), in the
 * same world as the run.
 *
 * When the client is done, the target gets some time to end by itself: until it has used no
 * processor time for a few looks. Then it is asked to end, by SIGTERM, as whoever runs a server
 * does, and killed if it does not. An end that we brought about is no failure. If the target
 * itself ended well, the client's exit code is the outcome of the run. */
#include "run/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    WAIT_DEFAULT_S = 10,
    LOOK_MS = 10,
    STILL_LOOKS = 3,    /* without processor time: the target does not end by itself */
    LOOKS_MAX = 100,    /* one that is always busy does not either */
    ASKED_MS = 2000,    /* to end when it is asked to */
    LAST_MS = 5000,     /* that a client may take once the target has ended well */
    KEPT_BYTES = 65536, /* of what it prints */
    CANNOT_RUN = 126,   /* what sh says of a command that it cannot run, and of one */
    NOT_FOUND = 127,    /* that it does not find */
};

/* So far, in any run: what never worked is the user's mistake, not a run's. */
static struct {
    bool has_started, has_run;
} known;

static const int64_t never = INT64_MAX;

/* ---- before ----------------------------------------------------------------------------- */

static uint32_t patience_s(const struct run_live *r)
{
    return r->opts.client_wait_s ? r->opts.client_wait_s : WAIT_DEFAULT_S;
}

void client_told(struct str *out, const char *directory)
{
    str_add(out, "%s/listens", directory);
}

int client_open(struct run_live *r, struct err *err)
{
    struct client *c = &r->client;
    *c = (struct client){.pid_fd = -1, .from = -1, .watch = -1, .due_ms = never};
    if (!run_has_client(&r->opts))
        return 0;
    c->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (c->watch < 0 || inotify_add_watch(c->watch, r->directory.at, IN_CREATE) < 0)
        return err_sys(err, "--client: cannot watch %s", r->directory.at);
    c->stage = CLIENT_AWAITED;
    c->due_ms = run_now_ms() + 1000LL * patience_s(r);
    return 0;
}

/* Has the target said that it listens? Once. */
static bool has_told(struct run_live *r)
{
    AUTO(str) struct str told = {0};
    char events[4096];
    while (read(r->client.watch, events, sizeof events) > 0)
        ;
    client_told(&told, r->directory.at);
    return unlink(told.at) == 0;
}

/* ---- it starts -------------------------------------------------------------------------- */

static _Noreturn void become(const struct run_live *r, int printed)
{
    sigset_t none;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    unsetenv("HEDDLE_RT");
    dup2(null, STDIN_FILENO);
    dup2(printed, STDOUT_FILENO);
    dup2(printed, STDERR_FILENO);
    if (r->opts.in || !r->opts.directory || chdir(r->opts.directory) == 0)
        execl("/bin/sh", "sh", "-c", r->opts.client, (char *)NULL);
    _exit(NOT_FOUND);
}

static void start(struct run_live *r)
{
    struct client *c = &r->client;
    struct err ignored;
    int ends[2];
    close(take_fd(&c->watch));
    c->stage = CLIENT_MISSED;
    c->due_ms = never;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return;
    c->pid = run_world_fork(r->opts.in, &ignored);
    if (c->pid == 0)
        become(r, ends[1]);
    close(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    c->from = ends[0];
    if (c->pid < 0) {
        c->pid = 0;
        return;
    }
    c->pid_fd = (int)syscall(SYS_pidfd_open, c->pid, 0);
    c->stage = CLIENT_TALKS;
    known.has_started = true;
}

/* ---- while it talks --------------------------------------------------------------------- */

static void take_printed(struct run_live *r)
{
    struct client *c = &r->client;
    char text[16384];
    ssize_t n;
    while (c->from >= 0 && (n = read(c->from, text, sizeof text)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return;
        if (r->opts.show_output) {
            ssize_t ignored = write(STDERR_FILENO, text, (size_t)n);
            (void)ignored;
        }
        size_t room = KEPT_BYTES - c->printed.len;
        str_bytes(&c->printed, text, (size_t)n < room ? (size_t)n : room);
        if (n == sizeof text)
            return; /* others are to be looked at, too */
    }
    if (c->from >= 0)
        close(take_fd(&c->from));
}

static void collect(struct run_live *r)
{
    struct client *c = &r->client;
    waitpid(c->pid, &c->status, 0);
    kill(-c->pid, SIGKILL); /* what it has left in the background */
    take_printed(r);
    close(take_fd(&c->pid_fd));
    c->pid = 0;
    c->is_over = true;
    c->stage = CLIENT_DONE;
    c->due_ms = run_now_ms() + LOOK_MS;
    known.has_run |= !WIFEXITED(c->status) || WEXITSTATUS(c->status) < CANNOT_RUN ||
                     WEXITSTATUS(c->status) > NOT_FOUND;
}

/* ---- the target's end ------------------------------------------------------------------- */

static int64_t used_ns(pid_t pid)
{
    clockid_t clock;
    struct timespec t = {0};
    if (clock_getcpuclockid(pid, &clock) == 0)
        clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Does it do nothing any more? */
static bool is_still(struct run_live *r)
{
    struct client *c = &r->client;
    int64_t used = used_ns(r->pid);
    bool is_idle = used - c->used_ns < LOOK_MS * 1000000 / 20; /* looking around is no work */
    c->still = is_idle ? c->still + 1 : 0;
    c->used_ns = used;
    return c->still >= STILL_LOOKS || ++c->looks >= LOOKS_MAX;
}

static void kill_target(struct run_live *r)
{
    kill(-r->pid, SIGKILL);
    kill(r->pid, SIGKILL);
    r->client.due_ms = never;
}

static void act(struct run_live *r, int64_t now_ms)
{
    struct client *c = &r->client;
    switch (c->stage) {
    case CLIENT_AWAITED:
        c->stage = CLIENT_MISSED;
        kill_target(r);
        break;
    case CLIENT_DONE:
        c->due_ms = now_ms + LOOK_MS;
        if (!is_still(r))
            break;
        c->stage = CLIENT_ASKED;
        c->due_ms = now_ms + ASKED_MS;
        kill(r->opts.family ? -r->pid : r->pid, SIGTERM);
        break;
    case CLIENT_ASKED:
        c->stage = CLIENT_KILLED;
        kill_target(r);
        break;
    default:
        c->due_ms = never;
    }
}

/* ---- from run.c ------------------------------------------------------------------------- */

void client_poll(const struct run_live *r, struct pollfd fds[CLIENT_FDS])
{
    fds[0] = (struct pollfd){r->client.watch, POLLIN, 0};
    fds[1] = (struct pollfd){r->client.pid_fd, POLLIN, 0};
    fds[2] = (struct pollfd){r->client.from, POLLIN, 0};
}

bool client_look(struct run_live *r, const struct pollfd fds[CLIENT_FDS], int64_t now_ms)
{
    struct client *c = &r->client;
    if (fds[0].revents && c->watch >= 0 && has_told(r))
        start(r);
    if (c->stage == CLIENT_MISSED)
        kill_target(r);
    if (fds[2].revents && c->from >= 0)
        take_printed(r);
    if (fds[1].revents && c->pid_fd >= 0)
        collect(r);
    if (r->ended)
        return c->stage != CLIENT_TALKS || now_ms >= c->due_ms;
    if (now_ms >= c->due_ms)
        act(r, now_ms);
    return false;
}

bool client_goes_on(struct run_live *r)
{
    bool is_well =
        WIFEXITED(r->status) && WEXITSTATUS(r->status) == 0 && !r->signal && !r->late;
    r->client.due_ms = run_now_ms() + LAST_MS;
    return r->client.stage == CLIENT_TALKS && is_well;
}

void client_end(struct run_live *r)
{
    struct client *c = &r->client;
    if (!c->pid)
        return;
    kill(-c->pid, SIGKILL);
    kill(c->pid, SIGKILL);
    waitpid(c->pid, NULL, 0);
    take_printed(r);
    c->pid = 0;
}

void client_close(struct run_live *r)
{
    struct client *c = &r->client;
    int *fds[] = {&c->pid_fd, &c->from, &c->watch};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (*fds[i] >= 0)
            close(take_fd(fds[i]));
    str_done(&c->printed);
}

/* ---- what follows ----------------------------------------------------------------------- */

/* The last line that it printed, if there is one. */
static struct text last_line(const struct client *c)
{
    size_t end = c->printed.len;
    while (end > 0 && strchr("\n\r ", c->printed.at[end - 1]))
        end--;
    size_t begin = end;
    while (begin > 0 && c->printed.at[begin - 1] != '\n')
        begin--;
    return (struct text){c->printed.at + begin, (uint32_t)(end - begin)};
}

static int code_of(const struct client *c)
{
    return WIFEXITED(c->status) ? WEXITSTATUS(c->status) : 128 + WTERMSIG(c->status);
}

/* "its client was killed by SIGSEGV: wrong answer" */
static void say_end(struct str *out, const struct client *c)
{
    struct text line = last_line(c);
    if (!c->is_over)
        str_add(out, "its client had not ended");
    else if (WIFEXITED(c->status))
        str_add(out, "its client ended with exit code %d", WEXITSTATUS(c->status));
    else
        str_add(out, "its client was killed by SIG%s", sigabbrev_np(WTERMSIG(c->status)));
    if (line.len > 0)
        str_add(out, " (%.*s)", (int)(line.len < 200 ? line.len : 200), line.at);
}

/* Nobody talked to it: nothing is known about how it does when somebody does. */
static int judge_missed(struct run_result *out, const struct run_live *r, struct err *err)
{
    AUTO(str) struct str why = {0};
    bool is_own = r->client.stage == CLIENT_AWAITED; /* it ended by itself before */
    if (is_own && !run_ended_well(out))
        return 0;
    if (is_own)
        str_add(&why, "the program ended without listening");
    else
        str_add(&why, "the program did not listen within %u s (--client-wait)", patience_s(r));
    if (!known.has_started)
        return err_set(err, "--client: %s, so the client was not started", why.at);
    out->outcome = WORD_VALUE(OUTCOME, CUT);
    out->code = SIGKILL;
    out->text.len = 0;
    str_add(&out->text, "cut: %s\n", why.at);
    run_doubt(&out->doubts, DOUBT_CLIENT_MISSING, why.at);
    return 1;
}

/* We ended the target: that it died of it is not its fault. */
static bool forgive(struct run_result *out, const struct run_live *r)
{
    bool is_ours = (r->client.stage == CLIENT_ASKED && out->code == SIGTERM) ||
                   (r->client.stage == CLIENT_KILLED && out->code == SIGKILL);
    if (!is_ours || out->outcome != WORD_VALUE(OUTCOME, CRASH))
        return false;
    const char *name = sigabbrev_np(out->code);
    out->outcome = WORD_VALUE(OUTCOME, EXIT);
    out->code = 0;
    out->text.len = 0;
    str_add(&out->text, "exit 0: ended by SIG%s when its client was done\n", name);
    return true;
}

int client_judge(struct run_result *out, const struct run_live *r, struct err *err)
{
    AUTO(str) struct str says = {0};
    const struct client *c = &r->client;
    if (c->stage == CLIENT_NONE || r->signal)
        return 0;
    if (c->stage == CLIENT_AWAITED || c->stage == CLIENT_MISSED)
        return judge_missed(out, r, err);
    int code = c->is_over ? code_of(c) : 0;
    if (!known.has_run && c->is_over && (code == NOT_FOUND || code == CANNOT_RUN)) {
        struct text line = last_line(c);
        return err_set(err, "--client: '%s' cannot be run: %.*s", r->opts.client,
                       line.len ? (int)line.len : 10, line.len ? line.at : "no message");
    }
    bool is_changed = forgive(out, r), tells = code != 0 && run_ended_well(out);
    if (tells || out->is_late)
        say_end(&says, c);
    if (tells) {
        is_changed = true;
        out->outcome = WORD_VALUE(OUTCOME, EXIT);
        out->code = code;
        out->text.len = 0;
        str_add(&out->text, "exit %d: %s\n", code, says.at);
    }
    run_doubt(&out->doubts, DOUBT_CLIENT, says.len ? says.at : "");
    return is_changed;
}

static const struct run_doubt *doubt_of(const struct run_result *r)
{
    for (uint32_t i = 0; i < r->doubts.len; i++)
        if (r->doubts.at[i].why == DOUBT_CLIENT)
            return &r->doubts.at[i];
    return NULL;
}

bool run_is_clients(const struct run_result *r)
{
    const struct run_doubt *d = doubt_of(r);
    return d && d->detail.len > 0 && r->outcome == WORD_VALUE(OUTCOME, EXIT);
}

bool run_had_client(const struct run_result *r)
{
    return doubt_of(r) != NULL;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * run: see run.h. The target gets pipes for stdout and stderr and a process group of its own;
 * everything it prints goes through here, so that a run's output is complete even if the
 * target dies, and nobody outlives the time limit. */
#include "run/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

enum {
    TIMEOUT_DEFAULT_S = 60,
    GRACE_MS = 2000,
    PRINTED_MAX_BYTES = 64 << 20,
    SETTINGS_BYTES = 500,
};

/* A target while it runs. */
struct target {
    pid_t pid;
    int from[2];            /* its stdout and stderr, -1 once closed */
    struct runfile_out log; /* what it printed, in order */
    struct str printed;     /* its stdout alone, for the oracle */
    bool show;
    bool late;              /* the time limit struck */
    uint64_t dropped_bytes; /* past PRINTED_MAX_BYTES */
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- directories ------------------------------------------------------------------------- */

int run_directory(struct str *out, const char *prog, uint32_t *number, struct err *err)
{
    const char *base = strrchr(prog, '/') ? strrchr(prog, '/') + 1 : prog;
    AUTO(str) struct str path = {0};
    str_add(&path, "%s.heddle", base);
    if (mkdir(path.at, 0777) < 0 && errno != EEXIST)
        return err_sys(err, "%s", path.at);
    str_add(&path, "/runs");
    if (mkdir(path.at, 0777) < 0 && errno != EEXIST)
        return err_sys(err, "%s", path.at);
    size_t len = path.len;
    for (uint32_t n = *number ? *number : 1; n < UINT32_MAX; n++) {
        path.len = len;
        str_add(&path, "/%u", n);
        if (mkdir(path.at, 0777) == 0) {
            *number = n;
            str_bytes(out, path.at, path.len);
            return 0;
        }
        if (errno != EEXIST)
            return err_sys(err, "%s", path.at);
    }
    return err_set(err, "%s: too many runs; heddle clean removes old ones", path.at);
}

int run_link_last(const char *directory, struct err *err)
{
    const char *name = strrchr(directory, '/');
    CHECK(name);
    AUTO(str) struct str link = {0};
    AUTO(str) struct str temp = {0};
    str_bytes(&link, directory, (size_t)(name - directory));
    str_add(&temp, "%s/.last-%d", link.at, (int)getpid());
    str_add(&link, "/last");
    unlink(temp.at);
    if (symlink(name + 1, temp.at) < 0 || rename(temp.at, link.at) < 0)
        return err_sys(err, "%s", link.at);
    return 0;
}

int run_make_directory(const char *path, struct err *err)
{
    return mkdir(path, 0777) < 0 ? err_sys(err, "%s", path) : 0;
}

/* A run's directory holds files only. */
void run_remove(const char *directory)
{
    DIR *d = opendir(directory);
    struct dirent *entry;
    while (d && (entry = readdir(d)))
        if (entry->d_type != DT_DIR)
            unlinkat(dirfd(d), entry->d_name, 0);
    if (d)
        closedir(d);
    rmdir(directory);
}

static void path_in(struct str *out, const char *directory, const char *name)
{
    str_add(out, "%s/%s", directory, name);
}

/* ---- command ----------------------------------------------------------------------------- */

static void add_text(struct runfile_out *o, uint16_t tag, const char *text)
{
    runfile_add(o, (struct log_record){.tag = tag, .bytes = strlen(text)}, text);
}

static int write_runfile(struct runfile_out *o, const char *directory, const char *name,
                         struct err *err)
{
    AUTO(str) struct str path = {0};
    path_in(&path, directory, name);
    int result = file_write(path.at, o->bytes.at, o->bytes.len, err);
    str_done(&o->bytes);
    return result;
}

extern char **environ;

static int write_command(char *const *argv, const char *directory, struct err *err)
{
    struct runfile_out o = {0};
    char here[4096];
    runfile_begin(&o, LOG_COMMAND);
    for (int i = 0; argv[i]; i++)
        add_text(&o, TAG_ARGUMENT, argv[i]);
    if (getcwd(here, sizeof here))
        add_text(&o, TAG_DIRECTORY, here);
    for (char **e = environ; *e; e++)
        add_text(&o, TAG_ENVIRONMENT, *e);
    return write_runfile(&o, directory, "command", err);
}

/* ---- starting ---------------------------------------------------------------------------- */

/* policy "pct:3" gives policy=pct and depth=3. */
static void settings(struct str *out, const char *directory, const struct run_opts *opts)
{
    const char *policy = opts->schedule ? "replay" : opts->policy ? opts->policy : "fifo";
    const char *depth = strchr(policy, ':');
    int len = depth ? (int)(depth - policy) : (int)strlen(policy);
    str_add(out, "dir=%s:policy=%.*s:seed=%llu", directory, len, policy,
            (unsigned long long)opts->seed);
    if (depth)
        str_add(out, ":depth=%s", depth + 1);
    if (opts->schedule)
        str_add(out, ":schedule=%s", opts->schedule);
    if (opts->steps_max)
        str_add(out, ":steps=%llu", (unsigned long long)opts->steps_max);
    if (opts->no_trace)
        str_add(out, ":record=0");
    /* the same length in a run and its replay: the environment moves the stack */
    str_add(out, ":pad=");
    while (out->len % SETTINGS_BYTES != 0)
        str_char(out, 'x');
}

/* In the child: never returns. What goes wrong is told through `told`, a pipe that exec closes.
 * */
static _Noreturn void start_child(char *const *argv, const char *set, int out, int errors,
                                  int told)
{
    setpgid(0, 0);
    /* the same addresses in every run, where the system allows it */
    int old = personality(0xffffffff);
    if (old >= 0)
        personality((unsigned long)old | ADDR_NO_RANDOMIZE);
    dup2(out, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    setenv("HEDDLE_RT", set, 1);
    execvp(argv[0], argv);
    int why = errno;
    ssize_t ignored = write(told, &why, sizeof why);
    (void)ignored;
    _exit(127);
}

static int open_pipes(int (*pipes)[2], int count, struct err *err)
{
    for (int i = 0; i < count; i++)
        if (pipe2(pipes[i], O_CLOEXEC) < 0) {
            while (i-- > 0) {
                close(pipes[i][0]);
                close(pipes[i][1]);
            }
            return err_sys(err, "pipe");
        }
    return 0;
}

static int start(struct target *t, char *const *argv, const char *set, struct err *err)
{
    int pipes[3][2], why = 0;
    if (open_pipes(pipes, 3, err) < 0)
        return -1;
    fflush(NULL);
    t->pid = fork();
    if (t->pid == 0)
        start_child(argv, set, pipes[0][1], pipes[1][1], pipes[2][1]);
    for (int i = 0; i < 3; i++)
        close(pipes[i][1]);
    t->from[0] = pipes[0][0];
    t->from[1] = pipes[1][0];
    bool failed = t->pid < 0;
    if (!failed && read(pipes[2][0], &why, sizeof why) == sizeof why) {
        waitpid(t->pid, NULL, 0);
        errno = why;
        failed = true;
    }
    if (failed) {
        err_sys(err, "%s", argv[0]);
        close(t->from[0]);
        close(t->from[1]);
    }
    close(pipes[2][0]);
    return failed ? -1 : 0;
}

/* ---- while it runs ----------------------------------------------------------------------- */

static void take_output(struct target *t, int which)
{
    char buf[16384];
    ssize_t n = read(t->from[which], buf, sizeof buf);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        close(t->from[which]);
        t->from[which] = -1;
        return;
    }
    if (t->show) {
        ssize_t ignored = write(which == 0 ? STDOUT_FILENO : STDERR_FILENO, buf, (size_t)n);
        (void)ignored;
    }
    if (t->log.bytes.len > PRINTED_MAX_BYTES) {
        t->dropped_bytes += (uint64_t)n;
        return;
    }
    runfile_add(&t->log,
                (struct log_record){
                    .tag = TAG_PRINTED, .ordinal = (uint32_t)which + 1, .bytes = (uint64_t)n},
                buf);
    if (which == 0)
        str_bytes(&t->printed, buf, (size_t)n);
}

/* Until the target is gone. What it started may hold the pipes open: they do not count. */
static int watch(struct target *t, uint32_t timeout_s)
{
    int64_t limit = now_ms() + 1000LL * (timeout_s ? timeout_s : TIMEOUT_DEFAULT_S);
    int status = 0;
    bool gone = false;
    while (!gone || t->from[0] >= 0 || t->from[1] >= 0) {
        struct pollfd fds[2] = {{t->from[0], POLLIN, 0}, {t->from[1], POLLIN, 0}};
        int ready = poll(fds, 2, gone ? 0 : 20);
        for (int i = 0; i < 2; i++)
            if (t->from[i] >= 0 && (fds[i].revents & (POLLIN | POLLHUP | POLLERR)))
                take_output(t, i);
        if (gone && ready <= 0)
            break;
        if (!gone && waitpid(t->pid, &status, WNOHANG) == t->pid)
            gone = true;
        if (!gone && now_ms() > limit) {
            /* first the runtime is asked to say where everybody is, then it ends */
            kill(t->late ? -t->pid : t->pid, t->late ? SIGKILL : SIGXCPU);
            t->late = true;
            limit = now_ms() + GRACE_MS;
        }
    }
    kill(-t->pid, SIGKILL);
    for (int i = 0; i < 2; i++)
        if (t->from[i] >= 0)
            close(t->from[i]);
    return status;
}

/* ---- judging ----------------------------------------------------------------------------- */

/* What the runtime said, if it could say anything. */
static bool read_outcome(struct run_result *r, const char *directory)
{
    AUTO(str) struct str path = {0};
    struct runfile f;
    struct err err;
    bool found = false;
    path_in(&path, directory, "outcome");
    if (runfile_open(&f, path.at, &err) < 0)
        return false;
    for (uint32_t i = 0; i < f.entries.len; i++) {
        const struct log_entry *e = &f.entries.at[i];
        if (e->head.tag == TAG_OUTCOME && !found) {
            r->outcome = (uint8_t)e->head.ordinal;
            r->code = (int)e->head.result;
            found = true;
        }
        if (e->head.tag == TAG_OUTCOME || e->head.tag == TAG_STACK) {
            str_bytes(&r->text, (const char *)e->data, e->head.bytes);
            if (e->head.bytes && r->text.at[r->text.len - 1] != '\n')
                str_char(&r->text, '\n');
        }
    }
    runfile_close(&f);
    return found;
}

static int write_outcome(const struct run_result *r, const char *directory, struct err *err)
{
    struct runfile_out o = {0};
    runfile_begin(&o, LOG_OUTCOME);
    runfile_add(
        &o,
        (struct log_record){
            .tag = TAG_OUTCOME, .ordinal = r->outcome, .result = r->code, .bytes = r->text.len},
        r->text.at);
    return write_runfile(&o, directory, "outcome", err);
}

static bool ended_well(const struct run_result *r)
{
    return r->outcome == WORD_VALUE(OUTCOME, EXIT) && r->code == 0;
}

/* The target wrote no outcome: its exit status tells what there is to tell. */
static void judge_status(struct run_result *r, const struct target *t, int status)
{
    if (t->late) {
        r->outcome = WORD_VALUE(OUTCOME, HANG);
        str_add(&r->text, "hang: the time limit struck\n");
    } else if (WIFSIGNALED(status)) {
        r->outcome = WORD_VALUE(OUTCOME, CRASH);
        r->code = WTERMSIG(status);
        str_add(&r->text, "crash: signal %d (%s)\n", r->code, strsignal(r->code));
    } else {
        r->outcome = WORD_VALUE(OUTCOME, EXIT);
        r->code = WEXITSTATUS(status);
        str_add(&r->text, "exit %d\n", r->code);
    }
}

/* The user's check: the printed text on its stdin. 0 = content. */
static int oracle_says(const char *command, const struct str *printed, int code,
                       struct err *err)
{
    int in[2];
    if (pipe2(in, O_CLOEXEC) < 0)
        return err_sys(err, "oracle");
    pid_t pid = fork();
    if (pid == 0) {
        char text[16];
        snprintf(text, sizeof text, "%d", code);
        setenv("HEDDLE_EXIT", text, 1);
        unsetenv("HEDDLE_RT");
        dup2(in[0], STDIN_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    if (pid < 0) {
        close(in[1]);
        return err_sys(err, "oracle");
    }
    void (*old)(int) = signal(SIGPIPE, SIG_IGN); /* it need not read everything */
    for (size_t done = 0; done < printed->len;) {
        ssize_t n = write(in[1], printed->at + done, printed->len - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    signal(SIGPIPE, old);
    close(in[1]);
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int judge_output(struct run_result *r, const struct target *t, const struct run_opts *o,
                        struct err *err)
{
    bool bad = false;
    if (o->expect) {
        AUTO(bytes) struct bytes want = {0};
        if (bytes_read(&want, o->expect, err) < 0)
            return -1;
        bad = want.len != t->printed.len ||
              (want.len && memcmp(want.at, t->printed.at, want.len) != 0);
    }
    if (!bad && o->oracle) {
        int said = oracle_says(o->oracle, &t->printed, r->code, err);
        if (said < 0)
            return -1;
        bad = said != 0;
    }
    if (!bad)
        return 0;
    r->outcome = WORD_VALUE(OUTCOME, ORACLE);
    r->text.len = 0;
    str_add(&r->text, "oracle: %s\n",
            o->oracle ? "the check said no" : "the output is not the expected one");
    return 1;
}

static int judge(struct run_result *r, const struct target *t, int status,
                 const char *directory, const struct run_opts *opts, struct err *err)
{
    bool own = read_outcome(r, directory);
    if (!own)
        judge_status(r, t, status);
    int overruled = 0;
    if (r->outcome == WORD_VALUE(OUTCOME, EXIT))
        overruled = judge_output(r, t, opts, err);
    if (overruled < 0)
        return -1;
    return own && !overruled ? 0 : write_outcome(r, directory, err);
}

int run_target(struct run_result *out, char *const *argv, const char *directory,
               const struct run_opts *opts, struct err *err)
{
    AUTO(str) struct str set = {0};
    struct target t = {.show = opts->show_output};
    char absolute[4096];
    if (!realpath(directory, absolute))
        return err_sys(err, "%s", directory);
    if (write_command(argv, directory, err) < 0)
        return -1;
    settings(&set, absolute, opts);
    if (start(&t, argv, set.at, err) < 0)
        return -1;
    runfile_begin(&t.log, LOG_OUTPUT);
    int status = watch(&t, opts->timeout_s);
    struct run_result r = {0};
    int failed = write_runfile(&t.log, directory, "output", err);
    if (!failed)
        failed = judge(&r, &t, status, directory, opts, err);
    str_done(&t.printed);
    if (failed) {
        run_result_done(&r);
        return -1;
    }
    *out = r;
    return 0;
}

void run_result_done(struct run_result *r)
{
    str_done(&r->text);
}

int run_exit_code(const struct run_result *r)
{
    switch (r->outcome + OUTCOME_FIRST) {
    case OUTCOME_EXIT:
        return r->code;
    case OUTCOME_CRASH:
        return 128 + r->code;
    case OUTCOME_ASSERT:
        return 128 + SIGABRT;
    case OUTCOME_SANITIZER:
        return r->code ? r->code : 1;
    case OUTCOME_DIVERGED:
        return 3;
    case OUTCOME_UNSUPPORTED:
        return 4;
    default:
        return 1;
    }
}

bool run_is_worse(const struct run_result *r, const struct run_result *than)
{
    if (ended_well(r) || ended_well(than))
        return ended_well(than) && !ended_well(r);
    return r->outcome > than->outcome;
}

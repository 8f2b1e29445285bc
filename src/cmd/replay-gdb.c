/* SPDX-License-Identifier: Apache-2.0
 *
 * replay-gdb: see replay-gdb.h. gdb gets a list of the places worth stopping at: where another
 * thread goes on, and the key steps of the finding that tells of the run. To go back is to run
 * again from the start: gdb ends and leaves a request, and another one begins in a world where
 * no run has been. */
#include "cmd/replay-gdb.h"

#include "cmd/cmd.h"
#include "finding/finding.h"
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- places worth stopping at ------------------------------------------------------------ */

static int add_switches(struct str *out, const char *run, struct err *err)
{
    AUTO(trace) struct trace t = {0};
    struct ev e;
    int item;
    uint32_t running = NONE;
    if (trace_open_in(&t, run, err) < 0)
        return -1;
    struct trace_cursor *c = mem_zeroed(1, sizeof *c);
    cursor_init(c, &t);
    while ((item = trace_next(c, &e, err)) > ITEM_END) {
        if (item != ITEM_EVENT || e.thr == running)
            continue;
        str_add(out, "%s\t%" PRIu64 "\tT%u\tgoes on\n", running == NONE ? "start" : "switch",
                c->number - 1, e.thr);
        running = e.thr;
    }
    free(c);
    return item < 0 ? -1 : 0;
}

static bool is_same_place(const char *a, const char *b)
{
    char x[PATH_MAX], y[PATH_MAX];
    return *a && realpath(a, x) && realpath(b, y) && strcmp(x, y) == 0;
}

/* Is this run what the finding tells of: its own, or what the command names that shows it? */
static bool is_about(const struct finding *f, const char *run)
{
    const char *word = strrchr(f->replay, ' '), *name = base_name(run);
    size_t len = strlen(f->id);
    bool confirms = strncmp(name, f->id, len) == 0 && name[len] == '-'; /* confirm/ID-K */
    return confirms || is_same_place(f->run, run) || (word && is_same_place(word + 1, run));
}

static uint64_t add_keys(struct str *out, const struct finding *f)
{
    uint64_t first = NO_EVENT;
    for (uint32_t i = 0; i < f->steps.len; i++) {
        const struct finding_step *s = &f->steps.at[i];
        if (s->event == NO_EVENT || !s->is_key)
            continue;
        first = s->event < first ? s->event : first;
        str_add(out, "key\t%" PRIu64 "\t%s\t%s %s%s%s at %s:%u\n", s->event,
                s->thread < f->threads.len ? f->threads.at[s->thread].name : "?",
                action_text(s->action), s->object, *s->value ? " = " : "", s->value,
                base_name(s->place.file), s->place.line);
    }
    return first;
}

/* Runs lie in PROGRAM.heddle/runs/N, and beside runs. */
static uint64_t add_finding(struct str *out, const char *run)
{
    AUTO(finding_list) struct finding_list all = {0};
    AUTO(str) struct str path = {0};
    struct err ignored;
    char real[PATH_MAX];
    uint64_t first = NO_EVENT;
    if (!realpath(run, real))
        return NO_EVENT;
    for (int up = 0; up < 2 && strrchr(real, '/'); up++)
        *strrchr(real, '/') = 0;
    str_add(&path, "%s/findings.json", real);
    if (finding_list_read(&all, path.at, &ignored) < 0)
        return NO_EVENT;
    for (uint32_t i = 0; i < all.findings.len && first == NO_EVENT; i++)
        if (is_about(&all.findings.at[i], run))
            first = add_keys(out, &all.findings.at[i]);
    return first;
}

/* first: the event of the first key step, or NO_EVENT. */
static int write_stops(const struct run_again *again, const char *files, uint64_t *first,
                       struct err *err)
{
    AUTO(str) struct str text = {0}, path = {0}, script = {0};
    if (add_switches(&text, again->recorded->path.at, err) < 0)
        return -1;
    *first = add_finding(&text, again->recorded->path.at);
    str_add(&path, "%s/stops", files);
    if (file_write(path.at, text.at ? text.at : "", text.len, err) < 0)
        return -1;
    str_add(&script, "FILES = \"%s\"\n%.*s", files, (int)replay_gdb.bytes.len,
            replay_gdb.bytes.at);
    path.len = 0;
    str_add(&path, "%s/gdb.py", files);
    return file_write(path.at, script.at, script.len, err);
}

/* ---- gdb --------------------------------------------------------------------------------- */

/* In a world of its own a process cannot name the group that it was born in, so gdb, which
 * takes the terminal back from the program whenever that stops, needs one of its own. */
static void take_terminal(void)
{
    if (!isatty(STDIN_FILENO))
        return;
    void (*old)(int) = signal(SIGTTOU, SIG_IGN);
    tcsetpgrp(STDIN_FILENO, getpgrp());
    signal(SIGTTOU, old);
}

static int start_gdb(struct run_again *again, const char *files, const char *settings,
                     struct err *err)
{
    const struct run_recorded *rec = again->recorded;
    AUTO(str) struct str script = {0}, kept = {0};
    VEC(char *) argv = {0};
    str_add(&script, "%s/gdb.py", files);
    str_add(&kept, "%s/breakpoints", files);
    const char *const words[] = {"gdb", "-q",
                                 "-ex", "set startup-with-shell off",
                                 "-ex", "set breakpoint pending on",
                                 "-ex", "set confirm off",
                                 "-ex", "unset environment LINES",
                                 "-ex", "unset environment COLUMNS",
                                 "-x",  script.at};
    const char *const old[] = {"-x", kept.at};
    const char *const last[] = {"-ex", "run", "-ex", "python replay.show(replay.is_at_stop())",
                                "--args"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        vec_push(&argv, (char *)(uintptr_t)words[i]);
    for (size_t i = 0; access(kept.at, F_OK) == 0 && i < sizeof old / sizeof *old; i++)
        vec_push(&argv, (char *)(uintptr_t)old[i]);
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        vec_push(&argv, (char *)(uintptr_t)last[i]);
    for (uint32_t i = 0; i < rec->argv.len; i++)
        vec_push(&argv, rec->argv.at[i]);
    fflush(NULL);
    pid_t pid = run_world_fork(again->in, err);
    if (pid == 0) {
        if (setpgid(0, 0) == 0)
            take_terminal();
        setenv("HEDDLE_RT", settings, 1);
        execvp(argv.at[0], argv.at);
        cmd_note("cannot start gdb (%s); on Debian: apt-get install gdb", strerror(errno));
        _exit(EXIT_WORLD);
    }
    vec_done(&argv);
    return pid;
}

/* gdb as a child, so that the files can go when it has ended. */
static int debug(struct run_again *again, const char *files, uint64_t stop, struct err *err)
{
    const struct run_recorded *rec = again->recorded;
    AUTO(str) struct str settings = {0};
    struct run_opts opts = {.stop = stop + 1};
    if (run_again_prepare(again, rec->schedule.choices.at, rec->schedule.choices.len, &opts,
                          err) < 0)
        return cmd_fail(EXIT_WORLD, err);
    run_settings(&settings, again->files.at, &opts);
    if (again->in && run_world_reset(again->in, again->files.at, err) < 0)
        return cmd_fail(EXIT_WORLD, err);
    pid_t pid = start_gdb(again, files, settings.at, err);
    if (pid < 0)
        return cmd_fail(EXIT_WORLD, err);
    void (*old)(int) = signal(SIGINT, SIG_IGN); /* gdb's business */
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    signal(SIGINT, old);
    take_terminal();
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_WORLD;
}

/* Was gdb told to go back? To which event? */
static bool is_wanted_again(const char *files, uint64_t *stop)
{
    AUTO(str) struct str path = {0};
    AUTO(bytes) struct bytes told = {0};
    struct err ignored;
    str_add(&path, "%s/again", files);
    if (bytes_read(&told, path.at, &ignored) < 0)
        return false;
    unlink(path.at);
    return text_number((struct text){(const char *)told.at, (uint32_t)told.len}, stop);
}

int replay_in_gdb(struct run_again *again, uint64_t stop, struct err *err)
{
    AUTO(str) struct str files = {0}; /* that outlive each of the runs */
    uint64_t first;
    str_add(&files, "%s/gdb", again->files.at);
    if (directory_make(files.at, err) < 0 || write_stops(again, files.at, &first, err) < 0)
        return cmd_fail(EXIT_WORLD, err);
    stop = stop != NO_EVENT ? stop : first != NO_EVENT ? first : NO_EVENT - 2;
    int code;
    do
        code = debug(again, files.at, stop, err);
    while (is_wanted_again(files.at, &stop));
    run_remove(files.at);
    return code;
}

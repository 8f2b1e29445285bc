/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-fix-start: what `heddle fix` begins with: a run that failed, a witness, or nothing yet;
 * then `heddle check` looks, in a process of its own, with the same program and options. */
#include "cmd/fix-start.h"

#include "cmd/cmd-replay.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool fix_is_run(const char *path)
{
    AUTO(str) struct str schedule = {0};
    struct stat st;
    str_add(&schedule, "%s/schedule", path);
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && access(schedule.at, F_OK) == 0;
}

/* ---- a witness --------------------------------------------------------------------------- */

int fix_follow_witness(struct str *run, const char *path, const struct seek_opts *o,
                       struct err *err)
{
    AUTO(witness_file) struct witness_file w = {0};
    struct run_opts opts = {
        .timeout_s = (uint32_t)o->timeout_s, .oracle = o->oracle, .expect = o->expect};
    char real[PATH_MAX];
    if (witness_file_open(&w, path, err) < 0)
        return -1;
    if (w.program.len == 0)
        return err_set(err, "%s names no program", path);
    if (replay_witness(path, NULL, o->in_place, &opts, err) == EXIT_WORLD)
        return err_set(err, "%s: it cannot be followed", path);
    const char *slash = strrchr(w.program.at[0], '/');
    AUTO(str) struct str last = {0};
    str_add(&last, "%s.heddle/runs/last", slash ? slash + 1 : w.program.at[0]);
    if (!realpath(last.at, real))
        return err_sys(err, "%s", last.at);
    str_add(run, "%s", real);
    return 0;
}

/* ---- a check ----------------------------------------------------------------------------- */

typedef VEC(const char *) words;

static void add_text(words *out, const char *option, const char *value)
{
    if (!value)
        return;
    vec_push(out, option);
    vec_push(out, value);
}

static void add_number(words *out, struct arena *mem, const char *option, uint64_t value)
{
    char text[32];
    int len = snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    if (value)
        add_text(out, option, arena_text(mem, text, (size_t)len));
}

/* What the user has said that a check knows, too. */
static void add_options(words *out, struct arena *mem, const struct seek_opts *o)
{
    add_text(out, "--oracle", o->oracle);
    add_text(out, "--expect", o->expect);
    add_text(out, "--before-each", o->before_each);
    add_text(out, "--input", o->input);
    add_text(out, "--client", o->client.command);
    add_text(out, "--peers", o->client.peers);
    if (o->weak.mode) {
        AUTO(str) struct str weak = {0};
        str_add(&weak, "--weak=%s", WEAK_WORDS[o->weak.mode - 1]);
        vec_push(out, arena_text(mem, weak.at, weak.len));
    }
    add_number(out, mem, "--weak-history", o->weak.history);
    add_number(out, mem, "--client-wait", o->client.wait_s);
    add_number(out, mem, "--seed", o->seed);
    add_number(out, mem, "--timeout", o->timeout_s);
    add_number(out, mem, "--jobs", o->jobs);
    add_number(out, mem, "--delay", o->delay.ms);
    if (o->delay.expired)
        add_text(out, "--expired-waits", o->delay.expired == EXPIRED_ERROR ? "error" : "note");
    if (o->time_s) /* what is left of it */
        add_number(out, mem, "--time", stop_left_ms() / 1000 + 1);
    if (o->in_place)
        vec_push(out, "--in-place");
    if (o->follow.no_children)
        vec_push(out, "--no-children");
}

/* Ends with us; what it prints is in PROGRAM.heddle as well. */
static int run_check(char *const *argv, struct err *err)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawn(&child, "/proc/self/exe", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) {
        errno = failed;
        return err_sys(err, "heddle check");
    }
    stop_child(child);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return err_sys(err, "heddle check");
        else if (stop_signal())
            kill(child, SIGTERM);
    stop_child_gone(child);
    bool is_good = WIFEXITED(status) && WEXITSTATUS(status) <= EXIT_BAD;
    return is_good ? 0 : err_set(err, "fix: `heddle check` did not come to an end");
}

int fix_check(char *const *program, const struct seek_opts *o, struct err *err)
{
    AUTO(arena) struct arena mem = {0};
    words list = {0};
    vec_push(&list, "heddle");
    vec_push(&list, "check");
    add_options(&list, &mem, o);
    vec_push(&list, "--");
    for (char *const *word = program; *word; word++)
        vec_push(&list, *word);
    vec_push(&list, NULL);
    union {
        const char **in;
        char **out;
    } argv = {list.at};
    int failed = run_check(argv.out, err);
    vec_done(&list);
    return failed;
}

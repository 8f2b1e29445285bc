/* SPDX-License-Identifier: Apache-2.0
 *
 * child: other programs, run to their end. If we are told to end while one runs, so is it,
 * and the caller gets to clean up. */
#include "instr/cc.h"

#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

enum { LINE_MAX_BYTES = 100000 };

static volatile sig_atomic_t signal_met;
static volatile sig_atomic_t child_id;

static void on_signal(int number)
{
    signal_met = number;
    if (child_id > 0)
        kill((pid_t)child_id, number);
}

int child_signal(void)
{
    return signal_met;
}

void child_watch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction old, ours = {.sa_handler = on_signal};
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &ours, NULL);
    }
}

/* Quoted by the rules of GNU. */
static void add_quoted(struct str *out, const char *word)
{
    str_char(out, '"');
    for (; *word; word++) {
        if (*word == '"' || *word == '\\')
            str_char(out, '\\');
        str_char(out, *word);
    }
    str_bytes(out, "\"\n", 2);
}

/* A line that the system may refuse goes into a file. */
static int shorten(word_list *argv, const char *dir, char *path, size_t path_cap,
                   struct err *err)
{
    size_t total = 0;
    for (uint32_t i = 0; i < argv->len; i++)
        total += strlen(argv->at[i]) + 1;
    if (total < LINE_MAX_BYTES)
        return 0;
    AUTO(str) struct str text = {0};
    for (uint32_t i = 1; i < argv->len; i++)
        add_quoted(&text, argv->at[i]);
    snprintf(path, path_cap, "@%s/line", dir);
    if (file_write(path + 1, text.at, text.len, err) < 0)
        return -1;
    argv->len = 1;
    vec_push(argv, path);
    return 0;
}

static int wait_for(pid_t pid, int *out, struct err *err)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return err_sys(err, "waiting for a child");
    *out = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return 0;
}

int child_run(word_list *argv, const char *dir, const char *stderr_path, int *out,
              struct err *err)
{
    char path[4096];
    if (shorten(argv, dir, path, sizeof path, err) < 0)
        return -1;
    vec_push(argv, NULL);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (stderr_path)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, stderr_path,
                                         O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t pid;
    errno =
        posix_spawnp(&pid, argv->at[0], &actions, NULL, (char **)(uintptr_t)argv->at, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (errno)
        return err_sys(err, "cannot run %s", argv->at[0]);
    child_id = pid;
    int failed = wait_for(pid, out, err);
    child_id = 0;
    return failed;
}

int child_exec(word_list *argv, struct err *err)
{
    vec_push(argv, NULL);
    execvp(argv->at[0], (char **)(uintptr_t)argv->at);
    return err_sys(err, "cannot run %s", argv->at[0]);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * capture: see capture.h. */
#include "base/capture.h"

#include "base/arena.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t start(char *const *argv, char *extra, int out)
{
    extern char **environ;
    VEC(char *) env = {0};
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;
    for (char **e = environ; *e; e++)
        vec_push(&env, *e);
    if (extra)
        vec_push(&env, extra);
    vec_push(&env, NULL);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
    if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, env.at) != 0)
        pid = -1;
    posix_spawn_file_actions_destroy(&actions);
    vec_done(&env);
    return pid;
}

int capture(struct str *out, char *const *argv, char *extra)
{
    int ends[2], status;
    char part[4096];
    ssize_t n;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    pid_t pid = start(argv, extra, ends[1]);
    close(ends[1]);
    while (pid > 0 && ((n = read(ends[0], part, sizeof part)) > 0 || (n < 0 && errno == EINTR)))
        str_bytes(out, part, n > 0 ? (size_t)n : 0);
    close(ends[0]);
    if (pid < 0)
        return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

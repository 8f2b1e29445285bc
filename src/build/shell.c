/* SPDX-License-Identifier: Apache-2.0
 *
 * shell: one command, run to its end. What it says is kept in a file, and of that the first
 * error becomes the message. */
#include "build/ways.h"

#include "base/io.h"
#include "base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MS = 50 };

char *build_text(struct arena *mem, const char *format, ...)
{
    char buf[8192];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(buf, sizeof buf, format, args);
    va_end(args);
    CHECK(len >= 0 && (size_t)len < sizeof buf);
    return arena_text(mem, buf, (size_t)len);
}

/* The first line that speaks of an error, else the last one. */
static struct text telling_line(const struct bytes *log)
{
    const char *at = (const char *)log->at, *end = at + log->len;
    struct text last = {0};
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct text line = {at, (uint32_t)((stop ? stop : end) - at)};
        if (memmem(line.at, line.len, "error", 5) || memmem(line.at, line.len, "undefined", 9))
            return line;
        if (line.len > 0)
            last = line;
        at = stop ? stop + 1 : end;
    }
    return last;
}

int build_failed(const char *what, const char *log, struct err *err)
{
    AUTO(bytes) struct bytes said = {0};
    struct err ignored;
    struct text line = {0};
    if (log && bytes_read(&said, log, &ignored) == 0)
        line = telling_line(&said);
    if (line.len == 0)
        return err_set(err, "%s failed", what);
    return err_set(err, "%.*s", line.len < 400 ? (int)line.len : 400, line.at);
}

/* It and what it started end with us. */
static int wait_for(pid_t pid, int *status, const char *name, struct err *err)
{
    AUTO(fd) int ended = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd wait = {.fd = ended, .events = POLLIN};
    while (ended >= 0 && !stop_signal() && poll(&wait, 1, POLL_MS) <= 0)
        ;
    if (stop_signal())
        kill(-pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0)
        if (errno != EINTR)
            return err_sys(err, "%s", name);
    return stop_signal() ? err_set(err, "%s: stopped", name) : 0;
}

int build_run(const char *path, char *const *argv, const char *directory, const char *log,
              struct err *err)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (log) {
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        posix_spawn_file_actions_adddup2(&actions, 1, 2);
    }
    posix_spawn_file_actions_addchdir_np(&actions, directory);
    posix_spawnattr_t group;
    posix_spawnattr_init(&group);
    posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
    errno = posix_spawnp(&pid, path, &actions, &group, argv, environ);
    posix_spawnattr_destroy(&group);
    posix_spawn_file_actions_destroy(&actions);
    if (errno)
        return err_sys(err, "%s (in %s)", argv[0], directory);
    if (wait_for(pid, &status, argv[0], err) < 0)
        return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return build_failed(argv[0], log, err);
}

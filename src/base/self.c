/* SPDX-License-Identifier: Apache-2.0
 *
 * self: asks the system which file we are. */
#include "base/self.h"

#include "base/arena.h"
#include "base/stop.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void self_path(struct str *out)
{
    char self[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    str_add(out, "%.*s", len > 0 ? (int)len : 0, self);
}

bool self_find(struct str *out, const char *place, const char *file)
{
    AUTO(str) struct str path = {0};
    char found[PATH_MAX];
    self_path(&path);
    const char *slash = strrchr(path.at, '/');
    path.len = slash ? (size_t)(slash - path.at) : 0;
    str_add(&path, "/%s", place);
    if (!realpath(path.at, found))
        return false;
    str_add(&path, "/%s", file);
    if (*file && access(path.at, F_OK) < 0)
        return false;
    str_add(out, "%s", found);
    return true;
}

enum { NOT_STARTED = 127 };

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static volatile sig_atomic_t told; /* whom who tells us to end is passed on to */

static void pass_on(int signal)
{
    int error = errno;
    stop_by(signal);
    kill((pid_t)told, signal);
    errno = error;
}

/* The signals are held back from before the child is there until somebody passes them on. */
static int wait_for(pid_t child, const sigset_t *before)
{
    struct sigaction action = {.sa_handler = pass_on}, old[SIGNALS];
    int status = 0;
    pid_t ended;
    told = child;
    for (unsigned i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &old[i]);
        if (old[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    sigprocmask(SIG_SETMASK, before, NULL);
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        continue;
    for (unsigned i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &old[i], NULL);
    return ended < 0 ? -1 : status;
}

int self_run(char *const *words, void (*prepare)(const void *), const void *context,
             struct err *err)
{
    sigset_t held, before;
    sigemptyset(&held);
    for (unsigned i = 0; i < SIGNALS; i++)
        sigaddset(&held, signals[i]);
    sigprocmask(SIG_BLOCK, &held, &before);
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        if (prepare)
            prepare(context);
        execv(words[0], words);
        _exit(NOT_STARTED);
    }
    int error = errno, status = child < 0 ? -1 : wait_for(child, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = child < 0 ? error : errno;
    if (status < 0)
        return err_sys(err, child < 0 ? "fork" : "waitpid");
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_STARTED)
        return err_set(err, "%s: cannot be started", words[0]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

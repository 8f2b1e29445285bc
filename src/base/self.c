/* SPDX-License-Identifier: Apache-2.0
 *
 * self: asks the system which file we are. */
#include "base/self.h"

#include "base/arena.h"

#include <errno.h>
#include <limits.h>
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

int self_run(char *const *words, void (*prepare)(const void *), const void *context,
             struct err *err)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (prepare)
            prepare(context);
        execv(words[0], words);
        _exit(NOT_STARTED);
    }
    if (child < 0)
        return err_sys(err, "fork");
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return err_sys(err, "waitpid");
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_STARTED)
        return err_set(err, "%s: cannot be started", words[0]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

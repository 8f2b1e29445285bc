/* SPDX-License-Identifier: Apache-2.0
 *
 * spare: directories of runs that nobody wants any more, for the runs that come next. ext4
 * gives the number of a file that was deleted within the last seconds to no new one, and looks
 * at all of those each time a file is made: where runs come and go by the hundred, that was
 * half of the time. So directories stay, with their files, empty and under the names under
 * which a run makes them. Only of runs in worlds: no process is left that could still write. */
#include "run/parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SPARE_MAX = 2 * RUN_JOBS_MAX };

/* The name that a file has in a run that has ended, and the one under which it is made. */
static const char *const names[][2] = {
    {"command", "command.part"},
    {"output", "output.part"},
    {"schedule", "schedule.new"},
    {"trace", "trace.new"},
};
enum { NAMES = sizeof names / sizeof names[0] };

static struct {
    struct str at[SPARE_MAX];
    uint32_t count;
    pid_t owner; /* a child process has none of them */
} spares;

static bool is_ours(void)
{
    return spares.count && spares.owner == getpid();
}

static const char *name_made(const char *name)
{
    for (uint32_t i = 0; i < NAMES; i++)
        if (strcmp(name, names[i][0]) == 0 || strcmp(name, names[i][1]) == 0)
            return names[i][1];
    return NULL;
}

/* A file that has another name elsewhere is somebody's. */
static bool empty_file(int dir, const char *name, const char *made)
{
    struct stat st;
    AUTO(fd) int fd = openat(dir, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
           ftruncate(fd, 0) == 0 && renameat(dir, name, dir, made) == 0;
}

/* False: there is more in it than a run's own files. */
static bool empty_directory(const char *directory)
{
    DIR *d = opendir(directory);
    bool good = d != NULL;
    for (struct dirent *e; good && (e = readdir(d));) {
        const char *made = name_made(e->d_name);
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (!made || !empty_file(dirfd(d), e->d_name, made))
            good = unlinkat(dirfd(d), e->d_name, 0) == 0;
    }
    if (d)
        closedir(d);
    return good;
}

void run_spare_put(const char *directory)
{
    if (!is_ours())
        spares.count = 0;
    if (spares.count == SPARE_MAX || !empty_directory(directory)) {
        run_remove(directory);
        return;
    }
    struct str *s = &spares.at[spares.count++];
    spares.owner = getpid();
    s->len = 0;
    str_add(s, "%s", directory);
}

bool run_spare_take(const char *directory)
{
    while (is_ours()) {
        const char *spare = spares.at[--spares.count].at;
        if (rename(spare, directory) == 0)
            return true;
        run_remove(spare); /* on another file system */
    }
    return false;
}

void run_spare_tidy(const char *directory)
{
    for (uint32_t i = 0; i < NAMES; i++) {
        AUTO(str) struct str path = {0};
        str_add(&path, "%s/%s", directory, names[i][1]);
        unlink(path.at);
    }
}

void run_spare_done(void)
{
    while (is_ours())
        run_remove(spares.at[--spares.count].at);
    for (uint32_t i = 0; i < SPARE_MAX; i++) {
        str_done(&spares.at[i]);
        spares.at[i] = (struct str){0};
    }
}

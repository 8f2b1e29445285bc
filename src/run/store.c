/* SPDX-License-Identifier: Apache-2.0
 *
 * store: where runs are kept: prog.heddle/runs/N, and which of them is the last. */
#include "run/run.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot_keep(const char *path, struct err *err)
{
    bool is_refused = errno == EACCES || errno == EPERM || errno == EROFS;
    if (!is_refused)
        return err_sys(err, "%s", path);
    return err_set(
        err, "cannot make %s, where runs are kept: %s; run in a directory that can be written",
        path, strerror(errno));
}

/* "": the current directory, else ends in a slash. */
static char place[PATH_MAX] = "";

void run_store_in(const char *directory)
{
    if (strlen(directory) + 2 < sizeof place)
        snprintf(place, sizeof place, "%s%s", directory, *directory ? "/" : "");
}

const char *run_store_place(void)
{
    return place;
}

int run_store(struct str *out, const char *prog, struct err *err)
{
    const char *base = strrchr(prog, '/') ? strrchr(prog, '/') + 1 : prog;
    AUTO(str) struct str path = {0};
    if (base[0] == 0)
        return err_set(err, "%s: a directory, not a program", prog);
    str_add(&path, "%s%s.heddle", place, base);
    if (mkdir(path.at, 0777) < 0 && errno != EEXIST)
        return cannot_keep(path.at, err);
    str_add(&path, "/runs");
    if (mkdir(path.at, 0777) < 0 && errno != EEXIST)
        return cannot_keep(path.at, err);
    str_bytes(out, path.at, path.len);
    return 0;
}

/* The highest number in use. */
static uint32_t last_number(const char *runs)
{
    uint64_t last = 0, n;
    DIR *d = opendir(runs);
    struct dirent *entry;
    while (d && (entry = readdir(d)))
        if (text_number(text_of(entry->d_name), &n) && n > last && n < UINT32_MAX)
            last = n;
    if (d)
        closedir(d);
    return (uint32_t)last;
}

int run_next(struct str *out, const char *runs, uint32_t *number, struct err *err)
{
    AUTO(str) struct str path = {0};
    str_add(&path, "%s", runs);
    size_t len = path.len;
    for (uint32_t n = (*number ? *number : last_number(path.at)) + 1; n < UINT32_MAX; n++) {
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

int run_directory(struct str *out, const char *prog, uint32_t *number, struct err *err)
{
    AUTO(str) struct str runs = {0};
    return run_store(&runs, prog, err) < 0 ? -1 : run_next(out, runs.at, number, err);
}

static int copy_file(const char *from, const char *to, const char *name, struct err *err)
{
    AUTO(bytes) struct bytes data = {0};
    AUTO(str) struct str old = {0};
    AUTO(str) struct str new = {0};
    str_add(&old, "%s/%s", from, name);
    str_add(&new, "%s/%s", to, name);
    if (bytes_read(&data, old.at, err) < 0)
        return -1;
    return file_write(new.at, data.at, data.len, err);
}

static int copy_link(const char *from, const char *to, const char *name, struct err *err)
{
    AUTO(str) struct str old = {0}, new = {0};
    char target[PATH_MAX];
    str_add(&old, "%s/%s", from, name);
    str_add(&new, "%s/%s", to, name);
    ssize_t n = readlink(old.at, target, sizeof target - 1);
    target[n > 0 ? n : 0] = 0;
    return n < 0 || symlink(target, new.at) < 0 ? err_sys(err, "%s", new.at) : 0;
}

/* To another file system. */
static int move_files(const char *from, const char *to, struct err *err)
{
    DIR *d = opendir(from);
    struct dirent *entry;
    int failed = d ? 0 : err_sys(err, "%s", from);
    while (!failed && (entry = readdir(d)))
        if (entry->d_type == DT_REG)
            failed = copy_file(from, to, entry->d_name, err);
        else if (entry->d_type == DT_LNK)
            failed = copy_link(from, to, entry->d_name, err);
    if (d)
        closedir(d);
    if (!failed)
        run_remove(from);
    return failed;
}

int run_rename(const char *from, const char *to, struct err *err)
{
    if (rename(from, to) == 0)
        return 0;
    return errno == EXDEV ? move_files(from, to, err) : err_sys(err, "%s", to);
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

/* A run's directory holds files, those of its children, and what there was before it. */
void run_clear(const char *directory)
{
    static const char child[] = "child-";
    DIR *d = opendir(directory);
    struct dirent *entry;
    while (d && (entry = readdir(d)))
        if (entry->d_type != DT_DIR) {
            unlinkat(dirfd(d), entry->d_name, 0);
        } else if (strncmp(entry->d_name, child, sizeof child - 1) == 0 ||
                   strcmp(entry->d_name, "before") == 0) {
            AUTO(str) struct str path = {0};
            str_add(&path, "%s/%s", directory, entry->d_name);
            run_remove_tree(path.at);
        }
    if (d)
        closedir(d);
}

void run_remove(const char *directory)
{
    run_clear(directory);
    rmdir(directory);
}

int run_check_files(const struct run_opts *opts, struct err *err)
{
    if (opts->expect && access(opts->expect, R_OK) < 0)
        return err_sys(err, "%s", opts->expect);
    if (!opts->schedule)
        return 0;
    struct runfile file;
    if (runfile_open(&file, opts->schedule, err) < 0)
        return -1;
    bool is_schedule = file.head.kind == LOG_SCHEDULE;
    runfile_close(&file);
    if (!is_schedule)
        return err_set(err, "%s: not a schedule; that of a run is the file schedule in it",
                       opts->schedule);
    return 0;
}

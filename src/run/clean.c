/* SPDX-License-Identifier: Apache-2.0
 *
 * clean: which recorded runs may go. A run is a real directory with a number for its name, or,
 * below confirm, one that `heddle check` named and gave a command; nothing else is looked at,
 * and no link is followed below the directory that was asked for. */
#include "run/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

typedef VEC(uint64_t) numbers;

static bool is_directory(int dir, const char *name)
{
    struct stat st;
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static DIR *open_below(int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !d)
        close(fd);
    return d;
}

/* What it takes on the disk: a trace that was cut is longer than that. */
static uint64_t disk_bytes(int dir, const char *name)
{
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return 0;
    uint64_t sum = (uint64_t)st.st_blocks * 512;
    DIR *d = S_ISDIR(st.st_mode) ? open_below(dir, name) : NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            sum += disk_bytes(dirfd(d), e->d_name);
    if (d)
        closedir(d);
    return sum;
}

static void add_old(run_olds *out, int dir, const char *home, const char *kind,
                    const char *name)
{
    struct run_old old = {.bytes = disk_bytes(dir, name)};
    str_add(&old.path, "%s/%s/%s", home, kind, name);
    vec_push(out, old);
}

/* ---- runs ------------------------------------------------------------------------------- */

/* As run_next writes it: 007 is not ours. */
static bool is_run_name(const char *name, uint64_t *number)
{
    char same[24];
    if (!text_number(text_of(name), number) || *number == 0)
        return false;
    snprintf(same, sizeof same, "%llu", (unsigned long long)*number);
    return strcmp(same, name) == 0;
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void list_runs(numbers *out, DIR *d)
{
    uint64_t number;
    for (struct dirent *e; (e = readdir(d));)
        if (is_run_name(e->d_name, &number) && is_directory(dirfd(d), e->d_name))
            vec_push(out, number);
    if (out->len)
        qsort(out->at, out->len, sizeof *out->at, compare_numbers);
}

/* What `last` points to; 0 if there is none. */
static uint64_t last_run(int runs)
{
    char name[32];
    uint64_t number;
    ssize_t n = readlinkat(runs, "last", name, sizeof name - 1);
    if (n < 0)
        return 0;
    name[n] = 0;
    return is_run_name(name, &number) ? number : 0;
}

/* Of the runs that somebody wants to see again. */
static void list_named(numbers *out, const run_names *wanted)
{
    uint64_t number;
    for (uint32_t i = 0; i < wanted->len; i++)
        for (const char *at = wanted->at[i]; *at; at += strcspn(at, "/")) {
            at += strspn(at, "/"); /* a forked child's run lies in that of its parent */
            AUTO(str) struct str name = {0};
            str_bytes(&name, at, strcspn(at, "/"));
            if (name.len > 0 && is_run_name(name.at, &number))
                vec_push(out, number);
        }
}

static bool has_number(const numbers *list, uint64_t number)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (list->at[i] == number)
            return true;
    return false;
}

static void find_runs(run_olds *out, DIR *d, const char *home, const run_names *wanted,
                      uint64_t keep, uint64_t *kept)
{
    numbers all = {0}, named = {0};
    uint64_t last = last_run(dirfd(d));
    list_runs(&all, d);
    list_named(&named, wanted);
    for (uint32_t i = 0; i < all.len; i++) {
        char name[24];
        snprintf(name, sizeof name, "%llu", (unsigned long long)all.at[i]);
        if (all.len - i <= keep || all.at[i] == last || has_number(&named, all.at[i]))
            ++*kept;
        else
            add_old(out, dirfd(d), home, "runs", name);
    }
    vec_done(&all);
    vec_done(&named);
}

/* ---- confirming runs -------------------------------------------------------------------- */

static bool is_confirming(int dir, const char *name)
{
    const char *dash = strrchr(name, '-');
    AUTO(str) struct str command = {0};
    uint64_t number;
    str_add(&command, "%s/command", name);
    return dash && dash > name && is_run_name(dash + 1, &number) && is_directory(dir, name) &&
           faccessat(dir, command.at, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static int compare_paths(const void *a, const void *b)
{
    const struct run_old *x = a, *y = b;
    return strcmp(x->path.at, y->path.at);
}

static void find_confirming(run_olds *out, int home_fd, const char *home)
{
    uint32_t first = out->len;
    DIR *d = open_below(home_fd, "confirm");
    for (struct dirent *e; d && (e = readdir(d));)
        if (is_confirming(dirfd(d), e->d_name))
            add_old(out, dirfd(d), home, "confirm", e->d_name);
    if (d)
        closedir(d);
    if (out->len > first)
        qsort(out->at + first, out->len - first, sizeof *out->at, compare_paths);
}

int run_find_old(run_olds *out, const char *home, const run_names *wanted, uint64_t keep,
                 uint64_t *kept, struct err *err)
{
    AUTO(fd) int fd = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, "%s", home);
    DIR *runs = open_below(fd, "runs");
    if (!runs)
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP
                   ? err_set(err, "%s: holds no runs; say a directory such as prog.heddle",
                             home)
                   : err_sys(err, "%s/runs", home);
    find_runs(out, runs, home, wanted, keep, kept);
    closedir(runs);
    find_confirming(out, fd, home);
    return 0;
}

int run_remove_old(const struct run_old *old, struct err *err)
{
    struct stat st;
    if (lstat(old->path.at, &st) < 0)
        return 1;
    run_remove_tree(old->path.at);
    return lstat(old->path.at, &st) < 0 ? 0
                                        : err_set(err, "%s: cannot be removed", old->path.at);
}

void run_olds_done(run_olds *olds)
{
    for (uint32_t i = 0; i < olds->len; i++)
        str_done(&olds->at[i].path);
    vec_done(olds);
}

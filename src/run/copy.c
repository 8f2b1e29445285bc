/* SPDX-License-Identifier: Apache-2.0
 *
 * copy: a private copy of a directory in which a program may do what it likes. A copied file
 * keeps the original's time of last change: whatever has another time, size or mode has been
 * touched. So making the copy and putting it right again between two runs are one walk over
 * both directories. */
#include "run/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENTRIES_MAX = 20000, DEPTH_MAX = 64, LINK_MAX_BYTES = 4096 };
#define BYTES_MAX ((uint64_t)1 << 29)

struct run_copy {
    struct str from, to;
    uint32_t entries; /* met in this walk */
    uint64_t bytes;
};

static void auto_dir(DIR **d)
{
    if (*d)
        closedir(*d);
}

/* A stream of its own over a directory that is open. */
static DIR *list(int fd)
{
    int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = own < 0 ? NULL : fdopendir(own);
    if (own >= 0 && !d)
        close(own);
    return d;
}

static const char *next_name(DIR *d)
{
    struct dirent *e;
    while ((e = readdir(d)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            return e->d_name;
    return NULL;
}

static void remove_entry(int dir, const char *name)
{
    if (unlinkat(dir, name, 0) == 0 || errno != EISDIR)
        return;
    AUTO(fd) int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    AUTO(dir) DIR *d = fd < 0 ? NULL : list(fd);
    const char *inner;
    while (d && (inner = next_name(d)))
        remove_entry(fd, inner);
    unlinkat(dir, name, AT_REMOVEDIR);
}

void run_remove_tree(const char *path)
{
    remove_entry(AT_FDCWD, path);
}

/* ---- one entry -------------------------------------------------------------------------- */

static bool same_link(int from, int to, const char *name)
{
    char a[LINK_MAX_BYTES], b[LINK_MAX_BYTES];
    ssize_t n = readlinkat(from, name, a, sizeof a), m = readlinkat(to, name, b, sizeof b);
    return n >= 0 && n == m && memcmp(a, b, (size_t)n) == 0;
}

static bool is_same(int from, int to, const char *name)
{
    struct stat a, b;
    if (fstatat(from, name, &a, AT_SYMLINK_NOFOLLOW) < 0 ||
        fstatat(to, name, &b, AT_SYMLINK_NOFOLLOW) < 0 || a.st_mode != b.st_mode)
        return false;
    if (S_ISLNK(a.st_mode))
        return same_link(from, to, name);
    return S_ISDIR(a.st_mode) ||
           (a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
            a.st_mtim.tv_nsec == b.st_mtim.tv_nsec);
}

static int copy_bytes(int in, int out, off_t bytes)
{
    if (bytes == 0 || ioctl(out, FICLONE, in) == 0)
        return 0;
    for (;;) {
        ssize_t n = copy_file_range(in, NULL, out, NULL, (size_t)1 << 30, 0);
        if (n == 0)
            return 0;
        if (n < 0)
            break;
    }
    char buf[65536];
    if (lseek(in, 0, SEEK_SET) < 0 || ftruncate(out, 0) < 0 || lseek(out, 0, SEEK_SET) < 0)
        return -1;
    for (ssize_t n; (n = read(in, buf, sizeof buf)) != 0;)
        if (n < 0 || write(out, buf, (size_t)n) != n)
            return -1;
    return 0;
}

static int copy_file(int from, int to, const char *name, const struct stat *st)
{
    AUTO(fd) int in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (in < 0) /* one that we may not read, the program may not read either */
        return errno == EACCES ? 0 : -1;
    AUTO(fd) int out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const struct timespec times[2] = {st->st_atim, st->st_mtim};
    if (out < 0 || copy_bytes(in, out, st->st_size) < 0 ||
        fchmod(out, st->st_mode & 07777) < 0 || futimens(out, times) < 0)
        return -1;
    return 0;
}

/* What is neither file, link nor directory is left out. */
static int copy_entry(struct run_copy *c, int from, int to, const char *name,
                      const struct stat *st)
{
    char link[LINK_MAX_BYTES + 1];
    if (S_ISDIR(st->st_mode))
        return mkdirat(to, name, 0700) < 0 ? -1 : fchmodat(to, name, st->st_mode & 07777, 0);
    if (S_ISLNK(st->st_mode)) {
        ssize_t n = readlinkat(from, name, link, LINK_MAX_BYTES);
        if (n < 0)
            return -1;
        link[n] = 0;
        return symlinkat(link, to, name);
    }
    if (!S_ISREG(st->st_mode))
        return 0;
    c->bytes += (uint64_t)st->st_size;
    return c->bytes > BYTES_MAX ? 0 : copy_file(from, to, name, st);
}

/* ---- directories ------------------------------------------------------------------------ */

/* Our own results, and the history of the sources: large, and no business of a program. */
static bool is_left_out(const char *name, uint32_t depth)
{
    size_t len = strlen(name);
    return depth == 0 &&
           (strcmp(name, ".git") == 0 || (len > 7 && strcmp(name + len - 7, ".heddle") == 0));
}

static void drop_changed(int from, int to, uint32_t depth)
{
    AUTO(dir) DIR *d = list(to);
    const char *name;
    while (d && (name = next_name(d)))
        if (is_left_out(name, depth) || !is_same(from, to, name))
            remove_entry(to, name);
}

static int sync_directory(struct run_copy *c, int from, int to, uint32_t depth)
{
    drop_changed(from, to, depth);
    AUTO(dir) DIR *d = list(from);
    const char *name;
    if (!d)
        return errno == EACCES ? 0 : -1;
    while ((name = next_name(d))) {
        struct stat st, there;
        if (is_left_out(name, depth) || fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (++c->entries > ENTRIES_MAX || c->bytes > BYTES_MAX)
            return 0;
        if (fstatat(to, name, &there, AT_SYMLINK_NOFOLLOW) < 0 &&
            copy_entry(c, from, to, name, &st) < 0)
            return -1;
        if (!S_ISDIR(st.st_mode) || depth == DEPTH_MAX)
            continue;
        AUTO(fd) int inner = openat(from, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        AUTO(fd) int copy = openat(to, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (inner >= 0 && (copy < 0 || sync_directory(c, inner, copy, depth + 1) < 0))
            return -1;
    }
    return 0;
}

int run_copy_reset(struct run_copy *c, struct err *err)
{
    AUTO(fd) int from = open(c->from.at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO(fd) int to = open(c->to.at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    c->entries = 0;
    c->bytes = 0;
    if (from < 0 || to < 0 || sync_directory(c, from, to, 0) < 0)
        return err_sys(err, "cannot copy %s to %s", c->from.at, c->to.at);
    if (c->entries > ENTRIES_MAX || c->bytes > BYTES_MAX)
        return err_set(err,
                       "%s holds more than %d files or %d MiB, too much for a private copy: "
                       "say --in-place, or run in another directory",
                       c->from.at, ENTRIES_MAX, (int)(BYTES_MAX >> 20));
    return 0;
}

int run_copy_open(struct run_copy **out, const char *from, struct err *err)
{
    const char *temp = getenv("TMPDIR");
    struct run_copy *c = mem_zeroed(1, sizeof *c);
    str_add(&c->from, "%s", from);
    str_add(&c->to, "%s/heddle-copy-XXXXXX", temp && temp[0] ? temp : "/tmp");
    if (!mkdtemp(c->to.at)) {
        err_sys(err, "%s", c->to.at);
        c->to.len = 0;
        run_copy_close(c);
        return -1;
    }
    if (run_copy_reset(c, err) < 0) {
        run_copy_close(c);
        return -1;
    }
    *out = c;
    return 0;
}

int run_copy_tree(const char *from, const char *to, struct err *err)
{
    struct run_copy c = {0};
    if (directory_make(to, err) < 0)
        return -1;
    str_add(&c.from, "%s", from);
    str_add(&c.to, "%s", to);
    int result = run_copy_reset(&c, err);
    str_done(&c.from);
    str_done(&c.to);
    return result;
}

const char *run_copy_path(const struct run_copy *c)
{
    return c->to.at;
}

void run_copy_close(struct run_copy *c)
{
    if (!c)
        return;
    if (c->to.len)
        run_remove_tree(c->to.at);
    str_done(&c->from);
    str_done(&c->to);
    free(c);
}

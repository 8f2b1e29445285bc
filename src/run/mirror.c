/* SPDX-License-Identifier: Apache-2.0
 *
 * mirror: makes one directory look like another, and puts it right again after a program has
 * worked there. Of everything that was put there we note inode, size and times: an entry that
 * still has these has not been touched, however its contents and times were played with,
 * because no program can set the time of the last change of an inode (ctime). So a run that
 * touched nothing costs one look at each entry, and none at the original.
 *
 * Contents are copied, by reference where the filesystem can. They are not shared by hard
 * links: a program that writes a file in place would write the original. */
#include "run/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH_MAX = 64, LINK_MAX_BYTES = 4096 };
enum { INNER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* Two changes this close to each other may get the same time. */
#define TICK_NS ((int64_t)20 * 1000 * 1000)

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

static struct dirent *next_entry(DIR *d)
{
    struct dirent *e;
    while ((e = readdir(d)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            return e;
    return NULL;
}

static const char *next_name(DIR *d)
{
    struct dirent *e = next_entry(d);
    return e ? e->d_name : NULL;
}

static void remove_entry(int dir, const char *name)
{
    if (unlinkat(dir, name, 0) == 0 || errno != EISDIR)
        return;
    fchmodat(dir, name, 0700, 0); /* as the program left it, it may not let us in */
    AUTO(fd) int fd = openat(dir, name, INNER);
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
    if (in < 0) /* gone, or one that we may not read: the program may not read it either */
        return errno == EACCES || errno == ENOENT ? 0 : -1;
    AUTO(fd) int out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const struct timespec times[2] = {st->st_atim, st->st_mtim};
    if (out < 0 || copy_bytes(in, out, st->st_size) < 0 ||
        fchmod(out, st->st_mode & 07777) < 0 || futimens(out, times) < 0)
        return -1;
    return 0;
}

int mirror_file(const char *from, const char *to)
{
    struct stat st;
    AUTO(fd) int in = open(from, O_RDONLY | O_CLOEXEC);
    AUTO(fd) int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (in < 0 || out < 0 || fstat(in, &st) < 0 || copy_bytes(in, out, st.st_size) < 0)
        return -1;
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    return futimens(out, times);
}

/* What is neither file, link nor directory is left out. */
static int copy_entry(struct mirror *m, int from, int to, const char *name,
                      const struct stat *st)
{
    char link[LINK_MAX_BYTES + 1];
    if (S_ISDIR(st->st_mode))
        return mkdirat(to, name, 0700);
    if (S_ISLNK(st->st_mode)) {
        ssize_t n = readlinkat(from, name, link, LINK_MAX_BYTES);
        if (n < 0)
            return -1;
        link[n] = 0;
        return symlinkat(link, to, name);
    }
    if (!S_ISREG(st->st_mode))
        return 0;
    m->bytes += (uint64_t)st->st_size;
    return m->bytes > MIRROR_BYTES_MAX ? 0 : copy_file(from, to, name, st);
}

/* ---- what was put there ----------------------------------------------------------------- */

static int64_t in_ns(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Names are told apart by the directory that they are in. */
static uint64_t key_of(uint64_t directory, const char *name)
{
    return hash_bytes(name, strlen(name)) ^ hash_u64(directory);
}

static struct mirror_note note_of(const struct stat *st)
{
    struct mirror_note n = {.inode = st->st_ino, .mode = st->st_mode};
    if (S_ISDIR(st->st_mode)) /* what is in it is noted by itself */
        return n;
    n.bytes = (uint64_t)st->st_size;
    n.written_ns = in_ns(st->st_mtim);
    n.changed_ns = in_ns(st->st_ctim);
    /* One as new as this could be written again and have the same times: not to be trusted. */
    if (n.written_ns > n.changed_ns - TICK_NS)
        n.inode = 0;
    return n;
}

/* 1: it is there, 0: it was left out. A directory gets its mode when it has been filled. */
static int note(struct mirror *m, uint64_t directory, int to, const char *name,
                const struct stat *original)
{
    struct stat st;
    if (fstatat(to, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : -1;
    if (S_ISDIR(st.st_mode)) {
        st.st_mode = original->st_mode;
        map_remove(&m->inner, st.st_ino);
    }
    uint32_t *at = map_at(&m->index, key_of(directory, name));
    if (*at == NONE) {
        *at = m->notes.len;
        vec_push(&m->notes, (struct mirror_note){0});
    }
    m->notes.at[*at] = note_of(&st);
    return 1;
}

static bool is_untouched(const struct mirror *m, uint64_t directory, const char *name,
                         const struct stat *st)
{
    uint32_t at = map_find(&m->index, key_of(directory, name));
    if (at == NONE)
        return false;
    const struct mirror_note *was = &m->notes.at[at], now = note_of(st);
    return was->inode && was->inode == now.inode && was->mode == now.mode &&
           was->bytes == now.bytes && was->written_ns == now.written_ns &&
           was->changed_ns == now.changed_ns;
}

/* ---- directories ------------------------------------------------------------------------ */

/* Our own results, and the history of the sources: large, and no business of a program. Copies
 * stand where temporary files go, which may be inside of what is copied. */
static bool is_left_out(const char *name, uint32_t depth)
{
    size_t len = strlen(name);
    if (strncmp(name, MIRROR_PREFIX, strlen(MIRROR_PREFIX)) == 0)
        return true;
    return depth == 0 &&
           (strcmp(name, ".git") == 0 || (len > 7 && strcmp(name + len - 7, ".heddle") == 0));
}

/* Takes away what is not as it was put there. *kept: entries that are. */
static int drop_changed(struct mirror *m, int from, int to, uint32_t depth, bool look,
                        uint64_t self, uint32_t *kept)
{
    AUTO(dir) DIR *d = list(to);
    const char *name;
    if (!d)
        return -1;
    while ((name = next_name(d))) {
        struct stat st;
        if (fstatat(to, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (is_left_out(name, depth) || !is_untouched(m, self, name, &st) ||
            (look && !is_same(from, to, name))) {
            remove_entry(to, name);
            continue;
        }
        ++*kept;
    }
    return 0;
}

/* Puts there what is missing. */
static int fill(struct mirror *m, int from, int to, uint32_t depth, uint64_t self,
                uint32_t *count)
{
    AUTO(dir) DIR *d = list(from);
    const char *name;
    if (!d)
        return errno == EACCES ? 0 : -1;
    while ((name = next_name(d))) {
        struct stat st, there;
        if (is_left_out(name, depth) || fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (++m->entries > MIRROR_ENTRIES_MAX || m->bytes > MIRROR_BYTES_MAX)
            return 0;
        if (fstatat(to, name, &there, AT_SYMLINK_NOFOLLOW) == 0) {
            ++*count;
            continue;
        }
        int noted = copy_entry(m, from, to, name, &st) < 0 ? -1 : note(m, self, to, name, &st);
        if (noted < 0)
            return -1;
        *count += (uint32_t)noted;
    }
    return 0;
}

/* The directory's own mode and time, once nothing in it is to be done any more. */
static int dress(int from, int to, uint32_t depth)
{
    struct stat a, b;
    if (fstat(from, &a) < 0 || fstat(to, &b) < 0)
        return -1;
    const struct timespec times[2] = {a.st_atim, a.st_mtim};
    if (depth > 0 && a.st_mode != b.st_mode && fchmod(to, a.st_mode & 07777) < 0)
        return -1;
    return in_ns(a.st_mtim) == in_ns(b.st_mtim) ? 0 : futimens(to, times);
}

static bool is_directory(int dir, const struct dirent *e)
{
    struct stat st;
    if (e->d_type != DT_UNKNOWN)
        return e->d_type == DT_DIR;
    return fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* look: at the original too, which may have changed. */
static int settle(struct mirror *m, int from, int to, uint32_t depth, bool look)
{
    struct stat st;
    uint32_t kept = 0, count = 0;
    if (fstat(to, &st) < 0 || drop_changed(m, from, to, depth, look, st.st_ino, &kept) < 0)
        return -1;
    if (look || kept != map_find(&m->inner, st.st_ino)) {
        if (!(st.st_mode & S_IWUSR) && fchmod(to, 0700) < 0)
            return -1;
        if (fill(m, from, to, depth, st.st_ino, &count) < 0)
            return -1;
        *map_at(&m->inner, st.st_ino) = count;
    }
    AUTO(dir) DIR *d = depth < DEPTH_MAX ? list(to) : NULL;
    struct dirent *e;
    while (d && (e = next_entry(d))) {
        if (!is_directory(to, e))
            continue;
        AUTO(fd) int inner = openat(from, e->d_name, INNER);
        AUTO(fd) int copy = openat(to, e->d_name, INNER);
        if (inner >= 0 && (copy < 0 || settle(m, inner, copy, depth + 1, look) < 0))
            return -1;
    }
    return dress(from, to, depth);
}

int mirror_settle(struct mirror *m, const char *from, const char *to, bool look,
                  struct err *err)
{
    chmod(to, 0700); /* the program may have shut itself out */
    AUTO(fd) int in = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO(fd) int out = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    m->entries = 0;
    m->bytes = 0;
    if (in < 0 || out < 0 || settle(m, in, out, 0, look) < 0)
        return err_sys(err, "cannot copy %s to %s", from, to);
    if (m->entries > MIRROR_ENTRIES_MAX || m->bytes > MIRROR_BYTES_MAX)
        return err_set(err,
                       "%s holds more than %d files or %d MiB, too much for a private copy: "
                       "say --in-place, or run in another directory",
                       from, MIRROR_ENTRIES_MAX, (int)(MIRROR_BYTES_MAX >> 20));
    return 0;
}

void mirror_done(struct mirror *m)
{
    vec_done(&m->notes);
    map_done(&m->index);
    map_done(&m->inner);
}

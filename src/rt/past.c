/* SPDX-License-Identifier: Apache-2.0
 *
 * past: what there was where the target changes a file, kept beside the run: `before/log`
 * says it name by name, in the order of the changes, and `before/N` holds old contents. Who
 * undoes them from the last to the first has what there was before the run (run/restore.c).
 *
 * A name is kept when it is about to change for the first time. Behind that nothing needs to be
 * known about it: what is undone first is what was done last, so its first state is put back
 * in the end. A directory that gets another name is only noted: it is renamed back. */
#include "rt/rt.h"
#include "rt/sys.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>

enum { SEEN_MASK = BEFORE_SEEN - 1, NUMBERS_MAX = 1 << 20 };
#define KEPT_MAX_BYTES ((int64_t)256 << 20)
#define KEPT_MODE (O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)

/* ---- paths ------------------------------------------------------------------------------- */

/* The path behind a descriptor; false: it has none. */
static bool path_behind(int fd, char *out)
{
    return fd_path(fd, out, PATH_BYTES) > 0 && out[0] == '/';
}

/* Of what the name leads to. */
static bool find_target(int at, const char *path, char *out)
{
    struct stat st;
    int fd = (int)sys_call(SYS_openat, at, (long)path, O_PATH | O_CLOEXEC, 0, 0, 0);
    if (fd < 0)
        return false;
    bool is_found = sys_call(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) == 0 && st.st_nlink > 0 &&
                    path_behind(fd, out);
    sys_close(fd);
    return is_found;
}

/* The whole path of a name, which need not be there: its directory's, and the name. */
bool past_path(int at, const char *path, char *out)
{
    char directory[PATH_BYTES];
    size_t len = __builtin_strlen(path), name;
    while (len > 1 && path[len - 1] == '/')
        len--;
    for (name = len; name > 0 && path[name - 1] != '/';)
        name--;
    bool is_dots =
        len - name <= 2 && path[name] == '.' && (len - name == 1 || path[name + 1] == '.');
    if (len == name || is_dots || name >= sizeof directory)
        return find_target(at, path, out);
    __builtin_memcpy(directory, name ? path : ".", name ? name : 1);
    directory[name ? name : 1] = 0;
    if (!find_target(at, directory, out))
        return false;
    struct text text = {out, (uint32_t)__builtin_strlen(out), PATH_BYTES};
    if (text.len > 1)
        text_put(&text, "/");
    text_put_len(&text, path + name, len - name);
    if (text.len >= PATH_BYTES)
        return false;
    out[text.len] = 0;
    return true;
}

static bool is_in(const char *path, const char *directory)
{
    size_t len = __builtin_strlen(directory);
    return __builtin_strncmp(path, directory, len) == 0 && (path[len] == '/' || path[len] == 0);
}

/* What is no file of anybody's, or one of ours. */
static bool is_left_out(const char *path)
{
    return is_in(path, "/proc") || is_in(path, "/sys") ||
           (is_in(path, "/dev") && !is_in(path, "/dev/shm")) || is_in(path, rt.set.dir);
}

/* True if it was not there yet. When there is no more room everything is new. */
static bool is_new(const char *path)
{
    uint64_t h = 0xcbf29ce484222325ULL;
    for (const char *p = path; *p; p++)
        h = (h ^ (uint8_t)*p) * 0x100000001b3ULL;
    h += h == 0;
    uint64_t i = h & SEEN_MASK;
    while (rt.before.seen[i] && rt.before.seen[i] != h)
        i = (i + 1) & SEEN_MASK;
    bool was_there = rt.before.seen[i] == h;
    if (!was_there && rt.before.count < BEFORE_SEEN / 2) {
        rt.before.seen[i] = h;
        rt.before.count++;
    }
    return !was_there;
}

/* ---- keeping ----------------------------------------------------------------------------- */

static void file_in(char *out, const char *name, uint32_t number)
{
    struct text text = {out, 0, PATH_BYTES + 40};
    text_put(&text, rt.set.dir);
    text_put(&text, "/before");
    text_put(&text, name);
    if (number)
        text_number(&text, number);
    out[text.len] = 0;
}

static bool open_log(void)
{
    char path[PATH_BYTES + 40];
    struct log_head head = {LOG_MAGIC, TRACE_VERSION, LOG_BEFORE};
    if (rt.before.fd)
        return rt.before.fd > 0;
    file_in(path, "", 0);
    sys_call(SYS_mkdir, (long)path, 0777, 0, 0, 0, 0);
    file_in(path, "/log", 0);
    int fd = sys_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 || sys_write(fd, &head, sizeof head) != sizeof head)
        record_failed("before/log", fd < 0 ? fd : -ENOSPC);
    rt.before.fd = input_high(fd);
    return true;
}

/* more: a second text, or null. */
static void note(struct log_record r, const char *path, const char *more)
{
    static const char zeros[8];
    uint64_t len = __builtin_strlen(path) + 1, more_len = more ? __builtin_strlen(more) + 1 : 0;
    r.mark = LOG_MARK;
    r.tag = TAG_BEFORE;
    r.bytes = len + more_len;
    const struct iovec parts[] = {{&r, sizeof r},
                                  {(void *)(uintptr_t)path, len},
                                  {(void *)(uintptr_t)more, more_len},
                                  {(void *)(uintptr_t)zeros, -r.bytes & 7}};
    long all = (long)(sizeof r + ((r.bytes + 7) & ~7ULL));
    long n = sys_call(SYS_writev, rt.before.fd, (long)parts, 4, 0, 0, 0);
    if (n != all)
        record_failed("before/log", n < 0 ? n : -ENOSPC);
}

static bool copy_bytes(int in, int out)
{
    static char buf[65536];
    if (sys_call(SYS_ioctl, out, FICLONE, in, 0, 0, 0) == 0)
        return true;
    for (;;) {
        long n = sys_call(SYS_read, in, (long)buf, sizeof buf, 0, 0, 0);
        if (n <= 0)
            return n == 0;
        long put = sys_write(out, buf, (uint64_t)n);
        if (put != n)
            record_failed("before", put < 0 ? put : -ENOSPC);
    }
}

/* The number of the file that holds its contents; 0: they could not be kept. */
static uint32_t keep_contents(const char *path, const struct stat *st)
{
    char to[PATH_BYTES + 40];
    const struct timespec times[2] = {st->st_atim, st->st_mtim};
    int in = sys_open(path, O_RDONLY | O_NOFOLLOW | O_NOATIME | O_CLOEXEC, 0);
    if (in < 0)
        in = sys_open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (in < 0 || (int64_t)st->st_blocks * 512 > KEPT_MAX_BYTES) {
        if (in >= 0)
            sys_close(in);
        return 0;
    }
    int out = -EEXIST;
    while (out == -EEXIST && rt.before.next < NUMBERS_MAX) { /* children count for themselves */
        file_in(to, "/", ++rt.before.next);
        out = sys_open(to, KEPT_MODE, 0600);
    }
    bool is_kept = out >= 0 && copy_bytes(in, out);
    if (out >= 0) {
        sys_call(SYS_utimensat, out, 0, (long)times, 0, 0, 0);
        sys_close(out);
    }
    sys_close(in);
    return is_kept ? rt.before.next : 0;
}

static void keep_link(const char *path, struct log_record r)
{
    char target[PATH_BYTES];
    long n = sys_call(SYS_readlink, (long)path, (long)target, sizeof target - 1, 0, 0, 0);
    target[n > 0 ? n : 0] = 0;
    note(r, path, target);
}

static void keep(const char *path)
{
    struct stat st;
    struct log_record r = {.ordinal = BEFORE_ABSENT};
    if (is_left_out(path) || !is_new(path) || !open_log())
        return;
    if (sys_call(SYS_lstat, (long)path, (long)&st, 0, 0, 0, 0) < 0) {
        note(r, path, NULL);
        return;
    }
    r.result = st.st_mode;
    r.ordinal = S_ISREG(st.st_mode)   ? BEFORE_FILE
                : S_ISDIR(st.st_mode) ? BEFORE_DIRECTORY
                : S_ISLNK(st.st_mode) ? BEFORE_LINK
                                      : BEFORE_NODE;
    if (S_ISLNK(st.st_mode)) {
        keep_link(path, r);
        return;
    }
    if (S_ISREG(st.st_mode) && !(r.thr = keep_contents(path, &st)))
        r.ordinal = BEFORE_LOST;
    note(r, path, NULL);
}

/* ---- before a call ----------------------------------------------------------------------- */

void before_change(int at, const char *path)
{
    char whole[PATH_BYTES];
    struct stat st;
    if (!rt.set.before || !path)
        return;
    if (past_path(at, path, whole))
        keep(whole);
    if (sys_call(SYS_newfstatat, at, (long)path, (long)&st, AT_SYMLINK_NOFOLLOW, 0, 0) == 0 &&
        S_ISLNK(st.st_mode) && find_target(at, path, whole))
        keep(whole);
}

void before_open(int at, const char *path, int flags)
{
    char whole[PATH_BYTES];
    bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
    if (!rt.set.before || !writes || (flags & __O_TMPFILE) == __O_TMPFILE)
        return;
    if (find_target(at, path, whole) || past_path(at, path, whole)) {
        struct stat st;
        bool is_there = sys_call(SYS_lstat, (long)whole, (long)&st, 0, 0, 0, 0) == 0;
        if (!is_there ||
            (S_ISREG(st.st_mode) && ((flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC)))
            keep(whole);
    }
}

void before_rename(int at, const char *from, int to_at, const char *to)
{
    char old[PATH_BYTES], new[PATH_BYTES];
    struct stat st;
    if (!rt.set.before || !from || !to)
        return;
    if (!past_path(at, from, old) || !past_path(to_at, to, new) || is_left_out(old))
        return;
    if (sys_call(SYS_lstat, (long)old, (long)&st, 0, 0, 0, 0) < 0 || !S_ISDIR(st.st_mode)) {
        before_change(at, from);
        before_change(to_at, to);
        return;
    }
    keep(new);
    if (open_log())
        note((struct log_record){.ordinal = BEFORE_RENAMED}, old, new);
}

/* Memory that is shared by a name, and semaphores. */
void before_shared(const char *prefix, const char *name)
{
    char path[PATH_BYTES];
    struct text text = {path, 0, sizeof path};
    if (!rt.set.before)
        return;
    text_put(&text, prefix);
    while (*name == '/')
        name++;
    text_put(&text, name);
    if (text.len >= sizeof path)
        return;
    path[text.len] = 0;
    keep(path);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-path: calls about files by name that are rarer than those of hook-file.c: by the
 * descriptor of a directory, other kinds of files, times, attributes, watching for changes. */
#include "rt/rt.h"
#include "rt/real.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <utime.h>

/* ---- names ------------------------------------------------------------------------------- */

RENAMES(int, linkat, (int at, const char *from, int to_at, const char *to, int flags),
        (at, from, to_at, to, flags), at, from, to_at, to)
CHANGES_NAME(int, symlinkat, (const char *from, int at, const char *to), (from, at, to), at, to)
RENAMES(int, renameat2, (int at, const char *from, int to_at, const char *to, unsigned flags),
        (at, from, to_at, to, flags), at, from, to_at, to)
CHANGES_NAME(int, mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device),
             AT_FDCWD, path)
CHANGES_NAME(int, mknodat, (int at, const char *path, mode_t mode, dev_t device),
             (at, path, mode, device), at, path)
CHANGES_NAME(int, mkfifoat, (int at, const char *path, mode_t mode), (at, path, mode), at, path)
CHANGES_NAME(int, fchmodat, (int at, const char *path, mode_t mode, int flags),
             (at, path, mode, flags), at, path)
CHANGES_NAME(int, fchownat, (int at, const char *path, uid_t user, gid_t group, int flags),
             (at, path, user, group, flags), at, path)
CHANGES_NAME(int, utime, (const char *path, const struct utimbuf *times), (path, times),
             AT_FDCWD, path)
CHANGES_NAME(int, lutimes, (const char *path, const struct timeval times[2]), (path, times),
             AT_FDCWD, path)
CALL(int, futimes, (int fd, const struct timeval times[2]), (fd, times), )
CHANGES_NAME(int, futimesat, (int at, const char *path, const struct timeval times[2]),
             (at, path, times), at, path)
ASKS_NAME(int, eaccess, (const char *path, int mode), (path, mode), AT_FDCWD, path, )
ASKS_NAME(int, euidaccess, (const char *path, int mode), (path, mode), AT_FDCWD, path, )
CALL(long, pathconf, (const char *path, int name), (path, name), )
CALL(long, fpathconf, (int fd, int name), (fd, name), )

EXPORT char *realpath(const char *restrict path, char *restrict out)
{
    struct thr *t = self;
    char whole[PATH_BYTES], into[PATH_BYTES];
    if (!t)
        return real.realpath(path, out);
    struct call c = call_begin(t, "realpath");
    path = apart_path(path, into);
    if (call_live(&c)) {
        bool is_known = real.realpath(path, whole) != NULL;
        if (is_known)
            apart_back(whole);
        CALL_MADE(c, is_known ? (int64_t)strlen(whole) + 1 : -1);
    }
    call_keeps(&c, whole, c.result > 0 ? (uint64_t)c.result : 0);
    int64_t bytes = call_end(&c);
    if (bytes < 0)
        return NULL;
    if (!out && !(out = malloc((size_t)bytes)))
        return NULL;
    memcpy(out, whole, (size_t)bytes);
    call_tells(&c, out, (uint64_t)bytes);
    return out;
}

char *__realpath_chk(const char *path, char *out, size_t room);
EXPORT char *__realpath_chk(const char *path, char *out, size_t room)
{
    (void)room;
    return realpath(path, out);
}

EXPORT char *canonicalize_file_name(const char *path)
{
    return self ? realpath(path, NULL) : real.canonicalize_file_name(path);
}

/* ---- attributes -------------------------------------------------------------------------- */

#define TELLS(name, parameters, arguments) \
    CALL(ssize_t, name, parameters, arguments, call_fills(&c, out, len ? c.result : 0))
#define TELLS_BY_PATH(name, parameters, arguments)          \
    CALL_BEHIND(ssize_t, name, parameters, arguments, INTO, \
                call_fills(&c, out, len ? c.result : 0))
#define INTO                \
    char whole[PATH_BYTES]; \
    path = apart_path(path, whole)

TELLS_BY_PATH(getxattr, (const char *path, const char *name, void *out, size_t len),
              (path, name, out, len))
TELLS_BY_PATH(lgetxattr, (const char *path, const char *name, void *out, size_t len),
              (path, name, out, len))
TELLS(fgetxattr, (int fd, const char *name, void *out, size_t len), (fd, name, out, len))
TELLS_BY_PATH(listxattr, (const char *path, char *out, size_t len), (path, out, len))
TELLS_BY_PATH(llistxattr, (const char *path, char *out, size_t len), (path, out, len))
TELLS(flistxattr, (int fd, char *out, size_t len), (fd, out, len))
CALL_BEHIND(int, setxattr,
            (const char *path, const char *name, const void *value, size_t len, int flags),
            (path, name, value, len, flags), INTO, )
CALL_BEHIND(int, lsetxattr,
            (const char *path, const char *name, const void *value, size_t len, int flags),
            (path, name, value, len, flags), INTO, )
CALL(int, fsetxattr, (int fd, const char *name, const void *value, size_t len, int flags),
     (fd, name, value, len, flags), )
CALL_BEHIND(int, removexattr, (const char *path, const char *name), (path, name), INTO, )
CALL_BEHIND(int, lremovexattr, (const char *path, const char *name), (path, name), INTO, )
CALL(int, fremovexattr, (int fd, const char *name), (fd, name), )

/* ---- changes ----------------------------------------------------------------------------- *
 * What is read from the descriptor is logged like all that is read. */

EXPORT int inotify_init1(int flags)
{
    struct thr *t = self;
    if (!t)
        return real.inotify_init1(flags);
    struct call c = call_begin(t, "inotify_init");
    rt.is_watched = true;
    if (call_live(&c))
        CALL_MADE(c, real.inotify_init1(flags));
    descriptor_new(&c, c.result);
    return (int)call_end(&c);
}

EXPORT int inotify_init(void)
{
    return inotify_init1(0);
}

CALL_BEHIND(int, inotify_add_watch, (int fd, const char *path, uint32_t mask), (fd, path, mask),
            INTO, )
CALL(int, inotify_rm_watch, (int fd, int watch), (fd, watch), )

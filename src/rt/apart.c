/* SPDX-License-Identifier: Apache-2.0
 *
 * apart: where the world of a run is not the one outside. It has overlays instead of file
 * systems, and a network of its own; or only a copy of a directory, and shares the rest with
 * other runs. Most programs do not notice. What one would notice is put right here, or the run
 * is marked as doubtful: its end may be ours and not the program's. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { FD_NAME_BYTES = 40 };
#define OVERLAY_MAGIC 0x794c7630
#define COPIED_MAX_BYTES ((off_t)1 << 30)

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (__builtin_strcmp(*list, name) == 0)
            return true;
    return false;
}

static void doubt(enum doubt why, const char *name, const char *what)
{
    char buf[128];
    struct text text = {buf, 0, sizeof buf};
    text_put(&text, name);
    text_put(&text, what);
    buf[text.len < sizeof buf ? text.len : sizeof buf - 1] = 0;
    outcome_doubt(why, buf);
}

static void look_at_failure(const struct call *c, uint64_t how)
{
    switch (c->error) {
    case EOVERFLOW: /* an owner who is not known in the user namespace */
    case ESTALE:
        if (how & APART_OVERLAY)
            doubt(DOUBT_OVERLAY, c->name, " failed");
        return;
    case ENOSPC: /* of our memory for changes, or the disk with the copy */
        if (how & (APART_OVERLAY | APART_COPY))
            doubt(DOUBT_ROOM, c->name, "");
        return;
    case EXDEV:
        if (how & APART_SPLIT)
            doubt(DOUBT_OVERLAY, c->name, ": not within one file system");
        return;
    case EMFILE: /* queues of worlds that are going count for the user until they are gone */
        if (how & APART_OVERLAY && __builtin_strcmp(c->name, "mq_open") == 0)
            doubt(DOUBT_NOT_RESET, c->name, ": the user has too many queues");
        return;
    case EADDRINUSE:
        if (how & APART_NETWORK)
            doubt(DOUBT_NOT_RESET, c->name, ": the address is in use");
        return;
    case ECONNREFUSED: /* by whom, if nobody in here was to be found? */
        if (rt.has_bound)
            return;
        if (how & APART_OVERLAY && c->to && c->to->sa_family == AF_UNIX) {
            doubt(DOUBT_OVERLAY, c->name, ": no socket is the one that it shows");
            return;
        }
        __attribute__((fallthrough));
    case ENETUNREACH:
    case EHOSTUNREACH:
        if (how & APART_OVERLAY && !(how & APART_NETWORK))
            doubt(DOUBT_OUTSIDE, c->name, "");
        return;
    default:
        return;
    }
}

void apart_look(const struct call *c)
{
    static const char *const shared[] = {"shm_open", "mq_open",  "msgget", "semget",
                                         "shmget",   "sem_open", NULL};
    if (!c->live)
        return;
    if (c->result < 0)
        look_at_failure(c, rt.set.apart);
    if (rt.set.apart & APART_COPY && is_one_of(c->name, shared)) /* others may have left it */
        doubt(DOUBT_NOT_RESET, c->name, "");
}

/* What this run leaves of its connections is not to be in the way of the next one: the system
 * allows that only if both have asked for it. */
int apart_bind(int fd, const struct sockaddr *a, socklen_t len)
{
    int one = 1, type = 0;
    socklen_t bytes = sizeof type;
    if (rt.set.apart & APART_NETWORK && a && a->sa_family != AF_UNIX &&
        sys_call(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, (long)&type, (long)&bytes, 0) == 0 &&
        type == SOCK_STREAM)
        sys_call(SYS_setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, (long)&one, sizeof one, 0);
    int n = real.bind(fd, a, len);
    rt.has_bound |= n == 0;
    return n;
}

static void name_fd(char out[FD_NAME_BYTES], int fd)
{
    struct text link = {out, 0, FD_NAME_BYTES};
    text_put(&link, "/proc/self/fd/");
    text_number(&link, (uint64_t)fd);
    out[link.len] = 0;
}

long fd_path(int fd, char *out, long cap)
{
    char link[FD_NAME_BYTES];
    name_fd(link, fd);
    long n = sys_call(SYS_readlink, (long)link, (long)out, cap - 1, 0, 0, 0);
    out[n > 0 ? n : 0] = 0;
    return n;
}

static bool is_in(const char *path, const char *directory)
{
    size_t len = __builtin_strlen(directory);
    return len > 0 && __builtin_strncmp(path, directory, len) == 0 &&
           (path[len] == '/' || path[len] == 0);
}

/* ---- a copy of a directory --------------------------------------------------------------- */

static bool has_dots(const char *path)
{
    for (; (path = __builtin_strstr(path, "/..")); path++)
        if (path[3] == '/' || path[3] == 0)
            return true;
    return false;
}

/* Without going up and down: right if no directory on the way is a link. */
static bool flatten(const char *path, char *out)
{
    size_t len = 0;
    while (*path) {
        while (*path == '/')
            path++;
        size_t part = __builtin_strcspn(path, "/");
        if (part == 2 && path[0] == '.' && path[1] == '.') {
            while (len > 0 && out[--len] != '/')
                ;
        } else if (part > 0 && !(part == 1 && path[0] == '.')) {
            if (len + part + 2 > PATH_BYTES)
                return false;
            out[len++] = '/';
            __builtin_memcpy(out + len, path, part);
            len += part;
        }
        path += part;
    }
    out[len] = 0;
    return len > 0;
}

/* What has a path from the root in the directory has the same one in its copy. */
const char *apart_into(const char *path, char *out)
{
    char whole[PATH_BYTES];
    size_t from = __builtin_strlen(rt.set.from);
    if (!path || path[0] != '/' || is_in(path, rt.set.copy))
        return path;
    const char *found = path;
    if (!is_in(path, rt.set.from) || has_dots(path)) {
        if (!past_path(AT_FDCWD, path, whole) && !flatten(path, whole))
            return path;
        found = whole;
    }
    struct text text = {out, 0, PATH_BYTES};
    if (!is_in(found, rt.set.from) || is_in(found, rt.set.copy) || is_in(found, rt.set.dir))
        return path;
    text_put(&text, rt.set.copy);
    text_put(&text, found + (from > 1 ? from : 0));
    if (text.len >= PATH_BYTES)
        return path;
    out[text.len] = 0;
    return out;
}

/* The path that the program knows, of one in the copy. There is room for the longer one. */
void apart_back(char *path)
{
    char whole[PATH_BYTES];
    struct text text = {whole, 0, sizeof whole};
    if (!(rt.set.apart & APART_COPY) || !is_in(path, rt.set.copy))
        return;
    text_put(&text, rt.set.from);
    text_put(&text, path + __builtin_strlen(rt.set.copy));
    if (text.len < sizeof whole) {
        __builtin_memcpy(path, whole, text.len);
        path[text.len] = 0;
    }
}

/* Of a socket. */
const struct sockaddr *apart_address(const struct sockaddr *a, socklen_t *len,
                                     struct sockaddr_un *out)
{
    char path[sizeof *out], whole[PATH_BYTES];
    size_t head = offsetof(struct sockaddr_un, sun_path);
    if (!(rt.set.apart & APART_COPY) || !a || a->sa_family != AF_UNIX || *len <= head ||
        *len > sizeof *out)
        return a;
    __builtin_memcpy(path, (const char *)a + head, *len - head);
    path[*len - head] = 0;
    const char *into = apart_into(path, whole);
    size_t bytes = __builtin_strlen(into) + 1;
    if (into == path)
        return a;
    if (bytes > sizeof out->sun_path) {
        doubt(DOUBT_NOT_RESET, "too long for the name of a socket: ", into);
        return a;
    }
    out->sun_family = AF_UNIX;
    __builtin_memcpy(out->sun_path, into, bytes);
    *len = (socklen_t)(head + bytes);
    return (const struct sockaddr *)out;
}

/* A name that had a socket before the run leads to somebody outside, who does not listen in the
 * copy: the name of the old one, or NULL; *fd is to be closed. */
const struct sockaddr *apart_outside(const struct sockaddr *a, socklen_t *len,
                                     struct sockaddr_un *out, int *fd)
{
    char path[sizeof *out + 1], whole[PATH_BYTES + sizeof path];
    size_t head = offsetof(struct sockaddr_un, sun_path);
    struct text text = {out->sun_path, 0, sizeof out->sun_path};
    if (!(rt.set.apart & APART_COPY) || a->sa_family != AF_UNIX || *len <= head ||
        *len > sizeof *out)
        return NULL;
    __builtin_memcpy(path, (const char *)a + head, *len - head);
    path[*len - head] = 0;
    if (!path[0] || !past_path(AT_FDCWD, path, whole))
        return NULL;
    apart_back(whole);
    *fd = sys_open(whole, O_PATH | O_CLOEXEC, 0);
    if (*fd < 0)
        return NULL;
    out->sun_family = AF_UNIX;
    text_put(&text, "/proc/self/fd/");
    text_number(&text, (uint64_t)*fd);
    out->sun_path[text.len] = 0;
    *len = (socklen_t)(head + text.len + 1);
    return (const struct sockaddr *)out;
}

static bool is_elsewhere(const char *path)
{
    bool is_device = is_in(path, "/dev") && !is_in(path, "/dev/shm");
    return path[0] == '/' && !is_device && !is_in(path, "/proc") && !is_in(path, rt.set.copy) &&
           !is_in(path, rt.set.dir);
}

/* What is changed elsewhere is so in the next run, which may fail for it. */
void apart_doubt_elsewhere(const struct call *c, int at, const char *path)
{
    char whole[PATH_BYTES];
    bool met = c->result >= 0 || c->error == EEXIST || c->error == ENOTEMPTY;
    if (met && path && past_path(at, path, whole) && is_elsewhere(whole))
        doubt(DOUBT_NOT_RESET, "it changes ", whole);
}

/* Other programs are not redirected. */
void apart_started(const char *text)
{
    static const char *const places[] = {rt.set.from, "/tmp/", "/var/tmp/", "/dev/shm/"};
    if (!(rt.set.apart & APART_COPY) || !text)
        return;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *at = __builtin_strstr(text, places[i]);
        if (at && !is_in(at, rt.set.copy)) {
            doubt(DOUBT_NOT_RESET, "another program is started with ", at);
            return;
        }
    }
}

/* What is read elsewhere is what it always is, unless it is in the directory itself: then there
 * is another one in the copy. */
void apart_opened(int64_t fd, const char *name, int flags)
{
    char path[PATH_BYTES];
    bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
    if (!(rt.set.apart & APART_COPY))
        return;
    if (fd >= 0 && fd_path((int)fd, path, sizeof path) > 0)
        name = path;
    if (!is_elsewhere(name))
        return;
    if (writes)
        doubt(DOUBT_NOT_RESET, "it writes ", name);
    else if (fd >= 0 && is_in(name, rt.set.from) && rt.set.from[1])
        doubt(DOUBT_NOT_RESET, "it reads what is not its copy: ", name);
}

/* ---- overlays ---------------------------------------------------------------------------- */

static int reopen(int fd, int flags)
{
    char link[FD_NAME_BYTES];
    name_fd(link, fd);
    return sys_open(link, flags | O_CLOEXEC, 0);
}

/* A file that was opened to be read, in an overlay, stays the old one for who maps it, when
 * another descriptor writes it and it is copied for that. So it is copied first, and the copy
 * is what is mapped: a descriptor of it, to be closed; -1: it is well as it is. */
int apart_mapped(int fd, int flags)
{
    struct stat st;
    struct statfs on;
    if (!(rt.set.apart & APART_OVERLAY) || !(flags & MAP_SHARED) ||
        (sys_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0) & O_ACCMODE) != O_RDONLY ||
        sys_call(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) < 0 || !S_ISREG(st.st_mode) ||
        sys_call(SYS_fstatfs, fd, (long)&on, 0, 0, 0, 0) < 0 || on.f_type != OVERLAY_MAGIC)
        return -1;
    if (st.st_size > COPIED_MAX_BYTES) {
        doubt(DOUBT_OVERLAY, "mmap", " of a large file");
        return -1;
    }
    int writes = reopen(fd, O_RDWR);
    if (writes < 0)
        return -1; /* nobody may write it */
    sys_close(writes);
    return reopen(fd, O_RDONLY);
}

void apart_bus(void)
{
    struct statfs on;
    enum { LEAST = 16 }; /* blocks */
    if (rt.set.apart & (APART_OVERLAY | APART_COPY) &&
        sys_call(SYS_statfs, (long)".", (long)&on, 0, 0, 0, 0) == 0 && on.f_bavail < LEAST)
        doubt(DOUBT_ROOM, "a mapped file", "");
}

/* ---- memory with a name, in a copy ------------------------------------------------------- */

/* By this run, and nobody had it before. What the target leaves, or what a run leaves that is
 * ended early, would be there for the next one. */
void apart_made(const char *path)
{
    if (!(rt.set.apart & APART_COPY) || rt.apart.made == MADE_MAX ||
        __builtin_strlen(path) >= MADE_BYTES)
        return;
    __builtin_strcpy(rt.apart.paths[rt.apart.made++], path);
}

void apart_makes_shared(const char *name, int flags)
{
    char path[MADE_BYTES];
    struct text text = {path, 0, sizeof path};
    text_put(&text, "/dev/shm/");
    while (*name == '/')
        name++;
    text_put(&text, name);
    if (!(flags & O_CREAT) || text.len >= sizeof path)
        return;
    path[text.len] = 0;
    if (sys_call(SYS_faccessat, AT_FDCWD, (long)path, F_OK, 0, 0, 0) == -ENOENT)
        apart_made(path);
}

void apart_leave(void)
{
    while (rt.apart.made > 0)
        sys_call(SYS_unlink, (long)rt.apart.paths[--rt.apart.made], 0, 0, 0, 0, 0);
}

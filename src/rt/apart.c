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
#include <sys/vfs.h>

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
    case ENOSPC: /* the memory for changes is full, whatever the disk */
        if (how & APART_OVERLAY)
            doubt(DOUBT_OVERLAY, c->name, " failed");
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
    else if (rt.set.apart & APART_COPY && is_one_of(c->name, shared))
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

/* The path behind a descriptor, as the system knows it. */
static long path_of(int fd, char *out, long cap)
{
    char buf[40];
    struct text link = {buf, 0, sizeof buf};
    text_put(&link, "/proc/self/fd/");
    text_number(&link, (uint64_t)fd);
    buf[link.len] = 0;
    long n = sys_call(SYS_readlink, (long)buf, (long)out, cap - 1, 0, 0, 0);
    out[n > 0 ? n : 0] = 0;
    return n;
}

static bool is_in(const char *path, const char *directory)
{
    size_t len = __builtin_strlen(directory);
    return len > 0 && __builtin_strncmp(path, directory, len) == 0 &&
           (path[len] == '/' || path[len] == 0);
}

/* In a copy: what is written elsewhere is there in the next run, which may fail for it. */
void apart_opened(int64_t fd, const char *name, int flags)
{
    char path[PATH_BYTES];
    bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
    if (!(rt.set.apart & APART_COPY) || !writes)
        return;
    if (fd >= 0 && path_of((int)fd, path, sizeof path) > 0)
        name = path;
    bool is_device = is_in(name, "/dev") && !is_in(name, "/dev/shm");
    if (name[0] == '/' && !is_device && !is_in(name, "/proc") && !is_in(name, rt.set.copy) &&
        !is_in(name, rt.set.dir))
        doubt(DOUBT_NOT_RESET, "it writes ", name);
}

static int reopen(int fd, int flags)
{
    char buf[40];
    struct text link = {buf, 0, sizeof buf};
    text_put(&link, "/proc/self/fd/");
    text_number(&link, (uint64_t)fd);
    buf[link.len] = 0;
    return sys_open(buf, flags | O_CLOEXEC, 0);
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

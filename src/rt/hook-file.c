/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-file: calls about files, sockets and the system that do not wait. All of them have the
 * same shape: made and logged in a run, answered from the log in a replay. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>

/* ---- descriptors come and go --------------------------------------------------------- */

/* One that is made has a name from now on; one that is there may lose its bytes. */
static void open_told(const struct call *c, const struct spot *p, int flags)
{
    if (c->result >= 0 && (flags & O_CREAT) && !p->existed)
        spot_changed(c, p);
    else
        spot_asked(c, p);
    if (c->result < 0)
        return;
    channel_file((int)c->result, p);
    if (p->is_file && (flags & O_TRUNC))
        file_changed(c, p->self);
}

static int open_call(struct thr *t, int at, const char *path, int flags, mode_t mode)
{
    struct call c = call_begin(t, "open");
    char whole[PATH_BYTES];
    path = apart_path(path, whole);
    bool live = call_live(&c);
    struct spot p = live ? spot_before(at, path) : (struct spot){0};
    if (live)
        before_open(at, path, flags);
    bool is_fifo = fifo_open(&c, live, at, path, flags, mode);
    if (live && !is_fifo)
        CALL_MADE(c, real.openat(at, path, flags, mode));
    if (live)
        spot_opened(&p, c.result);
    if (UNLIKELY(live && rt.set.apart))
        apart_opened(c.result, path, flags);
    call_keeps(&c, &is_fifo, sizeof is_fifo);
    call_keeps(&c, &p, sizeof p);
    descriptor_new(&c, c.result);
    if (is_fifo) {
        descriptor_carries(c.result);
        channel_pin(&c); /* behind what those did who waited for it */
    }
    if (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0)
        descriptor_draws(c.result);
    if (flags & O_TRUNC)
        mapped_resized(&c, (int)c.result, NULL);
    open_told(&c, &p, flags);
    return (int)call_end(&c);
}

static mode_t mode_of(int flags, va_list list)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

EXPORT int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    return self ? open_call(self, AT_FDCWD, path, flags, mode) : real.open(path, flags, mode);
}
ALSO(open, open64);

EXPORT int openat(int at, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    return self ? open_call(self, at, path, flags, mode) : real.openat(at, path, flags, mode);
}
ALSO(openat, openat64);

int __open_2(const char *path, int flags);
int __openat_2(int at, const char *path, int flags);

EXPORT int __open_2(const char *path, int flags)
{
    return open(path, flags);
}
ALSO(__open64_2, __open_2);

EXPORT int __openat_2(int at, const char *path, int flags)
{
    return openat(at, path, flags);
}
ALSO(__openat64_2, __openat_2);

EXPORT int creat(const char *path, mode_t mode)
{
    return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
ALSO(creat, creat64);

#define MAKES(name, parameters, arguments, after) \
    CALL(int, name, parameters, arguments, descriptor_new(&c, c.result); after)

/* Files without a name in a directory. That one was made is not told: it counts as new. */
#define OPENED(where)              \
    where;                         \
    if (c.live)                    \
        spot_opened(&p, c.result); \
    call_keeps(&c, &p, sizeof p);  \
    open_told(&c, &p, O_CREAT)

MAKES(socket, (int domain, int type, int protocol), (domain, type, protocol), )
MAKES(epoll_create, (int size), (size), )
MAKES(epoll_create1, (int flags), (flags), )
MAKES(eventfd, (unsigned count, int flags), (count, flags), channel_event(c.result, flags))
MAKES(memfd_create, (const char *name, unsigned flags), (name, flags),
      OPENED(struct spot p = {0}))

EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
    struct thr *t = self;
    struct spot p = {0};
    if (!t)
        return real.shm_open(name, flags, mode);
    struct call c = call_begin(t, "shm_open");
    if (call_live(&c)) {
        p = spot_shared(name);
        before_shared("/dev/shm/", name);
        apart_makes_shared(name, flags);
        CALL_MADE(c, real.shm_open(name, flags, mode));
        spot_opened(&p, c.result);
    }
    call_keeps(&c, &p, sizeof p);
    descriptor_new(&c, c.result);
    open_told(&c, &p, flags);
    return (int)call_end(&c);
}

EXPORT int pipe2(int ends[2], int flags)
{
    struct thr *t = self;
    if (!t)
        return real.pipe2(ends, flags);
    struct call c = call_begin(t, "pipe");
    if (call_live(&c))
        CALL_MADE(c, real.pipe2(ends, flags));
    call_fills(&c, ends, c.result == 0 ? 2 * (int64_t)sizeof *ends : 0);
    for (int i = 0; c.result == 0 && i < 2; i++)
        descriptor_new(&c, ends[i]);
    if (c.result == 0)
        channel_pipe(ends);
    return (int)call_end(&c);
}

EXPORT int pipe(int ends[2])
{
    return self ? pipe2(ends, 0) : real.pipe(ends);
}

EXPORT int socketpair(int domain, int type, int protocol, int ends[2])
{
    struct thr *t = self;
    if (!t)
        return real.socketpair(domain, type, protocol, ends);
    struct call c = call_begin(t, "socketpair");
    if (call_live(&c))
        CALL_MADE(c, real.socketpair(domain, type, protocol, ends));
    call_fills(&c, ends, c.result == 0 ? 2 * (int64_t)sizeof *ends : 0);
    for (int i = 0; c.result == 0 && i < 2; i++)
        descriptor_new(&c, ends[i]);
    if (c.result == 0)
        channel_sockets(ends, type);
    return (int)call_end(&c);
}

#define COPIES(name, parameters, arguments, from) \
    CALL(int, name, parameters, arguments, descriptor_copy(&c, from, c.result))

COPIES(dup, (int fd), (fd), fd)
COPIES(dup2, (int fd, int to), (fd, to), fd)
COPIES(dup3, (int fd, int to, int flags), (fd, to, flags), fd)

EXPORT int close(int fd)
{
    struct thr *t = self;
    if (!t)
        return real.close(fd);
    struct call c = call_begin(t, "close");
    c.fd = fd;
    bool is_own = descriptor_is_own(fd);
    if (call_live(&c)) {
        errno = EBADF;
        CALL_MADE(c, is_own ? -1 : real.close(fd));
    }
    if (!is_own)
        descriptor_gone(&c, fd);
    return (int)call_end(&c);
}

/* One by one: ours stay open. */
EXPORT void closefrom(int first)
{
    long most = real.sysconf(_SC_OPEN_MAX);
    for (int fd = first < 0 ? 0 : first; fd < most && fd < DESCRIPTORS_MAX; fd++)
        if (!descriptor_is_own(fd))
            real.close(fd);
}

EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    if (!self)
        return real.close_range(first, last, flags);
    long most = real.sysconf(_SC_OPEN_MAX);
    for (unsigned fd = first; fd <= last && fd < (unsigned long)most; fd++)
        if (!descriptor_is_own((int)fd) && !flags)
            real.close((int)fd);
    return 0;
}

/* ---- descriptors, asked and told ------------------------------------------------------- */

/* A lock of a part of a file, on its way. */
struct part_lock {
    int fd, attempt; /* the command that does not wait */
    void *lock;
    int result, error;
};

/* Taken as soon as it can be had, and not asked about before: the kernel decides who is in
 * whose way. Threads of one process never are with the locks of POSIX. */
static bool lock_part(struct thr *t)
{
    struct part_lock *l = (struct part_lock *)(uintptr_t)t->wait_what;
    l->result = real.fcntl(l->fd, l->attempt, l->lock);
    l->error = errno;
    return l->result >= 0 || (l->error != EAGAIN && l->error != EACCES);
}

/* True: the call is to be made otherwise. */
static bool lock_begin(struct call *c, struct part_lock *l, bool waits)
{
    struct thr *t = c->thr;
    int late = 0;
    t->wait_what = l;
    t->waits_for_lock = waits && l->attempt == F_OFD_SETLK ? LOCK_BY_FCNTL : 0;
    while (waits && !late && sched_goes_outside(t, !rt.input.exact && !lock_part(t))) {
        t->interrupted = false;
        enum wake_how how = sched_block_test(t, lock_part, l, "a file's lock", NEVER);
        if (how == WAKE_CANCEL)
            cancel_check(t);
        if (how == WAKE_SIGNAL && t->interrupted)
            late = EINTR;
    }
    t->waits_for_lock = 0;
    if (!call_live(c) || !waits)
        return c->live;
    c->result = late ? -1 : l->result;
    c->error = late ? late : l->error;
    return false;
}

static int64_t fcntl_fills(int command)
{
    switch (command) {
    case F_GETLK:
    case F_OFD_GETLK:
        return sizeof(struct flock);
    case F_GETOWN_EX:
        return sizeof(struct f_owner_ex);
    default:
        return 0;
    }
}

EXPORT int fcntl(int fd, int command, ...)
{
    struct thr *t = self;
    va_list list;
    va_start(list, command);
    void *arg = va_arg(list, void *);
    va_end(list);
    if (!t)
        return real.fcntl(fd, command, arg);
    struct call c = call_begin(t, "fcntl");
    bool waits = command == F_SETLKW || command == F_OFD_SETLKW;
    struct part_lock l = {fd, command == F_SETLKW ? F_SETLK : F_OFD_SETLK, arg, 0, 0};
    c.fd = fd;
    if (lock_begin(&c, &l, waits))
        CALL_MADE(c, real.fcntl(fd, command, arg));
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        descriptor_copy(&c, fd, c.result);
    file_lock_fcntl(&c, fd, command, arg);
    if (command == F_SETFL || command == F_GETFL || command == F_SETFD || command == F_GETFD)
        channel_settings(&c, fd, command == F_SETFL || command == F_SETFD);
    call_fills(&c, arg, c.result >= 0 ? fcntl_fills(command) : 0);
    return (int)call_end(&c);
}
ALSO(fcntl, fcntl64);

/* What a request fills in: its number says how many bytes, for all but the oldest ones. */
static int64_t ioctl_fills(unsigned long request)
{
    switch (request) {
    case FIONREAD:
    case TIOCOUTQ:
    case TIOCGPGRP:
        return sizeof(int);
    case TIOCGWINSZ:
        return sizeof(struct winsize);
    case TCGETS:
        return 36; /* as the kernel has it */
    default:
        return request >> 30 & 2 ? (int64_t)(request >> 16 & 0x3fff) : 0;
    }
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
    struct thr *t = self;
    va_list list;
    va_start(list, request);
    void *arg = va_arg(list, void *);
    va_end(list);
    if (!t)
        return real.ioctl(fd, request, arg);
    struct call c = call_begin(t, "ioctl");
    c.fd = fd;
    if (call_live(&c))
        CALL_MADE(c, real.ioctl(fd, request, arg));
    call_fills(&c, arg, c.result >= 0 ? ioctl_fills(request) : 0);
    return (int)call_end(&c);
}

/* A call about one descriptor. */
#define ABOUT(type, name, parameters, arguments, after) \
    EXPORT type name parameters                         \
    {                                                   \
        CALL_BEGUN(name, arguments);                    \
        c.fd = fd;                                      \
        if (call_live(&c))                              \
            CALL_MADE(c, real.name arguments);          \
        after;                                          \
        return (type)call_end(&c);                      \
    }

ABOUT(int, shutdown, (int fd, int how), (fd, how), )
ABOUT(int, listen, (int fd, int count), (fd, count), if (c.result == 0) channel_listens(&c, fd))
ABOUT(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t len),
      (fd, level, name, value, len), channel_settings(&c, fd, true);
      if (c.result == 0) descriptor_option(fd, level, name, value, len))
ABOUT(off_t, lseek, (int fd, off_t offset, int from), (fd, offset, from), )
ABOUT(int, ftruncate, (int fd, off_t len), (fd, len), mapped_resized(&c, fd, NULL))
ABOUT(int, fsync, (int fd), (fd), )
ABOUT(int, fdatasync, (int fd), (fd), )
ABOUT(int, fchmod, (int fd, mode_t mode), (fd, mode), )
ABOUT(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group), )
ABOUT(int, futimens, (int fd, const struct timespec times[2]), (fd, times), )
ABOUT(int, posix_fadvise, (int fd, off_t at, off_t len, int how), (fd, at, len, how), )
ABOUT(int, posix_fallocate, (int fd, off_t at, off_t len), (fd, at, len),
      mapped_resized(&c, fd, NULL))
ABOUT(int, fallocate, (int fd, int how, off_t at, off_t len), (fd, how, at, len),
      mapped_resized(&c, fd, NULL);
      mapped_emptied(&c, how, at, len))
ABOUT(int, fstat, (int fd, struct stat *out), (fd, out),
      call_fills(&c, out, c.result == 0 ? (int64_t)sizeof *out : 0))
ABOUT(int, fstatvfs, (int fd, struct statvfs *out), (fd, out),
      call_fills(&c, out, c.result == 0 ? (int64_t)sizeof *out : 0))
ABOUT(int, fstatfs, (int fd, struct statfs *out), (fd, out),
      call_fills(&c, out, c.result == 0 ? (int64_t)sizeof *out : 0))
ABOUT(int, fchdir, (int fd), (fd), work_moved(&c))
ALSO(lseek, lseek64);
ALSO(ftruncate, ftruncate64);
ALSO(fstat, fstat64);
ALSO(fstatvfs, fstatvfs64);
ALSO(fstatfs, fstatfs64);
ALSO(fallocate, fallocate64);
ALSO(posix_fallocate, posix_fallocate64);
ALSO(posix_fadvise, posix_fadvise64);

static bool flock_is_free(struct thr *t)
{
    const int *what = t->wait_what;
    if (real.flock(what[0], what[1] | LOCK_NB) < 0)
        return errno != EWOULDBLOCK;
    return true;
}

/* The test takes it: taken again it is the same lock. */
EXPORT int flock(int fd, int how)
{
    struct thr *t = self;
    if (!t)
        return real.flock(fd, how);
    struct call c = call_begin(t, "flock");
    int what[2] = {fd, how};
    c.fd = fd;
    t->wait_what = what;
    bool may_wait = !(how & (LOCK_NB | LOCK_UN));
    t->waits_for_lock = may_wait ? LOCK_BY_FLOCK : 0;
    while (may_wait && sched_goes_outside(t, !rt.input.exact && !flock_is_free(t)))
        sched_block_test(t, flock_is_free, what, "a file's lock", NEVER);
    t->waits_for_lock = 0;
    if (call_live(&c))
        CALL_MADE(c, real.flock(fd, how | LOCK_NB));
    file_lock_flock(&c, fd, how);
    return (int)call_end(&c);
}

/* As libc makes it: a lock of fcntl from where the file stands. */
EXPORT int lockf(int fd, int how, off_t len)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_CUR, .l_len = len};
    if (!self)
        return real.lockf(fd, how, len);
    if (how == F_ULOCK)
        lock.l_type = F_UNLCK;
    if (how != F_TEST)
        return fcntl(fd, how == F_LOCK ? F_SETLKW : F_SETLK, &lock);
    if (fcntl(fd, F_GETLK, &lock) < 0)
        return -1;
    if (lock.l_type == F_UNLCK || lock.l_pid == getpid())
        return 0;
    errno = EACCES;
    return -1;
}
ALSO(lockf, lockf64);

/* Whoever is played goes by the name that the recorded run knew. */
static void name_told(int fd, bool of_peer, struct sockaddr *a, socklen_t *len, socklen_t room)
{
    datagram_name(fd, a, len, room);
    reach_name(fd, of_peer, a, len, room);
}

#define ASKS_ADDRESS(name)                                                        \
    EXPORT int name(int fd, struct sockaddr *restrict a, socklen_t *restrict len) \
    {                                                                             \
        struct thr *t = self;                                                     \
        if (!t)                                                                   \
            return real.name(fd, a, len);                                         \
        struct call c = call_begin(t, #name);                                     \
        socklen_t room = *len;                                                    \
        c.fd = fd;                                                                \
        if (call_live(&c))                                                        \
            CALL_MADE(c, real.name(fd, a, len));                                  \
        if (c.live && c.result == 0)                                              \
            name_told(fd, #name[3] == 'p', a, len, room);                         \
        call_fills(&c, a, c.result == 0 ? (room < *len ? room : *len) : 0);       \
        call_fills(&c, len, c.result == 0 ? (int64_t)sizeof *len : 0);            \
        return (int)call_end(&c);                                                 \
    }

ASKS_ADDRESS(getsockname)
ASKS_ADDRESS(getpeername)

EXPORT int getsockopt(int fd, int level, int name, void *restrict value,
                      socklen_t *restrict len)
{
    struct thr *t = self;
    if (!t)
        return real.getsockopt(fd, level, name, value, len);
    struct call c = call_begin(t, "getsockopt");
    c.fd = fd;
    if (call_live(&c))
        CALL_MADE(c, real.getsockopt(fd, level, name, value, len));
    call_fills(&c, value, c.result == 0 ? *len : 0);
    call_fills(&c, len, c.result == 0 ? (int64_t)sizeof *len : 0);
    if (c.result == 0 && level == SOL_SOCKET && name == SO_ERROR && *len >= sizeof c.told)
        __builtin_memcpy(&c.told, value, sizeof c.told);
    channel_settings(&c, fd, false);
    return (int)call_end(&c);
}

/* It says why not, though it does not fail. */
EXPORT int isatty(int fd)
{
    struct thr *t = self;
    if (!t)
        return real.isatty(fd);
    struct call c = call_begin(t, "isatty");
    c.fd = fd;
    if (call_live(&c))
        CALL_MADE(c, real.isatty(fd) ? 1 : -1);
    return call_end(&c) > 0;
}

/* ---- mappings of files ------------------------------------------------------------------ *
 * What can be read through one is logged when it is made; a replay makes private memory of it,
 * or maps what stands in for the file (mapped.c). What other processes change in it later is
 * not seen by a replay. */

static int64_t mapped_bytes(int fd, size_t len, off_t at)
{
    struct stat st;
    if (sys_call(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) < 0 || st.st_size <= at)
        return 0;
    return st.st_size - at < (off_t)len ? st.st_size - at : (int64_t)len;
}

static void *map_again(void *where, size_t len, int flags)
{
    int ours = MAP_PRIVATE | MAP_ANONYMOUS | (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE));
    return real.mmap(where, len, PROT_READ | PROT_WRITE, ours, -1, 0);
}

static void *map_anonymous(struct thr *t, const struct map_wish *w, int prot, int fd)
{
    void *p = real.mmap(w->where, w->len, prot, w->flags, fd, w->at);
    if (p == MAP_FAILED)
        return p;
    map_begins(t, p, w->len);
    if ((w->flags & MAP_TYPE) != MAP_PRIVATE)
        shared_mapped(p, w->len);
    return p;
}

EXPORT void *mmap(void *where, size_t len, int prot, int flags, int fd, off_t at)
{
    struct thr *t = self;
    if (t && (flags & MAP_TYPE) != MAP_PRIVATE && (prot & PROT_WRITE))
        shared_memory();
    if (!t)
        return real.mmap ? real.mmap(where, len, prot, flags, fd, at)
                         : sys_map(where, len, prot, flags, fd, (uint64_t)at);
    if (fd < 0 || (flags & MAP_ANONYMOUS))
        return map_anonymous(t, &(struct map_wish){where, len, flags, at}, prot, fd);
    struct call c = call_begin(t, "mmap");
    bool is_shared = (flags & MAP_TYPE) != MAP_PRIVATE;
    void *p = MAP_FAILED;
    c.fd = fd;
    if (call_live(&c)) {
        int other = apart_mapped(fd, flags);
        p = real.mmap(where, len, prot, flags, other < 0 ? fd : other, at);
        CALL_MADE(c, p == MAP_FAILED ? -1 : 0);
        if (other >= 0)
            sys_close(other);
    } else if (c.result == 0 && !is_shared) {
        p = map_again(where, len, flags);
    }
    if (is_shared)
        p = mapped_map(&c, p, fd, &(struct map_wish){where, len, flags, at});
    if (c.result == 0 && p != MAP_FAILED)
        map_begins(t, p, len);
    call_fills(&c, p, c.result == 0 && (prot & PROT_READ) ? mapped_bytes(fd, len, at) : 0);
    if (c.result == 0 && (flags & MAP_SHARED) && (prot & PROT_WRITE))
        file_mapped(channel_node(fd));
    if (is_shared && p != MAP_FAILED)
        shared_mapped(p, len);
    call_end(&c);
    if (!c.live && p != MAP_FAILED && prot != (PROT_READ | PROT_WRITE))
        mprotect(p, len, prot);
    return p;
}
ALSO(mmap, mmap64);

/* ---- paths ------------------------------------------------------------------------ */

#define ABOUT_STAT(out) thing_node((out)->st_dev, (out)->st_ino)
#define ABOUT_STATX(out) \
    thing_node((uint64_t)(out)->stx_dev_major << 32 | (out)->stx_dev_minor, (out)->stx_ino)

#define STATS(name, parameters, arguments, at, path, node)                   \
    ASKS_NAME(int, name, parameters, arguments, at, path,                    \
              call_fills(&c, out, c.result == 0 ? (int64_t)sizeof *out : 0); \
              if (c.result == 0 && thing_known(THING_FILE, node, 0)) file_asked(&c, node))
#define TELLS_OF(name, parameters, arguments) \
    CALL(int, name, parameters, arguments,    \
         call_fills(&c, out, c.result == 0 ? (int64_t)sizeof *out : 0))

STATS(stat, (const char *restrict path, struct stat *restrict out), (path, out), AT_FDCWD, path,
      ABOUT_STAT(out))
STATS(lstat, (const char *restrict path, struct stat *restrict out), (path, out), AT_FDCWD,
      path, ABOUT_STAT(out))
STATS(fstatat, (int at, const char *restrict path, struct stat *restrict out, int flags),
      (at, path, out, flags), at, path, ABOUT_STAT(out))
STATS(statx,
      (int at, const char *restrict path, int flags, unsigned mask, struct statx *restrict out),
      (at, path, flags, mask, out), at, path, ABOUT_STATX(out))
TELLS_OF(statvfs, (const char *restrict path, struct statvfs *restrict out), (path, out))
TELLS_OF(statfs, (const char *path, struct statfs *out), (path, out))
TELLS_OF(uname, (struct utsname * out), (out))
ALSO(stat, stat64);
ALSO(lstat, lstat64);
ALSO(fstatat, fstatat64);
ALSO(statvfs, statvfs64);
ALSO(statfs, statfs64);

ASKS_NAME(int, access, (const char *path, int mode), (path, mode), AT_FDCWD, path, )
ASKS_NAME(int, faccessat, (int at, const char *path, int mode, int flags),
          (at, path, mode, flags), at, path, )
CHANGES_NAME(int, unlink, (const char *path), (path), AT_FDCWD, path)
CHANGES_NAME(int, unlinkat, (int at, const char *path, int flags), (at, path, flags), at, path)
CHANGES_NAME(int, remove, (const char *path), (path), AT_FDCWD, path)
RENAMES(int, rename, (const char *from, const char *to), (from, to), AT_FDCWD, from, AT_FDCWD,
        to)
RENAMES(int, renameat, (int at, const char *from, int to_at, const char *to),
        (at, from, to_at, to), at, from, to_at, to)
CHANGES_NAME(int, mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
CHANGES_NAME(int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode), at, path)
CHANGES_NAME(int, mkfifo, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
CHANGES_NAME(int, rmdir, (const char *path), (path), AT_FDCWD, path)
RENAMES(int, link, (const char *from, const char *to), (from, to), AT_FDCWD, from, AT_FDCWD, to)
CHANGES_NAME(int, symlink, (const char *from, const char *to), (from, to), AT_FDCWD, to)
CHANGES_NAME(int, chmod, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
CHANGES_NAME(int, chown, (const char *path, uid_t user, gid_t group), (path, user, group),
             AT_FDCWD, path)
CHANGES_NAME(int, lchown, (const char *path, uid_t user, gid_t group), (path, user, group),
             AT_FDCWD, path)
CHANGES_NAME(int, utimes, (const char *path, const struct timeval times[2]), (path, times),
             AT_FDCWD, path)
CHANGES_NAME(int, utimensat,
             (int at, const char *path, const struct timespec times[2], int flags),
             (at, path, times, flags), at, path)
ASKS_NAME(int, chdir, (const char *path), (path), AT_FDCWD, path, work_moved(&c))

EXPORT int shm_unlink(const char *name)
{
    struct thr *t = self;
    struct spot p = {0};
    if (!t)
        return real.shm_unlink(name);
    struct call c = call_begin(t, "shm_unlink");
    if (call_live(&c)) {
        p = spot_shared(name);
        before_shared("/dev/shm/", name);
        CALL_MADE(c, real.shm_unlink(name));
    }
    call_keeps(&c, &p, sizeof p);
    spot_told(&c, &p);
    return (int)call_end(&c);
}

EXPORT int truncate(const char *path, off_t len)
{
    struct thr *t = self;
    if (!t)
        return real.truncate(path, len);
    struct call c = call_begin(t, "truncate");
    struct spot p = {0};
    char whole[PATH_BYTES];
    path = apart_path(path, whole);
    if (call_live(&c)) {
        p = spot_before(AT_FDCWD, path);
        before_change(AT_FDCWD, path);
        CALL_MADE(c, real.truncate(path, len));
        apart_changed(&c, AT_FDCWD, path);
    }
    call_keeps(&c, &p, sizeof p);
    spot_asked(&c, &p);
    mapped_resized(&c, -1, path);
    if (c.result == 0)
        file_changed(&c, p.self);
    return (int)call_end(&c);
}
ALSO(truncate, truncate64);

#define READS_LINK(name, parameters, arguments, at) \
    ASKS_NAME(ssize_t, name, parameters, arguments, at, path, call_fills(&c, out, c.result))

READS_LINK(readlink, (const char *restrict path, char *restrict out, size_t len),
           (path, out, len), AT_FDCWD)
READS_LINK(readlinkat, (int at, const char *restrict path, char *restrict out, size_t len),
           (at, path, out, len), at)
CALL(int, gethostname, (char *out, size_t len), (out, len),
     call_fills(&c, out, c.result == 0 ? (int64_t)strnlen(out, len) + 1 : 0))

EXPORT char *getcwd(char *out, size_t len)
{
    struct thr *t = self;
    char path[PATH_BYTES];
    if (!t)
        return real.getcwd(out, len);
    struct call c = call_begin(t, "getcwd");
    if (call_live(&c)) {
        bool is_known = real.getcwd(path, sizeof path) != NULL;
        if (is_known)
            apart_back(path);
        CALL_MADE(c, is_known ? (int64_t)strlen(path) + 1 : -1);
    }
    call_keeps(&c, path, c.result > 0 ? (uint64_t)c.result : 0);
    work_asked(&c);
    int64_t bytes = call_end(&c);
    if (bytes < 0)
        return NULL;
    if (!out && len == 0)
        len = (size_t)bytes;
    if ((size_t)bytes > len) {
        errno = ERANGE;
        return NULL;
    }
    if (!out && !(out = malloc(len)))
        return NULL;
    __builtin_memcpy(out, path, (size_t)bytes);
    call_tells(&c, out, (uint64_t)bytes);
    return out;
}

/* ---- directories ----------------------------------------------------------------------- *
 * A replay opens another one, for libc's sake; the entries come from the log. They are handed
 * out from a block beside libc's own, which lives as long. */

static struct directory **directory_find(const DIR *d)
{
    struct directory **at = &rt.directories;
    while (*at && (*at)->of != d)
        at = &(*at)->next;
    return at;
}

/* NULL: there is no memory for it. */
static struct directory *directory_get(const DIR *d)
{
    struct directory **at = directory_find(d);
    if (!*at && (*at = malloc(sizeof **at)))
        **at = (struct directory){.of = d};
    return *at;
}

/* It is open; without memory it is not. */
static DIR *directory_open(DIR *d)
{
    if (!d || directory_get(d))
        return d;
    int error = errno;
    real.closedir(d);
    errno = error;
    return NULL;
}

EXPORT DIR *opendir(const char *path)
{
    struct thr *t = self;
    if (!t)
        return real.opendir(path);
    struct call c = call_begin(t, "opendir");
    DIR *d = NULL;
    struct spot p = {0};
    char whole[PATH_BYTES];
    path = apart_path(path, whole);
    if (call_live(&c)) {
        p = spot_before(AT_FDCWD, path);
        d = real.opendir(path);
        CALL_MADE(c, d ? 0 : -1);
    } else if (c.result == 0) {
        d = real.opendir("/");
    }
    call_keeps(&c, &p, sizeof p);
    spot_asked(&c, &p);
    call_end(&c);
    return directory_open(d);
}

EXPORT DIR *fdopendir(int fd)
{
    struct thr *t = self;
    if (!t)
        return real.fdopendir(fd);
    struct call c = call_begin(t, "fdopendir");
    DIR *d = NULL;
    c.fd = fd;
    if (call_live(&c)) {
        d = real.fdopendir(fd);
        CALL_MADE(c, d ? 0 : -1);
    } else if (c.result == 0) {
        int root = sys_open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
        sys_call(SYS_dup3, root, fd, O_CLOEXEC, 0, 0, 0);
        sys_close(root);
        d = real.fdopendir(fd);
    }
    call_end(&c);
    return directory_open(d);
}

EXPORT int closedir(DIR *d)
{
    struct directory **at = directory_find(d), *r = *at;
    if (self && r) {
        *at = r->next;
        free(r);
    }
    return real.closedir(d);
}

EXPORT struct dirent *readdir(DIR *d)
{
    struct thr *t = self;
    struct directory *r = t ? directory_get(d) : NULL;
    if (!r)
        return real.readdir(d);
    struct call c = call_begin(t, "readdir");
    struct dirent *entry = &r->entry, *found = NULL;
    if (call_live(&c)) {
        errno = 0;
        found = real.readdir(d);
        CALL_MADE(c, found ? found->d_reclen : -errno);
        if (found)
            __builtin_memcpy(entry, found, found->d_reclen);
    }
    call_fills(&c, entry, c.result);
    spot_listed(&c);
    return call_end(&c) > 0 ? entry : NULL;
}
ALSO(readdir, readdir64);

static struct dirent *copy_entry(const struct dirent *e)
{
    struct dirent *copy = malloc(e->d_reclen);
    if (copy)
        __builtin_memcpy(copy, e, e->d_reclen);
    return copy;
}

/* libc's own would read the directory behind our back. */
static int collect_entries(DIR *d, struct dirent ***list, int (*wants)(const struct dirent *))
{
    struct dirent *e;
    int count = 0, room = 0;
    while ((e = readdir(d))) {
        if (wants && !wants(e))
            continue;
        if (count == room) {
            room = room ? 2 * room : 16;
            struct dirent **more = realloc(*list, (size_t)room * sizeof *more);
            if (!more)
                return -1;
            *list = more;
        }
        if (!((*list)[count] = copy_entry(e)))
            return -1;
        count++;
    }
    return count;
}

EXPORT int scandir(const char *restrict path, struct dirent ***restrict out,
                   int (*wants)(const struct dirent *),
                   int (*compare)(const struct dirent **, const struct dirent **))
{
    if (!self)
        return real.scandir(path, out, wants, compare);
    DIR *d = opendir(path);
    struct dirent **list = NULL;
    if (!d)
        return -1;
    int count = collect_entries(d, &list, wants);
    closedir(d);
    if (count > 0 && compare)
        qsort(list, (size_t)count, sizeof *list, (int (*)(const void *, const void *))compare);
    if (count < 0)
        return -1;
    *out = list;
    return count;
}
ALSO(scandir, scandir64);

static void end_looking(void *directory)
{
    closedir(directory);
}

/* Reads directories by our functions. */
static void look_through(glob_t *g)
{
    g->gl_opendir = (void *(*)(const char *))opendir;
    g->gl_readdir = (struct dirent * (*)(void *)) readdir;
    g->gl_closedir = end_looking;
    g->gl_stat = stat;
    g->gl_lstat = lstat;
}

EXPORT int glob(const char *restrict pattern, int flags, int (*fails)(const char *, int),
                glob_t *restrict out)
{
    if (!self || (flags & GLOB_ALTDIRFUNC))
        return real.glob(pattern, flags, fails, out);
    look_through(out);
    return real.glob(pattern, flags | GLOB_ALTDIRFUNC, fails, out);
}
ALSO(glob, glob64);

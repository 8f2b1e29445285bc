/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-io: calls that may wait for the world. One that would not wait is simply made; one that
 * would gives the token away for as long as it takes. What it filled in is a write of its
 * thread; what goes to standard output or error is an event. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <fcntl.h>
#include <sys/stat.h>

enum {
    INTO_MAX = 64,      /* pieces of a vector that are recorded */
    PIECE_BYTES = 4096, /* that a pipe takes at once, or not at all */
};

static bool is_ready(int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};
    return sys_call(SYS_poll, (long)&p, 1, 0, 0, 0, 0) != 0;
}

/* Would a call on this descriptor make its thread wait? */
static bool would_wait(int fd, short events)
{
    long flags = sys_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    return flags >= 0 && !(flags & O_NONBLOCK) && !is_ready(fd, events);
}

static void enter_call(struct thr *t)
{
    point_at(t, &real, __heddle_here);
    cancel_check(t);
    t->learnt = true;
    stir(t);
}

static void filled(struct thr *t, const void *p, int64_t len, struct __heddle_site *site)
{
    if (len > 0 && rt.accesses)
        record_event(t,
                     &(struct ev){.kind = EV_WRITE_RANGE,
                                  .addr = (uint64_t)(uintptr_t)p,
                                  .len = (uint64_t)len,
                                  .value = block_sum(p, (uint32_t)len)},
                     site);
}

static void printed(struct thr *t, int fd, int64_t len, struct __heddle_site *site)
{
    if (len > 0 && rt.recording && (fd == 1 || fd == 2))
        record_event(
            t, &(struct ev){.kind = EV_OUTPUT, .number = (uint64_t)fd, .len = (uint64_t)len},
            site);
}

/* A call outside, again if a handler came in between that says so. errno is the call's. */
#define MAKE_OUTSIDE(result, call)                                    \
    do {                                                              \
        int error;                                                    \
        do {                                                          \
            OUTSIDE(out, t, sched_goes_outside(t, true));             \
            result = call;                                            \
            error = errno;                                            \
            outside_end(&out);                                        \
            cancel_check(t);                                          \
        } while (result < 0 && error == EINTR && signal_restarts(t)); \
        sched_look_at_fds();                                          \
        errno = error;                                                \
    } while (0)

/* Waits until a call on this descriptor would not. False: a handler says it is over. */
static bool await(struct thr *t, int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};
    bool waits = sched_goes_outside(t, would_wait(fd, events));
    while (waits) {
        enum wake_how how = sched_block_fds(t, &p, 1, NEVER);
        if (how == WAKE_CANCEL)
            cancel_check(t);
        if (how == WAKE_SIGNAL && t->interrupted) {
            t->interrupted = false;
            errno = EINTR;
            return false;
        }
        waits = how == WAKE_SIGNAL && !is_ready(fd, events);
    }
    return true;
}

/* A call that waits for one descriptor. */
#define MAKE(result, fd, events, call)             \
    do {                                           \
        result = await(t, fd, events) ? call : -1; \
        int error = errno;                         \
        sched_look_at_fds();                       \
        errno = error;                             \
    } while (0)

/* ---- reading and writing ------------------------------------------------------------- */

EXPORT ssize_t read(int fd, void *p, size_t len)
{
    struct thr *t = self;
    if (!t)
        return real.read(fd, p, len);
    struct __heddle_site *site = __heddle_here;
    ssize_t n;
    enter_call(t);
    MAKE(n, fd, POLLIN, real.read(fd, p, len));
    filled(t, p, n, site);
    return n;
}

static void filled_vector(struct thr *t, const struct iovec *v, int count, ssize_t n,
                          struct __heddle_site *site)
{
    for (int i = 0; i < count && i < INTO_MAX && n > 0; i++) {
        ssize_t len = (size_t)n < v[i].iov_len ? n : (ssize_t)v[i].iov_len;
        filled(t, v[i].iov_base, len, site);
        n -= len;
    }
}

EXPORT ssize_t readv(int fd, const struct iovec *v, int count)
{
    struct thr *t = self;
    if (!t)
        return real.readv(fd, v, count);
    struct __heddle_site *site = __heddle_here;
    ssize_t n;
    enter_call(t);
    MAKE(n, fd, POLLIN, real.readv(fd, v, count));
    filled_vector(t, v, count, n, site);
    return n;
}

/* A pipe or socket that takes only a part would make us wait with the token in hand. */
static bool would_block(int fd)
{
    struct stat st;
    long flags = sys_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    return flags >= 0 && !(flags & O_NONBLOCK) &&
           sys_call(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) == 0 &&
           (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static ssize_t write_pieces(struct thr *t, int fd, const void *p, size_t len)
{
    size_t done = 0;
    while (done < len) {
        size_t piece = len - done < PIECE_BYTES ? len - done : PIECE_BYTES;
        ssize_t n;
        if (done)
            point(t);
        MAKE(n, fd, POLLOUT, real.write(fd, (const char *)p + done, piece));
        if (n < 0)
            return done ? (ssize_t)done : n;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

EXPORT ssize_t write(int fd, const void *p, size_t len)
{
    struct thr *t = self;
    if (!t)
        return real.write(fd, p, len);
    struct __heddle_site *site = __heddle_here;
    ssize_t n;
    enter_call(t);
    if (len > PIECE_BYTES && would_block(fd))
        n = write_pieces(t, fd, p, len);
    else
        MAKE(n, fd, POLLOUT, real.write(fd, p, len));
    printed(t, fd, n, site);
    return n;
}

EXPORT ssize_t writev(int fd, const struct iovec *v, int count)
{
    struct thr *t = self;
    if (!t)
        return real.writev(fd, v, count);
    struct __heddle_site *site = __heddle_here;
    ssize_t n;
    enter_call(t);
    MAKE(n, fd, POLLOUT, real.writev(fd, v, count));
    printed(t, fd, n, site);
    return n;
}

/* ---- sockets ------------------------------------------------------------------------- */

#define SOCKET(type, name, parameters, arguments, events, after) \
    EXPORT type name parameters                                  \
    {                                                            \
        struct thr *t = self;                                    \
        if (!t)                                                  \
            return real.name arguments;                          \
        struct __heddle_site *site = __heddle_here;              \
        type n;                                                  \
        (void)site;                                              \
        enter_call(t);                                           \
        MAKE(n, fd, events, real.name arguments);                \
        after;                                                   \
        return n;                                                \
    }

SOCKET(int, accept, (int fd, struct sockaddr *restrict a, socklen_t *restrict len),
       (fd, a, len), POLLIN, )
SOCKET(int, accept4, (int fd, struct sockaddr *restrict a, socklen_t *restrict len, int flags),
       (fd, a, len, flags), POLLIN, )
SOCKET(ssize_t, recv, (int fd, void *p, size_t len, int flags), (fd, p, len, flags), POLLIN,
       filled(t, p, n, site))
SOCKET(ssize_t, recvfrom,
       (int fd, void *restrict p, size_t len, int flags, struct sockaddr *restrict a,
        socklen_t *restrict a_len),
       (fd, p, len, flags, a, a_len), POLLIN, filled(t, p, n, site))
SOCKET(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags), POLLIN,
       filled_vector(t, m->msg_iov, (int)m->msg_iovlen, n, site))
SOCKET(ssize_t, send, (int fd, const void *p, size_t len, int flags), (fd, p, len, flags),
       POLLOUT, )
SOCKET(ssize_t, sendto,
       (int fd, const void *p, size_t len, int flags, const struct sockaddr *a, socklen_t al),
       (fd, p, len, flags, a, al), POLLOUT, )
SOCKET(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags), POLLOUT, )

/* Begun without waiting, then waited for like everything else. */
static int connect_waiting(struct thr *t, int fd, const struct sockaddr *a, socklen_t len,
                           long flags)
{
    int error = 0;
    socklen_t error_bytes = sizeof error;
    sys_call(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK, 0, 0, 0);
    int n = real.connect(fd, a, len);
    sys_call(SYS_fcntl, fd, F_SETFL, flags, 0, 0, 0);
    if (n == 0 || errno != EINPROGRESS)
        return n;
    sched_look_at_fds();
    if (!await(t, fd, POLLOUT))
        return -1;
    real.poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_bytes);
    if (!error)
        return 0;
    errno = error;
    return -1;
}

EXPORT int connect(int fd, const struct sockaddr *a, socklen_t len)
{
    struct thr *t = self;
    if (!t)
        return real.connect(fd, a, len);
    long flags = sys_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    enter_call(t);
    int n = flags < 0 || (flags & O_NONBLOCK) ? real.connect(fd, a, len)
                                              : connect_waiting(t, fd, a, len, flags);
    int error = errno;
    sched_look_at_fds();
    errno = error;
    return n;
}

/* ---- waiting for several things ------------------------------------------------------ */

#define MILLISECOND_NS ((uint64_t)1000000)
#define SECOND_NS (1000 * MILLISECOND_NS)

/* Until one is ready, or the time is up; -1 with EINTR if a handler says so. */
static bool await_any(struct thr *t, struct pollfd *fds, uint32_t count, uint64_t deadline)
{
    enum wake_how how = sched_block_fds(t, fds, count, deadline);
    if (how == WAKE_CANCEL)
        cancel_check(t);
    return how != WAKE_SIGNAL;
}

static int wait_any(struct thr *t, struct pollfd *fds, nfds_t count, uint64_t ns)
{
    enter_call(t);
    int n = (int)sys_call(SYS_poll, (long)fds, (long)count, 0, 0, 0, 0);
    if (n >= 0 && ns && sched_goes_outside(t, n == 0)) {
        uint64_t deadline = ns == NEVER ? NEVER : sched_now() + ns;
        n = await_any(t, fds, (uint32_t)count, deadline)
                ? (int)sys_call(SYS_poll, (long)fds, (long)count, 0, 0, 0, 0)
                : -EINTR;
    }
    if (n >= 0)
        return n;
    errno = -n;
    return -1;
}

EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    struct thr *t = self;
    if (!t)
        return real.poll(fds, count, timeout_ms);
    if (count == 0 && timeout_ms >= 0)
        return usleep((useconds_t)timeout_ms * 1000);
    return wait_any(t, fds, count,
                    timeout_ms < 0 ? NEVER : (uint64_t)timeout_ms * MILLISECOND_NS);
}

static uint64_t span_ns(const struct timespec *span)
{
    return span ? (uint64_t)span->tv_sec * SECOND_NS + (uint64_t)span->tv_nsec : NEVER;
}

EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                 const sigset_t *mask)
{
    struct thr *t = self;
    int n;
    if (!t)
        return real.ppoll(fds, count, timeout, mask);
    if (!mask)
        return wait_any(t, fds, count, span_ns(timeout));
    enter_call(t);
    MAKE_OUTSIDE(n, real.ppoll(fds, count, timeout, mask));
    return n;
}

static uint32_t fds_of(int count, const fd_set *r, const fd_set *w, const fd_set *e,
                       struct pollfd *out)
{
    uint32_t n = 0;
    for (int fd = 0; fd < count && fd < FD_SETSIZE; fd++) {
        int events = (r && FD_ISSET(fd, r) ? POLLIN : 0) |
                     (w && FD_ISSET(fd, w) ? POLLOUT : 0) |
                     (e && FD_ISSET(fd, e) ? POLLPRI : 0);
        if (events)
            out[n++] = (struct pollfd){.fd = fd, .events = (short)events};
    }
    return n;
}

EXPORT int select(int count, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
                  struct timeval *restrict timeout)
{
    struct thr *t = self;
    struct pollfd fds[FD_SETSIZE];
    if (!t)
        return real.select(count, r, w, e, timeout);
    uint64_t ns =
        timeout ? (uint64_t)timeout->tv_sec * SECOND_NS + (uint64_t)timeout->tv_usec * 1000
                : NEVER;
    int n = wait_any(t, fds, fds_of(count, r, w, e, fds), ns);
    struct timeval zero = {0, 0};
    return n < 0 ? n : real.select(count, r, w, e, &zero);
}

EXPORT int pselect(int count, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
                   const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
    struct thr *t = self;
    struct pollfd fds[FD_SETSIZE];
    if (!t)
        return real.pselect(count, r, w, e, timeout, mask);
    int n;
    if (mask) {
        enter_call(t);
        MAKE_OUTSIDE(n, real.pselect(count, r, w, e, timeout, mask));
        return n;
    }
    n = wait_any(t, fds, fds_of(count, r, w, e, fds), span_ns(timeout));
    struct timeval zero = {0, 0};
    return n < 0 ? n : real.select(count, r, w, e, &zero);
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int count, int timeout_ms,
                       const sigset_t *mask)
{
    struct thr *t = self;
    if (!t)
        return real.epoll_pwait(fd, events, count, timeout_ms, mask);
    struct __heddle_site *site = __heddle_here;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int n = wait_any(t, &p, 1, timeout_ms < 0 ? NEVER : (uint64_t)timeout_ms * MILLISECOND_NS);
    if (n >= 0)
        n = real.epoll_pwait(fd, events, count, 0, mask);
    filled(t, events, n * (int64_t)sizeof *events, site);
    return n;
}

EXPORT int epoll_wait(int fd, struct epoll_event *events, int count, int timeout_ms)
{
    if (!self)
        return real.epoll_wait(fd, events, count, timeout_ms);
    return epoll_pwait(fd, events, count, timeout_ms, NULL);
}

EXPORT int close(int fd)
{
    struct thr *t = self;
    if (!t)
        return real.close(fd);
    enter_call(t);
    int n = real.close(fd), error = errno;
    sched_look_at_fds();
    errno = error;
    return n;
}

EXPORT int shutdown(int fd, int how)
{
    struct thr *t = self;
    if (!t)
        return real.shutdown(fd, how);
    enter_call(t);
    int n = real.shutdown(fd, how), error = errno;
    sched_look_at_fds();
    errno = error;
    return n;
}

/* ---- children ------------------------------------------------------------------------ */

EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    struct thr *t = self;
    if (!t)
        return real.wait4(pid, status, options, usage);
    enter_call(t);
    pid_t n = 0;
    if (!sched_follows() || (options & WNOHANG))
        n = real.wait4(pid, status, options | WNOHANG, usage);
    if (n != 0 || (options & WNOHANG))
        return n;
    MAKE_OUTSIDE(n, real.wait4(pid, status, options, usage));
    return n;
}

EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    return self ? wait4(pid, status, options, NULL) : real.waitpid(pid, status, options);
}

EXPORT pid_t wait(int *status)
{
    return self ? wait4(-1, status, 0, NULL) : real.wait(status);
}

EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    struct thr *t = self;
    if (!t)
        return real.waitid(type, id, info, options);
    int n;
    enter_call(t);
    if (options & WNOHANG)
        return real.waitid(type, id, info, options);
    MAKE_OUTSIDE(n, real.waitid(type, id, info, options));
    return n;
}

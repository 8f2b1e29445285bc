/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-io: calls that may wait for the world. A thread that would wait is parked until its
 * descriptor is ready, and makes its call with the token in hand; nothing here waits really.
 * What a call returns and fills in goes to the log (input.c), from which a replay answers it:
 * there the schedule says whether it waited, and nothing is asked of the descriptor. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/un.h>

#define MILLISECOND_NS ((uint64_t)1000000)
#define SECOND_NS (1000 * MILLISECOND_NS)

enum { PIECE_BYTES = 4096 }; /* that a pipe takes at once, or not at all */

static bool is_ready(int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};
    return sys_call(SYS_poll, (long)&p, 1, 0, 0, 0, 0) != 0;
}

/* One that is open for the other direction only answers at once. */
static bool is_open_for(long flags, short events)
{
    return (flags & O_ACCMODE) != (events & POLLIN ? O_WRONLY : O_RDONLY);
}

/* Is it to wait, as it would have to? The schedule knows; and where it says no, the kernel
 * shows soon what it then showed, if all who are outside are played. */
static bool goes_outside(const struct thr *t, struct pollfd *fds, nfds_t count, bool must_wait)
{
    bool waits = sched_goes_outside(t, must_wait);
    if (must_wait && !waits && rt.play &&
        sys_call(SYS_poll, (long)fds, (long)count, SHOWN_MS, 0, 0, 0) == 0)
        outcome_diverged("a call has to wait that did not when the schedule was recorded");
    return waits;
}

/* Would a call on this descriptor make its thread wait? In a replay the schedule knows. */
static bool would_wait(const struct thr *t, int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};
    if (rt.input.exact)
        return sched_goes_outside(t, false);
    long flags = sys_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    return goes_outside(t, &p, 1,
                        flags >= 0 && !(flags & O_NONBLOCK) && is_open_for(flags, events) &&
                            !is_ready(fd, events));
}

/* Waits until a call on this descriptor would not. An error: a handler says that it is over, or
 * time, by `late`. */
static int await_until(struct call *c, short events, uint64_t deadline, int late)
{
    struct thr *t = c->thr;
    struct pollfd p = {.fd = c->fd, .events = events};
    while (would_wait(t, c->fd, events)) {
        c->waited = true;
        t->interrupted = false;
        enum wake_how how = sched_block_fds(t, &p, 1, deadline);
        if (how == WAKE_CANCEL)
            cancel_check(t);
        if (how == WAKE_SIGNAL && t->interrupted)
            return EINTR;
        if (how == WAKE_TIMEOUT && !rt.input.exact)
            return late;
    }
    return 0;
}

/* As long as its patience is. */
static int await(struct call *c, short events)
{
    uint64_t span = descriptor_patience_ns(c->fd, events);
    return await_until(c, events, span == NEVER ? NEVER : sched_now() + span, EAGAIN);
}

static bool made_unless(struct call *c, int error)
{
    if (!call_live(c))
        return false;
    c->result = error ? -1 : 0;
    c->error = error;
    return !error;
}

/* Waits, and says whether the call is to be made. One that a handler interrupted is not. */
bool io_begin(struct call *c, int fd, short events)
{
    c->fd = fd;
    if (events & POLLOUT)
        peer_before();
    bool is_made = made_unless(c, await(c, events));
    if (is_made && events & POLLIN)
        datagram_next(fd);
    return is_made;
}

/* The same for a call that says how long. A deadline of 0 is none that could be waited for. */
bool io_begin_until(struct call *c, int fd, short events, uint64_t deadline)
{
    c->fd = fd;
    if (deadline == 0 && would_wait(c->thr, fd, events))
        return made_unless(c, EINVAL);
    return made_unless(c, await_until(c, events, deadline, ETIMEDOUT));
}

/* Is it another kind of socket than the call wants, or none? It answers at once then. */
static bool is_no_socket(int fd, bool listening)
{
    int listens = 0;
    socklen_t len = sizeof listens;
    return !rt.input.exact && (sys_call(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN,
                                        (long)&listens, (long)&len, 0) < 0 ||
                               (listens != 0) != listening);
}

/* For a call that does not wait, whatever it is about. */
static bool io_begin_at_once(struct call *c, int fd)
{
    c->fd = fd;
    return call_live(c);
}

/* A call on a socket may say that it does not wait. */
static bool io_begin_receive(struct call *c, int fd, int flags)
{
    bool waits = !(flags & MSG_DONTWAIT) && !is_no_socket(fd, false);
    c->peeks = flags & (MSG_PEEK | MSG_ERRQUEUE);
    bool is_made = waits ? io_begin(c, fd, POLLIN) : io_begin_at_once(c, fd);
    if (is_made && !waits)
        datagram_next(fd);
    return is_made;
}

static bool io_begin_accept(struct call *c, int fd)
{
    return is_no_socket(fd, true) ? io_begin_at_once(c, fd) : io_begin(c, fd, POLLIN);
}

static void printed(const struct call *c, int fd)
{
    if (c->result > 0 && rt.recording && (fd == 1 || fd == 2))
        record_event(
            c->thr,
            &(struct ev){.kind = EV_OUTPUT, .number = (uint64_t)fd, .len = (uint64_t)c->result},
            c->site);
}

/* ---- reading ------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct iovec *v, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += v[i].iov_len;
    return bytes;
}

/* What changes nothing but when the call returns. */
static bool is_plain(int flags)
{
    return !(flags & ~(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_WAITALL | MSG_CMSG_CLOEXEC));
}

static void moves(struct call *c, uint64_t asked)
{
    c->moves = true;
    c->asked = asked;
}

/* The bytes that a call read into a vector. */
static void fills_vector(struct call *c, const struct iovec *v, size_t count)
{
    int64_t left = c->live ? c->result : 0;
    for (c->kept = 0; c->live && c->kept < count && left > 0; c->kept++)
        left -= (int64_t)v[c->kept].iov_len;
    call_keeps(c, &c->kept, sizeof c->kept);
    left = c->result;
    for (size_t i = 0; i < c->kept && i < count; i++) {
        int64_t len = (size_t)left < v[i].iov_len ? left : (int64_t)v[i].iov_len;
        call_fills(c, v[i].iov_base, len);
        left -= len;
    }
}

#define READS(type, name, parameters, arguments, begin, filled) \
    EXPORT type name parameters                                 \
    {                                                           \
        CALL_BEGUN(name, arguments);                            \
        if (begin)                                              \
            CALL_MADE(c, real.name arguments);                  \
        filled;                                                 \
        return (type)call_end(&c);                              \
    }

EXPORT ssize_t read(int fd, void *p, size_t len)
{
    struct thr *t = self;
    if (!t)
        return real.read(fd, p, len);
    struct call c = call_begin(t, "read");
    if (io_begin(&c, fd, POLLIN))
        CALL_MADE(c, chance_read(t, fd, p, len));
    moves(&c, len);
    call_fills(&c, p, c.result);
    return (ssize_t)call_end(&c);
}

READS(ssize_t, readv, (int fd, const struct iovec *v, int count), (fd, v, count),
      io_begin(&c, fd, POLLIN), moves(&c, bytes_of(v, (size_t)count));
      fills_vector(&c, v, (size_t)count))
/* A place to read at is refused where one might have to wait. */
READS(ssize_t, pread, (int fd, void *p, size_t len, off_t at), (fd, p, len, at),
      io_begin_at_once(&c, fd), call_fills(&c, p, c.result))
READS(ssize_t, preadv, (int fd, const struct iovec *v, int count, off_t at), (fd, v, count, at),
      io_begin_at_once(&c, fd), fills_vector(&c, v, (size_t)count))
/* Unless the place is where the descriptor stands. */
READS(ssize_t, preadv2, (int fd, const struct iovec *v, int count, off_t at, int flags),
      (fd, v, count, at, flags),
      at == -1 && !(flags & RWF_NOWAIT) ? io_begin(&c, fd, POLLIN) : io_begin_at_once(&c, fd),
      fills_vector(&c, v, (size_t)count))
/* From another process, or from this one. */
CALL(ssize_t, process_vm_readv,
     (pid_t pid, const struct iovec *v, unsigned long count, const struct iovec *from,
      unsigned long from_count, unsigned long flags),
     (pid, v, count, from, from_count, flags), fills_vector(&c, v, count))
ALSO(pread, pread64);
ALSO(preadv, preadv64);
ALSO(preadv2, preadv64v2);

EXPORT int eventfd_read(int fd, eventfd_t *value)
{
    return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}

ssize_t __read_chk(int fd, void *p, size_t len, size_t room);
ssize_t __pread_chk(int fd, void *p, size_t len, off_t at, size_t room);
ssize_t __recv_chk(int fd, void *p, size_t len, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *p, size_t len, size_t room, int flags, struct sockaddr *a,
                       socklen_t *a_len);
int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t room);

EXPORT ssize_t __read_chk(int fd, void *p, size_t len, size_t room)
{
    (void)room;
    return read(fd, p, len);
}

EXPORT ssize_t __pread_chk(int fd, void *p, size_t len, off_t at, size_t room)
{
    (void)room;
    return pread(fd, p, len, at);
}

/* ---- writing ------------------------------------------------------------------------- */

/* What goes to standard output or error is shown in a replay too. */
void io_show(const struct call *c, int fd, const struct iovec *v, int count)
{
    int64_t left = c->live || !descriptor_is_shown(fd) ? 0 : c->result;
    for (int i = 0; i < count && left > 0; i++) {
        const char *p = v[i].iov_base;
        int64_t len = (size_t)left < v[i].iov_len ? left : (int64_t)v[i].iov_len;
        left -= len;
        while (len > 0) {
            long n = sys_write(fd, p, (uint64_t)len);
            if (n <= 0 && n != -EINTR)
                return;
            p += n > 0 ? n : 0;
            len -= n > 0 ? n : 0;
        }
    }
}

static bool write_begin(struct call *c, int fd, int flags)
{
    return flags & MSG_DONTWAIT ? io_begin_at_once(c, fd) : io_begin(c, fd, POLLOUT);
}

/* at: where it was to be written; -1: where the descriptor stands. */
static int64_t write_end(struct call *c, int fd, const struct iovec *v, int count, int64_t at)
{
    c->said = v;
    io_show(c, fd, v, count);
    mapped_written(c, fd, v, count, at);
    printed(c, fd);
    return call_end(c);
}

/* Bytes without borders between messages. */
static bool is_stream(int fd)
{
    int type = 0;
    socklen_t bytes = sizeof type;
    return real.getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 && type == SOCK_STREAM;
}

/* A pipe or socket that takes only a part would make us wait with the token in hand. */
static bool takes_parts(int fd)
{
    struct stat st;
    if (rt.input.exact)
        return false;
    long flags = sys_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    return flags >= 0 && !(flags & O_NONBLOCK) &&
           sys_call(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) == 0 &&
           (S_ISFIFO(st.st_mode) || (S_ISSOCK(st.st_mode) && is_stream(fd)));
}

/* Something to write, by one of several calls. */
struct output {
    const char *name;
    int fd, flags;
    bool is_send;
    const struct sockaddr *to;
    socklen_t to_len;
};

static ssize_t make_output(const struct output *o, const struct iovec *v)
{
    struct sockaddr_storage own;
    socklen_t len = o->to_len;
    const struct sockaddr *to = o->is_send ? datagram_way(o->fd, o->to, &len, &own) : NULL;
    if (o->is_send)
        return real.sendto(o->fd, v->iov_base, v->iov_len, o->flags, to, len);
    return real.write(o->fd, v->iov_base, v->iov_len);
}

/* One call for the target, several for us if a pipe cannot take it all at once. */
static ssize_t write_all(struct thr *t, const struct output *o, const void *p, size_t len)
{
    size_t done = 0;
    for (;;) {
        struct call c = call_begin(t, o->name);
        struct iovec rest = {(char *)(uintptr_t)p + done, len - done};
        struct iovec part = rest;
        bool is_cut =
            len - done > PIECE_BYTES && !(o->flags & MSG_DONTWAIT) && takes_parts(o->fd);
        if (is_cut)
            part.iov_len = PIECE_BYTES;
        c.to = o->to;
        c.to_len = o->to_len;
        if (write_begin(&c, o->fd, o->flags))
            CALL_MADE(c, make_output(o, &part));
        bool goes_on = is_cut && c.result == PIECE_BYTES;
        call_keeps(&c, &goes_on, sizeof goes_on);
        c.moves = is_plain(o->flags);
        c.asked = goes_on ? PIECE_BYTES : rest.iov_len;
        ssize_t n = write_end(&c, o->fd, &rest, 1, -1);
        if (n < 0)
            return done ? (ssize_t)done : n;
        done += (size_t)n;
        if (!goes_on)
            return (ssize_t)done;
    }
}

EXPORT ssize_t write(int fd, const void *p, size_t len)
{
    struct thr *t = self;
    return t ? write_all(t, &(struct output){.name = "write", .fd = fd}, p, len)
             : real.write(fd, p, len);
}

/* The beginning of a vector, as much as is taken at once. */
enum { CUT_PARTS = 64 };
static int cut(const struct iovec *v, size_t count, struct iovec out[CUT_PARTS])
{
    size_t left = PIECE_BYTES;
    int n = 0;
    for (; n < CUT_PARTS && (size_t)n < count && left > 0; n++) {
        out[n] = v[n];
        if (out[n].iov_len > left)
            out[n].iov_len = left;
        left -= out[n].iov_len;
    }
    return n;
}

/* Behind the first bytes of a vector, the rest, one part after the other. */
static ssize_t write_rest(struct thr *t, const struct output *o, const struct iovec *v,
                          size_t count, size_t done)
{
    size_t skip = done;
    for (size_t i = 0; i < count; i++) {
        size_t before = skip < v[i].iov_len ? skip : v[i].iov_len, len = v[i].iov_len - before;
        skip -= before;
        if (len == 0)
            continue;
        ssize_t n = write_all(t, o, (const char *)v[i].iov_base + before, len);
        if (n < 0)
            return (ssize_t)done;
        done += (size_t)n;
        if ((size_t)n < len)
            return (ssize_t)done;
    }
    return (ssize_t)done;
}

static ssize_t send_message(const struct output *o, struct msghdr *m)
{
    struct sockaddr_storage own;
    m->msg_name = (void *)(uintptr_t)datagram_way(o->fd, m->msg_name, &m->msg_namelen, &own);
    return real.sendmsg(o->fd, m, o->flags);
}

/* A message or, without one, a vector. */
static ssize_t write_vector(struct thr *t, const struct output *o, const struct msghdr *m,
                            const struct iovec *v, size_t count)
{
    struct iovec first[CUT_PARTS];
    struct msghdr head = m ? *m : (struct msghdr){0};
    uint64_t all = bytes_of(v, count);
    struct call c = call_begin(t, o->name);
    bool is_cut = all > PIECE_BYTES && !(o->flags & MSG_DONTWAIT) && takes_parts(o->fd);
    int parts = is_cut ? cut(v, count, first) : (int)count;
    head.msg_iov = is_cut ? first : (struct iovec *)(uintptr_t)v;
    head.msg_iovlen = (size_t)parts;
    uint64_t asked = is_cut ? bytes_of(first, (size_t)parts) : all;
    c.to = m ? m->msg_name : NULL;
    c.to_len = m ? m->msg_namelen : 0;
    if (write_begin(&c, o->fd, o->flags))
        CALL_MADE(c, m ? send_message(o, &head) : real.writev(o->fd, head.msg_iov, parts));
    bool goes_on = is_cut && c.result == (int64_t)asked;
    call_keeps(&c, &goes_on, sizeof goes_on);
    c.moves = is_plain(o->flags);
    c.asked = goes_on ? (uint64_t)c.result : all;
    ssize_t n = write_end(&c, o->fd, v, (int)count, -1);
    return goes_on && n > 0 ? write_rest(t, o, v, count, (size_t)n) : n;
}

EXPORT int eventfd_write(int fd, eventfd_t value)
{
    return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}

#define WRITES(type, name, parameters, arguments, vector, count) \
    EXPORT type name parameters                                  \
    {                                                            \
        CALL_BEGUN(name, arguments);                             \
        if (write_begin(&c, fd, 0))                              \
            CALL_MADE(c, real.name arguments);                   \
        return (type)write_end(&c, fd, vector, count, at);       \
    }

WRITES(ssize_t, pwrite, (int fd, const void *p, size_t len, off_t at), (fd, p, len, at),
       (&(struct iovec){(void *)(uintptr_t)p, len}), 1)
WRITES(ssize_t, pwritev, (int fd, const struct iovec *v, int count, off_t at),
       (fd, v, count, at), v, count)
ALSO(pwrite, pwrite64);
ALSO(pwritev, pwritev64);

EXPORT ssize_t writev(int fd, const struct iovec *v, int count)
{
    struct thr *t = self;
    if (!t || count < 0)
        return real.writev(fd, v, count);
    return write_vector(t, &(struct output){.name = "writev", .fd = fd}, NULL, v,
                        (size_t)count);
}

/* At the place where the descriptor stands it is a writev, which may wait. */
EXPORT ssize_t pwritev2(int fd, const struct iovec *v, int count, off_t at, int flags)
{
    struct thr *t = self;
    if (!t)
        return real.pwritev2(fd, v, count, at, flags);
    if (at == -1 && flags == 0)
        return writev(fd, v, count);
    struct iovec first[CUT_PARTS];
    struct call c = call_begin(t, "pwritev2");
    bool is_cut = at == -1 && count > 0 && !(flags & RWF_NOWAIT) && takes_parts(fd);
    int parts = is_cut ? cut(v, (size_t)count, first) : count;
    if (write_begin(&c, fd, flags & RWF_NOWAIT ? MSG_DONTWAIT : 0))
        CALL_MADE(c, real.pwritev2(fd, is_cut ? first : v, parts, at, flags));
    return write_end(&c, fd, v, count, at);
}
ALSO(pwritev2, pwritev64v2);

EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
    struct thr *t = self;
    if (!t)
        return real.sendmsg(fd, m, flags);
    struct output o = {.name = "sendmsg", .fd = fd, .flags = flags, .is_send = true};
    if (m->msg_controllen)
        channel_shared(); /* descriptors may go along */
    return write_vector(t, &o, m, m->msg_iov, m->msg_iovlen);
}

EXPORT ssize_t sendto(int fd, const void *p, size_t len, int flags, const struct sockaddr *a,
                      socklen_t a_len)
{
    struct thr *t = self;
    if (!t)
        return real.sendto(fd, p, len, flags, a, a_len);
    struct output o = {"sendto", fd, flags, true, a, a_len};
    return write_all(t, &o, p, len);
}

EXPORT ssize_t send(int fd, const void *p, size_t len, int flags)
{
    struct thr *t = self;
    if (!t)
        return real.send(fd, p, len, flags);
    struct output o = {.name = "send", .fd = fd, .flags = flags, .is_send = true};
    return write_all(t, &o, p, len);
}

/* In pieces where it would make us wait, as write is. */
EXPORT ssize_t sendfile(int fd, int from, off_t *at, size_t len)
{
    struct thr *t = self;
    if (!t)
        return real.sendfile(fd, from, at, len);
    for (size_t done = 0;;) {
        struct call c = call_begin(t, "sendfile");
        size_t left = len - done;
        bool is_cut = left > PIECE_BYTES && takes_parts(fd);
        if (write_begin(&c, fd, 0))
            CALL_MADE(c, real.sendfile(fd, from, at, is_cut ? PIECE_BYTES : left));
        bool goes_on = is_cut && c.result > 0;
        call_keeps(&c, &goes_on, sizeof goes_on);
        call_fills(&c, at, c.live && at ? (int64_t)sizeof *at : 0);
        file_asked(&c, channel_node(from));
        ssize_t n = write_end(&c, fd, NULL, 0, -1);
        if (n < 0)
            return done ? (ssize_t)done : n;
        done += (size_t)n;
        if (!goes_on)
            return (ssize_t)done;
    }
}
ALSO(sendfile, sendfile64);

#define MOVES(name)                                                                         \
    EXPORT ssize_t name(int from, off_t *at, int fd, off_t *to, size_t len, unsigned flags) \
    {                                                                                       \
        struct thr *t = self;                                                               \
        if (!t)                                                                             \
            return real.name(from, at, fd, to, len, flags);                                 \
        struct call c = call_begin(t, #name);                                               \
        c.fd = from;                                                                        \
        await(&c, POLLIN);                                                                  \
        if (io_begin(&c, fd, POLLOUT))                                                      \
            CALL_MADE(c, real.name(from, at, fd, to, len, flags));                          \
        channel_shared();                                                                   \
        channel_pin(&c);                                                                    \
        file_asked(&c, channel_node(from));                                                 \
        file_changed(&c, channel_node(fd));                                                 \
        call_fills(&c, at, c.live &&at ? (int64_t)sizeof *at : 0);                          \
        call_fills(&c, to, c.live &&to ? (int64_t)sizeof *to : 0);                          \
        mapped_written(&c, fd, NULL, 0, 0);                                                 \
        return call_end(&c);                                                                \
    }

MOVES(copy_file_range)
MOVES(splice)

EXPORT ssize_t tee(int from, int fd, size_t len, unsigned flags)
{
    struct thr *t = self;
    if (!t)
        return real.tee(from, fd, len, flags);
    struct call c = call_begin(t, "tee");
    bool waits = !(flags & SPLICE_F_NONBLOCK);
    c.fd = from;
    int error = waits ? await(&c, POLLIN) : 0;
    c.fd = fd;
    error = waits && !error ? await(&c, POLLOUT) : error;
    if (made_unless(&c, error))
        CALL_MADE(c, real.tee(from, fd, len, flags));
    channel_shared();
    channel_pin(&c);
    file_asked(&c, channel_node(from));
    file_changed(&c, channel_node(fd));
    return call_end(&c);
}

/* One part of a vector, as much of it as the pipe takes or has. goes_on: the rest of it
 * follows, or the next one. */
static ssize_t vmsplice_part(struct thr *t, int fd, const struct iovec *part, unsigned flags,
                             bool *goes_on)
{
    struct call c = call_begin(t, "vmsplice");
    long mode = rt.input.exact ? 0 : sys_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    bool reads = mode >= 0 && (mode & O_ACCMODE) == O_RDONLY;
    if (flags & SPLICE_F_NONBLOCK ? io_begin_at_once(&c, fd)
                                  : io_begin(&c, fd, reads ? POLLIN : POLLOUT))
        CALL_MADE(c, real.vmsplice(fd, part, 1, flags | SPLICE_F_NONBLOCK));
    *goes_on = c.result == (int64_t)part->iov_len ||
               (c.result > 0 && !reads && !(flags & SPLICE_F_NONBLOCK));
    call_keeps(&c, goes_on, sizeof *goes_on);
    call_keeps(&c, &reads, sizeof reads);
    call_fills(&c, part->iov_base, reads ? c.result : 0);
    channel_shared();
    channel_pin(&c);
    return call_end(&c);
}

/* What is changed in the memory later may be seen in the pipe: that is not in the record. */
EXPORT ssize_t vmsplice(int fd, const struct iovec *v, size_t count, unsigned flags)
{
    static bool is_named;
    struct thr *t = self;
    if (!t || count == 0)
        return real.vmsplice(fd, v, count, flags);
    if (!is_named)
        outcome_doubt(DOUBT_UNMODELLED_CALL, "vmsplice");
    is_named = true;
    ssize_t done = 0;
    bool goes_on = true;
    for (size_t i = 0, at = 0; goes_on && i < count;) {
        struct iovec part = {(char *)v[i].iov_base + at, v[i].iov_len - at};
        ssize_t n = vmsplice_part(t, fd, &part, flags, &goes_on);
        if (n < 0)
            return done ? done : n;
        done += n;
        at += (size_t)n;
        if (at == v[i].iov_len) {
            at = 0;
            i++;
        }
    }
    return done;
}

/* ---- sockets ------------------------------------------------------------------------- */

static int64_t smaller(socklen_t room, socklen_t len)
{
    return room < len ? room : len;
}

/* An address and its length, as far as there was room for it. */
static void fills_address(struct call *c, struct sockaddr *a, socklen_t *len, socklen_t room)
{
    bool has = c->live && c->result >= 0 && a && len;
    call_fills(c, a, has ? smaller(room, *len) : 0);
    call_fills(c, len, has ? (int64_t)sizeof *len : 0);
}

EXPORT int accept4(int fd, struct sockaddr *restrict a, socklen_t *restrict len, int flags)
{
    struct thr *t = self;
    if (!t)
        return real.accept4(fd, a, len, flags);
    socklen_t room = len ? *len : 0;
    struct call c = call_begin(t, "accept");
    if (io_begin_accept(&c, fd))
        CALL_MADE(c, real.accept4(fd, a, len, flags));
    descriptor_new(&c, c.result);
    fills_address(&c, a, len, room);
    connection_taken(&c, fd);
    return (int)call_end(&c);
}

EXPORT int accept(int fd, struct sockaddr *restrict a, socklen_t *restrict len)
{
    return self ? accept4(fd, a, len, 0) : real.accept(fd, a, len);
}

/* Who wants all of it gets it piece by piece, for others must be able to write the rest. */
static ssize_t receive(struct thr *t, const char *name, int fd, void *p, size_t len, int flags,
                       struct sockaddr *a, socklen_t *a_len)
{
    bool all = (flags & MSG_WAITALL) && !(flags & MSG_PEEK);
    size_t done = 0;
    for (;;) {
        struct call c = call_begin(t, name);
        socklen_t room = a_len ? *a_len : 0;
        char *at = (char *)p + done;
        size_t left = len - done;
        if (io_begin_receive(&c, fd, flags))
            CALL_MADE(c, real.recvfrom(fd, at, left, flags & ~MSG_WAITALL, a, a_len));
        if (c.live && c.result >= 0)
            datagram_name(fd, a, a_len, room);
        bool goes_on =
            all && c.live && c.result > 0 && (size_t)c.result < left && is_stream(fd);
        call_keeps(&c, &goes_on, sizeof goes_on);
        c.asked = left;
        c.moves = is_plain(flags);
        call_fills(&c, at, c.result < (int64_t)left ? c.result : (int64_t)left);
        fills_address(&c, a, a_len, room);
        ssize_t n = call_end(&c);
        if (n < 0)
            return done ? (ssize_t)done : n;
        done += (size_t)n;
        if (!goes_on)
            return (ssize_t)done;
    }
}

EXPORT ssize_t recv(int fd, void *p, size_t len, int flags)
{
    struct thr *t = self;
    return t ? receive(t, "recv", fd, p, len, flags, NULL, NULL) : real.recv(fd, p, len, flags);
}

EXPORT ssize_t recvfrom(int fd, void *restrict p, size_t len, int flags,
                        struct sockaddr *restrict a, socklen_t *restrict a_len)
{
    struct thr *t = self;
    return t ? receive(t, "recvfrom", fd, p, len, flags, a, a_len)
             : real.recvfrom(fd, p, len, flags, a, a_len);
}

EXPORT ssize_t __recv_chk(int fd, void *p, size_t len, size_t room, int flags)
{
    (void)room;
    return recv(fd, p, len, flags);
}

EXPORT ssize_t __recvfrom_chk(int fd, void *p, size_t len, size_t room, int flags,
                              struct sockaddr *a, socklen_t *a_len)
{
    (void)room;
    return recvfrom(fd, p, len, flags, a, a_len);
}

/* Descriptors that came with a message. */
static void receive_descriptors(struct call *c, struct msghdr *m)
{
    for (struct cmsghdr *h = CMSG_FIRSTHDR(m); h; h = CMSG_NXTHDR(m, h)) {
        if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (h->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        channel_shared(); /* under other numbers */
        for (size_t i = 0; i < count; i++) {
            int fd;
            __builtin_memcpy(&fd, CMSG_DATA(h) + i * sizeof fd, sizeof fd);
            descriptor_new(c, fd);
        }
    }
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    struct thr *t = self;
    if (!t)
        return real.recvmsg(fd, m, flags);
    struct call c = call_begin(t, "recvmsg");
    socklen_t room = m->msg_namelen;
    if (io_begin_receive(&c, fd, flags))
        CALL_MADE(c, real.recvmsg(fd, m, flags & ~MSG_WAITALL));
    bool has = c.live && c.result >= 0;
    if (has)
        datagram_name(fd, m->msg_name, &m->msg_namelen, room);
    c.asked = bytes_of(m->msg_iov, m->msg_iovlen);
    c.moves = is_plain(flags); /* descriptors that come with it: channel_shared */
    fills_vector(&c, m->msg_iov, m->msg_iovlen);
    call_fills(&c, m->msg_name, has && m->msg_name ? smaller(room, m->msg_namelen) : 0);
    call_fills(&c, m->msg_control, has ? (int64_t)m->msg_controllen : 0);
    call_fills(&c, &m->msg_namelen, has ? (int64_t)sizeof m->msg_namelen : 0);
    call_fills(&c, &m->msg_controllen, has ? (int64_t)sizeof m->msg_controllen : 0);
    call_fills(&c, &m->msg_flags, has ? (int64_t)sizeof m->msg_flags : 0);
    if (c.result >= 0 && m->msg_control)
        receive_descriptors(&c, m);
    return call_end(&c);
}

static void message_done(struct thr *t, struct mmsghdr *m, ssize_t bytes,
                         struct __heddle_site *site)
{
    m->msg_len = (unsigned)bytes;
    memory_filled(t, &m->msg_len, sizeof m->msg_len, site);
}

EXPORT int sendmmsg(int fd, struct mmsghdr *m, unsigned count, int flags)
{
    struct thr *t = self;
    struct __heddle_site *site = __heddle_here;
    if (!t)
        return real.sendmmsg(fd, m, count, flags);
    for (unsigned done = 0; done < count; done++) {
        ssize_t n = sendmsg(fd, &m[done].msg_hdr, flags);
        if (n < 0)
            return done ? (int)done : -1;
        message_done(t, &m[done], n, site);
    }
    return (int)count;
}

/* One message after the other, as long as there is time. With WAITFORONE only the first is
 * waited for. */
EXPORT int recvmmsg(int fd, struct mmsghdr *m, unsigned count, int flags, struct timespec *span)
{
    struct thr *t = self;
    struct __heddle_site *site = __heddle_here;
    if (!t)
        return real.recvmmsg(fd, m, count, flags, span);
    if (span && !time_is_span(span)) {
        errno = EINVAL;
        return -1;
    }
    uint64_t end = span ? sched_now() + time_span_ns(span) : NEVER;
    int later = flags & MSG_WAITFORONE ? MSG_DONTWAIT : 0;
    unsigned done = 0;
    while (done < count && (done == 0 || sched_now() < end)) {
        int how = (flags & ~MSG_WAITFORONE) | (done ? later : 0);
        ssize_t n = recvmsg(fd, &m[done].msg_hdr, how);
        if (n < 0)
            return done ? (int)done : -1;
        message_done(t, &m[done++], n, site);
    }
    return (int)done;
}

/* Begun without waiting, then waited for like everything else. */
static int connect_end(int fd)
{
    int error = 0;
    socklen_t error_bytes = sizeof error;
    real.getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_bytes);
    if (!error)
        return 0;
    errno = error;
    return -1;
}

static int connect_there(int fd, const struct sockaddr *a, socklen_t len)
{
    struct sockaddr_un old;
    int old_fd = -1, n = real.connect(fd, a, len);
    bool is_gone = n < 0 && (errno == ENOENT || errno == ECONNREFUSED);
    const struct sockaddr *outside = is_gone ? apart_outside(a, &len, &old, &old_fd) : NULL;
    if (outside)
        n = real.connect(fd, outside, len);
    int error = errno;
    if (old_fd >= 0)
        sys_close(old_fd);
    errno = error;
    return n;
}

static int connect_begin(int fd, const struct sockaddr *a, socklen_t len, long flags)
{
    sys_call(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK, 0, 0, 0);
    int n = connect_there(fd, a, len), error = errno;
    sys_call(SYS_fcntl, fd, F_SETFL, flags, 0, 0, 0);
    errno = error;
    return n;
}

struct connecting {
    int fd, result, error;
    const struct sockaddr *a;
    socklen_t len;
    long flags;
    bool is_made, waited;
};

/* A listening socket of the Unix domain may be full: nothing says when it is not any more. */
static bool has_begun(struct thr *t)
{
    struct connecting *k = (struct connecting *)(uintptr_t)t->wait_what;
    if (k->is_made)
        return true;
    k->result = connect_begin(k->fd, k->a, k->len, k->flags);
    k->error = errno;
    return k->is_made = k->result >= 0 || k->error != EAGAIN;
}

static int connect_wait(struct thr *t, struct connecting *k)
{
    t->wait_what = k;
    while (sched_goes_outside(t, !rt.input.exact && !has_begun(t))) {
        t->interrupted = false;
        k->waited = true;
        enum wake_how how = sched_block_test(t, has_begun, k, "room to connect", NEVER);
        if (how == WAKE_CANCEL)
            cancel_check(t);
        if (how == WAKE_SIGNAL && t->interrupted)
            return EINTR;
    }
    return 0;
}

/* In two calls of the log: one that begins, and one that ends it if it has to wait. */
EXPORT int connect(int fd, const struct sockaddr *a, socklen_t len)
{
    struct thr *t = self;
    if (!t)
        return real.connect(fd, a, len);
    struct call c = call_begin(t, "connect");
    struct sockaddr_un own;
    struct sockaddr_storage played;
    int refusal = 0;
    c.to = a;
    c.to_len = len;
    a = reach_way(fd, a, &len, &played, &refusal);
    if (a == c.to) {
        a = apart_address(a, &len, &own);
        a = datagram_way(fd, a, &len, &played);
    }
    long flags = rt.input.exact ? 0 : sys_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    bool at_once = flags < 0 || (flags & O_NONBLOCK);
    struct connecting k = {.fd = fd, .a = a, .len = len, .flags = flags};
    if (refusal)
        k = (struct connecting){.is_made = true, .result = -1, .error = refusal};
    if (UNLIKELY(rt.moved_port) && len >= 16 &&
        ((const struct sockaddr_in *)(const void *)a)->sin_port == rt.moved_port)
        outcome_doubt(DOUBT_NOT_RESET, "a port that another run has");
    int late = at_once ? 0 : connect_wait(t, &k);
    c.fd = fd;
    if (call_live(&c) && at_once && !refusal) {
        CALL_MADE(c, connect_there(fd, a, len));
    } else if (c.live) {
        c.result = late ? -1 : k.result;
        c.error = late ? late : k.error;
    }
    bool waits = c.result < 0 && c.error == EINPROGRESS && !at_once;
    call_keeps(&c, &waits, sizeof waits);
    c.waited = k.waited;
    connection_made(&c, a, len);
    bool is_inside = c.is_inside;
    int n = (int)call_end(&c);
    if (!waits)
        return n;
    c = call_begin(t, "connect");
    if (io_begin(&c, fd, POLLOUT))
        CALL_MADE(c, connect_end(fd));
    c.is_inside = is_inside;
    return (int)call_end(&c);
}

/* ---- waiting for several things ------------------------------------------------------ */

static uint64_t span_ns(const struct timespec *span)
{
    return span ? (uint64_t)span->tv_sec * SECOND_NS + (uint64_t)span->tv_nsec : NEVER;
}

/* Would it have to wait? In a replay the schedule knows. */
static bool waits_for_any(struct thr *t, struct pollfd *fds, nfds_t count, uint64_t deadline)
{
    if (rt.input.exact)
        return sched_goes_outside(t, false);
    bool in_time = deadline == NEVER || sched_now() < deadline;
    return goes_outside(t, fds, count,
                        in_time && sys_call(SYS_poll, (long)fds, (long)count, 0, 0, 0, 0) == 0);
}

/* Until one is ready, or the time is up; false if a handler came. */
static bool wait_any(struct thr *t, struct pollfd *fds, nfds_t count, uint64_t ns)
{
    uint64_t deadline = ns == NEVER ? NEVER : sched_now() + ns, handled = t->handled;
    if (ns == 0)
        return true;
    while (waits_for_any(t, fds, count, deadline)) {
        enum wake_how how = sched_block_fds(t, fds, (uint32_t)count, deadline);
        if (how == WAKE_CANCEL)
            cancel_check(t);
        if (how == WAKE_SIGNAL && handled != t->handled)
            return false;
        if (how == WAKE_TIMEOUT && !rt.input.exact)
            return true;
    }
    return true;
}

/* With another mask of signals for as long as it waits. */
static bool wait_masked(struct thr *t, struct pollfd *fds, nfds_t count, uint64_t ns,
                        const sigset_t *mask)
{
    if (!mask)
        return wait_any(t, fds, count, ns);
    uint64_t before = t->mask;
    __builtin_memcpy(&t->mask, mask, sizeof t->mask);
    t->interrupted = false;
    uint64_t handled = t->handled;
    signal_deliver(t, SIGNAL_IN_CALL);
    bool came = handled == t->handled && wait_any(t, fds, count, ns);
    t->mask = before;
    signal_give_back(t, before);
    return came;
}

static bool made_after(struct call *c, bool came)
{
    return made_unless(c, came ? 0 : EINTR);
}

EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                 const sigset_t *mask)
{
    struct thr *t = self;
    if (!t)
        return real.ppoll(fds, count, timeout, mask);
    if (count == 0 && timeout && !mask)
        return nanosleep(timeout, NULL);
    struct call c = call_begin(t, "poll");
    bool came = wait_masked(t, fds, count, span_ns(timeout), mask);
    if (made_after(&c, came))
        CALL_MADE(c, real.poll(fds, count, 0));
    call_fills(&c, fds, c.result >= 0 ? (int64_t)(count * sizeof *fds) : 0);
    c.is_told = true;
    channel_polled(&c, fds, count);
    c.fd = -1;
    return (int)call_end(&c);
}

EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    if (!self)
        return real.poll(fds, count, timeout_ms);
    struct timespec span = {timeout_ms / 1000, timeout_ms % 1000 * (long)MILLISECOND_NS};
    return ppoll(fds, count, timeout_ms < 0 ? NULL : &span, NULL);
}

EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t room)
{
    (void)room;
    return poll(fds, count, timeout_ms);
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

/* What a select says is ready, as poll says it. */
static void selected(struct pollfd *fds, uint32_t n, const fd_set *r, const fd_set *w,
                     const fd_set *e)
{
    for (uint32_t i = 0; i < n; i++) {
        int fd = fds[i].fd, ready = (r && FD_ISSET(fd, r) ? POLLIN : 0) |
                                    (w && FD_ISSET(fd, w) ? POLLOUT : 0) |
                                    (e && FD_ISSET(fd, e) ? POLLPRI : 0);
        fds[i].revents = (short)ready;
    }
}

EXPORT int pselect(int count, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
                   const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
    struct thr *t = self;
    struct pollfd fds[FD_SETSIZE];
    if (!t)
        return real.pselect(count, r, w, e, timeout, mask);
    uint32_t n = fds_of(count, r, w, e, fds);
    if (n == 0 && timeout && !mask)
        return nanosleep(timeout, NULL);
    struct call c = call_begin(t, "select");
    bool came = wait_masked(t, fds, n, span_ns(timeout), mask);
    struct timeval zero = {0, 0};
    if (made_after(&c, came))
        CALL_MADE(c, real.select(count, r, w, e, &zero));
    int64_t bytes = c.result >= 0 ? (count + 63) / 64 * 8 : 0;
    call_fills(&c, r, bytes);
    call_fills(&c, w, bytes);
    call_fills(&c, e, bytes);
    c.is_told = true;
    selected(fds, n, r, w, e);
    channel_polled(&c, fds, n);
    c.fd = -1;
    return (int)call_end(&c);
}

EXPORT int select(int count, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
                  struct timeval *restrict timeout)
{
    if (!self)
        return real.select(count, r, w, e, timeout);
    struct timespec span = {0, 0};
    if (timeout)
        span = (struct timespec){timeout->tv_sec, timeout->tv_usec * 1000};
    return pselect(count, r, w, e, timeout ? &span : NULL, NULL);
}

/* ---- epoll --------------------------------------------------------------------------- *
 * What the target wants to get back may be an address, which is another one in a replay: the
 * kernel is given the descriptor instead, and the rest is kept here. */

struct watch *watch_of(int ep, int fd)
{
    uint64_t key = ((uint64_t)(uint32_t)ep << 32 | (uint32_t)fd) + 1;
    uint64_t i = key * 0x9e3779b97f4a7c15ULL >> 48;
    while (rt.watches[i].key && rt.watches[i].key != key)
        i = (i + 1) % WATCHES_MAX;
    if (!rt.watches[i].key && ++rt.watch_count > WATCHES_MAX / 2)
        outcome_unsupported("more than 32768 descriptors in epoll");
    rt.watches[i].key = key;
    return &rt.watches[i];
}

EXPORT int epoll_ctl(int ep, int op, int fd, struct epoll_event *event)
{
    struct thr *t = self;
    if (!t)
        return real.epoll_ctl(ep, op, fd, event);
    struct epoll_event ours = {.events = event ? event->events : 0, .data.fd = fd};
    struct call c = call_begin(t, "epoll_ctl");
    c.fd = ep;
    if (call_live(&c))
        CALL_MADE(c, real.epoll_ctl(ep, op, fd, event ? &ours : NULL));
    if (c.result == 0 && op != EPOLL_CTL_DEL) {
        watch_of(ep, fd)->data = event->data.u64;
        watch_of(ep, fd)->wants = event->events;
        descriptor_joins(ep, fd);
    }
    if (c.result == 0)
        channel_watch(&c, ep, op, fd, watch_of(ep, fd));
    return (int)call_end(&c);
}

static int epoll_call(struct thr *t, int fd, struct epoll_event *events, int count,
                      uint64_t limit_ns, const sigset_t *mask)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct call c = call_begin(t, "epoll_wait");
    c.fd = fd;
    bool came = wait_masked(t, &p, 1, limit_ns, mask);
    if (made_after(&c, came))
        CALL_MADE(c, real.epoll_wait(fd, events, count, 0));
    int64_t bytes = c.result > 0 ? c.result * (int64_t)sizeof *events : 0;
    call_keeps(&c, events, (uint64_t)bytes);
    c.is_told = true;
    channel_epolled(&c, fd, events, count);
    int n = (int)call_end(&c);
    call_tells(&c, events, (uint64_t)bytes); /* before its value depends on addresses */
    for (int i = 0; i < n; i++)
        events[i].data.u64 = watch_of(fd, events[i].data.fd)->data;
    return n;
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int count, int timeout_ms,
                       const sigset_t *mask)
{
    if (!self)
        return real.epoll_pwait(fd, events, count, timeout_ms, mask);
    uint64_t limit = timeout_ms < 0 ? NEVER : (uint64_t)timeout_ms * MILLISECOND_NS;
    return epoll_call(self, fd, events, count, limit, mask);
}

EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int count,
                        const struct timespec *span, const sigset_t *mask)
{
    if (!self)
        return real.epoll_pwait2(fd, events, count, span, mask);
    if (span && !time_is_span(span)) {
        errno = EINVAL;
        return -1;
    }
    return epoll_call(self, fd, events, count, span_ns(span), mask);
}

EXPORT int epoll_wait(int fd, struct epoll_event *events, int count, int timeout_ms)
{
    if (!self)
        return real.epoll_wait(fd, events, count, timeout_ms);
    return epoll_pwait(fd, events, count, timeout_ms, NULL);
}

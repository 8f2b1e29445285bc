/* SPDX-License-Identifier: Apache-2.0
 *
 * descriptor: what stands behind the target's descriptors. In a run they are what they are; in
 * a replay those that the log gave out are placeholders: /dev/null under the same number, so
 * that what we do not interpose does no harm. Standard output and error stay what they are,
 * under whatever number the target copies them to. */
#include "rt/rt.h"
#include "rt/sys.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

enum { FD_SHOWN = 1, FD_CHANNEL = 2, FD_RANDOM = 4, FD_INSIDE = 8, FD_MADE = 16 };

static bool is_known(int fd)
{
    return fd >= 0 && fd < DESCRIPTORS_MAX;
}

/* One of ours, which the target must not close. */
bool descriptor_is_own(int fd)
{
    return fd >= 0 &&
           (fd == rt.trace_file.fd || fd == rt.schedule_file.fd || fd == rt.input.fd ||
            fd == rt.input.stdin_fd || fd == rt.descriptor.null_fd || fd == rt.peers_fd ||
            fd == rt.alive_fd || mapped_is_own(fd) || peer_is_own(fd));
}

bool descriptor_is_shown(int fd)
{
    return is_known(fd) && (rt.descriptors[fd] & FD_SHOWN);
}

/* May another thread of the target be at its other end? */
bool descriptor_is_channel(int fd)
{
    return is_known(fd) && (rt.descriptors[fd] & FD_CHANNEL);
}

/* Is it one of /dev/random and /dev/urandom? */
bool descriptor_is_random(int fd)
{
    return is_known(fd) && (rt.descriptors[fd] & FD_RANDOM);
}

void descriptor_draws(int64_t fd)
{
    if (fd >= 0 && fd < DESCRIPTORS_MAX)
        rt.descriptors[fd] |= FD_RANDOM;
}

/* The call that makes one says what it is, also in a replay. */
static bool makes_channel(const char *name)
{
    static const char *const names[] = {"pipe",   "pipe2",   "socketpair", "socket",
                                        "accept", "accept4", "eventfd",    "signalfd"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (__builtin_strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Can only threads of the target make it ready? Then it is so at once, or never. */
bool descriptor_is_inside(int fd)
{
    return is_known(fd) && (rt.descriptors[fd] & FD_INSIDE);
}

static bool makes_inside(const char *name)
{
    static const char *const names[] = {"pipe",    "pipe2",        "socketpair",
                                        "eventfd", "epoll_create", "epoll_create1"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (__builtin_strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* A socket or the like that the target made: in a network of its own, who talks there is the
 * target itself. */
bool descriptor_is_made(int fd)
{
    return is_known(fd) && (rt.descriptors[fd] & FD_MADE);
}

/* A set of them is what its members are. */
void descriptor_joins(int set, int fd)
{
    if (is_known(set) && !descriptor_is_inside(fd))
        rt.descriptors[set] &= (uint8_t)~FD_INSIDE;
    if (is_known(set) && !descriptor_is_made(fd))
        rt.descriptors[set] &= (uint8_t)~FD_MADE;
}

/* Has the kernel still to bring from one end of a connection to the other what was sent, or the
 * connection itself? */
bool descriptor_any_travels(void)
{
    for (int fd = 0; fd < DESCRIPTORS_MAX; fd++) {
        struct tcp_info i = {0};
        socklen_t len = sizeof i;
        if (rt.descriptors[fd] & FD_CHANNEL && rt.descriptors[fd] & FD_MADE &&
            sys_call(SYS_getsockopt, fd, IPPROTO_TCP, TCP_INFO, (long)&i, (long)&len, 0) == 0 &&
            i.tcpi_state != TCP_LISTEN && (i.tcpi_unacked || i.tcpi_state == TCP_SYN_SENT))
            return true;
    }
    return false;
}

/* ---- how long a call waits ----------------------------------------------------------- */

/* A socket may be told how long its calls wait (SO_RCVTIMEO, SO_SNDTIMEO). Kept here, for a
 * replay has no socket to ask. */
static struct patience *patience_of(int fd, bool is_new)
{
    struct patience *free = NULL;
    for (uint32_t i = 0; i < PATIENCES_MAX; i++) {
        struct patience *p = &rt.descriptor.patiences[i];
        if (p->fd == fd && p->is_used)
            return p;
        if (!p->is_used && !free)
            free = p;
    }
    if (is_new && free)
        *free = (struct patience){.fd = fd, .is_used = true, .in_ns = NEVER, .out_ns = NEVER};
    return is_new ? free : NULL;
}

void descriptor_option(int fd, int level, int name, const void *value, uint32_t len)
{
    struct timeval span;
    if (level != SOL_SOCKET || (name != SO_RCVTIMEO && name != SO_SNDTIMEO) ||
        len < sizeof span)
        return;
    __builtin_memcpy(&span, value, sizeof span);
    uint64_t ns = (uint64_t)span.tv_sec * 1000000000 + (uint64_t)span.tv_usec * 1000;
    struct patience *p = patience_of(fd, true);
    if (!p)
        return;
    rt.descriptor.has_patiences = true;
    *(name == SO_RCVTIMEO ? &p->in_ns : &p->out_ns) = ns ? ns : NEVER;
}

uint64_t descriptor_patience_ns(int fd, short events)
{
    const struct patience *p = rt.descriptor.has_patiences ? patience_of(fd, false) : NULL;
    return !p ? NEVER : events & POLLIN ? p->in_ns : p->out_ns;
}

static void patience_ends(int fd)
{
    struct patience *p = rt.descriptor.has_patiences ? patience_of(fd, false) : NULL;
    if (p)
        p->is_used = false;
}

/* ---- come and go --------------------------------------------------------------------- */

static void place(int from, int fd)
{
    if (from != fd)
        sys_call(SYS_dup3, from, fd, 0, 0, 0, 0);
}

/* A call has made one. */
void descriptor_new(const struct call *c, int64_t fd)
{
    if (fd < 0 || fd >= DESCRIPTORS_MAX)
        return;
    bool channel = makes_channel(c->name), inside = makes_inside(c->name);
    rt.descriptors[fd] = (uint8_t)((channel ? FD_CHANNEL : 0) | (inside ? FD_INSIDE : 0) |
                                   (channel || inside ? FD_MADE : 0));
    channel_copy(-1, (int)fd);
    channel_open(c, (int)fd, false);
    if (!c->live)
        place(rt.descriptor.null_fd, (int)fd);
}

/* What another thread of the target may be at the other end of. */
void descriptor_carries(int64_t fd)
{
    if (fd >= 0 && fd < DESCRIPTORS_MAX)
        rt.descriptors[fd] |= FD_CHANNEL;
}

static bool is_chosen(const char *name)
{
    return __builtin_strcmp(name, "dup2") == 0 || __builtin_strcmp(name, "dup3") == 0;
}

void descriptor_copy(const struct call *c, int from, int64_t fd)
{
    if (fd < 0 || fd >= DESCRIPTORS_MAX || !is_known(from))
        return;
    if (!c->live)
        place(rt.descriptors[from] & FD_SHOWN ? from : rt.descriptor.null_fd, (int)fd);
    rt.descriptors[fd] = rt.descriptors[from];
    channel_copy(from, (int)fd);
    channel_open(c, (int)fd, is_chosen(c->name));
    peer_copied(from, fd);
}

void descriptor_gone(const struct call *c, int fd)
{
    if (!c->live && is_known(fd))
        sys_close(fd);
    channel_close(c, fd);
    patience_ends(fd);
    fifo_closed(fd);
    peer_closed(fd);
    if (is_known(fd))
        rt.descriptors[fd] = 0;
}

void descriptor_start(void)
{
    rt.descriptor.null_fd = -1;
    rt.descriptors[1] = rt.descriptors[2] = FD_SHOWN;
    if (!rt.input.exact)
        return;
    rt.descriptor.null_fd = input_high(sys_open("/dev/null", O_RDWR | O_CLOEXEC, 0));
    place(rt.descriptor.null_fd, 0);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * connection: streams between sockets of the target. Who connects to a socket on which the
 * target itself listens is put in line there; whoever accepts is told by the system which
 * connection it got: by its port, or in the Unix domain as the first one of this process that
 * nobody has taken. From then on both ends are as those of a pair. All others lead outside. */
#include "rt/rt.h"
#include "rt/sys.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

struct address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_un local;
    };
    socklen_t len;
};

static bool name_of(int fd, bool of_peer, struct address *out)
{
    *out = (struct address){.len = sizeof out->local};
    return sys_call(of_peer ? SYS_getpeername : SYS_getsockname, fd, (long)&out->any,
                    (long)&out->len, 0, 0, 0) == 0;
}

static uint16_t port_of(const struct address *a)
{
    return a->any.sa_family == AF_INET || a->any.sa_family == AF_INET6 ? a->v4.sin_port : 0;
}

static bool is_stream(int fd)
{
    int type = 0;
    socklen_t len = sizeof type;
    return sys_call(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, (long)&type, (long)&len, 0) == 0 &&
           type == SOCK_STREAM;
}

static bool is_loopback(const struct address *a)
{
    if (a->any.sa_family == AF_INET)
        return ntohl(a->v4.sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
}

/* Does whoever connects there come to this listening socket? */
static bool leads_to(const struct address *to, int listener)
{
    struct address at;
    if (!name_of(listener, false, &at) || at.any.sa_family != to->any.sa_family)
        return false;
    if (to->any.sa_family == AF_UNIX)
        return at.len == to->len && __builtin_memcmp(&at.local, &to->local, at.len) == 0;
    return port_of(to) && port_of(to) == port_of(&at) && is_loopback(to);
}

/* A path may end where its address does, or before that with a byte of zero. */
static struct address address_of(const struct sockaddr *a, uint32_t len)
{
    struct address to = {.len = len};
    if (!a || len > sizeof to.local || len < sizeof(sa_family_t))
        return (struct address){0};
    __builtin_memcpy(&to.local, a, len);
    if (a->sa_family == AF_UNIX && to.local.sun_path[0]) {
        uint64_t end = 0;
        while (end < sizeof to.local.sun_path && to.local.sun_path[end])
            end++;
        to.len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + end + 1);
    }
    return to;
}

/* What both a run and its replay have to know: the listening socket + 1, and above it the port
 * of who connects; 0: it is none of ours. */
enum { PORT_SHIFT = 32 };

static uint64_t find_listener(int fd, const struct sockaddr *a, uint32_t len)
{
    struct address to = address_of(a, len), own;
    int listener = -1;
    uint16_t port = 0;
    if (rt.has_children || !to.len || !is_stream(fd))
        return 0;
    for (uint32_t i = rt.listener_count; i-- > 0 && listener < 0;)
        if (leads_to(&to, rt.listeners[i]))
            listener = rt.listeners[i];
    if (listener >= 0 && to.any.sa_family != AF_UNIX) {
        port = name_of(fd, false, &own) ? port_of(&own) : 0;
        listener = port ? listener : -1;
    }
    return (uint64_t)(listener + 1) | (uint64_t)port << PORT_SHIFT;
}

/* A stream to somebody else, by the addresses of the sockets on which it listens now. */
bool connection_may_lead_out(int fd, const struct sockaddr *a, uint32_t len)
{
    struct address to = address_of(a, len);
    bool is_known = to.any.sa_family == AF_INET || to.any.sa_family == AF_INET6 ||
                    to.any.sa_family == AF_UNIX;
    if (!to.len || !is_known || !is_stream(fd))
        return false;
    for (uint32_t i = 0; i < rt.listener_count; i++)
        if (leads_to(&to, rt.listeners[i]))
            return false;
    return true;
}

/* Behind the call. */
void connection_made(struct call *c, const struct sockaddr *a, uint32_t len)
{
    c->kept = 0;
    if (c->live && (c->result == 0 || c->error == EINPROGRESS))
        c->kept = find_listener(c->fd, a, len);
    call_keeps(c, &c->kept, sizeof c->kept);
    if (c->kept)
        c->is_inside = channel_connects(c, c->fd, (int)(uint32_t)c->kept - 1,
                                        (uint16_t)(c->kept >> PORT_SHIFT)) != 0;
}

static bool is_ours(int fd)
{
    struct ucred who = {0};
    socklen_t len = sizeof who;
    return sys_call(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&who, (long)&len, 0) ==
               0 &&
           who.pid == rt.pid;
}

/* From 1 on; 0: it comes from outside. */
static uint32_t find_connection(int fd, int listener)
{
    struct address peer;
    if (rt.has_children || !name_of(fd, true, &peer))
        return 0;
    uint16_t port = port_of(&peer);
    if (!port && (peer.any.sa_family != AF_UNIX || !is_ours(fd)))
        return 0;
    for (uint32_t i = 0; i < rt.connection_count; i++) {
        const struct connection *k = &rt.connections[i];
        if (!k->is_taken && k->listener == listener && k->port == port)
            return i + 1;
    }
    return 0;
}

void connection_taken(struct call *c, int listener)
{
    c->kept = c->live && c->result >= 0 ? find_connection((int)c->result, listener) : 0;
    call_keeps(c, &c->kept, sizeof c->kept);
    if (!c->kept || c->kept > rt.connection_count || c->result < 0)
        return;
    channel_accepts(c, (uint32_t)c->kept);
    c->is_inside = true;
}

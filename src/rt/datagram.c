/* SPDX-License-Identifier: Apache-2.0
 *
 * datagram: sockets of the target for datagrams, and who is at the other end. Whoever is not
 * the target itself is somebody outside (peer-record.c), known by an address. Played (
 * peer-play.c), that one is a socket of ours with another address, which the target never sees:
 * what it sends to the address that it knows goes there, and what comes from there has that
 * address. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#define NAME_AT offsetof(struct sockaddr_un, sun_path)

struct datagram_socket *datagram_socket(int fd)
{
    uint8_t number = fd >= 0 && fd < CHANNEL_FDS_MAX ? rt.datagram.fds[fd] : 0;
    return number ? &rt.datagram.sockets[number - 1] : NULL;
}

/* ---- addresses --------------------------------------------------------------------------- */

static uint16_t port_of(const struct sockaddr *a)
{
    bool is_inet = a->sa_family == AF_INET || a->sa_family == AF_INET6;
    return is_inet ? ((const struct sockaddr_in *)(const void *)a)->sin_port : 0;
}

static bool is_same(const struct sockaddr *a, socklen_t a_len, const struct sockaddr *b,
                    socklen_t b_len)
{
    const struct sockaddr_in *v4 = (const void *)a, *w4 = (const void *)b;
    const struct sockaddr_in6 *v6 = (const void *)a, *w6 = (const void *)b;
    if (a_len < sizeof(sa_family_t) || b_len < sizeof(sa_family_t))
        return a_len == b_len;
    if (a->sa_family != b->sa_family)
        return false;
    if (a->sa_family == AF_INET)
        return a_len >= sizeof *v4 && b_len >= sizeof *w4 && v4->sin_port == w4->sin_port &&
               v4->sin_addr.s_addr == w4->sin_addr.s_addr;
    if (a->sa_family == AF_INET6)
        return a_len >= sizeof *v6 && b_len >= sizeof *w6 && v6->sin6_port == w6->sin6_port &&
               __builtin_memcmp(&v6->sin6_addr, &w6->sin6_addr, sizeof v6->sin6_addr) == 0;
    return a_len == b_len && __builtin_memcmp(a, b, a_len) == 0;
}

static bool end_of(int fd, bool of_peer, struct sockaddr_storage *out, socklen_t *len)
{
    *len = sizeof *out;
    *out = (struct sockaddr_storage){0};
    return fd >= 0 && sys_call(of_peer ? SYS_getpeername : SYS_getsockname, fd, (long)out,
                               (long)len, 0, 0, 0) == 0;
}

static uint64_t hash_name(const struct sockaddr *a, socklen_t len)
{
    uint64_t h = 0xcbf29ce484222325ULL;
    const char *at = (const char *)a;
    for (socklen_t i = NAME_AT; i < len && (i == NAME_AT || at[i]); i++)
        h = (h ^ (uint8_t)at[i]) * 0x100000001b3ULL;
    return h;
}

static bool has_name(uint64_t hash)
{
    for (uint32_t i = 0; i < rt.datagram.name_count; i++)
        if (rt.datagram.names[i] == hash)
            return true;
    return false;
}

bool datagram_is_inside(const struct sockaddr *a, socklen_t len)
{
    if (len < sizeof(sa_family_t) || (a->sa_family == AF_UNIX && len <= NAME_AT))
        return rt.datagram.has_nameless;
    uint16_t port = port_of(a);
    if (a->sa_family == AF_UNIX)
        return has_name(hash_name(a, len));
    return rt.datagram.ports[port / 64] >> (port % 64) & 1;
}

/* Who has this address, by what the target takes it for or by what it is: NO_ID: nobody. */
uint32_t datagram_peer(const struct sockaddr *a, socklen_t len)
{
    struct sockaddr_storage own;
    socklen_t own_len;
    for (uint32_t i = 0; i < rt.peer_count; i++) {
        const struct peer *p = &rt.peers[i];
        if (!p->is_datagram)
            continue;
        if (is_same(a, len, (const struct sockaddr *)&p->name, p->name_len) ||
            (end_of(p->ours, false, &own, &own_len) &&
             is_same(a, len, (const struct sockaddr *)&own, own_len)))
            return i;
    }
    return NO_ID;
}

/* ---- sockets ----------------------------------------------------------------------------- */

static void made(int fd)
{
    int type = 0, domain = 0;
    socklen_t len = sizeof type;
    if (fd >= CHANNEL_FDS_MAX || rt.datagram.count == DATAGRAMS_MAX ||
        sys_call(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, (long)&type, (long)&len, 0) < 0 ||
        sys_call(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, (long)&domain, (long)&len, 0) < 0 ||
        type != SOCK_DGRAM || (domain != AF_INET && domain != AF_INET6 && domain != AF_UNIX))
        return;
    rt.datagram.sockets[rt.datagram.count++] = (struct datagram_socket){.fd = fd};
    rt.datagram.fds[fd] = rt.datagram.count;
}

/* Where it can be reached from now on. */
static void note_name(const struct call *c)
{
    struct sockaddr_storage a;
    socklen_t len;
    if (!end_of(c->fd, false, &a, &len))
        return;
    const struct sockaddr *own = (const struct sockaddr *)&a;
    uint16_t port = port_of(own);
    if (own->sa_family != AF_UNIX) {
        rt.datagram.ports[port / 64] |= (uint64_t)(port != 0) << (port % 64);
    } else if (len <= NAME_AT) {
        rt.datagram.has_nameless |= peer_says(c);
    } else {
        uint64_t hash = hash_name(own, len);
        if (!has_name(hash) && rt.datagram.name_count < DATAGRAMS_MAX)
            rt.datagram.names[rt.datagram.name_count++] = hash;
    }
}

/* Behind every outside call. */
void datagram_call(const struct call *c)
{
    if (__builtin_strcmp(c->name, "socket") == 0 && c->result >= 0)
        made((int)c->result);
    bool names = __builtin_strcmp(c->name, "bind") == 0 ||
                 __builtin_strcmp(c->name, "connect") == 0 || peer_says(c);
    if (c->result >= 0 && datagram_socket(c->fd) && names)
        note_name(c);
}

void datagram_copied(int from, int64_t fd)
{
    if (from >= 0 && from < CHANNEL_FDS_MAX && fd >= 0 && fd < CHANNEL_FDS_MAX)
        rt.datagram.fds[fd] = rt.datagram.fds[from];
}

/* Another number of it may be open. */
void datagram_closed(int fd)
{
    struct datagram_socket *s = datagram_socket(fd);
    if (!s)
        return;
    uint8_t number = rt.datagram.fds[fd];
    rt.datagram.fds[fd] = 0;
    for (int i = 0; s->fd == fd && i < CHANNEL_FDS_MAX; i++)
        if (rt.datagram.fds[i] == number)
            s->fd = i;
    s->fd = s->fd == fd ? -1 : s->fd;
}

/* ---- what is recorded -------------------------------------------------------------------- */

/* The datagram that the call will read which now begins: nobody else can take it. */
void datagram_next(int fd)
{
    struct iovec v = {rt.datagram.heard, sizeof rt.datagram.heard};
    struct msghdr m = {.msg_name = &rt.datagram.from,
                       .msg_namelen = sizeof rt.datagram.from,
                       .msg_iov = &v,
                       .msg_iovlen = 1};
    rt.datagram.heard_len = -1;
    if (!datagram_socket(fd) || rt.play || rt.input.exact)
        return;
    rt.datagram.heard_len =
        sys_call(SYS_recvmsg, fd, (long)&m, MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC, 0, 0, 0);
    rt.datagram.from_len = m.msg_namelen;
}

/* How many are there to be read: looked at one behind the other. */
uint32_t datagram_waiting(int fd)
{
    int at = 0, none = -1;
    socklen_t len = sizeof at;
    char byte;
    uint32_t n = 0;
    if (sys_call(SYS_getsockopt, fd, SOL_SOCKET, SO_PEEK_OFF, (long)&at, (long)&len, 0) < 0 ||
        at != -1)
        return 0;
    at = 0;
    sys_call(SYS_setsockopt, fd, SOL_SOCKET, SO_PEEK_OFF, (long)&at, sizeof at, 0);
    while (n < UINT16_MAX && sys_call(SYS_recvfrom, fd, (long)&byte, sizeof byte,
                                      MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC, 0, 0) >= 0)
        n++;
    sys_call(SYS_setsockopt, fd, SOL_SOCKET, SO_PEEK_OFF, (long)&none, sizeof none, 0);
    return n;
}

/* Where a call has sent something to. */
bool datagram_target(const struct call *c, struct sockaddr_storage *out, socklen_t *len)
{
    if (!c->to)
        return end_of(c->fd, true, out, len);
    if (c->to_len > sizeof *out)
        return false;
    *len = c->to_len;
    __builtin_memcpy(out, c->to, c->to_len);
    return true;
}

/* ---- whoever is played has another address ---------------------------------------------- */

/* To be used instead of what the target says. */
const struct sockaddr *datagram_way(int fd, const struct sockaddr *a, socklen_t *len,
                                    struct sockaddr_storage *out)
{
    if (!rt.play || !a || !datagram_socket(fd) || *len > sizeof *out)
        return a;
    uint32_t i = datagram_peer(a, *len);
    socklen_t own_len;
    if (i == NO_ID || !end_of(peer_end(i), false, out, &own_len))
        return a;
    *len = own_len;
    return (const struct sockaddr *)out;
}

/* To be told instead of what the system says; there is room for so many bytes of it. */
void datagram_name(int fd, struct sockaddr *a, socklen_t *len, socklen_t room)
{
    if (!rt.play || !a || !len || !datagram_socket(fd) || *len > room)
        return;
    uint32_t i = datagram_peer(a, *len);
    if (i == NO_ID)
        return;
    const struct peer *p = &rt.peers[i];
    __builtin_memcpy(a, &p->name, p->name_len < room ? p->name_len : room);
    *len = p->name_len;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * peer-record: connections and datagrams from outside, as they are recorded for other runs to
 * play (peer-play.c): who it was, what it sent, and how much the target had sent before to
 * each of them. When something came is known only as well as somebody looked: before the
 * target sends anything, all that has come by then is noted, for it cannot depend on that. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"
#include "heddle/peers.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

static bool is_name(const struct call *c, const char *const *names)
{
    for (; *names; names++)
        if (__builtin_strcmp(c->name, *names) == 0)
            return true;
    return false;
}

static bool is_hearing(const struct call *c)
{
    static const char *const names[] = {"read",     "readv",   "fill", "recv",
                                        "recvfrom", "recvmsg", NULL};
    return is_name(c, names);
}

bool peer_hears(const struct call *c)
{
    return is_hearing(c) && (c->moves || c->name[0] == 'f');
}

bool peer_says(const struct call *c)
{
    static const char *const names[] = {"write",  "writev",  "drain",    "send",
                                        "sendto", "sendmsg", "sendfile", NULL};
    return is_name(c, names);
}

struct peer *peer_of(int fd)
{
    uint8_t number = fd >= 0 && fd < CHANNEL_FDS_MAX ? rt.peer_fds[fd] : 0;
    return number ? &rt.peers[number - 1] : NULL;
}

/* ---- who is outside --------------------------------------------------------------------- */

static uint16_t port_of(int fd, bool of_peer)
{
    struct sockaddr_in6 a = {0};
    socklen_t len = sizeof a;
    long e = sys_call(of_peer ? SYS_getpeername : SYS_getsockname, fd, (long)&a, (long)&len, 0,
                      0, 0);
    bool is_inet = e == 0 && (a.sin6_family == AF_INET || a.sin6_family == AF_INET6);
    return is_inet ? a.sin6_port : 0; /* both have it there */
}

void peer_connected(int fd)
{
    uint16_t port = port_of(fd, false);
    rt.peer_record.own_ports[port / 64] |= 1ULL << (port % 64);
}

static bool is_inside(int fd)
{
    struct ucred who = {0};
    socklen_t len = sizeof who;
    uint16_t port = port_of(fd, true);
    if (port)
        return rt.peer_record.own_ports[port / 64] >> (port % 64) & 1;
    return sys_call(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&who, (long)&len, 0) <
               0 ||
           who.pid == rt.pid;
}

/* The how many-th listening socket it is, from 1; 0: none. */
uint8_t peer_listener(int fd)
{
    return fd >= 0 && fd < CHANNEL_FDS_MAX ? rt.listener_fds[fd] : 0;
}

void peer_listens(int fd)
{
    if (fd >= 0 && fd < CHANNEL_FDS_MAX && !rt.listener_fds[fd] &&
        rt.listener_count < LISTENERS_MAX) {
        rt.listener_fds[fd] = ++rt.listener_count;
        rt.listeners[rt.listener_count - 1] = fd;
    }
}

/* ---- writing ---------------------------------------------------------------------------- */

static bool open_file(void)
{
    char path[PATH_BYTES + 32];
    struct text text = {path, 0, sizeof path};
    struct peer_head head = {PEERS_MAGIC};
    text_put(&text, rt.set.dir);
    text_put(&text, "/peers");
    rt.peers_fd = input_high(sys_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    return rt.peers_fd >= 0 && sys_write(rt.peers_fd, &head, sizeof head) == sizeof head;
}

/* Of what the target had sent: known of those that it calls, if it has sent no more since. */
static uint32_t hash_of(uint32_t number, uint64_t sent)
{
    const struct peer *p = &rt.peers[number];
    return p->is_called && p->sent == sent ? p->hash : 0;
}

/* sent: what each connection had sent when it came. */
static void put(struct peer_step step, const uint64_t *sent, const struct iovec *v,
                uint32_t count)
{
    static const char zeros[8];
    static struct peer_need needs[PEERS_MAX];
    static struct iovec parts[PEER_PARTS + 3];
    if (rt.peers_fd < 0 && !open_file())
        return;
    for (uint32_t i = 0; i < rt.peer_count; i++)
        if (sent[i])
            needs[step.needs++] = (struct peer_need){i, hash_of(i, sent[i]), sent[i]};
    for (uint32_t i = 0; i < count; i++)
        step.bytes += v[i].iov_len;
    parts[0] = (struct iovec){&step, sizeof step};
    parts[1] = (struct iovec){needs, step.needs * sizeof *needs};
    for (uint32_t i = 0; i < count; i++)
        parts[2 + i] = v[i];
    parts[2 + count] = (struct iovec){(void *)(uintptr_t)zeros, -step.bytes & 7};
    sys_call(SYS_writev, rt.peers_fd, (long)parts, 3 + count, 0, 0, 0);
}

static void now_sent(uint64_t out[PEERS_MAX])
{
    for (uint32_t i = 0; i < rt.peer_count; i++)
        out[i] = rt.peers[i].sent;
}

/* ---- what happens ------------------------------------------------------------------------ */

/* What has come by now does not depend on what the target sends next. */
static void note_pending(void)
{
    for (uint32_t i = 0; i < rt.peer_count; i++) {
        struct peer *p = &rt.peers[i];
        int bytes = 0;
        if (p->fd < 0 || p->pending ||
            sys_call(SYS_ioctl, p->fd, FIONREAD, (long)&bytes, 0, 0, 0) < 0 || bytes <= 0)
            continue;
        p->pending = (uint64_t)bytes;
        now_sent(p->pending_sent);
    }
}

static void accepted(int listener, int fd)
{
    uint64_t sent[PEERS_MAX] = {0};
    uint8_t at = peer_listener(listener);
    if (fd < 0 || fd >= CHANNEL_FDS_MAX || !at || rt.peer_count == PEERS_MAX || is_inside(fd))
        return;
    now_sent(sent);
    uint32_t number = rt.peer_count++;
    rt.peers[number] = (struct peer){.fd = fd, .ours = -1};
    rt.peer_fds[fd] = (uint8_t)(number + 1);
    put((struct peer_step){.what = PEER_CONNECTS, .connection = number, .at = at}, sent, NULL,
        0);
}

/* The bytes that a call has read stand first among what it filled in. */
static uint32_t data_of(const struct call *c, struct iovec *out)
{
    uint32_t n = 0;
    uint64_t left = (uint64_t)c->result;
    for (uint32_t i = 0; i < rt.input.piece_count && left && n < PEER_PARTS; i++) {
        struct iovec v = rt.input.pieces[i];
        if (rt.input.own[i])
            continue;
        v.iov_len = v.iov_len < left ? v.iov_len : left;
        left -= v.iov_len;
        out[n++] = v;
    }
    return n;
}

static void heard(const struct call *c, struct peer *p)
{
    static struct iovec v[PEER_PARTS];
    uint64_t sent[PEERS_MAX] = {0};
    struct peer_step step = {.connection = (uint32_t)(p - rt.peers)};
    bool is_reset = c->result < 0 && c->error == ECONNRESET;
    if (p->has_ended || (c->result < 0 && !is_reset) ||
        (c->result == 0 && !c->asked && c->name[0] != 'f'))
        return;
    step.what = is_reset ? PEER_RESETS : c->result == 0 ? PEER_ENDS : PEER_SENDS;
    p->has_ended = step.what != PEER_SENDS;
    now_sent(sent);
    bool is_noted = c->result > 0 && p->pending >= (uint64_t)c->result;
    put(step, is_noted ? p->pending_sent : sent, v,
        step.what == PEER_SENDS ? data_of(c, v) : 0);
    p->pending = is_noted ? p->pending - (uint64_t)c->result : 0;
}

/* What is asked decides what is answered: it is compared, where an answer came. */
static void said(const struct call *c, struct peer *p)
{
    uint64_t left = (uint64_t)c->result;
    if (!p->is_called || !c->said || !p->hash) {
        p->sent += left;
        p->hash = 0;
        return;
    }
    for (const struct iovec *v = c->said; left > 0; v++)
        for (uint64_t i = 0; i < v->iov_len && left > 0; i++, left--) {
            p->hash = peer_hash(p->hash, ((const uint8_t *)v->iov_base)[i]);
            if (++p->sent == p->mark)
                peer_mark(p);
        }
}

/* ---- datagrams --------------------------------------------------------------------------- */

/* NO_ID: there are too many. */
static uint32_t somebody(const struct sockaddr_storage *a, socklen_t len)
{
    static const uint64_t none[PEERS_MAX];
    struct iovec name = {(void *)(uintptr_t)a, len};
    uint32_t number = datagram_peer((const struct sockaddr *)a, len);
    if (number != NO_ID || rt.play)
        return number;
    if (rt.peer_count == PEERS_MAX || len > sizeof *a) {
        outcome_doubt(DOUBT_UNPLAYED, NULL);
        return NO_ID;
    }
    number = rt.peer_count++;
    rt.peers[number] =
        (struct peer){.fd = -1, .ours = -1, .is_datagram = true, .name_len = len};
    __builtin_memcpy(&rt.peers[number].name, a, len);
    put((struct peer_step){.what = PEER_KNOWN, .connection = number}, none, &name, 1);
    return number;
}

/* An empty one counts, too. */
static void said_datagram(const struct call *c)
{
    struct sockaddr_storage a;
    socklen_t len;
    if (!datagram_target(c, &a, &len))
        return;
    bool is_inside = datagram_is_inside((const struct sockaddr *)&a, len);
    uint32_t to = is_inside ? NO_ID : somebody(&a, len);
    if (to != NO_ID)
        rt.peers[to].sent += (uint64_t)c->result + 1;
}

static void heard_datagram(struct datagram_socket *s)
{
    uint64_t sent[PEERS_MAX] = {0}, len = (uint64_t)rt.datagram.heard_len;
    struct iovec v = {rt.datagram.heard, len};
    bool is_noted = s->pending > 0;
    s->pending -= is_noted;
    s->queued -= s->queued > 0;
    if (rt.play || rt.datagram.heard_len < 0 ||
        datagram_is_inside((const struct sockaddr *)&rt.datagram.from, rt.datagram.from_len))
        return;
    if (len > sizeof rt.datagram.heard) {
        outcome_doubt(DOUBT_UNPLAYED, NULL);
        return;
    }
    uint32_t from = somebody(&rt.datagram.from, rt.datagram.from_len);
    if (from == NO_ID)
        return;
    now_sent(sent);
    uint32_t at = (uint32_t)(s - rt.datagram.sockets) + 1;
    put((struct peer_step){.what = PEER_DATAGRAM, .connection = from, .at = at},
        is_noted ? s->pending_sent : sent, &v, 1);
}

static void note_waiting(void)
{
    for (uint32_t i = 0; i < rt.datagram.count; i++) {
        struct datagram_socket *s = &rt.datagram.sockets[i];
        if (s->fd < 0 || s->pending)
            continue;
        s->pending = datagram_waiting(s->fd);
        now_sent(s->pending_sent);
    }
}

/* What was asked about a name, and the answer: it may have come from the network. */
void peer_note_lookup(const void *question, uint32_t len, const void *answer, uint64_t bytes)
{
    static const uint64_t none[PEERS_MAX];
    struct iovec v[] = {{&len, sizeof len},
                        {(void *)(uintptr_t)question, len},
                        {(void *)(uintptr_t)answer, bytes}};
    if (!rt.told && !rt.input.exact && rt.set.dir[0] && !rt.has_children)
        put((struct peer_step){.what = PEER_LOOKUP, .connection = NO_ID}, none, v, 3);
}

/* Somebody outside whom the target calls; his number is that of the call. NULL: too many. */
struct peer *peer_called(int fd, const struct sockaddr *a, socklen_t len,
                         const struct sockaddr_storage *own, socklen_t own_len)
{
    static const uint64_t none[PEERS_MAX];
    struct iovec names[] = {{(void *)(uintptr_t)a, len}, {(void *)(uintptr_t)own, own_len}};
    if (rt.peer_count == PEERS_MAX || fd < 0 || fd >= CHANNEL_FDS_MAX)
        return NULL;
    uint32_t number = rt.peer_count++;
    rt.peers[number] =
        (struct peer){.fd = fd, .ours = -1, .is_called = true, .hash = PEER_HASH};
    rt.peer_fds[fd] = (uint8_t)(number + 1);
    put((struct peer_step){.what = PEER_CALLED, .connection = number, .at = len}, none, names,
        2);
    return &rt.peers[number];
}

void peer_refused(const struct peer *p, int error)
{
    static const uint64_t none[PEERS_MAX];
    uint32_t number = (uint32_t)(p - rt.peers);
    if (p->fd >= 0)
        rt.peer_fds[p->fd] = 0; /* another try is another call */
    put((struct peer_step){.what = PEER_REFUSES, .connection = number, .at = (uint32_t)error},
        none, NULL, 0);
}

/* A signal of the system. */
void peer_signalled(int signal)
{
    uint64_t sent[PEERS_MAX] = {0};
    if (rt.input.exact || rt.play || rt.has_children || !rt.peer_count)
        return;
    now_sent(sent);
    put((struct peer_step){.what = PEER_SIGNALS, .connection = NO_ID, .at = (uint32_t)signal},
        sent, NULL, 0);
}

/* Before a call that may send something. */
void peer_before(void)
{
    if (!rt.peer_count || rt.play || rt.input.exact)
        return;
    note_pending();
    note_waiting();
}

void peer_copied(int from, int64_t fd)
{
    if (from >= 0 && from < CHANNEL_FDS_MAX && fd >= 0 && fd < CHANNEL_FDS_MAX) {
        rt.peer_fds[fd] = rt.peer_fds[from];
        rt.listener_fds[fd] = rt.listener_fds[from];
    }
    datagram_copied(from, fd);
}

void peer_closed(int fd)
{
    struct peer *p = peer_of(fd);
    if (p && p->fd == fd)
        p->fd = -1;
    if (fd >= 0 && fd < CHANNEL_FDS_MAX)
        rt.peer_fds[fd] = rt.listener_fds[fd] = 0;
    datagram_closed(fd);
}

/* Behind every outside call. */
void peer_call(const struct call *c)
{
    if (rt.input.exact || !rt.set.dir[0] || rt.has_children)
        return;
    datagram_call(c);
    reach_call(c);
    if (__builtin_strcmp(c->name, "listen") == 0 && c->result == 0)
        peer_listens(c->fd);
    else if (__builtin_strcmp(c->name, "connect") == 0)
        peer_connected(c->fd);
    else if (__builtin_strcmp(c->name, "accept") == 0 && rt.play)
        peer_meets(c->fd, (int)c->result);
    else if (__builtin_strcmp(c->name, "accept") == 0)
        accepted(c->fd, (int)c->result);
    struct peer *p = peer_of(c->fd);
    struct datagram_socket *s = datagram_socket(c->fd);
    if (s && peer_says(c) && c->result >= 0)
        said_datagram(c);
    else if (s && is_hearing(c) && !c->peeks && c->result >= 0)
        heard_datagram(s);
    else if (p && peer_says(c) && c->result > 0)
        said(c, p);
    else if (p && peer_hears(c) && !rt.play)
        heard(c, p);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * peer-reach: streams that the target makes to somebody outside. Of each it is recorded whom it
 * asked for, by which address, and whether it was let in; what then comes is as from those who
 * connect themselves (peer-record.c). In a run where they are played, the k-th time that an
 * address is asked for is the k-th time of the record: the target's socket is connected to one
 * of ours instead, and goes by the names it had. An address that was not asked for so often is
 * tried in the world as it is, and if nobody is there the run is in doubt. So it is if the
 * target has sent something else by the time of an answer than it had in the record.
 *
 * The answer comes at once, as it may: only what is sent is played step by step. */
#include "rt/rt.h"
#include "rt/sys.h"
#include "heddle/peers.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/un.h>

/* By somebody outside; other errors the system gives without asking anybody. */
static bool is_refusal(int error)
{
    return error == ECONNREFUSED || error == ETIMEDOUT || error == EHOSTUNREACH ||
           error == ENETUNREACH;
}

static socklen_t name_of(int fd, struct sockaddr_storage *out)
{
    socklen_t len = sizeof *out;
    long e = sys_call(SYS_getsockname, fd, (long)out, (long)&len, 0, 0, 0);
    return e < 0 || len > sizeof *out ? 0 : len;
}

/* ---- recorded ---------------------------------------------------------------------------- */

/* In a network of its own nobody is outside: whoever is not there is not there either when it
 * runs again. */
static bool has_outside(void)
{
    return !(rt.set.apart & APART_OVERLAY) || rt.set.apart & APART_NETWORK;
}

static void note_call(const struct call *c)
{
    struct sockaddr_storage own;
    bool is_refused = c->result < 0 && is_refusal(c->error);
    bool is_begun = c->result == 0 || c->error == EINPROGRESS;
    if (!is_begun && !(is_refused && has_outside()))
        return;
    socklen_t own_len = name_of(c->fd, &own);
    struct peer *p = peer_called(c->fd, c->to, c->to_len, &own, own_len);
    if (!p) {
        outcome_doubt(DOUBT_UNPLAYED, NULL);
        return;
    }
    p->is_answered = c->result == 0;
    if (is_refused)
        peer_refused(p, c->error);
}

/* Was it let in? What says so is the end of a call that waited, an option that was asked for,
 * or that bytes went through. */
static void note_answer(const struct call *c, struct peer *p)
{
    int error = c->result < 0 ? c->error : c->told;
    if (p->is_answered || !has_outside())
        return;
    if (is_refusal(error))
        peer_refused(p, error);
    p->is_answered = is_refusal(error) || (c->result > 0 && (peer_says(c) || peer_hears(c)));
}

/* ---- played ------------------------------------------------------------------------------ */

/* An end that nobody has connected to: at a loopback address, or by a name without a file. */
static int make_listener(int family, struct sockaddr_storage *out, socklen_t *len)
{
    struct sockaddr_in four = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_un nameless = {.sun_family = AF_UNIX};
    const void *at = family == AF_INET    ? (const void *)&four
                     : family == AF_INET6 ? (const void *)&six
                                          : (const void *)&nameless;
    long at_len = family == AF_INET    ? (long)sizeof four
                  : family == AF_INET6 ? (long)sizeof six
                                       : (long)sizeof(sa_family_t); /* the system names it */
    long type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
    int fd = input_high((int)sys_call(SYS_socket, family, type, 0, 0, 0, 0));
    if (fd < 0)
        return -1;
    if (sys_call(SYS_bind, fd, (long)at, at_len, 0, 0, 0) < 0 ||
        sys_call(SYS_listen, fd, 1, 0, 0, 0, 0) < 0 || !(*len = name_of(fd, out))) {
        sys_close(fd);
        return -1;
    }
    return fd;
}

static void end_way(void)
{
    if (rt.reach.listener >= 0)
        sys_close(rt.reach.listener);
    rt.reach.listener = -1;
    rt.reach.number = NO_ID;
}

/* Whoever is played there. *error: he does not let it in. */
const struct sockaddr *reach_way(int fd, const struct sockaddr *a, socklen_t *len,
                                 struct sockaddr_storage *out, int *error)
{
    *error = 0;
    if (!rt.play || rt.has_children || peer_of(fd) || !connection_may_lead_out(fd, a, *len))
        return a;
    end_way();
    rt.reach.is_asked = true;
    rt.reach.number = peer_find_called(a, *len);
    if (rt.reach.number == NO_ID)
        return a;
    struct peer *p = &rt.peers[rt.reach.number];
    p->is_reached = true;
    *error = p->refusal;
    if (p->refusal)
        return a;
    socklen_t own_len = 0;
    rt.reach.listener = make_listener(a->sa_family, out, &own_len);
    if (rt.reach.listener < 0) {
        outcome_doubt(DOUBT_PEER_OUT_OF_STEP, "whom it asked for could not be played");
        return a;
    }
    *len = own_len;
    return (const struct sockaddr *)out;
}

/* The target's socket is connected, or about to be: the other end is ours. */
static void meet(const struct call *c)
{
    struct peer *p = &rt.peers[rt.reach.number];
    long flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
    if (rt.reach.listener >= 0 && peer_shows(rt.reach.listener, POLLIN))
        p->ours = input_high((int)sys_call(SYS_accept4, rt.reach.listener, 0, 0, flags, 0, 0));
    if (p->ours >= 0 && peer_shows(c->fd, POLLOUT))
        peer_met(rt.reach.number, c->fd);
    else if (!p->refusal)
        outcome_doubt(DOUBT_PEER_OUT_OF_STEP, "whom it asked for could not be played");
}

/* Nobody like this is in the record. */
static void miss(const struct call *c)
{
    if (c->result < 0 && is_refusal(c->error) && !rt.has_bound)
        outcome_doubt(DOUBT_OUTSIDE, "connect");
}

static void meet_or_miss(const struct call *c)
{
    if (rt.reach.is_asked && rt.reach.number != NO_ID)
        meet(c);
    else if (rt.reach.is_asked)
        miss(c);
    rt.reach.is_asked = false;
    end_way();
}

/* What the target takes for its own name, and the other one's. */
void reach_name(int fd, bool of_peer, struct sockaddr *a, socklen_t *len, socklen_t room)
{
    const struct peer *p = peer_of(fd);
    if (!rt.play || !p || !p->is_called || !a || !len)
        return;
    const struct sockaddr_storage *name = of_peer ? &p->name : &p->own;
    socklen_t bytes = of_peer ? p->name_len : p->own_len;
    if (!bytes)
        return;
    __builtin_memcpy(a, name, bytes < room ? bytes : room);
    *len = bytes;
}

/* Behind every outside call. */
void reach_call(const struct call *c)
{
    struct peer *p = peer_of(c->fd);
    bool connects = __builtin_strcmp(c->name, "connect") == 0;
    if (rt.play) {
        if (connects)
            meet_or_miss(c);
        return;
    }
    if (connects && !p && c->to && !c->is_inside &&
        connection_may_lead_out(c->fd, c->to, c->to_len))
        note_call(c);
    else if (p && p->is_called)
        note_answer(c, p);
}

void reach_start(void)
{
    rt.reach.listener = -1;
    rt.reach.number = NO_ID;
}

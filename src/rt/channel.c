/* SPDX-License-Identifier: Apache-2.0
 *
 * channel: what threads of the target tell each other through descriptors. Of a pipe or a pair
 * of stream sockets whose ends stay in the target, and through which bytes are only moved (by
 * read, recv, recvmsg and their kin, without peeking and without descriptors), every byte is
 * counted: a read comes after the write of its last byte. What is read from an event descriptor
 * or a pair of other sockets sums up all that was written. What is ready (poll, select, epoll)
 * is so since a certain write. All other descriptors may lead to other processes, and back:
 * what is read there comes after all that was told them.
 *
 * Not to hear something is news as well: a short or empty read, or a descriptor that is not
 * ready, comes before the next write, and a write that found no room before the next read. */
#include "rt/rt.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

enum { IS_OPEN = 1, SETTINGS }; /* of a descriptor, beside what is read from it */

static struct channel *channel_at(uint16_t number)
{
    return number ? &rt.channel.channels[number - 1] : NULL;
}

static struct channel_ends *ends_of(int fd)
{
    return fd >= 0 && fd < CHANNEL_FDS_MAX ? &rt.channel_ends[fd] : NULL;
}

static struct channel *in_of(int fd)
{
    return ends_of(fd) ? channel_at(ends_of(fd)->in) : NULL;
}

static struct channel *out_of(int fd)
{
    return ends_of(fd) ? channel_at(ends_of(fd)->out) : NULL;
}

static uint16_t channel_new(enum channel_kind kind)
{
    if (rt.channel.count == CHANNELS_MAX)
        return 0;
    struct channel *ch = &rt.channel.channels[rt.channel.count++];
    *ch = (struct channel){.kind = (uint8_t)kind, .state = thing_new(THING_CHANNEL)};
    ch->room = thing_new(THING_CHANNEL);
    ch->made = ch->last_put = ch->last_got = ch->opened = NO_EVENT;
    return (uint16_t)rt.channel.count;
}

/* After everything: for what is not modelled otherwise. The address is nobody's. */
void channel_pin(const struct call *c)
{
    if (UNLIKELY(rt.weak.on))
        weak_pin(c->thr);
    if (rt.recording)
        record_event(c->thr,
                     &(struct ev){.kind = EV_EXTERNAL_WRITE, .addr = PIN_ADDRESS, .len = 1},
                     c->site);
}

/* ---- which descriptor ------------------------------------------------------------------- */

void channel_pipe(const int ends[2])
{
    struct channel_ends *from = ends_of(ends[0]), *to = ends_of(ends[1]);
    if (from && to)
        from->in = to->out = channel_new(CHANNEL_BYTES);
}

void channel_sockets(const int ends[2], int type)
{
    struct channel_ends *one = ends_of(ends[0]), *two = ends_of(ends[1]);
    enum channel_kind kind = (type & 0xf) == SOCK_STREAM ? CHANNEL_BYTES : CHANNEL_MESSAGES;
    if (!one || !two)
        return;
    one->in = two->out = channel_new(kind);
    two->in = one->out = channel_new(kind);
}

/* One that counts down stays ready as far as we know. */
void channel_event(int64_t fd, int flags)
{
    struct channel_ends *e = fd < 0 ? NULL : ends_of((int)fd);
    if (e)
        e->in = e->out = channel_new(flags & EFD_SEMAPHORE ? CHANNEL_COUNT : CHANNEL_EVENT);
}

void channel_signals(int64_t fd)
{
    struct channel_ends *e = fd < 0 ? NULL : ends_of((int)fd);
    if (e)
        e->in = channel_new(CHANNEL_SIGNALS);
}

static void goes_outside(struct channel *c)
{
    if (c)
        c->is_outside = true;
}

void channel_copy(int from, int to)
{
    const struct channel_ends *old = ends_of(from);
    struct channel_ends *new = ends_of(to);
    if (new)
        *new = old ? *old : (struct channel_ends){0};
    if (old && !new) {
        goes_outside(channel_at(old->in));
        goes_outside(channel_at(old->out));
    }
}

/* The number was free: it comes after whoever closed it last. A copy to a certain number comes
 * whether it was free or not. */
void channel_open(const struct call *c, int fd, bool is_chosen)
{
    thing_id number = thing_of(THING_DESCRIPTOR, (uint64_t)fd, IS_OPEN);
    if (!is_chosen)
        thing_sum(c, number);
    thing_change(c, number);
    if (ends_of(fd))
        ends_of(fd)->closer = 0;
}

/* Refused. By whom it was closed is told if it was another thread: who counts all numbers
 * through meets many that nobody ever opened. */
static void meet_closed(const struct call *c, int fd, bool is_use)
{
    thing_id number = thing_of(THING_DESCRIPTOR, (uint64_t)fd, IS_OPEN);
    uint32_t closer = ends_of(fd) ? ends_of(fd)->closer : 0;
    if (is_use && closer && closer != c->thr->id + 1)
        record_mark(c->thr, WORD_VALUE(MARK, CLOSED),
                    (void *)(THING_ADDRESS + 8 * (uint64_t)number), c->site);
    thing_sum(c, number);
}

/* A file by any name. Copies of a descriptor have one offset, other descriptors another. */
void channel_file(int fd, const struct spot *p)
{
    struct channel_ends *e = ends_of(fd);
    if (!e || !p->is_file)
        return;
    e->node = p->self;
    e->offset = thing_new(THING_OFFSET);
}

uint64_t channel_node(int fd)
{
    return ends_of(fd) ? ends_of(fd)->node : 0;
}

uint32_t channel_offset(int fd)
{
    return ends_of(fd) ? ends_of(fd)->offset : 0;
}

/* How it works: its flags, options, name. */
void channel_settings(const struct call *c, int fd, bool is_set)
{
    thing_id settings = thing_of(THING_DESCRIPTOR, (uint64_t)fd, SETTINGS);
    if (is_set && c->result >= 0)
        thing_update(c, settings);
    else
        thing_sum(c, settings);
}

/* Another process has the ends too. */
void channel_shared(void)
{
    rt.shares_ends = true;
    for (uint32_t i = 0; i < rt.channel.count; i++)
        rt.channel.channels[i].is_outside = true;
}

/* ---- sets of epoll ----------------------------------------------------------------------- */

/* Beyond the limit the last one stands for all. */
static struct epoll_set *set_of(int ep)
{
    struct channel_ends *e = ends_of(ep);
    if (e && e->set)
        return &rt.channel.epoll_sets[e->set - 1];
    if (rt.channel.epoll_set_count < EPOLL_SETS_MAX) {
        struct epoll_set *s = &rt.channel.epoll_sets[rt.channel.epoll_set_count++];
        *s = (struct epoll_set){.state = thing_new(THING_CHANNEL)};
        s->less = thing_new(THING_CHANNEL);
    }
    if (e)
        e->set = (uint8_t)rt.channel.epoll_set_count;
    return &rt.channel.epoll_sets[rt.channel.epoll_set_count - 1];
}

/* Something in these sets is ready now, or is not any more. */
static void sets_changed(const struct call *c, uint64_t sets, bool is_more)
{
    for (uint32_t i = 0; sets >> i && i < rt.channel.epoll_set_count; i++) {
        const struct epoll_set *s = &rt.channel.epoll_sets[i];
        if (!(sets >> i & 1))
            continue;
        if (!is_more)
            thing_change(c, s->less);
        else if (s->is_looked_at)
            thing_change(c, s->state);
    }
}

/* It can only come in if it is not there, and only go or be changed if it is. It is reported as
 * whoever changed it last wants it. */
static void watch_changed(const struct call *c, const struct epoll_set *s, int op,
                          struct watch *w)
{
    thing_hear(c, s->state, w->put - 1);
    if (op == EPOLL_CTL_DEL)
        thing_change(c, s->less);
    w->told = thing_change(c, s->state) + 1;
    if (op != EPOLL_CTL_MOD)
        w->put = w->told;
}

void channel_watch(const struct call *c, int ep, int op, int fd, struct watch *w)
{
    struct epoll_set *s = set_of(ep);
    uint64_t bit = 1ULL << (s - rt.channel.epoll_sets);
    struct channel *in = in_of(fd), *out = out_of(fd);
    if (in)
        in->sets |= bit;
    if (out)
        out->room_sets |= bit;
    if (ends_of(fd) && ends_of(fd)->set)
        s->inner |= 1ULL << (ends_of(fd)->set - 1);
    if (!in || in->is_outside || in->kind == CHANNEL_SIGNALS)
        s->has_outside = true;
    watch_changed(c, s, op, w);
}

/* ---- what is put into one and taken out -------------------------------------------------- */

static uint64_t put(const struct call *c, unsigned kind, const struct channel *ch,
                    uint64_t position)
{
    if (UNLIKELY(rt.weak.on))
        weak_thing(c->thr, kind);
    if (!rt.recording)
        return NO_EVENT;
    record_event(c->thr,
                 &(struct ev){.kind = (uint8_t)kind,
                              .addr = 16 + 8 * (uint64_t)(ch - rt.channel.channels + 1),
                              .value2 = position,
                              .len = (uint64_t)c->result},
                 c->site);
    return rt.trace.event_count - 1;
}

/* By this event there is something to be had. */
static void filled(const struct call *c, struct channel *ch, uint64_t event)
{
    ch->last_put = event;
    if (ch->made == NO_EVENT)
        ch->made = event;
    sets_changed(c, ch->sets, true);
}

/* By this event there is less. */
static void emptied(const struct call *c, struct channel *ch, uint64_t event, bool is_empty)
{
    ch->last_got = event;
    ch->made = is_empty ? NO_EVENT : ch->last_put;
    if (ch->room_is_looked_at)
        thing_change(c, ch->room);
    sets_changed(c, ch->sets, false);
    if (ch->was_full)
        sets_changed(c, ch->room_sets, true);
}

static bool found_nothing(const struct call *c)
{
    return c->result < 0 && (c->error == EAGAIN || c->error == EWOULDBLOCK);
}

static bool is_broken(const struct call *c)
{
    return c->result < 0 && (c->error == EPIPE || c->error == ECONNRESET);
}

/* There was not more than was read: all has been taken, and nothing came since. */
static void look_in(const struct call *c, struct channel *ch)
{
    thing_hear(c, ch->state, ch->last_got);
    thing_look(c, ch->state);
    ch->is_looked_at = true;
}

static void look_for_room(const struct call *c, struct channel *ch)
{
    thing_hear(c, ch->room, ch->last_put);
    thing_look(c, ch->room);
    ch->room_is_looked_at = ch->was_full = true;
}

static void hear_bytes(const struct call *c, struct channel *ch)
{
    if (c->result > 0) {
        uint64_t event = put(c, EV_CHANNEL_READ, ch, ch->got);
        ch->got += (uint64_t)c->result;
        emptied(c, ch, event, ch->put == ch->got);
    } else if (c->result == 0 || is_broken(c)) { /* all its ends are closed */
        thing_sum(c, ch->state);
        thing_hear(c, ch->state, ch->last_got);
    }
    if (found_nothing(c) || (c->result >= 0 && c->result < (int64_t)c->asked))
        look_in(c, ch);
}

static void say_bytes(const struct call *c, struct channel *ch)
{
    if (c->waited)
        thing_hear(c, ch->room, ch->last_got);
    if (is_broken(c))
        thing_sum(c, ch->room);
    if (c->result > 0) {
        if (ch->is_looked_at)
            thing_change(c, ch->state);
        uint64_t event = put(c, EV_CHANNEL_WRITE, ch, ch->put);
        ch->put += (uint64_t)c->result;
        filled(c, ch, event);
    }
    if (found_nothing(c) || (c->result >= 0 && c->result < (int64_t)c->asked))
        look_for_room(c, ch);
}

static void hear_sum(const struct call *c, struct channel *ch)
{
    if (c->result < 0) {
        thing_sum(c, ch->state);
        return;
    }
    uint64_t event = thing_update(c, ch->state);
    ch->got++;
    bool is_empty =
        ch->kind == CHANNEL_EVENT || (ch->kind == CHANNEL_MESSAGES && ch->put <= ch->got);
    emptied(c, ch, event, is_empty);
}

static void say_sum(const struct call *c, struct channel *ch)
{
    if (c->result < 0 || c->waited)
        thing_sum(c, ch->state);
    if (c->result < 0)
        return;
    ch->put++;
    filled(c, ch, thing_change(c, ch->state));
}

/* ---- connections of the target with itself ----------------------------------------------- */

/* Others may connect as well. */
void channel_listens(const struct call *c, int fd)
{
    struct channel_ends *e = ends_of(fd);
    if (!e || e->in)
        return;
    e->in = channel_new(CHANNEL_MESSAGES);
    goes_outside(in_of(fd));
    if (in_of(fd))
        in_of(fd)->opened = thing_change(c, in_of(fd)->state);
}

/* To a socket on which the target itself listens. The number of the connection; 0: none. */
uint32_t channel_connects(const struct call *c, int fd, int listener, uint16_t port)
{
    struct channel_ends *e = ends_of(fd);
    struct channel *queue = in_of(listener);
    if (!e || !queue || rt.connection_count == CONNECTIONS_MAX)
        return 0;
    e->in = channel_new(CHANNEL_BYTES);
    e->out = channel_new(CHANNEL_BYTES);
    if (!e->in || !e->out)
        return 0;
    thing_hear(c, queue->state, queue->opened);
    if (c->waited)
        thing_hear(c, queue->state, queue->last_got);
    struct connection *k = &rt.connections[rt.connection_count++];
    *k = (struct connection){.listener = listener, .port = port, .in = e->in, .out = e->out};
    k->event = thing_change(c, queue->state);
    queue->put++;
    filled(c, queue, k->event);
    return rt.connection_count;
}

/* The other end of that connection. */
void channel_accepts(const struct call *c, uint32_t number)
{
    struct connection *k = &rt.connections[number - 1];
    struct channel *queue = in_of(k->listener);
    struct channel_ends *e = ends_of((int)c->result);
    k->is_taken = true;
    if (queue) {
        thing_hear(c, queue->state, k->event);
        queue->got++;
        emptied(c, queue, thing_change(c, queue->state), queue->put <= queue->got);
    }
    if (e) {
        e->in = k->out;
        e->out = k->in;
    } else {
        goes_outside(channel_at(k->in));
        goes_outside(channel_at(k->out));
    }
}

/* ---- others: they may lead to other processes -------------------------------------------- */

/* What one thread has read there, another one cannot. */
static void hear_outside(const struct call *c, struct channel *ch)
{
    if (ch) {
        thing_hear(c, ch->state, ch->last_put);
        thing_sum(c, ch->state);
    }
    if (c->result > 0)
        thing_update(c, thing_of(THING_DESCRIPTOR, (uint64_t)c->fd, 0));
    outside_heard(c);
}

static void say_outside(const struct call *c, struct channel *ch)
{
    if (c->waited || c->result < 0)
        outside_heard(c);
    if (c->result < 0 && c->error != EINPROGRESS)
        return;
    if (ch)
        filled(c, ch, thing_change(c, ch->state));
    outside_told(c);
}

static void hear(const struct call *c, struct channel *ch)
{
    if (ch && ch->kind == CHANNEL_BYTES && !c->moves)
        ch->is_outside = true;
    if (!ch || ch->is_outside)
        hear_outside(c, ch);
    else if (ch->kind == CHANNEL_SIGNALS)
        channel_pin(c);
    else if (ch->kind == CHANNEL_BYTES)
        hear_bytes(c, ch);
    else
        hear_sum(c, ch);
}

static void say(const struct call *c, struct channel *ch)
{
    if (ch && ch->kind == CHANNEL_BYTES && !c->moves)
        ch->is_outside = true;
    if (!ch || ch->is_outside)
        say_outside(c, ch);
    else if (ch->kind == CHANNEL_BYTES)
        say_bytes(c, ch);
    else
        say_sum(c, ch);
}

/* Whoever reads, or writes, is told that the other end is gone. */
static void end(const struct call *c, int fd)
{
    struct channel *in = in_of(fd), *out = out_of(fd);
    if (in == out)
        return;
    if (out) {
        uint64_t event = thing_change(c, out->state);
        out->is_closed = true;
        if (out->made == NO_EVENT)
            out->made = event;
        sets_changed(c, out->sets, true);
    }
    if (in) {
        thing_change(c, in->room);
        in->room_is_closed = true;
        sets_changed(c, in->room_sets, true);
    }
}

void channel_close(const struct call *c, int fd)
{
    const struct channel_ends *e = ends_of(fd);
    if (c->result < 0 && c->error == EBADF) {
        meet_closed(c, fd, true);
        return;
    }
    thing_change(c, thing_of(THING_DESCRIPTOR, (uint64_t)fd, IS_OPEN));
    file_lock_closed(c, fd);
    if (e && (e->in || e->out))
        end(c, fd);
    else if (descriptor_is_channel(fd))
        outside_told(c);
    if (ends_of(fd))
        *ends_of(fd) = (struct channel_ends){.closer = c->thr->id + 1};
}

/* ---- what is ready ----------------------------------------------------------------------- */

/* A set in which nothing was ready. */
static void look_at_set(const struct call *c, struct epoll_set *s)
{
    thing_sum(c, s->less);
    thing_look(c, s->state);
    s->is_looked_at = true;
    if (s->has_outside)
        thing_look(c, thing_of(THING_OUTSIDE, 0, 0));
}

static void heard_ready(const struct call *c, int fd, short events)
{
    struct channel *in = in_of(fd), *out = out_of(fd);
    if (ends_of(fd) && ends_of(fd)->set) { /* by what in it is not said */
        channel_pin(c);
        return;
    }
    if (!in && !out && channel_node(fd) == 0) {
        outside_heard(c);
        return;
    }
    if (in && (events & ~POLLOUT)) {
        if (in->kind == CHANNEL_SIGNALS)
            channel_pin(c);
        else if (in->is_outside)
            outside_heard(c);
        thing_hear(c, in->state, in->made);
        if (in->is_closed)
            thing_sum(c, in->state);
    }
    if (out && (events & POLLOUT) && out->was_full)
        thing_hear(c, out->room, out->last_got);
    if (out && out->room_is_closed)
        thing_sum(c, out->room);
}

static void found_not_ready(const struct call *c, int fd, short events)
{
    struct channel *in = in_of(fd), *out = out_of(fd);
    if (ends_of(fd) && ends_of(fd)->set) {
        look_at_set(c, set_of(fd));
        return;
    }
    if (!in && !out && channel_node(fd) == 0) {
        thing_look(c, thing_of(THING_OUTSIDE, 0, 0));
        return;
    }
    if (in && (events & POLLIN)) {
        look_in(c, in);
        if (in->is_outside)
            thing_look(c, thing_of(THING_OUTSIDE, 0, 0));
    }
    if (out && (events & POLLOUT))
        look_for_room(c, out);
}

void channel_polled(const struct call *c, const struct pollfd *fds, uint64_t count)
{
    for (uint64_t i = 0; c->result >= 0 && i < count; i++) {
        if (fds[i].fd < 0)
            continue;
        if (fds[i].revents)
            heard_ready(c, fds[i].fd, fds[i].revents);
        else
            found_not_ready(c, fds[i].fd, fds[i].events);
    }
}

/* It is ready since somebody made it so, and somebody wanted to know. Who is told of it once is
 * not told again: the set has less. */
static void heard_watch(const struct call *c, const struct epoll_set *s, const struct watch *w)
{
    thing_hear(c, s->state, w->told - 1);
    if (w->wants & (EPOLLONESHOT | EPOLLET))
        thing_change(c, s->less);
}

/* If there was room for more, nothing else in the set was ready. */
void channel_epolled(const struct call *c, int ep, const struct epoll_event *events, int room)
{
    struct epoll_set *s = set_of(ep);
    if (c->result < 0)
        return;
    for (int i = 0; i < c->result; i++) {
        heard_ready(c, events[i].data.fd, (short)events[i].events);
        heard_watch(c, s, watch_of(ep, events[i].data.fd));
    }
    if (c->result >= room)
        return;
    look_at_set(c, s);
    for (uint32_t i = 0; s->inner >> i && i < rt.channel.epoll_set_count; i++)
        if (s->inner >> i & 1)
            look_at_set(c, &rt.channel.epoll_sets[i]);
}

/* ---- calls ------------------------------------------------------------------------------- */

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (__builtin_strcmp(name, *names) == 0)
            return true;
    return false;
}

static bool is_hearing(const char *name)
{
    return is_one_of(name, (const char *const[]){"read", "readv", "recv", "recvfrom", "recvmsg",
                                                 "fill", "accept", "connect", NULL});
}

static bool is_saying(const char *name)
{
    return is_one_of(name,
                     (const char *const[]){"write", "writev", "send", "sendto", "sendmsg",
                                           "sendmmsg", "sendfile", "drain", "connect", "listen",
                                           "shutdown", "timerfd_settime", NULL});
}

/* How much there is to be read, whether a connection was made, and so on. */
static void ask(const struct call *c, struct channel *ch)
{
    if (!ch) {
        outside_heard(c);
        return;
    }
    thing_hear(c, ch->state, ch->last_put);
    look_in(c, ch);
}

/* What is read and written of a file, and where: a write is told nothing of that. */
static void file_call(const struct call *c, const struct channel_ends *e)
{
    static const char *const at_place[] = {"pread", "preadv", "fstat", NULL};
    static const char *const changes[] = {"pwrite",    "pwritev",         "ftruncate",
                                          "fallocate", "posix_fallocate", NULL};
    static const char *const moves[] = {"lseek", "seek", NULL};
    if (is_one_of(c->name, moves)) {
        thing_update(c, e->offset);
        file_asked(c, e->node); /* where its end is */
    } else if (is_one_of(c->name, at_place)) {
        file_asked(c, e->node);
    } else if (is_one_of(c->name, changes)) {
        file_changed(c, e->node);
    } else if (is_hearing(c->name)) {
        thing_update(c, e->offset);
        file_asked(c, e->node);
    } else if (is_saying(c->name)) {
        thing_change(c, e->offset);
        file_changed(c, e->node);
    }
}

/* Are all its bytes accounted for: by whom they were written, or that nobody else could read
 * them? */
bool channel_accounts_for(const struct call *c)
{
    return c->fd >= 0 || c->is_told;
}

/* What goes to standard output and error is nobody's news. */
void channel_call(const struct call *c)
{
    const struct channel_ends *e = ends_of(c->fd);
    if (c->fd < 0 || c->is_inside)
        return;
    if (c->result < 0 && c->error == EBADF) {
        meet_closed(c, c->fd, is_hearing(c->name) || is_saying(c->name));
        return;
    }
    if (e && e->node) {
        file_call(c, e);
        return;
    }
    if (__builtin_strcmp(c->name, "shutdown") == 0 && e && (e->in || e->out)) {
        end(c, c->fd);
        return;
    }
    if (is_one_of(c->name, (const char *const[]){"ioctl", "getsockopt", NULL}))
        ask(c, in_of(c->fd));
    if (is_hearing(c->name))
        hear(c, in_of(c->fd));
    if (is_saying(c->name) && !(descriptor_is_shown(c->fd) && !out_of(c->fd)))
        say(c, out_of(c->fd));
}

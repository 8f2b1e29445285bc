/* SPDX-License-Identifier: Apache-2.0
 *
 * channel: what threads of the target tell each other through the system. Of a pipe or a pair
 * of stream sockets whose ends stay in the target, and through which bytes are only moved (by
 * read, recv, recvmsg and their kin, without peeking and without descriptors), every byte is
 * counted: a read comes after the write of its last byte, and no more need be known. Of
 * everything else that may carry word from another thread (sockets, event descriptors, streams,
 * poll) we know only that it was heard: whatever was done so far comes before it, in every
 * schedule that this one tells of. That is a pin.
 *
 * Not to hear something is news as well: a short or empty read, or a poll, would have heard
 * more if the next write had come before it. That write is pinned. A write that found the
 * channel full does the same to the next read. */
#include "rt/rt.h"

#include <errno.h>
#include <sys/socket.h>

static struct channel *channel_at(uint16_t number)
{
    return number ? &rt.channels[number - 1] : NULL;
}

static struct channel_ends *ends_of(int fd)
{
    return fd >= 0 && fd < CHANNEL_FDS_MAX ? &rt.channel_ends[fd] : NULL;
}

static uint16_t channel_new(void)
{
    if (rt.channel_count == CHANNELS_MAX)
        return 0;
    rt.channels[rt.channel_count] = (struct channel){0};
    return (uint16_t)++rt.channel_count;
}

/* The address is nobody's. */
void channel_pin(const struct call *c)
{
    if (rt.recording)
        record_event(c->thr, &(struct ev){.kind = EV_EXTERNAL_WRITE, .addr = 8, .len = 1},
                     c->site);
}

/* ---- which descriptor ------------------------------------------------------------------- */

void channel_pipe(const int ends[2])
{
    struct channel_ends *from = ends_of(ends[0]), *to = ends_of(ends[1]);
    if (from && to)
        from->in = to->out = channel_new();
}

void channel_sockets(const int ends[2], int type)
{
    struct channel_ends *one = ends_of(ends[0]), *two = ends_of(ends[1]);
    if (!one || !two || (type & 0xf) != SOCK_STREAM)
        return;
    one->in = two->out = channel_new();
    two->in = one->out = channel_new();
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

/* Whoever wrote did so while it was open. */
void channel_close(const struct call *c, int fd)
{
    if (descriptor_is_channel(fd))
        channel_pin(c);
    file_lock_closed(c, fd);
    if (ends_of(fd))
        *ends_of(fd) = (struct channel_ends){0};
}

/* Another process has the ends too. */
void channel_shared(void)
{
    rt.shares_ends = true;
    for (uint32_t i = 0; i < rt.channel_count; i++)
        rt.channels[i].is_outside = true;
}

/* ---- what was heard --------------------------------------------------------------------- */

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
    return is_one_of(name, (const char *const[]){"write", "writev", "send", "sendto", "sendmsg",
                                                 "sendmmsg", "sendfile", "drain", NULL});
}

static bool is_looking(const char *name)
{
    return is_one_of(name, (const char *const[]){"poll", "select", "epoll_wait", NULL});
}

static void put(const struct call *c, unsigned kind, uint32_t number, uint64_t position)
{
    if (rt.recording)
        record_event(c->thr,
                     &(struct ev){.kind = (uint8_t)kind,
                                  .addr = 16 + 8 * (uint64_t)number,
                                  .value2 = position,
                                  .len = (uint64_t)c->result},
                     c->site);
}

static bool found_nothing(const struct call *c)
{
    return c->result < 0 && (c->error == EAGAIN || c->error == EWOULDBLOCK);
}

/* Everybody who looked would have seen more, had it come before. */
static void starve_all(void)
{
    rt.starved = true;
    for (uint32_t i = 0; i < rt.channel_count; i++)
        rt.channels[i].starved = true;
}

static void hear(const struct call *c, uint16_t number)
{
    struct channel *ch = channel_at(number);
    if (ch && !c->moves)
        ch->is_outside = true;
    if (!ch || ch->is_outside) {
        if (c->result >= 0)
            channel_pin(c);
        if (found_nothing(c))
            starve_all();
        return;
    }
    if (c->result == 0 || ch->full)
        channel_pin(c);
    ch->full = false;
    if (c->result > 0) {
        put(c, EV_CHANNEL_READ, number, ch->got);
        ch->got += (uint64_t)c->result;
    }
    if (c->result < (int64_t)c->asked)
        ch->starved = true;
}

static void say(const struct call *c, uint16_t number)
{
    struct channel *ch = channel_at(number);
    if (ch && !c->moves)
        ch->is_outside = true;
    if (!ch || ch->is_outside) {
        if (rt.starved || c->waited || c->result < 0)
            channel_pin(c);
        return;
    }
    if (ch->starved || c->waited || c->result < 0)
        channel_pin(c);
    ch->starved = false;
    if (c->result > 0) {
        put(c, EV_CHANNEL_WRITE, number, ch->put);
        ch->put += (uint64_t)c->result;
    }
    if (c->result < (int64_t)c->asked)
        ch->full = true;
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

/* Are all its bytes accounted for by a write of another thread, or of its own? */
bool channel_accounts_for(const struct call *c)
{
    const struct channel_ends *e = ends_of(c->fd);
    const struct channel *ch = e ? channel_at(e->in) : NULL;
    return (e && e->node) || (ch && !ch->is_outside && c->moves);
}

void channel_call(const struct call *c)
{
    const struct channel_ends *e = ends_of(c->fd);
    if (is_looking(c->name)) {
        if (c->result > 0)
            channel_pin(c);
        starve_all();
    } else if (e && e->node) {
        file_call(c, e);
    } else if (descriptor_is_channel(c->fd) && __builtin_strcmp(c->name, "shutdown") == 0) {
        channel_pin(c);
    } else if (descriptor_is_channel(c->fd) && is_hearing(c->name)) {
        hear(c, e ? e->in : 0);
    } else if (descriptor_is_channel(c->fd) && is_saying(c->name)) {
        say(c, e ? e->out : 0);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-fifo: opening a named pipe waits until somebody opens its other end. A writer tries
 * again and again, without waiting, until there is a reader. A reader opens its end at once, so
 * that writers find it, and waits until a thread of the target has opened the other one, or
 * until something came from outside. One outside that has opened it and written nothing is not
 * seen. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

struct opening {
    int at, flags;
    const char *path;
    mode_t mode;
    uint64_t device, node;
    int fd, error;
};

static bool is_writer(const struct opening *o)
{
    return (o->flags & O_ACCMODE) == O_WRONLY;
}

/* Would opening it wait at all? */
static bool find(struct opening *o)
{
    struct stat st;
    if ((o->flags & (O_NONBLOCK | O_PATH)) || (o->flags & O_ACCMODE) == O_RDWR ||
        sys_call(SYS_newfstatat, o->at, (long)o->path, (long)&st, 0, 0, 0) < 0 ||
        !S_ISFIFO(st.st_mode))
        return false;
    o->device = st.st_dev;
    o->node = st.st_ino;
    return true;
}

static void try_open(struct opening *o)
{
    o->fd = real.openat(o->at, o->path, o->flags | O_NONBLOCK, o->mode);
    o->error = errno;
}

static bool has_writer(const struct opening *o)
{
    for (uint32_t i = 0; i < FIFOS_MAX; i++)
        if (rt.fifos[i].is_used && rt.fifos[i].device == o->device &&
            rt.fifos[i].node == o->node)
            return true;
    return false;
}

static bool is_open(struct thr *t)
{
    struct opening *o = (struct opening *)(uintptr_t)t->wait_what;
    if (is_writer(o)) {
        if (o->fd < 0)
            try_open(o);
        return o->fd >= 0 || o->error != ENXIO;
    }
    struct pollfd p = {.fd = o->fd, .events = POLLIN};
    return o->fd < 0 || has_writer(o) || sys_call(SYS_poll, (long)&p, 1, 0, 0, 0, 0) != 0;
}

static void note_writer(const struct opening *o)
{
    for (uint32_t i = 0; i < FIFOS_MAX; i++)
        if (!rt.fifos[i].is_used) {
            rt.fifos[i] = (struct fifo){o->device, o->node, o->fd, true};
            return;
        }
}

void fifo_closed(int fd)
{
    for (uint32_t i = 0; i < FIFOS_MAX; i++)
        if (rt.fifos[i].is_used && rt.fifos[i].fd == fd)
            rt.fifos[i].is_used = false;
}

/* Waits, and makes the call if it is one of these; false: the caller is to make it. */
bool fifo_open(struct call *c, bool live, int at, const char *path, int flags, mode_t mode)
{
    struct thr *t = c->thr;
    struct opening o = {.at = at, .path = path, .flags = flags, .mode = mode, .fd = -1};
    bool is_fifo = live && find(&o);
    if (is_fifo && !is_writer(&o))
        try_open(&o);
    for (;;) {
        t->wait_what = &o;
        if (!sched_goes_outside(t, is_fifo && !is_open(t)))
            break;
        t->interrupted = false;
        enum wake_how how = sched_block_test(t, is_open, &o, "a FIFO's other end", NEVER);
        if (how == WAKE_CANCEL)
            cancel_check(t);
        if (how == WAKE_SIGNAL && t->interrupted && o.fd < 0) {
            o.error = EINTR;
            break;
        }
    }
    if (!is_fifo)
        return false;
    if (o.fd >= 0)
        sys_call(SYS_fcntl, o.fd, F_SETFL, flags & ~O_NONBLOCK, 0, 0, 0);
    if (o.fd >= 0 && is_writer(&o))
        note_writer(&o);
    c->result = o.fd;
    c->error = o.error;
    return true;
}

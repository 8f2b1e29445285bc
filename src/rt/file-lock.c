/* SPDX-License-Identifier: Apache-2.0
 *
 * file-lock: the locks of files that keep threads apart: flock, and those that fcntl gives an
 * open file (F_OFD_...). They belong to the open file: whoever takes one comes after what was
 * done by those that had it through another open file, and through the same one nobody is kept
 * out. Parts of files are not told apart. A lock of fcntl that belongs to the process keeps no
 * thread out and orders nothing. */
#include "rt/rt.h"

#include <fcntl.h>
#include <sys/file.h>

enum { HELD_SHARED = 1, HELD_ALONE };

static thing_id alone_of(const struct file_lock *l)
{
    return thing_of(THING_LOCK, l->offset, l->kind);
}

static thing_id shared_of(const struct file_lock *l)
{
    return thing_of(THING_LOCK_SHARED, l->offset, l->kind);
}

/* Beyond the limit the last one stands for all. */
static struct file_lock *lock_of(int fd, uint8_t kind)
{
    struct file_lock own = {channel_node(fd), channel_offset(fd), kind, 0};
    if (!own.node || !own.offset)
        return NULL;
    for (uint32_t i = 0; i < rt.file_lock.count; i++)
        if (rt.file_lock.file_locks[i].offset == own.offset &&
            rt.file_lock.file_locks[i].kind == kind)
            return &rt.file_lock.file_locks[i];
    if (rt.file_lock.count < FILE_LOCKS_MAX)
        rt.file_lock.count++;
    rt.file_lock.file_locks[rt.file_lock.count - 1] = own;
    return &rt.file_lock.file_locks[rt.file_lock.count - 1];
}

/* Whether it can be had depends on what the others did. */
static void asked(const struct call *c, const struct file_lock *own, bool is_shared)
{
    for (uint32_t i = 0; i < rt.file_lock.count; i++) {
        const struct file_lock *l = &rt.file_lock.file_locks[i];
        if (l == own || l->node != own->node || l->kind != own->kind)
            continue;
        thing_sum(c, alone_of(l));
        if (!is_shared)
            thing_sum(c, shared_of(l));
    }
}

static void taken(const struct call *c, struct file_lock *l, bool is_shared)
{
    l->held = is_shared ? HELD_SHARED : HELD_ALONE;
    thing_change(c, is_shared ? shared_of(l) : alone_of(l));
}

static void left(const struct call *c, struct file_lock *l)
{
    l->held = 0;
    thing_change(c, alone_of(l));
    thing_change(c, shared_of(l));
}

static void tell(const struct call *c, int fd, uint8_t kind, bool is_left, bool is_shared)
{
    struct file_lock *l = lock_of(fd, kind);
    if (!l)
        return;
    if (is_left) {
        left(c, l);
        return;
    }
    asked(c, l, is_shared);
    if (c->result >= 0)
        taken(c, l, is_shared);
    if (rt.has_children)
        outside_heard(c);
}

void file_lock_flock(const struct call *c, int fd, int how)
{
    tell(c, fd, LOCK_BY_FLOCK, how & LOCK_UN, how & LOCK_SH);
}

void file_lock_fcntl(const struct call *c, int fd, int command, const void *arg)
{
    const struct flock *lock = arg;
    if (command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK)
        tell(c, fd, LOCK_BY_FCNTL, command != F_OFD_GETLK && lock->l_type == F_UNLCK,
             lock->l_type == F_RDLCK);
}

/* Files are its own, and no other process of it has them. */
static bool are_alone(void)
{
    return !rt.has_children && rt.set.apart & (APART_OVERLAY | APART_COPY);
}

/* Somebody of the target has what t waits for, through another open file: nobody else can end
 * that. What is known of a copied descriptor is not enough. Of ranges it is not known who has
 * which: nobody else is there. */
bool file_lock_is_ours(const struct thr *t)
{
    if (t->waits_for_lock == LOCK_BY_FCNTL)
        return are_alone();
    if (t->waits_for_lock != LOCK_BY_FLOCK)
        return false;
    const int *what = t->wait_what;
    uint64_t node = channel_node(what[0]);
    uint32_t own = channel_offset(what[0]);
    if (!node || rt.has_children || rt.file_lock.count == FILE_LOCKS_MAX)
        return false;
    for (uint32_t i = 0; i < rt.file_lock.count; i++) {
        const struct file_lock *l = &rt.file_lock.file_locks[i];
        if (l->kind == LOCK_BY_FLOCK && l->node == node && l->offset != own && l->held &&
            (l->held == HELD_ALONE || !(what[1] & LOCK_SH)))
            return true;
    }
    return false;
}

/* The last descriptor of an open file gives its locks back; which is the last is not known. */
void file_lock_closed(const struct call *c, int fd)
{
    uint32_t offset = channel_offset(fd);
    for (uint32_t i = 0; offset && i < rt.file_lock.count; i++)
        if (rt.file_lock.file_locks[i].offset == offset)
            left(c, &rt.file_lock.file_locks[i]);
}

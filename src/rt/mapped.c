/* SPDX-License-Identifier: Apache-2.0
 *
 * mapped: files that the target maps to share them. What it writes to such a file by its
 * descriptor shows in the mapping, in a replay too, where there is no such file: a scratch file
 * stands in for it, is mapped in its place, and gets the target's own writes. Which file a call
 * is about is in its record, from the first such mapping on; it has the same number in a run
 * and its replay. What other processes put into the file is not seen by a replay. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

static bool is_scratch(uint32_t file)
{
    return file < rt.mapped_count && rt.mapped[file].fd >= 0;
}

bool mapped_is_own(int fd)
{
    for (uint32_t i = 0; i < rt.mapped_count; i++)
        if (rt.mapped[i].fd == fd)
            return true;
    return false;
}

static uint32_t find(const struct stat *st)
{
    uint32_t i = 0;
    while (i < rt.mapped_count &&
           (rt.mapped[i].device != st->st_dev || rt.mapped[i].node != st->st_ino))
        i++;
    return i;
}

static bool look(int fd, const char *path, struct stat *out)
{
    long e = path ? sys_call(SYS_stat, (long)path, (long)out, 0, 0, 0, 0)
                  : sys_call(SYS_fstat, fd, (long)out, 0, 0, 0, 0);
    return e == 0 && S_ISREG(out->st_mode);
}

/* A file that is mapped now, made known if it is new. */
static struct file_place place_of_map(int fd)
{
    struct stat st;
    struct file_place none = {.file = NO_ID};
    if (!look(fd, NULL, &st))
        return none;
    uint32_t file = find(&st);
    if (file == MAPPED_MAX) {
        outcome_doubt(DOUBT_UNMODELLED_CALL, "more than 64 files that are mapped");
        return none;
    }
    if (file == rt.mapped_count)
        rt.mapped[rt.mapped_count++] =
            (struct mapped){.device = st.st_dev, .node = st.st_ino, .fd = -1};
    return (struct file_place){.file = file, .size = (uint64_t)st.st_size};
}

/* ---- mappings ---------------------------------------------------------------------------- */

/* In a replay: the scratch file, as long as the file was. */
static int scratch(const struct file_place *p)
{
    CHECK(p->file <= rt.mapped_count && p->file < MAPPED_MAX);
    struct mapped *m = &rt.mapped[p->file];
    if (p->file == rt.mapped_count) {
        rt.mapped_count++;
        m->fd = input_high(
            (int)sys_call(SYS_memfd_create, (long)"heddle", MFD_CLOEXEC, 0, 0, 0, 0));
    }
    if (m->fd >= 0)
        sys_truncate(m->fd, p->size);
    return m->fd;
}

/* Behind the call that maps a file, or instead of it. */
void *mapped_map(struct call *c, void *made, int fd, const struct map_wish *w)
{
    if (c->live && c->result == 0)
        c->place = place_of_map(fd);
    else if (c->live)
        c->place.file = NO_ID;
    call_keeps(c, &c->place, sizeof c->place);
    if (c->live || c->result < 0)
        return made;
    int fixed = w->flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
    bool is_known = c->place.file <= rt.mapped_count && c->place.file < MAPPED_MAX;
    int from = is_known ? scratch(&c->place) : -1;
    if (from < 0)
        return real.mmap(w->where, w->len, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
    return real.mmap(w->where, w->len, PROT_READ | PROT_WRITE, MAP_SHARED | fixed, from, w->at);
}

/* ---- what is written --------------------------------------------------------------------- */

static void put(int fd, const struct iovec *v, int count, int64_t left, int64_t at)
{
    for (int i = 0; i < count && left > 0; i++) {
        int64_t len = (uint64_t)left < v[i].iov_len ? left : (int64_t)v[i].iov_len;
        sys_call(SYS_pwrite64, fd, (long)v[i].iov_base, len, at, 0, 0);
        left -= len;
        at += len;
    }
}

/* at: where it was to be written; -1: where the file stood. */
void mapped_written(struct call *c, int fd, const struct iovec *v, int count, int64_t at)
{
    struct stat st;
    if (!rt.mapped_count)
        return;
    if (c->live) {
        bool is_it = c->result > 0 && look(fd, NULL, &st) && find(&st) < rt.mapped_count;
        c->place.file = is_it ? find(&st) : NO_ID;
        c->place.at = at;
        if (is_it && at < 0)
            c->place.at = sys_call(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0) - c->result;
        if (is_it && !v)
            outcome_doubt(DOUBT_UNMODELLED_CALL, c->name);
    }
    call_keeps(c, &c->place, sizeof c->place);
    if (!c->live && is_scratch(c->place.file))
        put(rt.mapped[c->place.file].fd, v, count, c->result, c->place.at);
}

/* Its size may be another one now, or a part of it empty; path: instead of the descriptor. */
void mapped_resized(struct call *c, int fd, const char *path)
{
    struct stat st;
    if (!rt.mapped_count)
        return;
    if (c->live) {
        bool is_it = c->result >= 0 && look(fd, path, &st) && find(&st) < rt.mapped_count;
        c->place = (struct file_place){.file = is_it ? find(&st) : NO_ID};
        c->place.size = is_it ? (uint64_t)st.st_size : 0;
    }
    call_keeps(c, &c->place, sizeof c->place);
    if (!c->live && is_scratch(c->place.file))
        sys_truncate(rt.mapped[c->place.file].fd, c->place.size);
}

/* A hole in it: zeros, in a replay too. What else moves bytes about in it is named. */
void mapped_emptied(const struct call *c, int how, int64_t at, int64_t len)
{
    if (!rt.mapped_count || c->result < 0 || !how)
        return;
    if (c->live && c->place.file != NO_ID &&
        (how & ~(FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE)))
        outcome_doubt(DOUBT_UNMODELLED_CALL, "fallocate that changes a file which is mapped");
    if (!c->live && is_scratch(c->place.file) && (how & FALLOC_FL_PUNCH_HOLE))
        sys_call(SYS_fallocate, rt.mapped[c->place.file].fd, how, at, len, 0, 0);
}

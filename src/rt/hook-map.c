/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-map: the lives of memory that comes from the system. Pages that one thread gives back
 * may be another's the next moment, at the same address: they are other memory then, as a block
 * of the heap is. A mapping ends when all of it is given back. What others of whom we are not
 * told then put in its place (libc a stack, the linker a library) is no use of it: see
 * map_taken. (mmap itself is in hook-file.) */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/seen.h"
#include "rt/sys.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

static bool overlaps(const struct mapping *m, uint64_t at, uint64_t end)
{
    return m->len && m->at < end && at < m->at + m->len;
}

/* One of them is forgotten if there are too many: it does not end then. */
static void mapping_add(uint64_t at, uint64_t len)
{
    struct mapping *free = &rt.mappings[at / 4096 % MAPPINGS_MAX];
    for (uint32_t i = 0; i < MAPPINGS_MAX; i++) {
        struct mapping *m = &rt.mappings[i];
        if (overlaps(m, at, at + len))
            m->len = 0;
        if (!m->len)
            free = m;
    }
    *free = (struct mapping){.at = at, .len = len};
}

static void put_begin(struct thr *t, uint64_t at, uint64_t len)
{
    if (rt.recording)
        record_event(t, &(struct ev){.kind = EV_ALLOC, .addr = at, .len = len}, __heddle_here);
}

void map_taken(struct thr *t, uint64_t at, uint64_t end)
{
    for (uint32_t i = 0; i < MAPPINGS_MAX; i++) {
        struct mapping *m = &rt.mappings[i];
        if (!m->has_ended || !overlaps(m, at, end))
            continue;
        put_begin(t, m->at, m->len);
        m->len = 0;
    }
}

void map_begins(struct thr *t, const void *p, uint64_t len)
{
    uint64_t at = (uint64_t)(uintptr_t)p;
    if (!len)
        return;
    t->step++;
    mapping_add(at, len);
    if (rt.owning)
        shadow_map(at, len);
    if (UNLIKELY(rt.weak.on))
        weak_ends(at, len);
    seen_forget(at, len);
    put_begin(t, at, len);
}

static void map_ends(struct thr *t, struct mapping *m)
{
    if (UNLIKELY(rt.weak.on))
        weak_ends(m->at, m->len);
    seen_forget(m->at, m->len);
    shadow_free(t, m->at, m->len, __heddle_here);
    if (rt.recording)
        record_event(t, &(struct ev){.kind = EV_FREE, .addr = m->at}, __heddle_here);
    m->has_ended = true;
}

static bool is_whole(const struct mapping *m, uint64_t at, uint64_t end)
{
    return m->len && !m->has_ended && m->at >= at && m->at + m->len <= end;
}

/* A mapping of which a part is given back has no end that could be told. */
static void given_back(struct thr *t, const void *p, uint64_t len)
{
    uint64_t at = (uint64_t)(uintptr_t)p, end = at + ((len + 4095) & ~4095ULL);
    t->step++;
    for (uint32_t i = 0; i < MAPPINGS_MAX; i++) {
        struct mapping *m = &rt.mappings[i];
        if (is_whole(m, at, end))
            map_ends(t, m);
        else if (!m->has_ended && overlaps(m, at, end))
            m->len = 0;
    }
}

EXPORT int munmap(void *p, size_t len)
{
    struct thr *t = self;
    if (t)
        point_on(t, p);
    int e = real.munmap ? real.munmap(p, len)
                        : (int)sys_call(SYS_munmap, (long)p, (long)len, 0, 0, 0, 0);
    if (t && e == 0) {
        stir(t);
        given_back(t, p, len);
    }
    return e;
}

/* What was there moves with its memory, or stays where it is. */
EXPORT void *mremap(void *from, size_t before, size_t len, int flags, ...)
{
    struct thr *t = self;
    va_list list;
    va_start(list, flags);
    void *to = va_arg(list, void *);
    va_end(list);
    void *p = real.mremap ? real.mremap(from, before, len, flags, to) : MAP_FAILED;
    if (!t || p == MAP_FAILED)
        return p;
    if (p != from) {
        given_back(t, from, before);
        map_begins(t, p, len);
    } else if (len > before)
        map_begins(t, (char *)p + before, len - before);
    return p;
}

EXPORT void *sbrk(intptr_t more)
{
    struct thr *t = self;
    void *p = real.sbrk(more);
    if (t && more > 0 && p != MAP_FAILED)
        map_begins(t, p, (uint64_t)more);
    return p;
}

EXPORT int brk(void *end)
{
    struct thr *t = self;
    const char *before = t ? real.sbrk(0) : NULL;
    int e = real.brk(end);
    if (t && e == 0 && (char *)end > before)
        map_begins(t, before, (uint64_t)((char *)end - before));
    return e;
}

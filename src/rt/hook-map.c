/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-map: the lives of memory that comes from the system. Pages that one thread gives back
 * may be another's the next moment, at the same address: they are other memory then, as a block
 * of the heap is. They live until others begin to live there. (mmap itself is in hook-file.) */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/seen.h"
#include "rt/sys.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

void map_begins(struct thr *t, const void *p, uint64_t len)
{
    uint64_t at = (uint64_t)(uintptr_t)p;
    if (!len)
        return;
    t->step++;
    if (rt.owning)
        shadow_map(at, len);
    seen_forget(at, len);
    if (rt.recording)
        record_event(t, &(struct ev){.kind = EV_ALLOC, .addr = at, .len = len}, __heddle_here);
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
    if (p != from)
        map_begins(t, p, len);
    else if (len > before)
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

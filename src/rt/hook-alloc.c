/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-alloc: the lives of heap blocks. The dynamic linker calls these before we have started,
 * and libc calls them with its locks held: a birth is only a step. A death is a point, because
 * others may be at what dies, unless libc asks for it. operator new and delete come through
 * malloc and free. */
#include "rt/rt.h"
#include "rt/seen.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { MOVED_MAX = 1 << 16 }; /* bytes: what a larger block costs to move is felt */

static void put_block(struct thr *t, unsigned kind, const void *p, uint64_t len)
{
    t->step++;
    if (rt.recording)
        record_event(t,
                     &(struct ev){.kind = (uint8_t)kind,
                                  .addr = (uint64_t)(uintptr_t)p,
                                  .len = len ? len : 1},
                     __heddle_here);
}

/* `self` is thread-local, and there are no thread-locals before the start. */
static inline struct thr *caller(void)
{
    return rt.on ? self : NULL;
}

static void *born(void *p, uint64_t len)
{
    struct thr *t = caller();
    if (UNLIKELY(t != NULL) && p) {
        if (rt.shadow_mask)
            shadow_alloc((uint64_t)(uintptr_t)p, malloc_usable_size(p));
        if (!rt.owning) /* else it was forgotten when its last life there ended */
            seen_forget((uint64_t)(uintptr_t)p, len);
        put_block(t, EV_ALLOC, p, len);
    }
    return p;
}

static uint64_t bytes_of(void *p)
{
    return rt.shadow_mask && p ? malloc_usable_size(p) : 0;
}

static void dies(void *p, uint64_t len, const void *from)
{
    struct thr *t = caller();
    if (UNLIKELY(t != NULL) && p) {
        if (!globals_is_libc(from))
            point_on(t, p);
        stir(t);
        shadow_free(t, (uint64_t)(uintptr_t)p, len, __heddle_here);
        put_block(t, EV_FREE, p, 0);
    }
}

/* ---- what libc needs for a while, to answer us -------------------------------------------- *
 * Not from the heap: that of a replay, which does not ask, must look the same. */

bool alloc_aside(uint64_t bytes)
{
    rt.aside = sys_map(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    rt.aside_used = 0;
    rt.aside_bytes = rt.aside ? bytes : 0;
    return rt.aside != NULL;
}

void alloc_aside_end(void)
{
    sys_call(SYS_munmap, (long)rt.aside, (long)rt.aside_bytes, 0, 0, 0, 0);
    rt.aside = NULL;
    rt.aside_bytes = 0;
}

static void *aside(uint64_t len)
{
    uint64_t bytes = (len + 15) & ~(uint64_t)15;
    if (len > rt.aside_bytes || bytes > rt.aside_bytes - rt.aside_used)
        return NULL;
    rt.aside_used += bytes;
    return rt.aside + rt.aside_used - bytes;
}

static bool is_aside(const void *p)
{
    return (uint64_t)((const char *)p - rt.aside) < rt.aside_bytes;
}

/* ---- the calls --------------------------------------------------------------------------- */

EXPORT void *malloc(size_t len)
{
    if (UNLIKELY(rt.aside != NULL))
        return aside(len);
    return born(__libc_malloc(len), len);
}

EXPORT void free(void *p)
{
    if (UNLIKELY(rt.aside != NULL) && is_aside(p))
        return;
    dies(p, bytes_of(p), __builtin_return_address(0));
    __libc_free(p);
}

EXPORT void *calloc(size_t count, size_t len)
{
    if (UNLIKELY(rt.aside != NULL)) /* it is all zeros */
        return aside(count * len);
    return born(__libc_calloc(count, len), count * len);
}

/* A block that stays hides that somebody still uses the old one: small ones move. */
static void *move(void *p, size_t len, const void *from)
{
    void *q = __libc_malloc(len);
    if (!q)
        return NULL;
    dies(p, bytes_of(p), from);
    size_t bytes = malloc_usable_size(p);
    __builtin_memcpy(q, p, bytes < len ? bytes : len);
    __libc_free(p);
    return born(q, len);
}

EXPORT void *realloc(void *p, size_t len)
{
    uint64_t before = (uint64_t)(uintptr_t)p, bytes = bytes_of(p);
    if (caller() && p && len && len <= MOVED_MAX)
        return move(p, len, __builtin_return_address(0));
    void *q = __libc_realloc(p, len);
    if (before && (q || len == 0)) /* it is done: too late for a point */
        dies((void *)(uintptr_t)before, bytes, (const void *)(uintptr_t)__libc_malloc);
    return born(q, len);
}

EXPORT void *reallocarray(void *p, size_t count, size_t len)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, len, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, bytes);
}

EXPORT void *memalign(size_t align, size_t len)
{
    return born(__libc_memalign(align, len), len);
}

EXPORT void *aligned_alloc(size_t align, size_t len)
{
    return born(__libc_memalign(align, len), len);
}

EXPORT int posix_memalign(void **out, size_t align, size_t len)
{
    if (align % sizeof(void *) || align == 0 || (align & (align - 1)))
        return EINVAL;
    void *p = born(__libc_memalign(align, len), len);
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

EXPORT void *valloc(size_t len)
{
    return memalign(4096, len);
}

EXPORT void *pvalloc(size_t len)
{
    return memalign(4096, (len + 4095) & ~(size_t)4095);
}

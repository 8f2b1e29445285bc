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

/* C leaves the bytes of a new block to chance: to what libc wrote in its last life there,
 * numbers of processes and times among it, which a replay does not have. A copy of a structure
 * as a whole takes them along. So they are zeros, as those of a block that has a mapping of its
 * own are. */
static void *cleared(void *p, uint64_t from)
{
    enum { IS_MAPPED = 2 }; /* libc's word before the block: its size and three marks */
    if (p && caller() && !(((const uint64_t *)p)[-1] & IS_MAPPED)) {
        uint64_t bytes = malloc_usable_size(p);
        if (from < bytes)
            __builtin_memset((char *)p + from, 0, bytes - from);
    }
    return p;
}

static void *born(void *p, uint64_t len)
{
    struct thr *t = caller();
    if (UNLIKELY(t != NULL) && p) {
        signal_unsafe(t);
        if (rt.shadow_mask)
            shadow_alloc((uint64_t)(uintptr_t)p, malloc_usable_size(p));
        if (UNLIKELY(rt.weak.on))
            weak_ends((uint64_t)(uintptr_t)p, len);
        seen_forget((uint64_t)(uintptr_t)p, len);
        put_block(t, EV_ALLOC, p, len);
    }
    return p;
}

static uint64_t bytes_of(void *p)
{
    return p && caller() ? malloc_usable_size(p) : 0;
}

static void dies(void *p, uint64_t len, const void *from)
{
    struct thr *t = caller();
    if (UNLIKELY(t != NULL) && p) {
        if (!globals_is_libc(from))
            point_on(t, p);
        signal_unsafe(t);
        stir(t);
        if (UNLIKELY(rt.weak.on)) {
            if (exception_ends(p))
                channel_pin(&(struct call){.thr = t, .site = __heddle_here});
            weak_freed(t, (uint64_t)(uintptr_t)p, len, __heddle_here);
        }
        seen_forget((uint64_t)(uintptr_t)p, len);
        shadow_free(t, (uint64_t)(uintptr_t)p, len, __heddle_here);
        put_block(t, EV_FREE, p, 0);
    }
}

/* ---- what libc needs to answer us -------------------------------------------------------- *
 * Not from the heap: that of a replay, which does not ask, must look the same. What libc keeps
 * for the next time stays; if it keeps nothing, the next time begins at the same place. */

struct aside_head {
    uint64_t bytes, unused; /* blocks begin at multiples of 16 */
};

void alloc_aside(void)
{
    rt.aside.is_on = true;
    rt.aside.begin = rt.aside.used;
    rt.aside.live = 0;
}

void alloc_aside_end(void)
{
    rt.aside.is_on = false;
    if (rt.aside.live == 0) {
        __builtin_memset(rt.aside.at + rt.aside.begin, 0, rt.aside.used - rt.aside.begin);
        rt.aside.used = rt.aside.begin;
    }
}

static bool is_aside(const void *p)
{
    return rt.aside.at && (uint64_t)((const char *)p - rt.aside.at) < ASIDE_BYTES;
}

static struct aside_head *aside_head(const void *p)
{
    return (struct aside_head *)(uintptr_t)p - 1;
}

/* All zeros; null: no room. */
static void *aside(uint64_t len)
{
    uint64_t bytes = ((len + 15) & ~(uint64_t)15) + sizeof(struct aside_head);
    if (len > ASIDE_BYTES || bytes > ASIDE_BYTES - rt.aside.used) {
        errno = ENOMEM;
        return NULL;
    }
    void *p = rt.aside.at + rt.aside.used + sizeof(struct aside_head);
    aside_head(p)->bytes = len;
    rt.aside.used += bytes;
    rt.aside.live++;
    return p;
}

static void aside_free(const void *p)
{
    if (rt.aside.is_on && (uint64_t)((const char *)p - rt.aside.at) > rt.aside.begin)
        rt.aside.live--;
}

static void *aside_realloc(void *p, size_t len)
{
    void *q = rt.aside.is_on ? aside(len) : malloc(len);
    uint64_t before = p ? aside_head(p)->bytes : 0;
    if (q && p) {
        __builtin_memcpy(q, p, before < len ? before : len);
        aside_free(p);
    }
    return q;
}

/* ---- the calls --------------------------------------------------------------------------- */

EXPORT void *malloc(size_t len)
{
    if (UNLIKELY(rt.aside.is_on))
        return aside(len);
    void *p = born(cleared(__libc_malloc(len), 0), len);
    if (UNLIKELY(rt.weak.on))
        exception_made(p, __builtin_return_address(0));
    return p;
}

EXPORT void free(void *p)
{
    if (UNLIKELY(is_aside(p))) {
        aside_free(p);
        return;
    }
    dies(p, bytes_of(p), __builtin_return_address(0));
    __libc_free(p);
}

EXPORT void *calloc(size_t count, size_t len)
{
    size_t bytes;
    if (UNLIKELY(rt.aside.is_on))
        return __builtin_mul_overflow(count, len, &bytes) ? NULL : aside(bytes);
    return born(__libc_calloc(count, len), count * len);
}

/* A block that stays hides that somebody still uses the old one: small ones move. */
static void *move(void *p, size_t len, const void *from)
{
    void *q = cleared(__libc_malloc(len), 0);
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
    if (UNLIKELY(is_aside(p) || (rt.aside.is_on && !p)))
        return aside_realloc(p, len);
    uint64_t bytes = bytes_of(p);
    uint64_t kept = p ? malloc_usable_size(p) : 0;
    if (caller() && p && len && len <= MOVED_MAX)
        return move(p, len, __builtin_return_address(0));
    /* What is known about a block asks libc for its size: it must still be there. No point:
     * libc frees it. */
    dies(p, bytes, (const void *)(uintptr_t)__libc_malloc);
    void *q = __libc_realloc(p, len);
    if (!q && p && len) {
        born(p, bytes); /* no room: it stays */
        return NULL;
    }
    return born(cleared(q, kept), len);
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
    return born(cleared(__libc_memalign(align, len), 0), len);
}

EXPORT void *aligned_alloc(size_t align, size_t len)
{
    return born(cleared(__libc_memalign(align, len), 0), len);
}

EXPORT int posix_memalign(void **out, size_t align, size_t len)
{
    if (align % sizeof(void *) || align == 0 || (align & (align - 1)))
        return EINVAL;
    void *p = born(cleared(__libc_memalign(align, len), 0), len);
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

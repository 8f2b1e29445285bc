/* SPDX-License-Identifier: Apache-2.0
 *
 * arena: see arena.h. Chunks double up to a limit; a request larger than a chunk gets its own.
 * */
#include "base/arena.h"

#include "base/err.h"

#include <string.h>
#include <sys/mman.h>

/* From here on a block is asked to be backed by large pages: half of the time to fill a
 * column of 100 MB went into page faults. */
enum { LARGE_BYTES = 8 << 20 };
enum { CHUNK_FIRST_BYTES = 16 << 10, CHUNK_MAX_BYTES = 4 << 20 };

struct arena_chunk {
    struct arena_chunk *older;
    size_t bytes;
};

_Static_assert(sizeof(struct arena_chunk) == 16, "keeps what follows aligned");

void mem_fail(size_t bytes)
{
    fprintf(stderr, "heddle: out of memory (asked for %zu bytes)\n", bytes);
    exit(4);
}

void *mem_resize(void *old, size_t bytes)
{
    void *p = realloc(old, bytes ? bytes : 1);
    if (!p)
        mem_fail(bytes);
    if (bytes >= LARGE_BYTES) {
        uintptr_t from = ((uintptr_t)p + 4095) & ~(uintptr_t)4095;
        madvise((void *)from, bytes - (from - (uintptr_t)p), MADV_HUGEPAGE); /* a wish */
    }
    return p;
}

void *mem_get(size_t bytes)
{
    return mem_resize(NULL, bytes);
}

void *mem_zeroed(size_t count, size_t bytes_each)
{
    void *p = calloc(count ? count : 1, bytes_each);
    if (!p)
        mem_fail(count * bytes_each);
    return p;
}

static void arena_grow(struct arena *a, size_t bytes)
{
    size_t want = a->last ? a->last->bytes * 2 : CHUNK_FIRST_BYTES;
    if (want > CHUNK_MAX_BYTES)
        want = CHUNK_MAX_BYTES;
    if (want < bytes + sizeof(struct arena_chunk))
        want = bytes + sizeof(struct arena_chunk);
    /* not memset: large chunks come zeroed from the kernel without being touched */
    struct arena_chunk *c = mem_zeroed(1, want);
    *c = (struct arena_chunk){.older = a->last, .bytes = want};
    a->last = c;
    a->at = (uint8_t *)(c + 1);
    a->end = (uint8_t *)c + want;
    a->total_bytes += want;
}

void *arena_get(struct arena *a, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (!a->last || (size_t)(a->end - a->at) < bytes)
        arena_grow(a, bytes);
    void *p = a->at;
    a->at += bytes;
    return p;
}

char *arena_text(struct arena *a, const char *text, size_t len)
{
    char *copy = arena_get(a, len + 1);
    if (len) /* no text may be no pointer at all */
        memcpy(copy, text, len);
    return copy;
}

void arena_adopt(struct arena *a, struct arena *from)
{
    struct arena_chunk *oldest = from->last;
    if (!oldest)
        return;
    while (oldest->older)
        oldest = oldest->older;
    oldest->older = a->last ? a->last->older : NULL;
    if (a->last) { /* behind the chunk that is being filled */
        a->last->older = from->last;
        a->total_bytes += from->total_bytes;
    } else {
        *a = *from;
    }
    *from = (struct arena){0};
}

void arena_done(struct arena *a)
{
    for (struct arena_chunk *c = a->last; c;) {
        struct arena_chunk *older = c->older;
        free(c);
        c = older;
    }
    *a = (struct arena){0};
}

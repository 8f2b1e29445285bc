/* SPDX-License-Identifier: Apache-2.0
 *
 * arena: memory that lives as long as a stage and is released at once.
 * Running out of memory aborts with a message: no caller could go on without it. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *last; /* owned; chain of chunks, newest first */
    uint8_t *at, *end;        /* free part of the newest chunk */
    size_t total_bytes;
};

/* Zeroed, aligned to 16. */
void *arena_get(struct arena *a, size_t bytes);
char *arena_text(struct arena *a, const char *text, size_t len); /* copy, NUL-terminated */
void arena_done(struct arena *a);
/* What lives in `from` lives in a from now on; from is empty. */
void arena_adopt(struct arena *a, struct arena *from);

#define ARENA_NEW(a, type, count) ((type *)arena_get((a), sizeof(type) * (size_t)(count)))

/* malloc family for the containers: never NULL. */
void *mem_get(size_t bytes);
void *mem_zeroed(size_t count, size_t bytes_each);
void *mem_resize(void *old, size_t bytes);
/* There is none: says so and ends. */
_Noreturn void mem_fail(size_t bytes);

static inline void auto_arena(struct arena *a)
{
    arena_done(a);
}

#define AUTO(type) __attribute__((cleanup(auto_##type)))

#endif

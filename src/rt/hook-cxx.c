/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-cxx: where a stream of libstdc++ puts and gets its bytes. Compiled functions of the
 * library move on in the buffer of the stream: those of one stream change one place, its
 * pointer to the next byte. Buffers of texts and of files are bare memory; all others (that of
 * std::cout among them, or one of the target's own) may have a lock, and nothing is said.
 *
 * And exceptions: how many still hold one is counted in the library, by atomics that are not
 * seen. Whoever lets go of it last frees it, behind all that the others did with it. */
#include "rt/rt.h"

/* Where the classes have their tables of functions; NULL without that library. */
extern const char
    string_table[] __asm__("_ZTVNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEE")
        __attribute__((weak));
extern const char file_table[] __asm__("_ZTVSt13basic_filebufIcSt11char_traitsIcEE")
    __attribute__((weak));

extern const char allocate_exception[] __asm__("__cxa_allocate_exception")
    __attribute__((weak));

enum {
    ALLOCATE_BYTES = 128, /* of that function */
    BASE_OFFSET = -24,    /* in the table of a stream: how far its base class is */
    STATE_AT = 32,        /* in that base class: 0, all is well */
    BUFFER_AT = 232,      /* and its buffer */
    TABLE_BYTES = 16,     /* before the functions of a table */
    READ_AT = 16,         /* in a buffer: the next byte to be read */
    WRITTEN_AT = 40,      /* and to be written */
};

static const char *pointer_at(const char *at)
{
    const char *p;
    __builtin_memcpy(&p, at, sizeof p);
    return p;
}

static bool is_bare(const char *buffer)
{
    const char *table = pointer_at(buffer);
    return (string_table && table == string_table + TABLE_BYTES) ||
           (file_table && table == file_table + TABLE_BYTES);
}

/* The place that changes; NULL: none that is known. */
EXPORT void *__heddle_stream(const char *stream, uint32_t is_input)
{
    ptrdiff_t base;
    uint32_t state;
    __builtin_memcpy(&base, pointer_at(stream) + BASE_OFFSET, sizeof base);
    __builtin_memcpy(&state, stream + base + STATE_AT, sizeof state);
    const char *buffer = pointer_at(stream + base + BUFFER_AT);
    if (state || !buffer || !is_bare(buffer))
        return NULL;
    return (void *)(uintptr_t)(buffer + (is_input ? READ_AT : WRITTEN_AT));
}

/* A block that was made for an exception: from is where malloc returns to. */
void exception_made(const void *block, const void *from)
{
    bool is_one = allocate_exception && (const char *)from >= allocate_exception &&
                  (const char *)from < allocate_exception + ALLOCATE_BYTES;
    if (is_one && block && rt.exceptions.count < EXCEPTIONS_MAX)
        rt.exceptions.blocks[rt.exceptions.count++] = block;
}

/* It is freed; was it one? */
bool exception_ends(const void *block)
{
    for (uint32_t i = 0; i < rt.exceptions.count; i++)
        if (rt.exceptions.blocks[i] == block) {
            rt.exceptions.blocks[i] = rt.exceptions.blocks[--rt.exceptions.count];
            return true;
        }
    return false;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-cxx: where a stream of libstdc++ puts and gets its bytes. Compiled functions of the
 * library move on in the buffer of the stream: those of one stream change one place, its
 * pointer to the next byte. Buffers of texts and of files are bare memory; all others (that of
 * std::cout among them, or one of the target's own) may have a lock, and nothing is said. */
#include "rt/rt.h"

/* Where the classes have their tables of functions; NULL without that library. */
extern const char
    string_table[] __asm__("_ZTVNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEE")
        __attribute__((weak));
extern const char file_table[] __asm__("_ZTVSt13basic_filebufIcSt11char_traitsIcEE")
    __attribute__((weak));

enum {
    BASE_OFFSET = -24, /* in the table of a stream: how far its base class is */
    STATE_AT = 32,     /* in that base class: 0, all is well */
    BUFFER_AT = 232,   /* and its buffer */
    TABLE_BYTES = 16,  /* before the functions of a table */
    READ_AT = 16,      /* in a buffer: the next byte to be read */
    WRITTEN_AT = 40,   /* and to be written */
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

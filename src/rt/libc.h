/* SPDX-License-Identifier: Apache-2.0
 *
 * libc: what calls of the C library do to the target's memory, told from rows of libc.def: the
 * arguments of a call, and the accesses that follow from them. */
#ifndef RT_LIBC_H
#define RT_LIBC_H

#include "rt/rt.h"

/* A call, before it is made (is_over false) or behind it. */
struct libc_call {
    struct thr *thr;
    struct __heddle_site *site;
    struct __heddle_args *args;
    int64_t result;
    bool is_over;
    bool has_waited; /* steps were made since it began: others may have run */
    bool by_content; /* how far a read reaches depended on what was read */
};

static inline bool libc_is_constant(const struct libc_call *c, uint32_t arg)
{
    return arg < 64 && c->args->constants >> arg & 1;
}

/* A thread can stand before an access; then what it touches is told. len: as far as it is known
 * at the point. */
void libc_point(struct libc_call *c, unsigned kind, const void *addr, uint64_t len);
void libc_reads(struct libc_call *c, const void *addr, uint64_t len);
void libc_writes(struct libc_call *c, const void *addr, uint64_t len);
/* The text at an address, point and all. max: elements that it may have at most. */
void libc_reads_text(struct libc_call *c, const void *addr, uint64_t max, bool is_wide);

/* ---- format.c: how: 'P' or 'S', prints or scans; 'V' or 'T', the same from a list; small
 * letters if the format is wide. The format is the argument `at`. */
void format_tell(struct libc_call *c, char how, uint32_t at);

/* ---- hidden.c: memory of libc's own ------------------------------------------------------ */

enum hidden {
#define HIDDEN_STATE(letter, name, text) HIDDEN_##name,
#include "rt/hidden.def"
#undef HIDDEN_STATE
    HIDDEN_COUNT
};

void hidden_touch(struct libc_call *c, char letter, bool is_write);
/* The address that a function gave back is libc's own memory. */
void hidden_result(char letter, const void *addr, uint64_t len);

/* ---- tokens.c: functions that cut a text: 'k' strtok, 'r' strtok_r, 'p' strsep ----------- */
void token_tell(struct libc_call *c, char which);

/* ---- pieces.c: arrays of buffers: 'v' of iovecs, 'm' a message --------------------------- */
void pieces_tell(struct libc_call *c, char which, uint32_t at, uint64_t count);

#endif

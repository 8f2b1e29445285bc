/* SPDX-License-Identifier: Apache-2.0
 *
 * notation: what the two sides of the text notation must agree on: which names stand bare,
 * what an omitted part means, how the number of an event is introduced (docs/notation.md). */
#ifndef TRACE_NOTATION_H
#define TRACE_NOTATION_H

#include "trace/trace.h"

enum { NOTATION_VERSION = 1 };

/* The flags of a head that have a word, in the order in which they are written. */
static const struct {
    const char *word;
    uint32_t flag;
} notation_flags[] = {
    {"branches", TRACE_BRANCHES}, {"values", TRACE_VALUES},    {"hashed", TRACE_HASHED},
    {"imported", TRACE_IMPORTED}, {"freed", TRACE_UNENFORCED}, {"weak", TRACE_WEAK},
};
enum { NOTATION_FLAG_COUNT = sizeof notation_flags / sizeof notation_flags[0] };

static inline bool name_char(char c)
{
    char lower = (char)(c | 0x20);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') ||
           (c != 0 && strchr("_.$~#()<>,[]*&/-", c));
}

/* How many bytes of t may stand bare as (the start of) a name. */
static inline uint32_t name_span(struct text t)
{
    uint32_t i = 0;
    while (i < t.len) {
        if (name_char(t.at[i]))
            i++;
        else if (i + 1 < t.len && t.at[i] == ':' && t.at[i + 1] == ':')
            i += 2;
        else
            break;
    }
    return i;
}

static inline bool is_statement_word(struct text t)
{
    return text_is(t, TEXT("heddle")) || text_is(t, TEXT("thread")) ||
           text_is(t, TEXT("site")) || text_is(t, TEXT("object")) || text_is(t, TEXT("cut"));
}

/* No quotes needed, wherever it stands. */
static inline bool name_is_bare(struct text t)
{
    if (t.len == 0 || name_span(t) < t.len || is_statement_word(t))
        return false;
    return t.at[0] != '#' && t.at[0] != '-' && t.at[0] != ':' &&
           !(t.at[0] >= '0' && t.at[0] <= '9');
}

/* The word before an event's number; NULL: the number stands alone and is never left out. */
static inline const char *number_word(unsigned kind)
{
    switch (kind) {
    case EV_ACQUIRE:
    case EV_RELEASE:
        return "depth";
    case EV_REFUSED:
    case EV_FUTEX_WAIT:
        return "error";
    default:
        return NULL;
    }
}

static inline uint64_t number_default(unsigned kind)
{
    return kind == EV_ACQUIRE ? 1 : 0;
}

/* The word before an event's second value. */
static inline const char *second_word(unsigned kind)
{
    return ev_is_scalar(kind) ? "->" : "at";
}

/* Kinds that need no address: 0 means that there is none. */
static inline bool address_is_optional(unsigned kind)
{
    return ev_acts_on(kind) == ON_NONE && !ev_is_weak(kind);
}

static inline bool ev_begins_block(unsigned kind)
{
    return kind == EV_ALLOC || kind == EV_STACK_ENTER;
}

/* Bytes that an access to the start of an object touches if it does not say. */
static inline uint8_t size_default(uint64_t object_bytes)
{
    return object_bytes == 0 ? 1 : object_bytes <= 8 ? (uint8_t)object_bytes : 8;
}

/* ---- texts with dense numbers ------------------------------------------------------------ */

struct name {
    struct text text; /* borrowed */
    uint32_t next;    /* another one with the same hash, or NONE */
};

struct names {
    struct map first; /* hash -> newest of that hash */
    VEC(struct name) all;
};

static inline uint32_t names_find(const struct names *n, struct text t)
{
    uint32_t id = map_find(&n->first, hash_bytes(t.at, t.len));
    while (id != NONE && !text_is(n->all.at[id].text, t))
        id = n->all.at[id].next;
    return id;
}

/* The text must not be there yet, and stay where it is. */
static inline uint32_t names_add(struct names *n, struct text t)
{
    uint32_t *first = map_at(&n->first, hash_bytes(t.at, t.len));
    vec_push(&n->all, (struct name){t, *first});
    return *first = n->all.len - 1;
}

static inline void names_done(struct names *n)
{
    map_done(&n->first);
    vec_done(&n->all);
}

#endif

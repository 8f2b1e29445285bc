/* SPDX-License-Identifier: Apache-2.0
 *
 * str: a growing text buffer, and texts that are borrowed slices of something else. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct arena;

struct str {
    char *at; /* owned; NUL-terminated once anything was added */
    size_t len, cap;
};

void str_bytes(struct str *s, const char *bytes, size_t len);
void str_add(struct str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void str_u64(struct str *s, uint64_t value); /* decimal, without printf's cost */
void str_reserve(struct str *s, size_t more);
void str_done(struct str *s);

static inline void str_char(struct str *s, char c)
{
    str_bytes(s, &c, 1);
}

static inline void auto_str(struct str *s)
{
    str_done(s);
}

/* A text that lives elsewhere; not NUL-terminated. */
struct text {
    const char *at; /* borrowed */
    uint32_t len;
};

#define TEXT(literal) ((struct text){literal, sizeof(literal) - 1})
#define TEXT_ARG(t) (int)(t).len, (t).at /* for %.*s */

static inline struct text text_of(const char *s)
{
    return (struct text){s, (uint32_t)strlen(s)};
}

static inline struct text str_text(const struct str *s)
{
    return (struct text){s->at, (uint32_t)s->len};
}

/* Without directories. */
static inline const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static inline struct text text_base_name(struct text path)
{
    const char *slash = path.len ? memrchr(path.at, '/', path.len) : NULL;
    uint32_t gone = slash ? (uint32_t)(slash + 1 - path.at) : 0;
    return (struct text){path.at + gone, path.len - gone};
}

static inline bool text_is(struct text t, struct text other)
{
    return t.len == other.len && (t.len == 0 || memcmp(t.at, other.at, t.len) == 0);
}

/* Without white space around it. */
struct text text_trim(struct text t);

/* A copy that lives in mem; "" of one that nothing was added to. */
const char *str_keep(struct arena *mem, const struct str *s);
const char *str_move(struct arena *mem, struct str *s); /* the same; s is empty then */
/* In double quotes; what is not printable ASCII, a quote or a backslash is escaped, so that the
 * result is one line. */
void str_quoted(struct str *s, struct text t);
/* A word as sh reads it: in single quotes if it has to be. */
void str_shell(struct str *s, const char *word);

/* How many letters must be added, removed, changed or swapped with their neighbour to make one
 * of the other; TEXT_DISTANCE_MAX for texts longer than that. */
enum { TEXT_DISTANCE_MAX = 40 };
unsigned text_distance(struct text a, struct text b);
/* The word of the list (NULL ends) that is most like this one; NULL if none is near. */
const char *word_nearest(const char *word, const char *const *list);

/* Whole text as a number (decimal, or hexadecimal behind 0x); false if it is not one. */
bool text_number(struct text t, uint64_t *out);

#endif

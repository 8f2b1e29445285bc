/* SPDX-License-Identifier: Apache-2.0
 *
 * json: write JSON text; commas and escapes are its business, structure is the caller's. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/str.h"

struct json {
    struct str *out; /* borrowed */
    bool comma;      /* the next item needs one in front */
};

void json_open(struct json *j, char bracket); /* '{' or '[' */
void json_close(struct json *j, char bracket);
void json_key(struct json *j, const char *key);
void json_text(struct json *j, struct text value);
void json_u64(struct json *j, uint64_t value);
void json_bool(struct json *j, bool value);
/* With their key; no text is an empty one. */
void json_put_text(struct json *j, const char *key, const char *value);
void json_put_texts(struct json *j, const char *key, const char *const *at, uint32_t count);
void json_put_u64(struct json *j, const char *key, uint64_t value);
void json_put_bool(struct json *j, const char *key, bool value);
void json_put_open(struct json *j, const char *key, char bracket);

/* Several members at once: JSON_U64S(j, {"runs", v->runs}, {"left", v->left}). */
struct json_number {
    const char *key;
    uint64_t value;
};
struct json_words {
    const char *key, *value;
};
void json_put_numbers(struct json *j, const struct json_number *at, size_t count);
void json_put_words(struct json *j, const struct json_words *at, size_t count);
#define JSON_COUNT(type, ...) (sizeof((const type[]){__VA_ARGS__}) / sizeof(type))
#define JSON_U64S(j, ...)                                          \
    json_put_numbers(j, (const struct json_number[]){__VA_ARGS__}, \
                     JSON_COUNT(struct json_number, __VA_ARGS__))
#define JSON_TEXTS(j, ...)                                      \
    json_put_words(j, (const struct json_words[]){__VA_ARGS__}, \
                   JSON_COUNT(struct json_words, __VA_ARGS__))
/* A list with an item for each element of a vec, written by put(j, element). */
#define JSON_EACH(j, key, vec, put)                           \
    do {                                                      \
        json_put_open(j, key, '[');                           \
        for (uint32_t each_ = 0; each_ < (vec)->len; each_++) \
            put(j, &(vec)->at[each_]);                        \
        json_close(j, ']');                                   \
    } while (0)

#endif

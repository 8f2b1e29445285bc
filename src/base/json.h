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

#endif

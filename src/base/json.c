/* SPDX-License-Identifier: Apache-2.0
 *
 * json: see json.h. Bytes that are not UTF-8 are written as U+FFFD, so that what a target
 * named or printed can never make the output unreadable. */
#include "base/json.h"

static void json_item(struct json *j)
{
    if (j->comma)
        str_char(j->out, ',');
    j->comma = true;
}

void json_open(struct json *j, char bracket)
{
    json_item(j);
    str_char(j->out, bracket);
    j->comma = false;
}

void json_close(struct json *j, char bracket)
{
    str_char(j->out, bracket);
    j->comma = true;
}

/* Length of the UTF-8 sequence at p, 0 if there is none. Overlong forms, surrogates and
 * values past U+10FFFF are none. */
static uint32_t utf8_len(const uint8_t *p, size_t left)
{
    uint32_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (len == 0 || p[0] > 0xf4 || len > left)
        return 0;
    for (uint32_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return len;
}

static void json_string(struct json *j, struct text value)
{
    const uint8_t *p = (const uint8_t *)value.at;
    str_char(j->out, '"');
    for (uint32_t i = 0; i < value.len;) {
        uint32_t len = utf8_len(p + i, value.len - i);
        if (len == 0)
            str_add(j->out, "\\ufffd");
        else if (p[i] == '"' || p[i] == '\\')
            str_add(j->out, "\\%c", p[i]);
        else if (p[i] < 0x20 || p[i] == 0x7f)
            str_add(j->out, "\\u%04x", p[i]);
        else
            str_bytes(j->out, value.at + i, len);
        i += len ? len : 1;
    }
    str_char(j->out, '"');
}

void json_key(struct json *j, const char *key)
{
    json_item(j);
    json_string(j, text_of(key));
    str_char(j->out, ':');
    j->comma = false;
}

void json_text(struct json *j, struct text value)
{
    json_item(j);
    json_string(j, value);
}

void json_u64(struct json *j, uint64_t value)
{
    json_item(j);
    str_u64(j->out, value);
}

void json_bool(struct json *j, bool value)
{
    json_item(j);
    str_add(j->out, value ? "true" : "false");
}

void json_put_text(struct json *j, const char *key, const char *value)
{
    json_key(j, key);
    json_text(j, text_of(value ? value : ""));
}

void json_put_texts(struct json *j, const char *key, const char *const *at, uint32_t count)
{
    json_put_open(j, key, '[');
    for (uint32_t i = 0; i < count; i++)
        json_text(j, text_of(at[i]));
    json_close(j, ']');
}

void json_put_u64(struct json *j, const char *key, uint64_t value)
{
    json_key(j, key);
    json_u64(j, value);
}

void json_put_bool(struct json *j, const char *key, bool value)
{
    json_key(j, key);
    json_bool(j, value);
}

void json_put_open(struct json *j, const char *key, char bracket)
{
    json_key(j, key);
    json_open(j, bracket);
}

void json_put_numbers(struct json *j, const struct json_number *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_put_u64(j, at[i].key, at[i].value);
}

void json_put_words(struct json *j, const struct json_words *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_put_text(j, at[i].key, at[i].value);
}

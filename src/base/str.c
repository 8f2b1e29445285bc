/* SPDX-License-Identifier: Apache-2.0
 *
 * str: see str.h. */
#include "base/str.h"

#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void str_reserve(struct str *s, size_t more)
{
    if (s->len + more + 1 <= s->cap)
        return;
    s->cap = s->len + more + 1 > 2 * s->cap ? s->len + more + 1 : 2 * s->cap;
    s->at = mem_resize(s->at, s->cap);
}

void str_bytes(struct str *s, const char *bytes, size_t len)
{
    str_reserve(s, len);
    memcpy(s->at + s->len, bytes, len);
    s->len += len;
    s->at[s->len] = 0;
}

void str_add(struct str *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    str_reserve(s, (size_t)len);
    va_start(args, format);
    vsnprintf(s->at + s->len, (size_t)len + 1, format, args);
    va_end(args);
    s->len += (size_t)len;
}

void str_u64(struct str *s, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    str_bytes(s, digits + at, sizeof digits - at);
}

void str_done(struct str *s)
{
    free(s->at);
    *s = (struct str){0};
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

bool text_number(struct text t, uint64_t *out)
{
    uint64_t base = 10, value = 0;
    uint32_t i = 0;
    if (t.len > 2 && t.at[0] == '0' && (t.at[1] | 0x20) == 'x') {
        base = 16;
        i = 2;
    }
    if (i == t.len)
        return false;
    for (; i < t.len; i++) {
        uint64_t digit = (uint64_t)digit_of(t.at[i]);
        if (digit >= base || value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *out = value;
    return true;
}

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct text text_trim(struct text t)
{
    while (t.len > 0 && is_white(t.at[t.len - 1]))
        t.len--;
    while (t.len > 0 && is_white(t.at[0])) {
        t.at++;
        t.len--;
    }
    return t;
}

void str_quoted(struct str *s, struct text t)
{
    str_char(s, '"');
    for (uint32_t i = 0; i < t.len; i++) {
        char c = t.at[i];
        if (c == '"' || c == '\\')
            str_bytes(s, (char[]){'\\', c}, 2);
        else if (c == '\n')
            str_bytes(s, "\\n", 2);
        else if (c < ' ' || c > '~')
            str_add(s, "\\x%02x", (uint8_t)c);
        else
            str_char(s, c);
    }
    str_char(s, '"');
}

void str_shell(struct str *s, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789%+,-./:=@_";
    if (*word && strspn(word, plain) == strlen(word)) {
        str_add(s, "%s", word);
        return;
    }
    str_char(s, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            str_add(s, "'\\''");
        else
            str_char(s, *word);
    }
    str_char(s, '\'');
}

unsigned text_distance(struct text a, struct text b)
{
    unsigned rows[3][TEXT_DISTANCE_MAX + 1];
    unsigned *before = rows[0], *last = rows[1], *row = rows[2];
    if (a.len > TEXT_DISTANCE_MAX || b.len > TEXT_DISTANCE_MAX)
        return TEXT_DISTANCE_MAX;
    for (unsigned j = 0; j <= b.len; j++)
        last[j] = before[j] = j;
    for (unsigned i = 1; i <= a.len; i++) {
        row[0] = i;
        for (unsigned j = 1; j <= b.len; j++) {
            unsigned best = last[j - 1] + (a.at[i - 1] != b.at[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1])
                best = before[j - 2] + 1 < best ? before[j - 2] + 1 : best;
            row[j] = best;
        }
        unsigned *spare = before;
        before = last, last = row, row = spare;
    }
    return last[b.len];
}

const char *word_nearest(const char *word, const char *const *list)
{
    struct text t = text_of(word);
    const char *nearest = NULL;
    unsigned least = t.len / 2 + 1;
    for (; *list; list++) {
        bool begins = t.len >= 2 && strncmp(word, *list, t.len) == 0;
        unsigned d = begins ? 1 : text_distance(t, text_of(*list));
        if (d < least) {
            least = d;
            nearest = *list;
        }
    }
    return nearest;
}

const char *str_keep(struct arena *mem, const struct str *s)
{
    return arena_text(mem, s->at ? s->at : "", s->len);
}

const char *str_move(struct arena *mem, struct str *s)
{
    const char *kept = str_keep(mem, s);
    s->len = 0;
    return kept;
}

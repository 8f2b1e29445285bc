/* SPDX-License-Identifier: Apache-2.0
 *
 * line-map: the lines that both texts have. A stretch too long to be compared is left
 * unmapped: whoever asks then knows less, and nothing wrong. */
#include "source/line-map.h"

#include <string.h>

typedef VEC(int32_t) indents;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Lines without the blanks at both ends, and how many bytes of them stand before each. */
static void split(text_lines *out, indents *indented, struct text t)
{
    for (uint32_t at = 0; at < t.len;) {
        const char *nl = memchr(t.at + at, '\n', t.len - at);
        uint32_t end = nl ? (uint32_t)(nl - t.at) : t.len, first = at, last = end;
        while (first < last && is_blank(t.at[first]))
            first++;
        while (last > first && is_blank(t.at[last - 1]))
            last--;
        vec_push(out, (struct text){t.at + first, last - first});
        vec_push(indented, (int32_t)(first - at));
        at = end + 1;
    }
}

void line_map_make(struct line_map *out, struct text old, struct text new)
{
    text_lines a = {0}, b = {0};
    indents from = {0}, to = {0};
    split(&a, &from, old);
    split(&b, &to, new);
    *out = (struct line_map){.new_count = b.len};
    common_lines(&out->to, &a, &b);
    for (uint32_t i = 0; i < a.len; i++) {
        uint32_t line = out->to.at[i];
        vec_push(&out->shift, line ? to.at[line - 1] - from.at[i] : 0);
    }
    vec_done(&a);
    vec_done(&b);
    vec_done(&from);
    vec_done(&to);
}

void line_map_done(struct line_map *m)
{
    vec_done(&m->to);
    vec_done(&m->shift);
}

uint32_t line_map_find(const struct line_map *m, uint32_t line)
{
    return line > 0 && line <= m->to.len ? m->to.at[line - 1] : 0;
}

void line_map_place(const struct line_map *m, uint32_t line, uint32_t *first, uint32_t *end)
{
    uint32_t up = line, down = line;
    while (up > 0 && !line_map_find(m, up))
        up--;
    while (down <= m->to.len && !line_map_find(m, down))
        down++;
    *first = line_map_find(m, up) + (up > 0);
    *first = *first ? *first : 1;
    *end = down <= m->to.len ? line_map_find(m, down) : m->new_count + 1;
}

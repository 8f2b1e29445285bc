/* SPDX-License-Identifier: Apache-2.0
 *
 * line-map: lines that are the same at both ends are paired off; between them the longest
 * common subsequence decides. A stretch too long for that is left unmapped: whoever asks then
 * knows less, and nothing wrong. */
#include "source/line-map.h"

#include <stdlib.h>

enum { MIDDLE_MAX = 4000 }; /* lines on either side; the table has the square of it */

struct line {
    struct text core;  /* without the blanks at both ends */
    uint32_t indented; /* bytes of blanks before it */
};
typedef VEC(struct line) line_list;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void split(line_list *out, struct text t)
{
    for (uint32_t at = 0; at < t.len;) {
        const char *nl = memchr(t.at + at, '\n', t.len - at);
        uint32_t end = nl ? (uint32_t)(nl - t.at) : t.len, first = at, last = end;
        while (first < last && is_blank(t.at[first]))
            first++;
        while (last > first && is_blank(t.at[last - 1]))
            last--;
        vec_push(out, (struct line){{t.at + first, last - first}, first - at});
        at = end + 1;
    }
}

static void pair(struct line_map *m, const line_list *a, uint32_t i, const line_list *b,
                 uint32_t k)
{
    m->to.at[i] = k + 1;
    m->shift.at[i] = (int32_t)b->at[k].indented - (int32_t)a->at[i].indented;
}

static bool is_same(const line_list *a, uint32_t i, const line_list *b, uint32_t k)
{
    return text_is(a->at[i].core, b->at[k].core);
}

/* Lines from .. from + n of a against from .. from + k_count of b. */
static void pair_middle(struct line_map *m, const line_list *a, uint32_t n, const line_list *b,
                        uint32_t k_count, uint32_t from)
{
    if (n == 0 || k_count == 0 || n > MIDDLE_MAX || k_count > MIDDLE_MAX)
        return;
    size_t width = k_count + 1;
    uint16_t *best = mem_zeroed((n + 1) * width, sizeof *best); /* common lines from here on */
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = k_count; k-- > 0;) {
            uint16_t down = best[(i + 1) * width + k], right = best[i * width + k + 1];
            best[i * width + k] = down > right ? down : right;
            if (is_same(a, from + i, b, from + k))
                best[i * width + k] = (uint16_t)(best[(i + 1) * width + k + 1] + 1);
        }
    }
    for (uint32_t i = 0, k = 0; i < n && k < k_count;) {
        if (is_same(a, from + i, b, from + k))
            pair(m, a, from + i++, b, from + k++);
        else if (best[(i + 1) * width + k] >= best[i * width + k + 1])
            i++;
        else
            k++;
    }
    free(best);
}

void line_map_make(struct line_map *out, struct text old, struct text new)
{
    line_list a = {0}, b = {0};
    uint32_t head = 0, tail = 0;
    split(&a, old);
    split(&b, new);
    *out = (struct line_map){.new_count = b.len};
    for (uint32_t i = 0; i < a.len; i++) {
        vec_push(&out->to, 0);
        vec_push(&out->shift, 0);
    }
    for (; head < a.len && head < b.len && is_same(&a, head, &b, head); head++)
        pair(out, &a, head, &b, head);
    for (; tail < a.len - head && tail < b.len - head &&
           is_same(&a, a.len - 1 - tail, &b, b.len - 1 - tail);
         tail++)
        pair(out, &a, a.len - 1 - tail, &b, b.len - 1 - tail);
    pair_middle(out, &a, a.len - head - tail, &b, b.len - head - tail, head);
    vec_done(&a);
    vec_done(&b);
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

uint32_t line_map_changed(const struct line_map *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->to.len; i++)
        count += m->to.at[i] == 0;
    return count;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * common: lines that are the same at both ends are paired off; between them the longest common
 * subsequence decides, which is small for what people and we edit. */
#include "source/common.h"

#include <stdlib.h>

enum { MIDDLE_MAX = 4000 }; /* lines on either side; the table has the square of it */

/* Pairs n lines of a with m of b; `to` has a place for each of a, `base` is the number of the
 * first of b. */
static void pair_middle(uint32_t *to, const struct text *a, uint32_t n, const struct text *b,
                        uint32_t m, uint32_t base)
{
    if (n == 0 || m == 0 || n > MIDDLE_MAX || m > MIDDLE_MAX)
        return;
    size_t width = m + 1;
    uint16_t *best = mem_zeroed((n + 1) * width, sizeof *best); /* common lines from here on */
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = m; k-- > 0;) {
            uint16_t down = best[(i + 1) * width + k], right = best[i * width + k + 1];
            best[i * width + k] = down > right ? down : right;
            if (text_is(a[i], b[k]))
                best[i * width + k] = (uint16_t)(best[(i + 1) * width + k + 1] + 1);
        }
    }
    for (uint32_t i = 0, k = 0; i < n && k < m;) {
        if (text_is(a[i], b[k]))
            to[i++] = base + k++;
        else if (best[(i + 1) * width + k] >= best[i * width + k + 1])
            i++;
        else
            k++;
    }
    free(best);
}

void common_lines(line_pairs *out, const text_lines *a, const text_lines *b)
{
    uint32_t head = 0, tail = 0;
    while (head < a->len && head < b->len && text_is(a->at[head], b->at[head]))
        head++;
    while (tail < a->len - head && tail < b->len - head &&
           text_is(a->at[a->len - 1 - tail], b->at[b->len - 1 - tail]))
        tail++;
    for (uint32_t i = 0; i < a->len; i++) {
        bool is_tail = i >= a->len - tail;
        vec_push(out, i < head ? i + 1 : is_tail ? b->len - (a->len - i) + 1 : 0);
    }
    if (a->len > head + tail && b->len > head + tail)
        pair_middle(out->at + head, a->at + head, a->len - head - tail, b->at + head,
                    b->len - head - tail, head + 1);
}

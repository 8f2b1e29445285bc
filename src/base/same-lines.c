/* SPDX-License-Identifier: Apache-2.0
 *
 * same-lines: see same-lines.h. Both are cut and sorted, and then walked side by side. */
#include "base/same-lines.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

typedef VEC(struct text) line_list;

static int compare(const struct text *a, const struct text *b)
{
    uint32_t len = a->len < b->len ? a->len : b->len;
    int order = len ? memcmp(a->at, b->at, len) : 0;
    return order ? order : (a->len > b->len) - (a->len < b->len);
}

static int by_text(const void *left, const void *right)
{
    return compare(left, right);
}

static void split(line_list *out, struct text text)
{
    for (uint32_t at = 0; at < text.len;) {
        const char *nl = memchr(text.at + at, '\n', text.len - at);
        uint32_t end = nl ? (uint32_t)(nl - text.at) : text.len;
        vec_push(out, (struct text){text.at + at, end - at});
        at = end + 1;
    }
    if (out->len > 1)
        qsort(out->at, out->len, sizeof *out->at, by_text);
}

bool lines_same(struct text a, struct text b, struct text *other)
{
    line_list one = {0}, two = {0};
    struct text extra = {0};
    uint32_t i = 0, k = 0, missing = 0;
    split(&one, a);
    split(&two, b);
    while (k < two.len && !extra.at) {
        int order = i < one.len ? compare(&one.at[i], &two.at[k]) : 1;
        if (order > 0)
            extra = two.at[k];
        missing += order < 0;
        i += order <= 0;
        k += order >= 0;
    }
    missing += extra.at ? 0 : one.len - i;
    vec_done(&one);
    vec_done(&two);
    if (other)
        *other = extra;
    return !extra.at && missing == 0;
}

struct text lines_new(struct text a, struct text b)
{
    line_list one = {0}, two = {0};
    struct text extra = {0};
    split(&one, a);
    split(&two, b);
    for (uint32_t i = 0, k = 0; k < two.len && !extra.at; k++) {
        while (i < one.len && compare(&one.at[i], &two.at[k]) < 0)
            i++;
        if (i == one.len || !text_is(one.at[i], two.at[k]))
            extra = two.at[k];
    }
    vec_done(&one);
    vec_done(&two);
    return extra;
}

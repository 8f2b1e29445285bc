/* SPDX-License-Identifier: Apache-2.0
 *
 * excerpt: collects which lines are wanted, sorted by file, then reads each file once. A file
 * that is not there any more is left out; the page says so where it would have stood. */
#include "report/excerpt.h"

#include "base/io.h"

#include <string.h>

enum { AROUND = 3, LINE_BYTES_MAX = 400 };

struct wish {
    const char *file;
    uint32_t line;
};

typedef VEC(struct wish) wishes;

static int compare(const void *left, const void *right)
{
    const struct wish *a = left, *b = right;
    int files = strcmp(a->file, b->file);
    return files ? files : (a->line > b->line) - (a->line < b->line);
}

static void wish_around(wishes *w, const struct place *p)
{
    if (!*p->file)
        return;
    for (uint32_t i = p->line > AROUND ? p->line - AROUND : 1; i <= p->line + AROUND; i++)
        vec_push(w, (struct wish){p->file, i});
}

static void wish_step(wishes *w, const struct finding_step *s)
{
    wish_around(w, &s->place);
    for (uint32_t i = 0; s->is_key && i < s->stack.len; i++)
        if (s->stack.at[i].place.line > 0)
            wish_around(w, &s->stack.at[i].place);
}

/* Where line `number` begins, at or behind `at` which begins line `from`; NULL past the end. */
static const char *skip_lines(const char *at, const char *end, uint32_t from, uint32_t number)
{
    while (from < number && at) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        at = nl ? nl + 1 : NULL;
        from++;
    }
    return at && at < end ? at : NULL;
}

static void print_line(struct json *j, const char *at, const char *end, uint32_t number)
{
    char key[16];
    snprintf(key, sizeof key, "%u", number);
    const char *nl = memchr(at, '\n', (size_t)(end - at));
    size_t len = (size_t)((nl ? nl : end) - at);
    json_key(j, key);
    json_text(j, (struct text){at, len < LINE_BYTES_MAX ? (uint32_t)len : LINE_BYTES_MAX});
}

/* All wishes of one file; returns how many those were. */
static uint32_t print_file(struct json *j, const struct wish *w, uint32_t count)
{
    uint32_t n = 1;
    while (n < count && strcmp(w[n].file, w[0].file) == 0)
        n++;
    struct err ignored;
    AUTO(bytes) struct bytes source = {0};
    if (bytes_read(&source, w[0].file, &ignored) < 0)
        return n;
    const char *at = (const char *)source.at, *end = at + source.len;
    uint32_t line = 1;
    json_put_open(j, w[0].file, '{');
    for (uint32_t i = 0; i < n && at; i++) {
        if (i > 0 && w[i].line == w[i - 1].line)
            continue;
        at = skip_lines(at, end, line, w[i].line);
        line = w[i].line;
        if (at)
            print_line(j, at, end, line);
    }
    json_close(j, '}');
    return n;
}

void excerpts_print(const struct finding_list *l, struct json *j)
{
    wishes w = {0};
    for (uint32_t i = 0; i < l->findings.len; i++) {
        const struct finding *f = &l->findings.at[i];
        for (uint32_t k = 0; k < f->steps.len; k++)
            wish_step(&w, &f->steps.at[k]);
    }
    if (w.len > 1)
        qsort(w.at, w.len, sizeof *w.at, compare);
    json_open(j, '{');
    for (uint32_t i = 0; i < w.len;)
        i += print_file(j, w.at + i, w.len - i);
    json_close(j, '}');
    vec_done(&w);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * diff: two texts as a unified diff. Lines that are the same at both ends are taken off; what
 * is left is compared by the longest common subsequence, which is small for what we edit. */
#include "source/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { CONTEXT = 3, MIDDLE_MAX = 4000 };

typedef VEC(struct text) lines;

static void split(struct text t, lines *out)
{
    uint32_t at = 0;
    while (at < t.len) {
        const char *end = memchr(t.at + at, '\n', t.len - at);
        uint32_t len = end ? (uint32_t)(end - (t.at + at)) + 1 : t.len - at;
        vec_push(out, (struct text){t.at + at, len});
        at += len;
    }
}

/* One row of the result: ' ' both, '-' old only, '+' new only. */
struct row {
    char sign;
    struct text line;
};
typedef VEC(struct row) rows;

static void add_middle(rows *out, const struct text *a, uint32_t n, const struct text *b,
                       uint32_t m)
{
    if (n > MIDDLE_MAX || m > MIDDLE_MAX) {
        for (uint32_t i = 0; i < n; i++)
            vec_push(out, (struct row){'-', a[i]});
        for (uint32_t i = 0; i < m; i++)
            vec_push(out, (struct row){'+', b[i]});
        return;
    }
    /* best[i][k]: common lines of a[i..] and b[k..] */
    uint16_t *best = mem_zeroed((size_t)(n + 1) * (m + 1), sizeof *best);
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t k = m; k-- > 0;) {
            uint16_t skip = best[(i + 1) * (m + 1) + k], add = best[i * (m + 1) + k + 1];
            best[i * (m + 1) + k] = text_is(a[i], b[k])
                                        ? (uint16_t)(best[(i + 1) * (m + 1) + k + 1] + 1)
                                    : skip > add ? skip
                                                 : add;
        }
    uint32_t i = 0, k = 0;
    while (i < n || k < m) {
        if (i < n && k < m && text_is(a[i], b[k])) {
            vec_push(out, (struct row){' ', a[i++]});
            k++;
        } else if (k == m ||
                   (i < n && best[(i + 1) * (m + 1) + k] >= best[i * (m + 1) + k + 1])) {
            vec_push(out, (struct row){'-', a[i++]});
        } else {
            vec_push(out, (struct row){'+', b[k++]});
        }
    }
    free(best);
}

static void compare(rows *out, const lines *a, const lines *b)
{
    uint32_t head = 0, tail = 0;
    while (head < a->len && head < b->len && text_is(a->at[head], b->at[head]))
        head++;
    while (tail < a->len - head && tail < b->len - head &&
           text_is(a->at[a->len - 1 - tail], b->at[b->len - 1 - tail]))
        tail++;
    for (uint32_t i = 0; i < head; i++)
        vec_push(out, (struct row){' ', a->at[i]});
    add_middle(out, a->at + head, a->len - head - tail, b->at + head, b->len - head - tail);
    for (uint32_t i = a->len - tail; i < a->len; i++)
        vec_push(out, (struct row){' ', a->at[i]});
}

static void print_row(struct str *out, const struct row *r)
{
    str_char(out, r->sign);
    str_bytes(out, r->line.at, r->line.len);
    if (!r->line.len || r->line.at[r->line.len - 1] != '\n')
        str_add(out, "\n\\ No newline at end of file\n");
}

/* Rows from .. to, with the line numbers at which they begin. */
static void print_hunk(struct str *out, const rows *all, uint32_t from, uint32_t to,
                       uint32_t old_line, uint32_t new_line)
{
    uint32_t old_count = 0, new_count = 0;
    for (uint32_t i = from; i < to; i++) {
        old_count += all->at[i].sign != '+';
        new_count += all->at[i].sign != '-';
    }
    str_add(out, "@@ -%u,%u +%u,%u @@\n", old_count ? old_line : old_line - 1, old_count,
            new_count ? new_line : new_line - 1, new_count);
    for (uint32_t i = from; i < to; i++)
        print_row(out, &all->at[i]);
}

static void print_hunks(struct str *out, const rows *all)
{
    uint32_t old_line = 1, new_line = 1, at = 0;
    while (at < all->len) {
        uint32_t change = at;
        while (change < all->len && all->at[change].sign == ' ')
            change++;
        if (change == all->len)
            return;
        uint32_t from = change - at > CONTEXT ? change - CONTEXT : at;
        uint32_t to = change, same = 0;
        for (uint32_t i = change; i < all->len && same <= 2 * CONTEXT; i++) {
            same = all->at[i].sign == ' ' ? same + 1 : 0;
            if (!same)
                to = i + 1;
        }
        to = to + CONTEXT < all->len ? to + CONTEXT : all->len;
        old_line += from - at;
        new_line += from - at;
        print_hunk(out, all, from, to, old_line, new_line);
        for (uint32_t i = from; i < to; i++) {
            old_line += all->at[i].sign != '+';
            new_line += all->at[i].sign != '-';
        }
        at = to;
    }
}

void diff_print(struct str *out, const char *name, struct text old, struct text new)
{
    if (text_is(old, new))
        return;
    while (*name == '/')
        name++;
    lines a = {0}, b = {0};
    rows all = {0};
    split(old, &a);
    split(new, &b);
    compare(&all, &a, &b);
    str_add(out, "--- a/%s\n+++ b/%s\n", name, name);
    print_hunks(out, &all);
    vec_done(&a);
    vec_done(&b);
    vec_done(&all);
}

/* Takes off the last part. */
static void go_up(struct str *directory)
{
    while (directory->len > 0 && directory->at[directory->len - 1] != '/')
        directory->len--;
    directory->len -= directory->len > 0;
    directory->at[directory->len] = 0;
}

void diff_root(struct str *out, const patch_files *files)
{
    char here[PATH_MAX];
    out->len = 0;
    str_add(out, "%s", getcwd(here, sizeof here) ? here : "");
    for (uint32_t i = 0; i < files->len; i++)
        while (out->len > 0 && !(strncmp(files->at[i], out->at, out->len) == 0 &&
                                 files->at[i][out->len] == '/'))
            go_up(out);
}

/* Lines that follow each other and are gone or new are one edit. */
void diff_edits(struct patch *out, const char *path, struct text old, struct text new)
{
    lines a = {0}, b = {0};
    rows all = {0};
    split(old, &a);
    split(new, &b);
    compare(&all, &a, &b);
    uint32_t offset = 0;
    for (uint32_t i = 0; i < all.len;) {
        AUTO(str) struct str added = {0};
        uint32_t removed = 0;
        if (all.at[i].sign == ' ') {
            offset += all.at[i++].line.len;
            continue;
        }
        for (; i < all.len && all.at[i].sign != ' '; i++) {
            if (all.at[i].sign == '-')
                removed += all.at[i].line.len;
            else
                str_bytes(&added, all.at[i].line.at, all.at[i].line.len);
        }
        patch_add(out, path, offset, removed, added.at ? added.at : "", EDIT_OPEN);
        offset += removed;
    }
    vec_done(&a);
    vec_done(&b);
    vec_done(&all);
}

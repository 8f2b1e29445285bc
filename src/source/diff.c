/* SPDX-License-Identifier: Apache-2.0
 *
 * diff: two texts as a unified diff, or as edits of whole lines. */
#include "source/common.h"
#include "source/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { CONTEXT = 3 };

static void split(struct text t, text_lines *out)
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

static void compare(rows *out, const text_lines *a, const text_lines *b)
{
    line_pairs to = {0};
    common_lines(&to, a, b);
    uint32_t next = 0; /* of b */
    for (uint32_t i = 0; i < a->len;) {
        for (; i < a->len && !to.at[i]; i++) /* what is gone stands before what is new */
            vec_push(out, (struct row){'-', a->at[i]});
        uint32_t stop = i < a->len ? to.at[i] - 1 : b->len;
        for (; next < stop; next++)
            vec_push(out, (struct row){'+', b->at[next]});
        if (i < a->len) {
            vec_push(out, (struct row){' ', a->at[i++]});
            next++;
        }
    }
    for (; next < b->len; next++)
        vec_push(out, (struct row){'+', b->at[next]});
    vec_done(&to);
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
    text_lines a = {0}, b = {0};
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
    text_lines a = {0}, b = {0};
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

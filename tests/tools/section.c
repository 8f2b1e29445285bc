/* SPDX-License-Identifier: Apache-2.0
 *
 * section FILE LOCK OUT: makes sections in FILE, as its marks say, prints the diff and writes
 * the new text to OUT. A line with "//~ from" (or a comment that begins with "~ from") begins
 * one, the next one with "~ to" ends it; "~ both" is both. LOCK is pthread or cxx, the lock's
 * expression follows: pthread:m. Marks are read as "first code of that line"; what cannot be a
 * section is said before the diff. Words behind OUT are the compiler's. */
#include "source/source.h"

#include <stdio.h>
#include <string.h>

static int fail(const struct err *err)
{
    fprintf(stderr, "section: %s\n", err->text);
    return 1;
}

static node_id first_code(const struct unit *u, uint32_t line_at)
{
    const struct source_file *f = &u->files.at[0];
    while (line_at < f->text.len && strchr(" \t{}", f->text.at[line_at]))
        line_at++;
    node_id n = node_at(u, 0, line_at);
    if (n != NONE && node_statement(u, n) == NONE)
        n = node_function(u, n);
    while (n != NONE && node_of(u, n)->kind == NODE_FUNCTION) { /* on one line: what it does */
        n = node_of(u, n)->last;
        n = n != NONE && node_of(u, n)->kind == NODE_COMPOUND ? node_of(u, n)->first : n;
    }
    return n;
}

static int make(struct unit *u, const struct lock_use *lock, struct patch *p, struct err *err)
{
    const struct source_file *f = &u->files.at[0];
    node_id from = NONE;
    for (uint32_t at = 0; at < f->text.len;) {
        const char *end = memchr(f->text.at + at, '\n', f->text.len - at);
        uint32_t next = end ? (uint32_t)(end - f->text.at) + 1 : f->text.len;
        char line[1024];
        snprintf(line, sizeof line, "%.*s", (int)(next - at), f->text.at + at);
        bool is_both = strstr(line, "~ both") != NULL;
        if (is_both || strstr(line, "~ from"))
            from = first_code(u, at);
        if (is_both || strstr(line, "~ to")) {
            struct range r;
            if (range_of(u, from, first_code(u, at), &r, err) < 0 ||
                section_fit(u, lock, &r, err) < 0)
                printf("line %u: %s\n", file_line(f, at), err->text);
            else if (section_make(u, r, lock, p, err) < 0)
                return err_in(err, "line %u", file_line(f, at));
        }
        at = next;
    }
    unit_flush(u, p);
    return 0;
}

int main(int argc, char **argv)
{
    struct err err;
    AUTO(unit) struct unit u = {0};
    AUTO(patch) struct patch p = {0};
    AUTO(str) struct str new = {0}, diff = {0};
    if (argc < 4)
        return 2;
    bool is_cxx = strncmp(argv[2], "cxx:", 4) == 0;
    struct lock_use lock = {.sort = is_cxx ? LOCK_CXX : LOCK_PTHREAD,
                            .expression = strchr(argv[2], ':') + 1};
    struct unit_opts opts = {.source = argv[1], .directory = ".", .args = argv + 3};
    if (unit_open(&u, &opts, &err) < 0 || make(&u, &lock, &p, &err) < 0)
        return fail(&err);
    if (patch_check(&p, &u, &opts, &err) < 0 ||
        patch_apply(&p, u.files.at[0].path, u.files.at[0].text, &new, &err) < 0)
        return fail(&err);
    for (uint32_t i = 0; i < p.notes.len; i++)
        printf("note: %s\n", p.notes.at[i]);
    diff_print(&diff, argv[1], u.files.at[0].text, (struct text){new.at, (uint32_t)new.len});
    fwrite(diff.at, 1, diff.len, stdout);
    FILE *out = fopen(argv[3], "w");
    return out && fwrite(new.at, 1, new.len, out) == new.len &&fclose(out) == 0 ? 0 : 1;
}

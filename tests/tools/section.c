/* SPDX-License-Identifier: Apache-2.0
 *
 * section FILE LOCK: makes sections in FILE, as its marks say, and prints the new text. A line
 * with "//~ from" (or a comment that begins with "~ from") begins one, the next one with "~ to"
 * ends it; "~ both" is both. LOCK is pthread or cxx, the lock's expression follows: pthread:m.
 * Marks are read as "first code of that line". Words behind LOCK are the compiler's. */
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
    return node_at(u, 0, line_at);
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
                section_fit(u, lock, &r, err) < 0 || section_make(u, r, lock, p, err) < 0)
                return -1;
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
    AUTO(str) struct str new = {0};
    if (argc < 3)
        return 2;
    bool is_cxx = strncmp(argv[2], "cxx:", 4) == 0;
    struct lock_use lock = {.sort = is_cxx ? LOCK_CXX : LOCK_PTHREAD,
                            .expression = strchr(argv[2], ':') + 1};
    struct unit_opts opts = {.source = argv[1], .directory = ".", .args = argv + 2};
    if (unit_open(&u, &opts, &err) < 0 || make(&u, &lock, &p, &err) < 0)
        return fail(&err);
    if (patch_check(&p, &u, &opts, &err) < 0 ||
        patch_apply(&p, u.files.at[0].path, u.files.at[0].text, &new, &err) < 0)
        return fail(&err);
    fwrite(new.at, 1, new.len, stdout);
    return 0;
}

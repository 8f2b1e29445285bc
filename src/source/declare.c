/* SPDX-License-Identifier: Apache-2.0
 *
 * declare: new declarations and includes, where a person would put them. */
#include "source/lines.h"

#include <string.h>

void declare_behind(const struct unit *u, node_id declaration, const char *text,
                    struct patch *out)
{
    const struct node *n = node_of(u, declaration);
    const struct source_file *f = &u->files.at[n->file];
    AUTO(str) struct str line = {0};
    struct text indent = line_indent(f, n->start);
    uint32_t end = n->end; /* of the whole declaration, which may name several variables */
    while (end < f->text.len && f->text.at[end] != ';')
        end++;
    uint32_t next = line_next(f, end);
    bool has_mark = next > 0 && f->text.at[next - 1] == '\n';
    str_add(&line, "%s%.*s%s%s", has_mark ? "" : line_mark(f), TEXT_ARG(indent), text,
            has_mark ? line_mark(f) : "");
    patch_add(out, f->path, next, 0, line.at, EDIT_CLOSE);
}

/* The name between <> or "" of an #include line; len 0 if it is none. */
static struct text included(const struct source_file *f, uint32_t at)
{
    uint32_t end = line_end(f, at);
    while (at < end && (f->text.at[at] == ' ' || f->text.at[at] == '\t'))
        at++;
    if (at == end || f->text.at[at] != '#')
        return (struct text){0};
    for (at++; at < end && (f->text.at[at] == ' ' || f->text.at[at] == '\t'); at++)
        ;
    if (end - at < 8 || memcmp(f->text.at + at, "include", 7) != 0)
        return (struct text){0};
    while (at < end && f->text.at[at] != '<' && f->text.at[at] != '"')
        at++;
    if (at == end)
        return (struct text){0};
    uint32_t close = at + 1;
    while (close < end && f->text.at[close] != '>' && f->text.at[close] != '"')
        close++;
    return (struct text){f->text.at + at, close - at};
}

static bool line_is(const struct source_file *f, uint32_t at, const char *directive)
{
    size_t len = strlen(directive);
    return at + len <= f->text.len && memcmp(f->text.at + at, directive, len) == 0;
}

/* The #ifndef that a header is all in, so that it is read once; NONE: there is none. */
static uint32_t header_guard(const struct source_file *f)
{
    uint32_t at = skip_blanks(f, 0), next = line_next(f, at);
    if (!line_is(f, at, "#ifndef ") || !line_is(f, next, "#define "))
        return NONE;
    uint32_t name = at + 8, other = next + 8, end = line_end(f, at);
    return end - name <= line_end(f, next) - other &&
                   memcmp(f->text.at + name, f->text.at + other, end - name) == 0
               ? at
               : NONE;
}

/* Does the line stand in an #if that is not the header's own? */
static bool is_conditional(const struct source_file *f, uint32_t at)
{
    uint32_t condition = condition_at(f, at);
    return condition != NONE && condition != header_guard(f);
}

/* Behind the comment that a file begins with, and behind what has a header read once. */
static uint32_t first_place(const struct source_file *f)
{
    uint32_t at = skip_blanks(f, 0);
    if (header_guard(f) != NONE)
        return line_next(f, line_next(f, at));
    if (line_is(f, at, "#pragma once"))
        return line_next(f, at);
    return at > 0 ? line_start(f, at < f->text.len ? at : f->text.len) : 0;
}

static bool has_include(const struct source_file *f, const char *header)
{
    size_t len = strlen(header);
    for (uint32_t at = 0; at < f->text.len; at = line_next(f, at)) {
        struct text name = included(f, at);
        if (name.len == len + 1 && !is_conditional(f, at) &&
            memcmp(name.at + 1, header, len) == 0)
            return true;
    }
    return false;
}

/* Has a header of the program's own that the file includes by its name in quotes? */
static bool has_by_header(const struct unit *u, const struct source_file *f, const char *header)
{
    for (uint32_t at = 0; at < f->text.len; at = line_next(f, at)) {
        struct text name = included(f, at);
        if (!name.len || name.at[0] != '"' || is_conditional(f, at))
            continue;
        for (uint32_t i = 0; i < u->files.len; i++) {
            const char *slash = strrchr(u->files.at[i].path, '/');
            struct text base = text_of(slash ? slash + 1 : u->files.at[i].path);
            if (text_is(base, (struct text){name.at + 1, name.len - 1}) &&
                has_include(&u->files.at[i], header))
                return true;
        }
    }
    return false;
}

void include_header(const struct unit *u, uint32_t file, const char *header, struct patch *out)
{
    const struct source_file *f = &u->files.at[file];
    if (has_by_header(u, f, header))
        return;
    uint32_t place = NONE, last = NONE;
    size_t len = strlen(header);
    for (uint32_t i = 0; i < out->edits.len; i++)
        if (strcmp(out->edits.at[i].file, f->path) == 0 &&
            strstr(out->edits.at[i].text, header) && strstr(out->edits.at[i].text, "#include"))
            return;
    for (uint32_t at = 0; at < f->text.len; at = line_next(f, at)) {
        struct text name = included(f, at);
        if (!name.len || is_conditional(f, at))
            continue;
        if (name.len == len + 1 && memcmp(name.at + 1, header, len) == 0)
            return;
        if (name.at[0] == '<') {
            size_t shorter = name.len - 1 < len ? name.len - 1 : len;
            if (place == NONE && memcmp(name.at + 1, header, shorter) > 0)
                place = at;
            last = line_next(f, at);
        } else if (last == NONE) {
            last = line_next(f, at);
        }
    }
    AUTO(str) struct str line = {0};
    bool is_lone = place == NONE && last == NONE; /* it stands by itself */
    uint32_t first = first_place(f);
    bool is_behind = is_lone && first < f->text.len && f->text.at[first] != '\r' &&
                     f->text.at[first] != '\n';
    str_add(&line, "%s#include <%s>%s%s",
            is_lone && first > 0 && !is_behind ? line_mark(f) : "", header, line_mark(f),
            is_behind ? line_mark(f) : "");
    patch_add(out, f->path,
              place != NONE  ? place
              : last != NONE ? last
                             : first,
              0, line.at, EDIT_CLOSE);
}

void declare_first(const struct unit *u, uint32_t file, const char *text, struct patch *out)
{
    const struct source_file *f = &u->files.at[file];
    uint32_t place = first_place(f);
    AUTO(str) struct str line = {0};
    for (uint32_t at = 0; at < f->text.len; at = line_next(f, at))
        if (included(f, at).len && !is_conditional(f, at))
            place = line_next(f, at);
    str_add(&line, "%s%s%s", line_mark(f), text, line_mark(f));
    patch_add(out, f->path, place, 0, line.at, EDIT_OPEN);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * around: statements that are put before and behind others. They are collected first, so that
 * a body without braces gets them once, and nested sections nest. */
#include "source/lines.h"

#include <stdlib.h>
#include <string.h>

void unit_insert(struct unit *u, node_id statement, enum insert_part part, const char *text)
{
    struct insert one = {.at = statement,
                         .part = (uint8_t)part,
                         .text = arena_text(&u->mem, text, strlen(text))};
    bool is_first = part == INSERT_LEAVE || part == INSERT_CLOSE; /* inner ones go first */
    vec_push(&u->inserts, one);
    if (!is_first)
        return;
    for (uint32_t i = u->inserts.len - 1; i > 0; i--)
        u->inserts.at[i] = u->inserts.at[i - 1];
    u->inserts.at[0] = one;
}

bool is_inserted(const struct unit *u, node_id statement, enum insert_part part)
{
    for (uint32_t i = 0; i < u->inserts.len; i++)
        if (u->inserts.at[i].at == statement && u->inserts.at[i].part == part)
            return true;
    return false;
}

/* ---- one statement ---------------------------------------------------------------------- */

/* What is put around one statement. */
struct around {
    struct unit *u;
    struct patch *out;
    node_id at;
    const struct source_file *f;
    uint32_t start, end; /* the statement, with its ';' */
    struct text indent;  /* of the line it begins on */
    const char *mark;
};

static void add_part(struct str *text, const struct around *a, enum insert_part part,
                     const char *before, const char *behind)
{
    for (uint32_t i = 0; i < a->u->inserts.len; i++) {
        const struct insert *one = &a->u->inserts.at[i];
        if (one->at == a->at && one->part == part)
            str_add(text, "%s%s%s", before, one->text, behind);
    }
}

static void add_lines(struct str *text, const struct around *a, bool is_behind,
                      const char *before, const char *behind)
{
    if (is_behind) {
        add_part(text, a, INSERT_CLOSE, before, behind);
        return;
    }
    for (enum insert_part part = INSERT_OPEN; part <= INSERT_LEAVE; part++)
        add_part(text, a, part, before, behind);
}

static void edit(const struct around *a, uint32_t offset, uint32_t length,
                 const struct str *text, enum edit_rank rank)
{
    if (text->len || length)
        patch_add(a->out, a->f->path, offset, length, text->len ? text->at : "", rank);
}

static const char *keep(const struct around *a, struct text t, const char *more)
{
    AUTO(str) struct str s = {0};
    str_add(&s, "%.*s%s", TEXT_ARG(t), more);
    return arena_text(&a->u->mem, s.at ? s.at : "", s.len);
}

/* In a block, or behind a label. */
static void put_open(const struct around *a)
{
    AUTO(str) struct str text = {0};
    if (is_first_on_line(a->f, a->start)) {
        add_lines(&text, a, false, keep(a, a->indent, ""), a->mark);
        edit(a, line_start(a->f, a->start), 0, &text, EDIT_OPEN);
    } else {
        add_lines(&text, a, false, "", " ");
        edit(a, a->start, 0, &text, EDIT_OPEN);
    }
}

static void put_close(const struct around *a)
{
    AUTO(str) struct str text = {0};
    const char *indent = keep(a, a->indent, "");
    bool is_one_line = line_start(a->f, a->start) == line_start(a->f, a->end);
    bool is_inline = !is_first_on_line(a->f, a->start) && is_one_line;
    if (is_inline || !is_last_on_line(a->f, a->end)) {
        add_lines(&text, a, true, " ", "");
        edit(a, a->end, 0, &text, EDIT_CLOSE);
        return;
    }
    uint32_t next = line_next(a->f, a->end);
    bool has_mark = next > 0 && a->f->text.at[next - 1] == '\n';
    AUTO(str) struct str lead = {0};
    str_add(&lead, "%s%s", has_mark ? "" : a->mark, indent);
    add_lines(&text, a, true, lead.at, has_mark ? a->mark : "");
    edit(a, next, 0, &text, EDIT_CLOSE);
}

/* Does the line that `at` is on begin with something else than what ends the one before it:
 * `} else if (x) return y;`? */
static bool is_within_line(const struct source_file *f, uint32_t at)
{
    struct text indent = line_indent(f, at);
    uint32_t from = (uint32_t)(indent.at + indent.len - f->text.at);
    if (from < at && f->text.at[from] == '}')
        from = skip_blanks(f, from + 1);
    if (from + 4 < at && memcmp(f->text.at + from, "else", 4) == 0)
        from = skip_blanks(f, from + 4);
    return from < at;
}

/* All of it on the line that is there: f(void) { if (x) { unlock(); return; } n++; } */
static void put_inline(const struct around *a, bool is_open)
{
    AUTO(str) struct str text = {0};
    if (is_open) {
        str_add(&text, "{ ");
        add_lines(&text, a, false, "", " ");
        edit(a, a->start, 0, &text, EDIT_OPEN);
        return;
    }
    add_lines(&text, a, true, " ", "");
    str_add(&text, " }");
    edit(a, a->end, 0, &text, EDIT_CLOSE);
}

/* A statement of a block becomes a block of its own, one step deeper. */
static void put_block(const struct around *a, bool is_open)
{
    AUTO(str) struct str text = {0};
    const char *outer = keep(a, a->indent, ""), *step = indent_unit(a->f);
    const char *inner = keep(a, a->indent, step);
    if (!is_first_on_line(a->f, a->start)) {
        put_inline(a, is_open);
        return;
    }
    if (!is_open) {
        add_lines(&text, a, true, keep(a, text_of(a->mark), inner), "");
        str_add(&text, "%s%s}", a->mark, outer);
        uint32_t place = is_last_on_line(a->f, a->end) ? line_end(a->f, a->end) : a->end;
        edit(a, place, 0, &text, EDIT_CLOSE);
        return;
    }
    str_add(&text, "%s{%s", outer, a->mark);
    add_lines(&text, a, false, inner, a->mark);
    edit(a, line_start(a->f, a->start), 0, &text, EDIT_OPEN);
    for (uint32_t at = line_start(a->f, a->start); at < a->end; at = line_next(a->f, at))
        patch_add(a->out, a->f->path, at, 0, step, EDIT_OPEN);
}

/* A body without braces gets them. */
static void put_open_brace(const struct around *a, uint32_t header, const char *inner,
                           const char *outer, bool is_alone)
{
    AUTO(str) struct str brace = {0};
    if (is_alone)
        str_add(&brace, "%s%s{", a->mark, outer);
    else
        str_add(&brace, " {");
    if (is_first_on_line(a->f, a->start)) {
        AUTO(str) struct str text = {0};
        edit(a, header, 0, &brace, EDIT_OPEN);
        add_lines(&text, a, false, inner, a->mark);
        edit(a, line_start(a->f, a->start), 0, &text, EDIT_OPEN);
        return;
    }
    str_add(&brace, "%s", a->mark);
    add_lines(&brace, a, false, inner, a->mark);
    str_add(&brace, "%s", inner);
    bool is_blank = skip_blanks(a->f, header) == a->start &&
                    code_end(a->f, header, a->start) == header &&
                    memchr(a->f->text.at + header, '/', a->start - header) == NULL;
    edit(a, is_blank ? header : a->start, is_blank ? a->start - header : 0, &brace, EDIT_OPEN);
}

static void put_close_brace(const struct around *a, const char *inner, const char *outer,
                            bool is_alone)
{
    AUTO(str) struct str text = {0};
    const struct node *n = node_of(a->u, a->at);
    AUTO(str) struct str lead = {0};
    str_add(&lead, "%s%s", a->mark, inner);
    add_lines(&text, a, true, lead.at, "");
    str_add(&text, "%s%s}", a->mark, outer);
    /* "} else", "} while": unless a comment stands between */
    const struct node *parent = node_of(a->u, n->parent);
    bool has_more = parent->kind == NODE_IF && if_else(a->u, n->parent) != NONE &&
                    if_else(a->u, n->parent) != a->at;
    uint32_t blank = a->end;
    while (blank < a->f->text.len && strchr(" \t\r\n", a->f->text.at[blank]))
        blank++;
    if (((has_more && !is_alone) || parent->kind == NODE_DO) &&
        blank == skip_blanks(a->f, a->end)) {
        str_char(&text, ' ');
        edit(a, a->end, blank - a->end, &text, EDIT_CLOSE);
        return;
    }
    uint32_t place = is_last_on_line(a->f, a->end) ? line_end(a->f, a->end) : a->end;
    edit(a, place, 0, &text, EDIT_CLOSE);
}

/* Is an object that holds a lock put before it, for it alone? */
static bool holds_lock(const struct unit *u, node_id at)
{
    for (uint32_t i = 0; i < u->inserts.len; i++)
        if (u->inserts.at[i].at == at && u->inserts.at[i].part == INSERT_OPEN &&
            strncmp(u->inserts.at[i].text, "std::lock_guard", 15) == 0)
            return true;
    return false;
}

/* A label, or a case of a switch that is not in `statement`. */
static bool is_entry(const struct unit *u, node_id n, node_id statement)
{
    if (node_of(u, n)->kind == NODE_LABEL)
        return true;
    if (node_of(u, n)->kind != NODE_CASE)
        return false;
    while (n != statement && node_of(u, n)->kind != NODE_SWITCH)
        n = node_of(u, n)->parent;
    return node_of(u, n)->kind != NODE_SWITCH;
}

/* Can what stands behind it in its block be jumped to? What it declares would be passed, or be
 * declared there once more. */
static bool is_jumped_past(const struct unit *u, node_id at)
{
    for (node_id s = node_of(u, at)->next; s != NONE; s = node_of(u, s)->next)
        for (node_id n = s; n != NONE; n = node_walk(u, s, n))
            if (is_entry(u, n, s))
                return true;
    return false;
}

static bool needs_block(const struct around *a)
{
    return !is_body(a->u, a->at) && is_inserted(a->u, a->at, INSERT_VALUE) &&
           is_jumped_past(a->u, a->at);
}

static bool needs_braces(const struct around *a)
{
    const struct unit *u = a->u;
    if (!is_body(u, a->at))
        return false;
    enum node_kind above = node_of(u, node_of(u, a->at)->parent)->kind;
    if (above == NODE_CASE || above == NODE_LABEL) /* a declaration cannot stand there */
        return is_inserted(u, a->at, INSERT_VALUE) || holds_lock(u, a->at);
    return true;
}

/* A body: the braces, as they stand in this file. */
static void put_braces(const struct around *a, bool is_open)
{
    const struct node *parent = node_of(a->u, node_of(a->u, a->at)->parent);
    bool is_alone = braces_stand_alone(a->u, parent->file);
    bool is_first = is_first_on_line(a->f, a->start);
    struct text above = line_indent(a->f, parent->start);
    const char *outer = keep(a, above, "");
    const char *inner = is_first ? keep(a, a->indent, "") : keep(a, above, indent_unit(a->f));
    if (!is_first && is_within_line(a->f, parent->start))
        put_inline(a, is_open);
    else if (is_open)
        put_open_brace(a, code_end(a->f, parent->start, a->start), inner, outer, is_alone);
    else
        put_close_brace(a, inner, outer, is_alone);
}

static void flush_one(struct unit *u, node_id at, bool is_open, struct patch *out)
{
    const struct node *n = node_of(u, at);
    struct around a = {.u = u,
                       .out = out,
                       .at = at,
                       .f = &u->files.at[n->file],
                       .start = n->start,
                       .end = statement_end(u, at)};
    a.indent = line_indent(a.f, a.start);
    a.mark = line_mark(a.f);
    if (needs_braces(&a))
        put_braces(&a, is_open);
    else if (needs_block(&a))
        put_block(&a, is_open);
    else
        is_open ? put_open(&a) : put_close(&a);
}

static int by_number(const void *a, const void *b)
{
    const node_id *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

void unit_flush(struct unit *u, struct patch *out)
{
    VEC(node_id) list = {0};
    for (uint32_t i = 0; i < u->inserts.len; i++)
        vec_push(&list, u->inserts.at[i].at);
    if (list.len)
        qsort(list.at, list.len, sizeof *list.at, by_number);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list.len; i++)
        if (i == 0 || list.at[i] != list.at[i - 1])
            list.at[kept++] = list.at[i];
    for (uint32_t i = 0; i < kept; i++) /* outer ones open first */
        flush_one(u, list.at[i], true, out);
    for (uint32_t i = kept; i-- > 0;) /* and close last */
        flush_one(u, list.at[i], false, out);
    u->inserts.len = 0;
    vec_done(&list);
}

/* ---- other edits ------------------------------------------------------------------------ */

void remove_statement(const struct unit *u, node_id statement, struct patch *out)
{
    const struct node *n = node_of(u, statement);
    const struct source_file *f = &u->files.at[n->file];
    uint32_t end = statement_end(u, statement);
    if (is_body(u, statement) && node_of(u, n->parent)->kind != NODE_CASE) {
        patch_add(out, f->path, n->start, end - n->start, "(void)0;", EDIT_OPEN);
        return;
    }
    uint32_t from = n->start, to = end;
    uint32_t rest = to;
    while (rest < f->text.len && (f->text.at[rest] == ' ' || f->text.at[rest] == '\t'))
        rest++;
    bool is_whole_line = is_first_on_line(f, from) && rest == line_end(f, to);
    if (is_whole_line) {
        from = line_start(f, from);
        to = line_next(f, to);
    } else {
        to = rest;
    }
    patch_add(out, f->path, from, to - from, "", EDIT_OPEN);
}

void replace_node(const struct unit *u, node_id n, const char *text, struct patch *out)
{
    const struct node *node = node_of(u, n);
    patch_add(out, u->files.at[node->file].path, node->start, node->end - node->start, text,
              EDIT_OPEN);
}

void replace_statement(const struct unit *u, node_id statement, const char *text,
                       struct patch *out)
{
    const struct node *n = node_of(u, statement);
    patch_add(out, u->files.at[n->file].path, n->start, statement_end(u, statement) - n->start,
              text, EDIT_OPEN);
}

const char *code_lines(struct unit *u, node_id statement, const char *text)
{
    AUTO(str) struct str out = {0};
    const struct node *n = node_of(u, statement);
    const struct source_file *f = &u->files.at[n->file];
    struct text indent = line_indent(f, n->start);
    for (; *text; text++)
        if (*text == '\n')
            str_add(&out, "%s%.*s", line_mark(f), TEXT_ARG(indent));
        else if (*text == '\t')
            str_add(&out, "%s", indent_unit(f));
        else
            str_char(&out, *text);
    return arena_text(&u->mem, out.at ? out.at : "", out.len);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * find: questions about a parsed unit. */
#include "source/source.h"
#include "source/lines.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

uint32_t unit_file(const struct unit *u, const char *path)
{
    char full[PATH_MAX];
    const char *wanted = realpath(path, full) ? full : path;
    for (uint32_t i = 0; i < u->files.len; i++)
        if (strcmp(u->files.at[i].path, wanted) == 0)
            return i;
    return NONE;
}

/* Byte of line and column, which count from 1; NONE if there is no such place. */
static uint32_t file_offset(const struct source_file *f, uint32_t line, uint32_t column)
{
    uint32_t at = 0;
    for (uint32_t l = 1; l < line; l++) {
        const char *end = memchr(f->text.at + at, '\n', f->text.len - at);
        if (!end)
            return NONE;
        at = (uint32_t)(end - f->text.at) + 1;
    }
    uint32_t offset = at + (column ? column - 1 : 0);
    return offset <= f->text.len ? offset : NONE;
}

uint32_t file_line(const struct source_file *f, uint32_t offset)
{
    uint32_t line = 1;
    for (uint32_t i = 0; i < offset && i < f->text.len; i++)
        line += f->text.at[i] == '\n';
    return line;
}

struct text node_text(const struct unit *u, node_id n)
{
    const struct node *node = node_of(u, n);
    return (struct text){u->files.at[node->file].text.at + node->start,
                         node->end - node->start};
}

node_id node_at(const struct unit *u, uint32_t file, uint32_t offset)
{
    node_id best = NONE;
    for (node_id i = 1; i < u->nodes.len; i++) {
        const struct node *n = node_of(u, i);
        if (n->file != file || offset < n->start || offset >= n->end)
            continue;
        if (best == NONE ||
            n->end - n->start <= node_of(u, best)->end - node_of(u, best)->start)
            best = i;
    }
    return best;
}

node_id node_at_line(const struct unit *u, const char *directory, const char *path,
                     uint32_t line, uint32_t column)
{
    char joined[PATH_MAX * 2];
    bool is_full = path[0] == '/';
    snprintf(joined, sizeof joined, "%s%s%s", is_full ? "" : directory, is_full ? "" : "/",
             path);
    uint32_t file = unit_file(u, joined);
    uint32_t offset = file == NONE ? NONE : file_offset(&u->files.at[file], line, column);
    if (offset == NONE)
        return NONE;
    const struct text *text = &u->files.at[file].text;
    while (!column && offset < text->len && strchr(" \t", text->at[offset]))
        offset++;
    return node_at(u, file, offset);
}

node_id node_function(const struct unit *u, node_id n)
{
    for (; n != NONE; n = node_of(u, n)->parent)
        if (node_of(u, n)->kind == NODE_FUNCTION || node_of(u, n)->kind == NODE_LAMBDA)
            return n;
    return NONE;
}

bool node_is_in(const struct unit *u, node_id n, node_id outer)
{
    for (; n != NONE; n = node_of(u, n)->parent)
        if (n == outer)
            return true;
    return false;
}

node_id node_walk(const struct unit *u, node_id root, node_id n)
{
    if (node_of(u, n)->first != NONE)
        return node_of(u, n)->first;
    for (; n != root; n = node_of(u, n)->parent)
        if (node_of(u, n)->next != NONE)
            return node_of(u, n)->next;
    return NONE;
}

/* ---- statements ------------------------------------------------------------------------- */

static node_id child(const struct unit *u, node_id n, uint32_t index)
{
    node_id c = node_of(u, n)->first;
    while (index-- > 0 && c != NONE)
        c = node_of(u, c)->next;
    return c;
}

static uint32_t count_children(const struct unit *u, node_id n)
{
    uint32_t count = 0;
    for (node_id c = node_of(u, n)->first; c != NONE; c = node_of(u, c)->next)
        count++;
    return count;
}

/* Children of `if`: a declaration or two in C++, the condition, one or two bodies. */
static bool has_else(const struct unit *u, node_id n)
{
    uint32_t count = count_children(u, n);
    if (!u->is_cxx || count < 3)
        return count == 3;
    const struct node *body = node_of(u, child(u, n, count - 2));
    const struct node *last = node_of(u, child(u, n, count - 1));
    return last->start > body->end &&
           code_has_word(&u->files.at[last->file], body->end, last->start, "else");
}

node_id if_then(const struct unit *u, node_id n)
{
    uint32_t count = count_children(u, n);
    return child(u, n, has_else(u, n) ? count - 2 : count - 1);
}

node_id if_else(const struct unit *u, node_id n)
{
    return has_else(u, n) ? node_of(u, n)->last : NONE;
}

bool is_body(const struct unit *u, node_id n)
{
    node_id p = node_of(u, n)->parent;
    if (p == NONE)
        return false;
    const struct node *parent = node_of(u, p);
    switch (parent->kind) {
    case NODE_IF:
        return n == if_then(u, p) || n == if_else(u, p);
    case NODE_DO:
        return n == parent->first;
    case NODE_CASE:
    case NODE_LABEL:
    case NODE_WHILE:
    case NODE_FOR:
        return n == parent->last;
    case NODE_SWITCH:
        return n == parent->last;
    default:
        return false;
    }
}

static bool is_statement(const struct unit *u, node_id n)
{
    const struct node *node = node_of(u, n);
    if (node->parent == NONE)
        return false;
    const struct node *parent = node_of(u, node->parent);
    if (node->is_macro && parent->is_macro)
        return false;
    if (is_body(u, n))
        return true;
    if (parent->kind != NODE_COMPOUND)
        return false;
    bool is_value = parent->parent != NONE &&
                    node_of(u, parent->parent)->kind == NODE_BLOCK_VALUE && node->next == NONE;
    return !is_value;
}

node_id node_statement(const struct unit *u, node_id n)
{
    for (; n != NONE && node_of(u, n)->kind != NODE_FUNCTION; n = node_of(u, n)->parent)
        if (is_statement(u, n) && !(is_body(u, n) && node_of(u, n)->kind == NODE_COMPOUND))
            return n;
    return NONE;
}

node_id statement_before(const struct unit *u, node_id statement)
{
    node_id before = NONE;
    for (node_id s = node_of(u, node_of(u, statement)->parent)->first;
         s != NONE && s != statement; s = node_of(u, s)->next)
        before = s;
    return before;
}

node_id statement_above(const struct unit *u, node_id statement)
{
    return node_statement(u, node_of(u, statement)->parent);
}

node_id statement_core(const struct unit *u, node_id statement)
{
    while (node_of(u, statement)->kind == NODE_CASE ||
           node_of(u, statement)->kind == NODE_LABEL)
        if (node_of(u, statement)->last == NONE)
            break;
        else
            statement = node_of(u, statement)->last;
    return statement;
}

uint32_t statement_end(const struct unit *u, node_id statement)
{
    node_id leaf = statement;
    for (;;) {
        const struct node *n = node_of(u, leaf);
        if (n->kind == NODE_IF)
            leaf = if_else(u, leaf) != NONE ? if_else(u, leaf) : if_then(u, leaf);
        else if ((n->kind == NODE_WHILE || n->kind == NODE_FOR || n->kind == NODE_SWITCH ||
                  n->kind == NODE_CASE || n->kind == NODE_LABEL) &&
                 n->last != NONE)
            leaf = n->last;
        else
            break;
    }
    const struct node *s = node_of(u, statement);
    const struct source_file *f = &u->files.at[s->file];
    enum node_kind kind = node_of(u, leaf)->kind;
    if (kind == NODE_COMPOUND || kind == NODE_TRY || kind == NODE_NULL)
        return s->end;
    if (s->end > s->start && f->text.at[s->end - 1] == ';')
        return s->end;
    uint32_t at = skip_blanks(f, s->end);
    return at < f->text.len && f->text.at[at] == ';' ? at + 1 : s->end;
}

bool node_is_written(const struct unit *u, node_id n)
{
    node_id inner = n;
    for (node_id p = node_of(u, n)->parent; p != NONE; inner = p, p = node_of(u, p)->parent) {
        const struct node *parent = node_of(u, p);
        switch (parent->kind) {
        case NODE_STEP:
        case NODE_TAKE:
            return true;
        case NODE_ASSIGN:
            return parent->first == inner;
        case NODE_INDEX: /* the array's element, not the index */
            if (parent->first != inner)
                return false;
            break;
        case NODE_OTHER:
            break;
        default:
            return false;
        }
    }
    return false;
}

const char *unit_fresh(struct unit *u, const char *wanted)
{
    AUTO(str) struct str name = {0};
    for (uint32_t try = 1;; try++) {
        name.len = 0;
        str_add(&name, "%s", wanted);
        if (try > 1)
            str_add(&name, "%u", try);
        bool is_used = false;
        for (uint32_t i = 0; i < u->files.len && !is_used; i++)
            is_used = code_has_word(&u->files.at[i], 0, u->files.at[i].text.len, name.at);
        if (!is_used)
            return arena_text(&u->mem, name.at, name.len);
    }
}

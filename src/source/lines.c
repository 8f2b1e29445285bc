/* SPDX-License-Identifier: Apache-2.0
 *
 * lines: see lines.h. */
#include "source/lines.h"

#include <ctype.h>
#include <string.h>

uint32_t line_start(const struct source_file *f, uint32_t offset)
{
    while (offset > 0 && f->text.at[offset - 1] != '\n')
        offset--;
    return offset;
}

uint32_t line_end(const struct source_file *f, uint32_t offset)
{
    while (offset < f->text.len && f->text.at[offset] != '\n')
        offset++;
    return offset > 0 && offset < f->text.len && f->text.at[offset - 1] == '\r' ? offset - 1
                                                                                : offset;
}

uint32_t line_next(const struct source_file *f, uint32_t offset)
{
    while (offset < f->text.len && f->text.at[offset] != '\n')
        offset++;
    return offset < f->text.len ? offset + 1 : offset;
}

struct text line_indent(const struct source_file *f, uint32_t offset)
{
    uint32_t start = line_start(f, offset), end = start;
    while (end < f->text.len && (f->text.at[end] == ' ' || f->text.at[end] == '\t'))
        end++;
    return (struct text){f->text.at + start, end - start};
}

const char *line_mark(const struct source_file *f)
{
    const char *end = memchr(f->text.at, '\n', f->text.len);
    return end && end > f->text.at && end[-1] == '\r' ? "\r\n" : "\n";
}

/* By the lines that are indented one step deeper than the one before, which ends in '{'. */
const char *indent_unit(const struct source_file *f)
{
    uint32_t votes[9] = {0}, tabs = 0;
    for (uint32_t at = 0; at < f->text.len; at = line_next(f, at)) {
        uint32_t end = line_end(f, at), next = line_next(f, at);
        if (end == at || f->text.at[end - 1] != '{' || next >= f->text.len)
            continue;
        struct text here = line_indent(f, at), inner = line_indent(f, next);
        if (inner.len <= here.len)
            continue;
        if (inner.at[here.len] == '\t')
            tabs++;
        else if (inner.len - here.len <= 8)
            votes[inner.len - here.len]++;
    }
    static const char spaces[] = "        ";
    uint32_t best = 4;
    for (uint32_t i = 1; i <= 8; i++)
        if (votes[i] > votes[best])
            best = i;
    return tabs > votes[best] ? "\t" : spaces + 8 - best;
}

bool is_first_on_line(const struct source_file *f, uint32_t offset)
{
    struct text indent = line_indent(f, offset);
    return indent.at + indent.len == f->text.at + offset;
}

/* Behind a comment that begins here; the same byte if none does. */
static uint32_t skip_comment(const struct source_file *f, uint32_t at)
{
    if (at + 1 >= f->text.len || f->text.at[at] != '/')
        return at;
    if (f->text.at[at + 1] == '/') {
        while (at < f->text.len && f->text.at[at] != '\n')
            at += f->text.at[at] == '\\' && at + 1 < f->text.len ? 2 : 1;
        return at < f->text.len ? at : f->text.len;
    }
    if (f->text.at[at + 1] != '*')
        return at;
    for (at += 2; at + 1 < f->text.len; at++)
        if (f->text.at[at] == '*' && f->text.at[at + 1] == '/')
            return at + 2;
    return f->text.len;
}

/* Behind a string or character constant that begins here; the same byte if none does. */
static uint32_t skip_literal(const struct source_file *f, uint32_t at)
{
    char quote = f->text.at[at];
    bool is_separator = quote == '\'' && at > 0 && isalnum((unsigned char)f->text.at[at - 1]) &&
                        isdigit((unsigned char)f->text.at[at - 1]); /* 1'000 in C++ */
    if ((quote != '"' && quote != '\'') || is_separator)
        return at;
    for (at++; at < f->text.len && f->text.at[at] != quote && f->text.at[at] != '\n'; at++)
        at += f->text.at[at] == '\\';
    return at + 1 < f->text.len ? at + 1 : f->text.len;
}

bool is_last_on_line(const struct source_file *f, uint32_t offset)
{
    uint32_t end = line_end(f, offset);
    while (offset < end) {
        if (isspace((unsigned char)f->text.at[offset])) {
            offset++;
            continue;
        }
        uint32_t next = skip_comment(f, offset);
        if (next == offset || next > end + 2)
            return false;
        offset = next;
    }
    return true;
}

uint32_t skip_blanks(const struct source_file *f, uint32_t offset)
{
    while (offset < f->text.len) {
        uint32_t next =
            isspace((unsigned char)f->text.at[offset]) ? offset + 1 : skip_comment(f, offset);
        if (next == offset)
            break;
        offset = next;
    }
    return offset;
}

uint32_t code_end(const struct source_file *f, uint32_t from, uint32_t to)
{
    uint32_t end = from;
    for (uint32_t at = from; at < to;) {
        uint32_t next = skip_comment(f, at);
        if (next != at) {
            at = next;
            continue;
        }
        next = skip_literal(f, at);
        next = next == at ? at + 1 : next;
        if (!isspace((unsigned char)f->text.at[at]))
            end = next;
        at = next;
    }
    return end < to ? end : to;
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

bool code_has_word(const struct source_file *f, uint32_t from, uint32_t to, const char *word)
{
    size_t len = strlen(word);
    for (uint32_t at = from; at < to;) {
        uint32_t next = skip_comment(f, at);
        next = next == at ? skip_literal(f, at) : next;
        if (next != at) {
            at = next;
            continue;
        }
        if (!is_word_char(f->text.at[at])) {
            at++;
            continue;
        }
        uint32_t end = at;
        while (end < to && is_word_char(f->text.at[end]))
            end++;
        if (end - at == len && memcmp(f->text.at + at, word, len) == 0)
            return true;
        at = end;
    }
    return false;
}

uint32_t condition_at(const struct source_file *f, uint32_t offset)
{
    VEC(uint32_t) open = {0};
    for (uint32_t at = 0; at < f->text.len && at < offset; at = line_next(f, at)) {
        uint32_t p = at;
        while (p < f->text.len && (f->text.at[p] == ' ' || f->text.at[p] == '\t'))
            p++;
        if (p >= f->text.len || f->text.at[p] != '#')
            continue;
        for (p++; p < f->text.len && (f->text.at[p] == ' ' || f->text.at[p] == '\t'); p++)
            ;
        uint32_t left = f->text.len - p;
        if (left >= 2 && memcmp(f->text.at + p, "if", 2) == 0)
            vec_push(&open, at);
        else if (left >= 4 && memcmp(f->text.at + p, "else", 4) == 0 && open.len)
            open.at[open.len - 1] = at;
        else if (left >= 4 && memcmp(f->text.at + p, "elif", 4) == 0 && open.len)
            open.at[open.len - 1] = at;
        else if (left >= 5 && memcmp(f->text.at + p, "endif", 5) == 0 && open.len)
            open.len--;
    }
    uint32_t result = open.len ? open.at[open.len - 1] : NONE;
    vec_done(&open);
    return result;
}

bool braces_stand_alone(const struct unit *u, uint32_t file)
{
    int votes = 0;
    for (node_id i = 1; i < u->nodes.len; i++) {
        const struct node *n = node_of(u, i);
        if (n->kind == NODE_COMPOUND && n->file == file && !n->is_macro && is_body(u, i))
            votes += is_first_on_line(&u->files.at[file], n->start) ? 1 : -1;
    }
    return votes > 0;
}

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

bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

uint32_t skip_comment(const struct source_file *f, uint32_t at)
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

/* Behind R"x( ... )x", of which the quote is here; the same byte if it is none. */
static uint32_t skip_raw(const struct source_file *f, uint32_t at)
{
    const char *text = f->text.at, *end = text + f->text.len;
    bool is_raw = at > 0 && text[at - 1] == 'R' &&
                  (at == 1 || !is_word_char(text[at - 2]) || strchr("LuU8", text[at - 2]));
    const char *open = is_raw ? memchr(text + at, '(', f->text.len - at) : NULL;
    if (!open)
        return at;
    size_t len = (size_t)(open - (text + at)) - 1; /* of the delimiter */
    for (const char *p = open + 1; (p = memchr(p, ')', (size_t)(end - p))) != NULL; p++)
        if ((size_t)(end - p) > len + 1 && memcmp(p + 1, text + at + 1, len) == 0 &&
            p[len + 1] == '"')
            return (uint32_t)(p + len + 2 - text);
    return f->text.len;
}

uint32_t skip_literal(const struct source_file *f, uint32_t at)
{
    char quote = f->text.at[at];
    uint32_t raw = quote == '"' ? skip_raw(f, at) : at;
    if (raw != at)
        return raw;
    bool is_separator = quote == '\'' && at > 0 && isalnum((unsigned char)f->text.at[at - 1]) &&
                        isdigit((unsigned char)f->text.at[at - 1]); /* 1'000 in C++ */
    if ((quote != '"' && quote != '\'') || is_separator)
        return at;
    for (at++; at < f->text.len && f->text.at[at] != quote && f->text.at[at] != '\n'; at++)
        at += f->text.at[at] == '\\';
    return at + 1 < f->text.len ? at + 1 : f->text.len;
}

uint32_t skip_directive(const struct source_file *f, uint32_t at)
{
    if (f->text.at[at] != '#' || !is_first_on_line(f, at))
        return at;
    uint32_t next = line_next(f, at);
    while (next < f->text.len && next > at + 1 && f->text.at[line_end(f, next - 1) - 1] == '\\')
        next = line_next(f, next);
    return next;
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
        next = next == at ? skip_directive(f, at) : next;
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

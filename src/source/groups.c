/* SPDX-License-Identifier: Apache-2.0
 *
 * groups: code between #if and #endif. The parser sees one choice of them; an edit must be
 * right for the others too, of which only the text is known. */
#include "source/lines.h"

#include <ctype.h>
#include <string.h>

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

/* The last code before a byte, and whether preprocessor lines stand between them. */
struct before {
    uint32_t end; /* behind it; 0: there is none */
    bool is_divided;
};

static struct before code_before(const struct source_file *f, uint32_t offset)
{
    struct before b = {0};
    for (uint32_t at = 0; at < offset;) {
        uint32_t next = skip_directive(f, at);
        b.is_divided |= next != at;
        next = next == at ? skip_comment(f, at) : next;
        if (next == at) {
            next = skip_literal(f, at);
            next = next == at ? at + 1 : next;
            if (!isspace((unsigned char)f->text.at[at]))
                b = (struct before){.end = next};
        }
        at = next;
    }
    return b;
}

static bool ends_in_word(const struct source_file *f, uint32_t end, const char *word)
{
    uint32_t len = (uint32_t)strlen(word);
    return end >= len && memcmp(f->text.at + end - len, word, len) == 0 &&
           (end == len || !is_word_char(f->text.at[end - len - 1]));
}

/* Where the parenthesis that ends there begins. */
static uint32_t parenthesis_start(const struct source_file *f, uint32_t end)
{
    uint32_t depth = 0, at = end;
    do {
        at--;
        depth += f->text.at[at] == ')';
        depth -= f->text.at[at] == '(';
    } while (at > 0 && depth > 0);
    while (at > 0 && isspace((unsigned char)f->text.at[at - 1]))
        at--;
    return at;
}

/* Does what follows belong to it: `else`, `if (x)`, `a +`? */
static bool wants_more(const struct source_file *f, uint32_t end)
{
    static const char *const headers[] = {"if", "for", "while", "switch"};
    char last = end ? f->text.at[end - 1] : ';';
    if (last == ')') {
        uint32_t at = parenthesis_start(f, end);
        for (unsigned i = 0; i < sizeof headers / sizeof headers[0]; i++)
            if (ends_in_word(f, at, headers[i]))
                return true;
        return false;
    }
    return ends_in_word(f, end, "else") || ends_in_word(f, end, "do") ||
           strchr("=+-*/%&|^(?<!~", last);
}

/* Is it between the end of an expression and a preprocessor line: x = a #if + b #endif ; ? */
static bool is_divided_behind(const struct source_file *f, struct before b, uint32_t offset)
{
    uint32_t next = skip_blanks(f, offset);
    return b.end && next < f->text.len && f->text.at[next] == '#' &&
           (is_word_char(f->text.at[b.end - 1]) || strchr("\"']", f->text.at[b.end - 1]));
}

/* Is the edit put behind what only some groups say? Preprocessor lines may stand anywhere. */
static int check_edit(const struct source_file *f, const struct edit *e, struct err *err)
{
    if (e->text[strspn(e->text, " \t\r\n")] == '#')
        return 0;
    struct before b = code_before(f, e->offset);
    bool is_inside = b.is_divided ? wants_more(f, b.end) || e->text[0] == ','
                                  : e->length == 0 && is_divided_behind(f, b, e->offset);
    if (!is_inside)
        return 0;
    return err_set(err, "%s:%u: preprocessor lines divide the statement", f->path,
                   file_line(f, e->offset));
}

static int braces_in(struct text t)
{
    int depth = 0;
    for (uint32_t i = 0; i < t.len; i++)
        depth += (t.at[i] == '{') - (t.at[i] == '}');
    return depth;
}

/* How many blocks more are open behind the edit than before. */
static int braces_added(const struct source_file *f, const struct edit *e)
{
    return braces_in(text_of(e->text)) -
           braces_in((struct text){f->text.at + e->offset, e->length});
}

int groups_check(const struct patch *p, const struct source_file *f, struct err *err)
{
    patch_edits edits = {0};
    int failed = 0;
    patch_edits_of(p, f->path, &edits);
    for (uint32_t i = 0; i < edits.len && !failed; i++) {
        uint32_t group = condition_at(f, edits.at[i]->offset);
        int depth = 0;
        for (uint32_t k = 0; k < edits.len; k++)
            if (condition_at(f, edits.at[k]->offset) == group)
                depth += braces_added(f, edits.at[k]);
        failed = check_edit(f, edits.at[i], err);
        if (!failed && depth != 0)
            failed = err_set(err, "%s:%u: its braces would be in different #if groups", f->path,
                             file_line(f, edits.at[i]->offset));
    }
    vec_done(&edits);
    return failed;
}

static bool is_jump_at(const struct unit *u, uint32_t file, uint32_t offset)
{
    for (node_id n = 1; n < u->nodes.len; n++) {
        const struct node *node = node_of(u, n);
        bool is_jump = node->kind == NODE_RETURN || node->kind == NODE_GOTO ||
                       node->kind == NODE_BREAK || node->kind == NODE_CONTINUE ||
                       node->kind == NODE_THROW;
        if (is_jump && node->file == file && node->start == offset)
            return true;
    }
    return false;
}

uint32_t hidden_jump(const struct unit *u, uint32_t file, uint32_t from, uint32_t to)
{
    static const char *const words[] = {"return", "goto", "break", "continue", "throw"};
    const struct source_file *f = &u->files.at[file];
    uint32_t group = condition_at(f, from);
    for (uint32_t at = from; at < to;) {
        uint32_t end = at;
        while (end < to && is_word_char(f->text.at[end]))
            end++;
        for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
            if (end - at == strlen(words[i]) && ends_in_word(f, end, words[i]) &&
                condition_at(f, at) != group && !is_jump_at(u, file, at))
                return at;
        uint32_t next = skip_comment(f, at);
        next = next == at ? skip_literal(f, at) : next;
        at = end > at ? end : next > at ? next : at + 1;
    }
    return NONE;
}

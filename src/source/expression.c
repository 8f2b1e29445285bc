/* SPDX-License-Identifier: Apache-2.0
 *
 * expression: what one line of the source calls the thing that is touched there. Nothing is
 * parsed: the compiler has said which name and which column, and the words around them say the
 * rest. Where they do not, nothing is said. */
#include "source/source.h"

#include <ctype.h>
#include <string.h>

enum { EXPRESSION_MAX = 48, ARGUMENTS_MAX = 8 };

/* ---- lines ------------------------------------------------------------------------------ */

static void read_file(struct source_lines *s, struct text file)
{
    struct err ignored;
    if (s->file.at && text_is(file, (struct text){s->file.at, (uint32_t)s->file.len}))
        return;
    bytes_done(&s->bytes);
    s->bytes = (struct bytes){0};
    s->file.len = 0;
    str_bytes(&s->file, file.at, file.len);
    if (bytes_read(&s->bytes, s->file.at, &ignored) < 0)
        s->bytes = (struct bytes){0};
}

static struct text line_of(struct source_lines *s, struct text file, uint32_t line)
{
    if (file.len == 0 || line == 0)
        return (struct text){0};
    read_file(s, file);
    const char *at = (const char *)s->bytes.at, *end = at + s->bytes.len;
    for (uint32_t i = 1; i < line && at; i++) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        at = nl ? nl + 1 : NULL;
    }
    if (!at || at >= end)
        return (struct text){0};
    const char *nl = memchr(at, '\n', (size_t)(end - at));
    return (struct text){at, (uint32_t)((nl ? nl : end) - at)};
}

void source_lines_done(struct source_lines *s)
{
    bytes_done(&s->bytes);
    str_done(&s->file);
}

/* ---- words ------------------------------------------------------------------------------ */

static char at(struct text line, uint32_t i)
{
    return i < line.len ? line.at[i] : 0;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static uint32_t skip_blanks(struct text line, uint32_t i)
{
    while (at(line, i) == ' ' || at(line, i) == '\t')
        i++;
    return i;
}

static uint32_t skip_blanks_back(struct text line, uint32_t i)
{
    while (i > 0 && (line.at[i - 1] == ' ' || line.at[i - 1] == '\t'))
        i--;
    return i;
}

static struct text word_at(struct text line, uint32_t i)
{
    uint32_t end = i;
    while (is_letter(at(line, end)))
        end++;
    return i < line.len ? (struct text){line.at + i, end - i} : (struct text){0};
}

static bool has_word(struct text line, uint32_t i, struct text word)
{
    return (i == 0 || !is_letter(line.at[i - 1])) && text_is(word_at(line, i), word);
}

/* Behind the bracket that closes the one at i; NONE: it is on another line. */
static uint32_t close_of(struct text line, uint32_t i)
{
    uint32_t depth = 0;
    for (; i < line.len; i++) {
        depth += strchr("([{", line.at[i]) != NULL;
        if (strchr(")]}", line.at[i]) && --depth == 0)
            return i + 1;
    }
    return NONE;
}

/* Where the bracket begins that ends before i. */
static uint32_t open_of(struct text line, uint32_t i)
{
    uint32_t depth = 0;
    while (i-- > 0) {
        depth += strchr(")]}", line.at[i]) != NULL;
        if (strchr("([{", line.at[i]) && --depth == 0)
            return i;
    }
    return NONE;
}

/* Where "->", "." or "::" begins that ends before i; NONE: something else stands there. */
static uint32_t joint_before(struct text line, uint32_t i)
{
    i = skip_blanks_back(line, i);
    if (i >= 2 &&
        (memcmp(line.at + i - 2, "->", 2) == 0 || memcmp(line.at + i - 2, "::", 2) == 0))
        return i - 2;
    return i >= 1 && line.at[i - 1] == '.' ? i - 1 : NONE;
}

/* Where the expression begins whose last name is at i: "a->b[k].c" of c. */
static uint32_t begin_of(struct text line, uint32_t i)
{
    for (;;) {
        uint32_t joint = joint_before(line, i);
        if (joint == NONE)
            return i;
        uint32_t end = skip_blanks_back(line, joint), first = end;
        while (first > 0 && strchr(")]", line.at[first - 1])) {
            first = open_of(line, first);
            if (first == NONE)
                return i;
        }
        while (first > 0 && is_letter(line.at[first - 1]))
            first--;
        if (first == end)
            return i;
        i = first;
    }
}

static bool put(struct str *out, struct text line, uint32_t from, uint32_t to)
{
    if (to <= from || to - from > EXPRESSION_MAX)
        return false;
    str_bytes(out, line.at + from, to - from);
    return true;
}

/* ---- what is read or written ------------------------------------------------------------ */

/* "++x" and not "x++". */
static bool is_step(struct text line, uint32_t i, bool *before)
{
    char c = at(line, i);
    if ((c != '+' && c != '-') || at(line, i + 1) != c)
        return false;
    char next = at(line, skip_blanks(line, i + 2));
    *before = is_letter(next) || next == '(' || next == '*';
    return true;
}

static bool is_assignment(struct text line, uint32_t i)
{
    while (at(line, i) && strchr("+-*/%&|^<>", at(line, i)))
        i++;
    return at(line, i) == '=' && at(line, i + 1) != '=';
}

/* The place of the name that is meant by a column: there, left of an assignment, or next. */
static uint32_t find_name(struct text line, uint32_t column, struct text name, bool *is_left)
{
    uint32_t before = NONE, behind = NONE;
    bool prefix = false;
    for (uint32_t i = 0; i < line.len; i++) {
        if (!has_word(line, i, name))
            continue;
        if (i + name.len <= column)
            before = i;
        else if (i >= column && behind == NONE)
            behind = i;
    }
    *is_left = is_step(line, column, &prefix) ? !prefix : is_assignment(line, column);
    return *is_left ? before : behind;
}

bool source_operand(struct source_lines *s, struct str *out, const struct source_spot *spot,
                    bool is_part)
{
    struct text line = line_of(s, spot->file, spot->line), name = spot->name;
    bool is_target = name.len > 0 && name.at[0] == '*', is_left;
    if (is_target)
        name = (struct text){name.at + 1, name.len - 1};
    if (name.len == 0 || spot->column == 0 || spot->column > line.len)
        return false;
    uint32_t column = spot->column - 1, found = find_name(line, column, name, &is_left);
    if (found == NONE)
        return false;
    uint32_t first = begin_of(line, found), end = found + name.len;
    bool is_member = first < found, has_index = at(line, end) == '[';
    /* A pointer that is followed is named itself; an array is not read, its elements are. */
    bool is_element = is_target || is_left || column < found || (!is_member && is_part);
    while (has_index && is_element && at(line, end) == '[') {
        end = close_of(line, end);
        if (end == NONE)
            return false;
    }
    if (end - first > EXPRESSION_MAX)
        return false;
    if (is_target && !has_index)
        str_char(out, '*');
    return put(out, line, first, end);
}

/* ---- what a call is about --------------------------------------------------------------- */

struct arguments {
    uint32_t first[ARGUMENTS_MAX], end[ARGUMENTS_MAX], count;
};

/* Of the brackets at i; false: they are not closed here, or there are too many. */
static bool cut_arguments(struct arguments *out, struct text line, uint32_t i)
{
    uint32_t close = close_of(line, i);
    *out = (struct arguments){0};
    if (close == NONE)
        return false;
    for (uint32_t from = skip_blanks(line, i + 1), to = from; from < close - 1;) {
        while (to < close - 1 && line.at[to] != ',') {
            to = strchr("([{", line.at[to]) ? close_of(line, to) : to + 1;
            if (to == NONE)
                return false;
        }
        if (out->count == ARGUMENTS_MAX)
            return false;
        out->first[out->count] = from;
        out->end[out->count++] = skip_blanks_back(line, to);
        from = to = skip_blanks(line, to + 1);
    }
    return true;
}

static bool put_argument(struct str *out, struct text line, const struct arguments *a,
                         uint32_t which)
{
    if (which >= a->count)
        return false;
    uint32_t first = a->first[which];
    if (line.at[first] == '&')
        first = skip_blanks(line, first + 1);
    return put(out, line, first, a->end[which]);
}

/* Tags like std::defer_lock say how, not what. */
static uint32_t count_things(struct text line, const struct arguments *a)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->count; i++)
        count += a->end[i] - a->first[i] < 5 || memcmp(line.at + a->first[i], "std::", 5) != 0;
    return count;
}

static bool is_cxx(struct text file)
{
    return file.len < 2 || memcmp(file.at + file.len - 2, ".c", 2) != 0;
}

bool source_argument(struct source_lines *s, struct str *out, const struct source_spot *spot,
                     uint32_t which)
{
    struct text line = line_of(s, spot->file, spot->line);
    struct arguments a;
    if (spot->column == 0 || spot->column > line.len)
        return false;
    uint32_t i = spot->column - 1;
    struct text word = word_at(line, i);
    uint32_t bracket = skip_blanks(line, i + word.len), joint = joint_before(line, i);
    if (word.len == 0 || (at(line, bracket) != '(' && at(line, bracket) != '{'))
        return false;
    if (text_is(word, spot->name))
        return cut_arguments(&a, line, bracket) && put_argument(out, line, &a, which);
    if (!is_cxx(spot->file) || which > 0)
        return false;
    if (joint != NONE && line.at[joint] != ':')
        return put(out, line, begin_of(line, i), joint);
    return cut_arguments(&a, line, bracket) && count_things(line, &a) == 1 &&
           put_argument(out, line, &a, 0);
}

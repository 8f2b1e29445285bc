/* SPDX-License-Identifier: Apache-2.0
 *
 * spelled: what the source text calls the thing that an access is about, where debug
 * information has no name: behind an accessor of a library's template that was inlined, say.
 * Positions of accesses are those of the last member's name (`p->hits`), or of the operator
 * behind it (`p->hits++`, `p->hits = 1`); of all else nothing is said. */
#include "instr/pass.h"

#include <ctype.h>
#include <string.h>

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The line, without its end; at NULL: there is none. */
static struct text line_of(const struct bytes *b, uint32_t line)
{
    const char *at = (const char *)b->at, *end = at + b->len;
    for (; line > 1 && at && at < end; line--) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : end;
    }
    if (line != 1 || !at || at >= end)
        return (struct text){0};
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return (struct text){at, (uint32_t)((stop ? stop : end) - at)};
}

/* How many characters of an operator that changes what stands before it begin here. */
static uint32_t changes(struct text line, uint32_t at)
{
    static const char *const operators[] = {
        "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        size_t len = strlen(operators[i]);
        if (at + len <= line.len && memcmp(line.at + at, operators[i], len) == 0)
            return (uint32_t)len;
    }
    return line.at[at] == '=' && (at + 1 == line.len || line.at[at + 1] != '=') ? 1 : 0;
}

/* The name that begins here and is no function's; len 0: none. */
static struct text name_from(struct text line, uint32_t at)
{
    uint32_t end = at, next;
    while (end < line.len && is_of_name(line.at[end]))
        end++;
    for (next = end; next < line.len && line.at[next] == ' ';)
        next++;
    bool is_call = next < line.len && (line.at[next] == '(' || line.at[next] == ':');
    bool is_member = at > 0 && (line.at[at - 1] == '.' || line.at[at - 1] == '>');
    return is_call || !is_member ? (struct text){0} : (struct text){line.at + at, end - at};
}

/* The member whose name ends before this. */
static struct text name_before(struct text line, uint32_t at)
{
    while (at > 0 && line.at[at - 1] == ' ')
        at--;
    uint32_t begin = at;
    while (begin > 0 && is_of_name(line.at[begin - 1]))
        begin--;
    return begin < at ? name_from(line, begin) : (struct text){0};
}

const char *spelled_name(struct pass *p, const struct site *site)
{
    struct err ignored;
    if (!site->file || !*site->file || site->line == 0 || site->column == 0)
        return "";
    if (!p->spelled.path || strcmp(p->spelled.path, site->file) != 0) {
        bytes_done(&p->spelled.bytes);
        p->spelled.path = site->file;
        if (bytes_read(&p->spelled.bytes, site->file, &ignored) < 0)
            p->spelled.bytes = (struct bytes){0};
    }
    struct text line = line_of(&p->spelled.bytes, site->line), name = {0};
    uint32_t at = site->column - 1;
    if (at >= line.len)
        return "";
    if (is_of_name(line.at[at]))
        name = name_from(line, at);
    else if (changes(line, at))
        name = name_before(line, at);
    return name.len ? arena_text(&p->mem, name.at, name.len) : "";
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * guarded: what a declaration says about its lock, by Clang's thread-safety attribute: written
 * out, or as a macro whose name ends in GUARDED_BY. The compiler keeps nothing of it in the
 * bitcode, and libclang does not tell an attribute's arguments: it is read from the text
 * behind the declaration that libclang has found. */
#include "source/source.h"

#include <string.h>
#include <strings.h>

enum { DECLARATION_MAX_BYTES = 400 };

static const char word[] = "guarded_by";

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

/* What is in the parentheses that begin there; len 0: there are none. */
static struct text in_parentheses(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n'))
        at++;
    if (at == end || *at != '(')
        return (struct text){0};
    const char *begin = ++at;
    for (uint32_t depth = 1; at < end; at++) {
        depth += *at == '(';
        depth -= *at == ')';
        if (depth == 0)
            return (struct text){begin, (uint32_t)(at - begin)};
    }
    return (struct text){0};
}

/* Of a pointer, `pt_guarded_by` speaks of what it points to: that is no word about itself. */
static bool is_about_pointee(const char *begin, const char *at)
{
    return at - begin >= 3 && strncasecmp(at - 3, "pt_", 3) == 0;
}

struct text declared_guard(const struct unit *u, node_id declaration)
{
    const struct node *n = node_of(u, declaration);
    struct text all = u->files.at[n->file].text;
    uint32_t limit = n->end + DECLARATION_MAX_BYTES;
    const char *begin = all.at + n->start, *end = all.at + (limit < all.len ? limit : all.len);
    size_t len = strlen(word);
    int depth = 0;
    for (const char *at = begin; at + len < end; at++) {
        depth += (*at == '(') - (*at == ')');
        if (at >= all.at + n->end && depth == 0 && (*at == ';' || *at == ',' || *at == '='))
            break;
        if (strncasecmp(at, word, len) == 0 && !is_word(at[len]) &&
            !is_about_pointee(begin, at))
            return in_parentheses(at + len, end);
    }
    return (struct text){0};
}

bool mentions_guards(struct text t)
{
    for (uint32_t i = 0; i + sizeof word <= t.len; i++)
        if ((t.at[i] | 0x20) == 'g' && strncasecmp(t.at + i, word, sizeof word - 1) == 0)
            return true;
    return false;
}

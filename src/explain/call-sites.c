/* SPDX-License-Identifier: Apache-2.0
 *
 * call-sites: where one function calls another, from what the compiler has kept. */
#include "explain/call-sites.h"

#include "base/map.h"
#include "heddle/calls.h"

#include <stdlib.h>
#include <string.h>

struct row {
    const char *callee, *file;
    uint32_t line, column;
    uint32_t next; /* of the same caller; NONE: the last one */
};

struct call_sites {
    struct arena mem;
    VEC(struct row) rows;
    struct map callers;        /* hash of the name -> its last row */
    struct map taken;          /* hash of the name of what pointers may point to */
    VEC(const char *) symbols; /* of those, where only that is known */
};

struct call_sites *call_sites_new(void)
{
    return mem_zeroed(1, sizeof(struct call_sites));
}

void call_sites_free(struct call_sites *c)
{
    if (!c)
        return;
    vec_done(&c->rows);
    map_done(&c->callers);
    map_done(&c->taken);
    vec_done(&c->symbols);
    arena_done(&c->mem);
    free(c);
}

/* ---- reading ---------------------------------------------------------------------------- */

/* Up to the next tab, or the end; the rest begins behind it. */
static const char *take_word(struct call_sites *c, struct text *line)
{
    const char *tab = line->len ? memchr(line->at, '\t', line->len) : NULL;
    uint32_t len = tab ? (uint32_t)(tab - line->at) : line->len;
    const char *word = arena_text(&c->mem, line->at, len);
    uint32_t skip = tab ? len + 1 : len;
    *line = (struct text){line->at + skip, line->len - skip};
    return word;
}

static uint64_t key_of(const char *name)
{
    return hash_bytes(name, strlen(name));
}

static void add_row(struct call_sites *c, const char *caller, const char *file,
                    struct text line)
{
    char *end;
    const char *position = take_word(c, &line);
    struct row row = {.line = (uint32_t)strtoul(position, &end, 10)};
    row.column = *end == ':' ? (uint32_t)strtoul(end + 1, NULL, 10) : 0;
    row.callee = take_word(c, &line);
    row.file = line.len > 0 ? take_word(c, &line) : file;
    uint32_t *last = map_at(&c->callers, key_of(caller));
    row.next = *last;
    *last = c->rows.len;
    vec_push(&c->rows, row);
}

static void add_taken(struct call_sites *c, struct text name)
{
    const char *kept = arena_text(&c->mem, name.at, name.len);
    *map_at(&c->taken, key_of(kept)) = 1;
    if (name.len > 2 && memcmp(name.at, "_Z", 2) == 0)
        vec_push(&c->symbols, kept);
}

void call_sites_add(struct call_sites *c, const char *record)
{
    const char *caller = "", *file = "";
    for (const char *at = record; *at;) {
        size_t len = strcspn(at, "\n");
        struct text line = {at, (uint32_t)len};
        if (*at == '&') {
            add_taken(c, (struct text){at + 1, (uint32_t)len - 1});
        } else if (*at == '=') {
            line = (struct text){at + 1, (uint32_t)len - 1};
            caller = take_word(c, &line);
            file = take_word(c, &line);
        } else {
            add_row(c, caller, file, line);
        }
        at += len + (at[len] == '\n');
    }
}

/* ---- asking ----------------------------------------------------------------------------- */

/* The next part of a name with "::", without arguments of a template. */
static struct text next_part(const char **at)
{
    const char *start = *at;
    size_t len = strcspn(start, "<:");
    const char *p = start + len;
    for (int depth = 0; *p && (depth > 0 || *p != ':'); p++)
        depth += *p == '<' ? 1 : *p == '>' ? -1 : 0;
    *at = p[0] == ':' && p[1] == ':' ? p + 2 : p + strlen(p);
    return (struct text){start, (uint32_t)len};
}

static bool has_no_length(struct text part)
{
    return part.len == 0 || part.at[0] == '~' || part.at[0] == '(' ||
           (part.len >= 8 && memcmp(part.at, "operator", 8) == 0);
}

/* "_ZN4pool4lockEv" and "pool::lock": are all parts there, in this order? */
static bool is_mangled(const char *symbol, const char *name)
{
    struct text before = {"", 0};
    if (symbol[0] != '_' || symbol[1] != 'Z')
        return false;
    for (const char *at = name; *at;) {
        AUTO(str) struct str wanted = {0};
        struct text part = next_part(&at);
        bool is_maker = text_is(part, before);
        before = part;
        if (has_no_length(part) || is_maker)
            continue;
        str_add(&wanted, "%u%.*s", part.len, TEXT_ARG(part));
        symbol = strstr(symbol, wanted.at);
        if (!symbol)
            return false;
        symbol += wanted.len;
    }
    return true;
}

/* May a pointer point to it? */
static bool is_taken(const struct call_sites *c, const char *callee)
{
    bool found = map_find(&c->taken, key_of(callee)) != NONE;
    for (uint32_t i = 0; !found && i < c->symbols.len; i++)
        found = is_mangled(c->symbols.at[i], callee);
    return found;
}

static bool is_callee(const struct row *r, const char *callee)
{
    return strcmp(r->callee, callee) == 0 || is_mangled(r->callee, callee);
}

/* By line; the same one only once. */
static void add_place(struct call_places *out, const struct row *r)
{
    uint32_t i = 0;
    while (i < out->len && out->at[i].line < r->line)
        i++;
    if (out->len == CALL_PLACES_MAX || (i < out->len && out->at[i].line == r->line)) {
        out->more |= out->len == CALL_PLACES_MAX;
        return;
    }
    memmove(&out->at[i + 1], &out->at[i], (out->len - i) * sizeof *out->at);
    out->at[i] = (struct call_place){r->file, r->line, r->column};
    out->len++;
}

struct call_places call_sites_find(const struct call_sites *c, const char *caller,
                                   const char *callee)
{
    struct call_places out = {.len = 0};
    bool may_be_any = is_taken(c, callee);
    for (uint32_t i = map_find(&c->callers, key_of(caller)); i != NONE;
         i = c->rows.at[i].next) {
        const struct row *r = &c->rows.at[i];
        bool is_any = strcmp(r->callee, HEDDLE_CALLS_UNKNOWN) == 0;
        if (is_any ? may_be_any : is_callee(r, callee))
            add_place(&out, r);
    }
    return out;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * names: see names.h. */
#include "guards/guards.h"

#include "base/io.h"

#include <ctype.h>
#include <string.h>

/* ---- variables -------------------------------------------------------------------------- */

static bool is_plain(unsigned kind)
{
    return kind == EV_READ || kind == EV_WRITE || kind == EV_ATOMIC_LOAD ||
           kind == EV_ATOMIC_STORE || kind == EV_RMW || kind == EV_CAS;
}

const char **fields_of(const struct model *m, struct arena *mem)
{
    const char **out = ARENA_NEW(mem, const char *, m->cell_count + 1);
    for (ev_id e = 0; e < m->ev_count; e++) {
        if (!is_plain(m->ev[e].kind))
            continue;
        const struct def_site *s = &m->trace->sites.at[model_site(m, e)];
        struct span cells = model_cells(m, e);
        CHECK(cells.first + cells.count <= m->cell_count);
        for (uint32_t i = 0; i < cells.count; i++)
            if (!out[cells.first + i])
                out[cells.first + i] =
                    arena_text(mem, s->name.at ? s->name.at : "", s->name.len);
    }
    for (cell_id c = 0; c < m->cell_count; c++)
        if (!out[c])
            out[c] = "";
    return out;
}

void object_text(struct str *out, const struct model *m, obj_id object)
{
    const struct object *o = object == NONE ? NULL : space_object(m->space, object);
    if (!o) {
        str_add(out, "?");
        return;
    }
    if (o->is_static) {
        str_bytes(out, o->name.at, o->name.len);
        return;
    }
    bool is_stack = o->class == WORD_VALUE(CLASS, STACK);
    if (o->site >= m->trace->sites.len) {
        str_add(out, "%s", is_stack ? "stack" : "heap");
        return;
    }
    const struct def_site *s = &m->trace->sites.at[o->site];
    if (is_stack && s->name.len)
        str_bytes(out, s->name.at, s->name.len);
    else
        str_add(out, "%s", is_stack ? "stack" : "heap");
    struct text file = {s->file.at, s->file.len};
    for (uint32_t i = file.len; i-- > 0;)
        if (file.at[i] == '/') {
            file = (struct text){file.at + i + 1, file.len - i - 1};
            break;
        }
    str_add(out, "(%.*s:%u)", TEXT_ARG(file), s->line);
}

void variable_text(struct str *out, const struct model *m, cell_id c, const char *field)
{
    obj_id object = m->cells[c].object;
    const struct object *o = object == NONE ? NULL : space_object(m->space, object);
    bool is_whole = o && o->is_static && text_is(o->name, text_of(field));
    if (o || !field[0])
        object_text(out, m, object);
    if (field[0] && !is_whole)
        str_add(out, "%s%s", o ? "." : "", field);
}

/* Where "(cap.cpp:33)" is in "inv(cap.cpp:33).stock"; len 0: it has no such part. */
static struct text made_at(const char *name)
{
    for (const char *open = strchr(name, '('); open; open = strchr(open + 1, '(')) {
        const char *close = strchr(open, ')'), *p = close;
        while (p && p > open && isdigit((unsigned char)p[-1]))
            p--;
        if (p && p < close && p > open + 1 && p[-1] == ':')
            return (struct text){open, (uint32_t)(close + 1 - open)};
    }
    return (struct text){0};
}

bool name_has_place(const char *name)
{
    return made_at(name).len > 0;
}

void name_words(struct str *out, const char *name)
{
    struct text place = made_at(name);
    struct text object = {name, place.len ? (uint32_t)(place.at - name) : 0};
    const char *rest = place.at + place.len;
    if (!place.len)
        str_add(out, "%s", name);
    else if (!text_is(object, TEXT("heap")) && !text_is(object, TEXT("stack")))
        str_add(out, "%.*s%s", TEXT_ARG(object), rest);
    else
        str_add(out, "%s (made at %.*s)", *rest == '.' ? rest + 1 : "the object",
                (int)place.len - 2, place.at + 1);
}

void name_lock_words(struct str *out, const char *name)
{
    struct text place = made_at(name);
    if (place.len && !place.at[place.len]) /* which member it is, the trace does not say */
        str_add(out, "a lock in ");
    name_words(out, name);
}

/* ---- locks ------------------------------------------------------------------------------ */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The first argument of the call that begins at or behind text. */
static void add_argument(struct str *out, const char *text, size_t len)
{
    const char *open = memchr(text, '(', len);
    if (!open)
        return;
    const char *end = text + len, *p = open + 1;
    while (p < end && (*p == '&' || *p == ' ' || *p == '\t'))
        p++;
    int depth = 0;
    const char *stop = p;
    while (stop < end && *stop != '\n' && (depth > 0 || (*stop != ')' && *stop != ','))) {
        depth += *stop == '(' || *stop == '[';
        depth -= *stop == ')' || *stop == ']';
        stop++;
    }
    while (stop > p && stop[-1] == ' ')
        stop--;
    if (stop < end && stop > p && (is_word(stop[-1]) || stop[-1] == ']'))
        str_bytes(out, p, (size_t)(stop - p));
}

/* As the compiler found it. */
static bool read_source(struct bytes *out, const char *file, const struct build_units *units)
{
    struct err ignored;
    if (file[0] == '/')
        return bytes_read(out, file, &ignored) == 0;
    for (uint32_t i = 0; i < units->units.len; i++) {
        AUTO(str) struct str path = {0};
        str_add(&path, "%s/%s", units->units.at[i].directory, file);
        if (bytes_read(out, path.at, &ignored) == 0)
            return true;
    }
    return bytes_read(out, file, &ignored) == 0;
}

void lock_expression(struct str *out, const struct code_site *site,
                     const struct build_units *units)
{
    AUTO(bytes) struct bytes file = {0};
    if (!site->file[0] || strncmp(site->file, "/usr/", 5) == 0 ||
        !read_source(&file, site->file, units))
        return;
    const char *at = (const char *)file.at, *end = at + file.len;
    for (uint32_t line = 1; at < end && line < site->line; line++) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        at = nl ? nl + 1 : end;
    }
    const char *nl = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    size_t len = (size_t)((nl ? nl : end) - at), column = site->column ? site->column - 1 : 0;
    if (column < len)
        add_argument(out, at + column, len - column);
}

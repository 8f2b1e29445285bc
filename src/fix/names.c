/* SPDX-License-Identifier: Apache-2.0
 *
 * names: see names.h. */
#include "fix/names.h"

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
    str_add(out, "%s", o->class == WORD_VALUE(CLASS, STACK) ? "stack" : "heap");
    if (o->site >= m->trace->sites.len)
        return;
    const struct def_site *s = &m->trace->sites.at[o->site];
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

void lock_expression(struct str *out, const struct fix_site *site,
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

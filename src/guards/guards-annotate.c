/* SPDX-License-Identifier: Apache-2.0
 *
 * guards-annotate: the guard table written into the source, as Clang's thread-safety
 * attributes: GUARDED_BY(lock) behind the declaration of each variable that is written and has
 * a lock. The macro is defined where it is used first in a file, and is nothing for other
 * compilers.
 *
 * What has to be left out is noted: a lock that is declared behind the variable cannot be named
 * in its attribute, nor can one that lies in another object. */
#include "guards/guards.h"

#include "build/build.h"
#include "source/source.h"

#include <string.h>
#include <unistd.h>

static const char macro[] = "\n#if defined(__clang__) && !defined(GUARDED_BY)\n"
                            "#define GUARDED_BY(lock) __attribute__((guarded_by(lock)))\n"
                            "#elif !defined(GUARDED_BY)\n"
                            "#define GUARDED_BY(lock)\n"
                            "#endif\n";

struct annotating {
    const struct guards *guards;
    bool *done;            /* by guard */
    const char *directory; /* of the unit that is looked at */
    struct patch *patch;
};

/* ---- finding declarations --------------------------------------------------------------- */

static node_id find_global(const struct unit *u, const char *name)
{
    for (node_id n = 0; n < u->nodes.len; n++)
        if (node_of(u, n)->kind == NODE_VARIABLE && node_of(u, n)->is_global &&
            strcmp(node_of(u, n)->name, name) == 0)
            return n;
    return NONE;
}

/* The field of this name that is accessed in the expression, or NONE. */
static node_id field_in(const struct unit *u, node_id root, const char *name)
{
    for (node_id n = root; n != NONE; n = node_walk(u, root, n)) {
        const struct node *access = node_of(u, n);
        if (access->kind == NODE_MEMBER && strcmp(access->name, name) == 0 &&
            access->declared != NONE && node_of(u, access->declared)->kind == NODE_FIELD)
            return access->declared;
    }
    return NONE;
}

/* What the accesses of this unit say that the field is: others may have its name. NONE: they
 * do not tell. */
static node_id find_field(const struct annotating *x, const struct unit *u,
                          const struct guard *g)
{
    node_id found = NONE;
    for (uint32_t i = 0; i < g->uses.len && found == NONE; i++) {
        const struct code_site *site = &g->uses.at[i].site;
        node_id n = node_at_line(u, x->directory, site->file, site->line, site->column);
        for (; n != NONE && found == NONE && node_of(u, n)->kind != NODE_COMPOUND;
             n = node_of(u, n)->parent)
            found = field_in(u, n, g->field);
    }
    return found;
}

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

/* Behind the declared name and its brackets or width; NONE if it does not stand there. */
static uint32_t behind_name(const struct unit *u, node_id n)
{
    struct text text = node_text(u, n);
    const char *name = node_of(u, n)->name;
    uint32_t len = (uint32_t)strlen(name), found = NONE;
    for (uint32_t i = 0; i + len <= text.len && text.at[i] != '='; i++)
        if (memcmp(text.at + i, name, len) == 0 && (i == 0 || !is_word(text.at[i - 1])) &&
            (i + len == text.len || !is_word(text.at[i + len])))
            found = i + len;
    while (found != NONE && found < text.len && text.at[found] == '[') {
        const char *close = memchr(text.at + found, ']', text.len - found);
        found = close ? (uint32_t)(close - text.at) + 1 : text.len;
    }
    uint32_t rest = found;
    while (found != NONE && rest < text.len && text.at[rest] == ' ')
        rest++;
    if (found != NONE && rest < text.len && text.at[rest] == ':') /* a bit-field's width */
        found = text.len;
    CHECK(found == NONE || found <= text.len);
    return found == NONE ? NONE : node_of(u, n)->start + found;
}

/* ---- edits ------------------------------------------------------------------------------ */

static bool has_edit(const struct patch *p, const char *file, uint32_t offset)
{
    for (uint32_t i = 0; i < p->edits.len; i++)
        if (p->edits.at[i].offset == offset && strcmp(p->edits.at[i].file, file) == 0)
            return true;
    return false;
}

/* Behind the last #include of the file, or at its start. */
static void define_macro(struct annotating *x, const struct source_file *f)
{
    uint32_t at = 0;
    if (memmem(f->text.at, f->text.len, "GUARDED_BY", 10))
        return;
    for (uint32_t i = 0; i < x->patch->edits.len; i++)
        if (strcmp(x->patch->edits.at[i].file, f->path) == 0)
            return;
    for (const char *p = f->text.at, *end = p + f->text.len; p < end;) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        const char *next = nl ? nl + 1 : end;
        if ((size_t)(end - p) > 8 && memcmp(p, "#include", 8) == 0)
            at = (uint32_t)(next - f->text.at);
        p = next;
    }
    AUTO(str) struct str text = {0};
    bool is_crlf = memmem(f->text.at, f->text.len, "\r\n", 2) != NULL;
    for (const char *p = at ? macro : macro + 1; *p; p++)
        str_add(&text, *p == '\n' && is_crlf ? "\r%c" : "%c", *p);
    patch_add(x->patch, f->path, at, 0, text.at, EDIT_OPEN);
}

static bool annotate_at(struct annotating *x, const struct unit *u, node_id variable,
                        node_id lock, const char *expression)
{
    const struct node *v = node_of(u, variable), *l = node_of(u, lock);
    const struct source_file *f = &u->files.at[v->file];
    uint32_t offset = behind_name(u, variable);
    AUTO(str) struct str text = {0};
    if (offset == NONE || v->is_macro)
        return false;
    if (l->file == v->file && l->start > v->start && !u->is_cxx) {
        patch_note(x->patch, "%s: left out, its lock %s is declared behind it", v->name,
                   expression);
        return true;
    }
    if (has_edit(x->patch, f->path, offset))
        return true;
    define_macro(x, f);
    str_add(&text, " GUARDED_BY(%s)", expression);
    patch_add(x->patch, f->path, offset, 0, text.at, EDIT_CLOSE);
    return true;
}

static bool annotate_own(struct annotating *x, const struct unit *u, const struct guard *g)
{
    const char *dot = strrchr(g->lock, '.'), *name = dot ? dot + 1 : NULL;
    for (const char *p = name ? name : ""; *p; p++)
        if (!is_word(*p))
            name = NULL; /* "inv(a.cpp:3)": the trace does not tell which member it is */
    node_id field = g->field[0] ? find_field(x, u, g) : NONE;
    node_id record = field == NONE ? NONE : node_of(u, field)->parent;
    if (record == NONE || node_of(u, record)->kind != NODE_RECORD)
        return false;
    node_id lock = name ? record_field(u, record, name) : record_lock(u, record);
    return lock != NONE && annotate_at(x, u, field, lock, node_of(u, lock)->name);
}

static bool annotate_global(struct annotating *x, const struct unit *u, const struct guard *g)
{
    node_id variable = g->field[0] ? NONE : find_global(u, g->object);
    node_id lock = strchr(g->lock, '.') ? NONE : find_global(u, g->lock);
    return variable != NONE && lock != NONE && annotate_at(x, u, variable, lock, g->lock);
}

static bool is_written(const struct guard *g)
{
    for (uint32_t i = 0; i < g->uses.len; i++)
        if (g->uses.at[i].writes)
            return true;
    return false;
}

static void annotate_unit(struct annotating *x, const struct unit *u)
{
    for (uint32_t i = 0; i < x->guards->guards.len; i++) {
        const struct guard *g = &x->guards->guards.at[i];
        if (!x->done[i] && is_written(g))
            x->done[i] = g->bond == GUARD_BOND_OWN      ? annotate_own(x, u, g)
                         : g->bond == GUARD_BOND_GLOBAL ? annotate_global(x, u, g)
                                                        : false;
    }
}

/* ---- the diff --------------------------------------------------------------------------- */

static int print_diff(struct str *out, const struct patch *p, struct err *err)
{
    AUTO(str) struct str root = {0};
    patch_files files = {0};
    int failed = 0;
    patch_list(p, &files);
    diff_root(&root, &files);
    for (uint32_t i = 0; !failed && i < files.len; i++) {
        AUTO(bytes) struct bytes old = {0};
        AUTO(str) struct str changed = {0};
        failed = bytes_read(&old, files.at[i], err);
        struct text text = {(const char *)old.at, (uint32_t)old.len};
        if (!failed && (failed = patch_apply(p, files.at[i], text, &changed, err)) == 0)
            diff_print(out, files.at[i] + root.len + (root.len > 0), text, str_text(&changed));
    }
    vec_done(&files);
    return failed;
}

static void add_left_out(struct str *notes, const struct guard *g)
{
    name_words(notes, g->variable);
    str_add(notes, ": left out, no attribute can name ");
    name_lock_words(notes, g->lock);
    str_add(notes, " from there\n");
}

int guards_annotate(struct str *out, struct str *notes, const struct guards *g,
                    const char *program, struct err *err)
{
    AUTO(build_units) struct build_units units = {0};
    AUTO(patch) struct patch patch = {0};
    AUTO(arena) struct arena mem = {0};
    if (build_units_read(&units, program, err) < 0)
        return -1;
    struct annotating x = {
        .guards = g, .done = ARENA_NEW(&mem, bool, g->guards.len + 1), .patch = &patch};
    for (uint32_t i = 0; i < units.units.len; i++) {
        AUTO(unit) struct unit u = {0};
        struct unit_opts opts = {.source = units.units.at[i].source,
                                 .directory = units.units.at[i].directory,
                                 .args = build_unit_words(&units.units.at[i], &mem)};
        if (unit_open(&u, &opts, err) < 0)
            return -1;
        x.directory = opts.directory;
        annotate_unit(&x, &u);
    }
    for (uint32_t i = 0; i < patch.notes.len; i++)
        str_add(notes, "%s\n", patch.notes.at[i]);
    for (uint32_t i = 0; i < g->guards.len; i++)
        if (!x.done[i] && is_written(&g->guards.at[i]) &&
            g->guards.at[i].bond != GUARD_BOND_NONE)
            add_left_out(notes, &g->guards.at[i]);
    return print_diff(out, &patch, err);
}

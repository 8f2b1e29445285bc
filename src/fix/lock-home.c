/* SPDX-License-Identifier: Apache-2.0
 *
 * lock-home: where a new lock is declared: beside the data. Data that each object has gets a
 * lock in each object; a variable gets one beside its definition, and an `extern` beside its
 * declaration in a header if several files take it. */
#include "fix/recipe.h"

#include <string.h>

/* Where the variable lives: its definition, or the record it is a field of. */
static node_id home_in(const struct unit *u, const char *variable)
{
    const char *dot = strrchr(variable, '.');
    const char *field = dot ? dot + 1 : variable;
    size_t len = strcspn(variable, ".[");
    node_id record = NONE;
    for (node_id n = 1; n < u->nodes.len; n++) {
        const struct node *node = node_of(u, n);
        bool is_extern = node->kind == NODE_VARIABLE && node_text(u, n).len > 7 &&
                         strncmp(node_text(u, n).at, "extern ", 7) == 0;
        if (node->kind == NODE_VARIABLE && node->is_global && node->parent == 0 && !is_extern &&
            strlen(node->name) == len && memcmp(node->name, variable, len) == 0)
            return n;
        if (node->kind == NODE_FIELD && node_of(u, node->parent)->parent == 0 &&
            record == NONE && strcmp(node->name, field) == 0)
            record = node->parent;
    }
    return record;
}

/* A function, or a class or namespace with one. */
static bool has_function(const struct unit *u, node_id root)
{
    for (node_id n = root; n != NONE; n = node_walk(u, root, n))
        if (node_of(u, n)->kind == NODE_FUNCTION)
            return true;
    return false;
}

/* The first function of the file, or the declaration before it. */
static node_id before_functions(const struct unit *u, uint32_t file)
{
    node_id last = NONE;
    for (node_id n = node_of(u, 0)->first; n != NONE; n = node_of(u, n)->next) {
        if (node_of(u, n)->file != file)
            continue;
        if (has_function(u, n))
            break;
        last = n;
    }
    return last;
}

static void put_declaration(struct unit *u, node_id behind, uint32_t file, const char *text,
                            struct patch *out)
{
    node_id at = behind != NONE ? behind : before_functions(u, file);
    if (at != NONE)
        declare_behind(u, at, text, out);
    else
        declare_first(u, file, text, out);
}

/* ---- one for all ------------------------------------------------------------------------ */

/* Where a header shows the variable to several files: its `extern`, or the record. */
static node_id shown_in(const struct unit *u, const char *variable)
{
    size_t len = strcspn(variable, ".[");
    for (node_id n = node_of(u, 0)->first; n != NONE; n = node_of(u, n)->next)
        if (node_of(u, n)->kind == NODE_VARIABLE && node_of(u, n)->file != 0 &&
            strlen(node_of(u, n)->name) == len &&
            memcmp(node_of(u, n)->name, variable, len) == 0)
            return n;
    node_id home = home_in(u, variable);
    return home != NONE && node_of(u, home)->file != 0 ? home : NONE;
}

static bool is_shown_to(const struct unit *u, const struct unit *header, node_id shown)
{
    return unit_file(u, header->files.at[node_of(header, shown)->file].path) != NONE;
}

struct for_all {
    struct codebase *code;
    const struct lock_choice *l;
    const bool *used;
    uint32_t count, owner; /* units that take it; the one that defines it */
    node_id home;          /* in there: what it is defined behind, or NONE */
    struct node_ref shown; /* what its `extern` stands behind; node NONE: every unit has one */
    const char *type, *header;
};

/* Does a section stand before it in the text? */
static bool is_taken_before(const struct unit *u, node_id home)
{
    for (uint32_t i = 0; i < u->inserts.len; i++) {
        const struct node *n = node_of(u, u->inserts.at[i].at);
        if (n->file == 0 && n->start < node_of(u, home)->end)
            return true;
    }
    return false;
}

static void find_places(struct for_all *a)
{
    for (uint32_t i = 0; i < a->code->units.len && a->home == NONE; i++) {
        struct unit *u = a->used[i] ? codebase_unit(a->code, i) : NULL;
        a->home = u ? home_in(u, a->l->variable) : NONE;
        if (a->home != NONE && (node_of(u, a->home)->file != 0 || is_taken_before(u, a->home)))
            a->home = NONE; /* in a header: every unit would have one of its own */
        a->owner = a->home != NONE || (a->owner == NONE && a->used[i]) ? i : a->owner;
    }
    for (uint32_t i = 0; i < a->code->units.len && a->shown.node == NONE; i++) {
        struct unit *u = a->used[i] ? codebase_unit(a->code, i) : NULL;
        a->shown = (struct node_ref){i, u ? shown_in(u, a->l->variable) : NONE};
    }
    for (uint32_t i = 0; i < a->code->units.len && a->shown.node != NONE; i++)
        if (a->used[i] && codebase_unit(a->code, i) &&
            !is_shown_to(codebase_unit(a->code, i), codebase_unit(a->code, a->shown.unit),
                         a->shown.node))
            a->shown.node = NONE; /* somebody takes it who does not see the header */
}

static int declare_for_all(struct codebase *code, const struct lock_choice *l, const bool *used,
                           struct patch *out, struct err *err)
{
    bool is_cxx = l->sort == LOCK_CXX;
    struct for_all a = {.code = code,
                        .l = l,
                        .used = used,
                        .owner = NONE,
                        .home = NONE,
                        .shown = {0, NONE},
                        .type = is_cxx ? "std::mutex" : "pthread_mutex_t",
                        .header = is_cxx ? "mutex" : "pthread.h"};
    for (uint32_t i = 0; i < code->units.len; i++)
        a.count += used[i];
    find_places(&a);
    if (a.owner == NONE)
        return err_set(err, "there is no place for a new lock");
    bool is_shown = a.count > 1 && a.shown.node != NONE;
    if (is_shown) {
        struct unit *u = codebase_unit(code, a.shown.unit);
        include_header(u, node_of(u, a.shown.node)->file, a.header, out);
        declare_behind(u, a.shown.node, keep_text(code, "extern %s %s;", a.type, l->name), out);
    }
    for (uint32_t i = 0; i < code->units.len; i++) {
        struct unit *u = used[i] ? codebase_unit(code, i) : NULL;
        if (!u || (is_shown && i != a.owner))
            continue;
        const char *text =
            i != a.owner ? keep_text(code, "extern %s %s;", a.type, l->name)
                         : keep_text(code, "%s%s %s%s;", a.count == 1 ? "static " : "", a.type,
                                     l->name, is_cxx ? "" : " = PTHREAD_MUTEX_INITIALIZER");
        include_header(u, 0, a.header, out);
        put_declaration(u, i == a.owner ? a.home : NONE, 0, text, out);
    }
    return 0;
}

/* ---- one for each object ---------------------------------------------------------------- */

/* Is it taken where the object is constant? */
static bool is_taken_in_const(struct codebase *code, const bool *used, const char *name)
{
    for (uint32_t i = 0; i < code->units.len; i++) {
        struct unit *u = used[i] ? codebase_unit(code, i) : NULL;
        for (uint32_t k = 0; u && k < u->inserts.len; k++) {
            node_id f = node_function(u, u->inserts.at[k].at);
            if (f == NONE || !strstr(u->inserts.at[k].text, name))
                continue;
            struct text text = node_text(u, f);
            const char *body = memchr(text.at, '{', text.len);
            if (body && memmem(text.at, (size_t)(body - text.at), ") const", 7))
                return true;
        }
    }
    return false;
}

static int declare_member(struct codebase *code, const struct lock_choice *l, const bool *used,
                          struct patch *out, struct err *err)
{
    struct unit *home = codebase_unit(code, l->record.unit);
    bool is_cxx = l->sort == LOCK_CXX, is_local = node_of(home, l->record.node)->file == 0;
    bool is_const = is_cxx && is_taken_in_const(code, used, l->name);
    patch_files done = {0};
    int failed = 0;
    include_header(home, node_of(home, l->record.node)->file, is_cxx ? "mutex" : "pthread.h",
                   out);
    member_declare(home, l->record.node,
                   keep_text(code, "%s%s %s;", is_const ? "mutable " : "",
                             is_cxx ? "std::mutex" : "pthread_mutex_t", l->name),
                   out);
    for (uint32_t i = 0; i < code->units.len && !failed; i++) {
        struct unit *u = is_local && i != l->record.unit ? NULL : codebase_unit(code, i);
        node_id record = u ? record_like(u, home, l->record.node) : NONE;
        if (record != NONE)
            failed = member_prepare(u, record, l->name, &done, out, err);
        if (record == NONE || used[i])
            continue; /* who takes it is flushed by who made the sections */
        if (failed)
            u->inserts.len = 0;
        else
            unit_flush(u, out);
    }
    vec_done(&done);
    return failed;
}

int lock_declare(struct codebase *code, const struct lock_choice *l, const bool *used,
                 struct patch *out, struct err *err)
{
    if (l->is_there)
        return 0;
    return l->record.node ? declare_member(code, l, used, out, err)
                          : declare_for_all(code, l, used, out, err);
}

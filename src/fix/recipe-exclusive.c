/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-exclusive: something is changed by threads that hold its lock for reading only, and so
 * hold it together. What takes the lock there takes it for writing. */
#include "fix/recipe.h"

#include <string.h>

enum { CALLERS_MAX = 3 };

static const char reads[] = "pthread_rwlock_rdlock", shares[] = "shared_lock";

/* Where the statement says that the lock is for reading: what to write instead goes there. */
struct taking {
    uint32_t unit, file, offset, length;
    const char *instead; /* NULL: it does not */
};

static struct taking taking_at(const struct unit *u, uint32_t unit, node_id statement)
{
    const struct node *n = node_of(u, statement);
    struct text t = node_text(u, statement);
    struct taking out = {.unit = unit, .file = n->file};
    if (n->is_macro || !t.len)
        return out; /* others use the macro */
    bool is_call = is_call_of(u, statement, reads);
    bool is_guard = n->kind == NODE_DECLARATION && n->first != NONE &&
                    strstr(node_of(u, n->first)->type, shares);
    const char *word = is_call ? reads : shares;
    const char *at = is_call || is_guard ? memmem(t.at, t.len, word, strlen(word)) : NULL;
    if (!at)
        return out;
    out.offset = n->start + (uint32_t)(at - t.at);
    out.length = (uint32_t)strlen(word);
    out.instead = is_call ? "pthread_rwlock_wrlock" : "unique_lock";
    return out;
}

static bool gives_back(const struct unit *u, node_id statement, node_id taken)
{
    node_id a = node_of(u, statement)->first, b = node_of(u, taken)->first;
    if (!is_call_of(u, statement, "pthread_rwlock_unlock") || a == NONE || b == NONE)
        return false;
    a = node_of(u, a)->next;
    b = node_of(u, b)->next;
    return a != NONE && b != NONE && text_is(node_text(u, a), node_text(u, b));
}

/* The statement that took a lock for reading which is held here. */
static struct taking taken_for_reading(const struct unit *u, uint32_t unit, node_id n)
{
    for (node_id s = node_statement(u, n); s != NONE; s = statement_above(u, s)) {
        node_id taken = NONE;
        for (node_id c = node_of(u, node_of(u, s)->parent)->first; c != NONE && c != s;
             c = node_of(u, c)->next)
            if (taking_at(u, unit, c).instead)
                taken = c;
            else if (taken != NONE && gives_back(u, c, taken))
                taken = NONE;
        if (taken != NONE)
            return taking_at(u, unit, taken);
    }
    return (struct taking){0};
}

static struct taking find_taking(struct codebase *code, const struct code_site *site)
{
    struct node_ref s = codebase_find(code, site);
    for (int above = 0; above <= CALLERS_MAX && s.node != NONE; above++) {
        const struct unit *u = codebase_unit(code, s.unit);
        struct taking found = taken_for_reading(u, s.unit, s.node);
        struct node_ref function = {s.unit, node_function(u, s.node)};
        if (found.instead || function.node == NONE)
            return found;
        s = caller_of(code, function, &(struct code_stack){0});
    }
    return (struct taking){0};
}

static void take_exclusive(struct codebase *code, const struct taking *t, struct patch *out)
{
    const struct unit *u = codebase_unit(code, t->unit);
    const char *path = u->files.at[t->file].path;
    for (uint32_t i = 0; i < out->edits.len; i++)
        if (out->edits.at[i].offset == t->offset && strcmp(out->edits.at[i].file, path) == 0)
            return;
    patch_add(out, path, t->offset, t->length, t->instead, EDIT_OPEN);
    if (u->is_cxx)
        include_header(u, t->file, "mutex", out);
}

static void exclusive_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    if (c->kind != CAUSE_PATTERN)
        return;
    struct fix_candidate *one = candidate_new(out, "exclusive", cause);
    for (uint32_t v = 0; v < c->variable_count; v++) {
        const struct guard *g = codebase_guard(code, c->variables[v]);
        for (uint32_t i = 0; g && i < g->uses.len; i++) {
            struct taking t = {0};
            if (g->uses.at[i].writes && !codebase_is_alone(code, &g->uses.at[i].site))
                t = find_taking(code, &g->uses.at[i].site);
            if (t.instead)
                take_exclusive(code, &t, &one->patch);
        }
    }
    struct err err;
    if (!one->patch.edits.len) {
        err_set(&err, "nothing is changed under a lock that is held for reading");
        candidate_drop(out, code, &err);
        return;
    }
    candidate_explain(one, code, NULL,
                      "it is changed under a lock that is held for reading only, by several "
                      "threads at once: the lock is taken for writing");
    one->trade = "threads that change it no longer do so at the same time";
}

const struct recipe recipe_exclusive = {
    .name = "exclusive",
    .help = "a lock that is held for reading is taken for writing",
    .make = exclusive_make,
    .turn = TURN_FIRST,
};

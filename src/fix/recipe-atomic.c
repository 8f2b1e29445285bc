/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-atomic: a lone counter or flag becomes atomic. Only if every statement does one thing
 * to it: counts, adds, sets or reads. */
#include "fix/recipe.h"

#include <string.h>

static bool is_scalar(const char *type)
{
    static const char *const words[] = {"int",      "unsigned int", "long",     "unsigned long",
                                        "bool",     "_Bool",        "size_t",   "unsigned",
                                        "uint64_t", "int64_t",      "char",     "short",
                                        "uint32_t", "int32_t",      "long long"};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(type, words[i]) == 0)
            return true;
    return false;
}

/* Does its statement touch the variable once? */
static bool is_one_step(const struct unit *u, node_id access)
{
    node_id statement = node_statement(u, access);
    uint32_t count = 0;
    for (node_id n = statement; n != NONE; n = node_walk(u, statement, n))
        count += node_of(u, n)->declared == node_of(u, access)->declared &&
                 (node_of(u, n)->kind == NODE_NAME || node_of(u, n)->kind == NODE_MEMBER);
    return count == 1;
}

/* "static int n;" declares n alone. */
static bool is_alone(const struct unit *u, node_id variable)
{
    const struct node *n = node_of(u, variable);
    const struct text t = u->files.at[n->file].text;
    uint32_t at = n->end;
    while (at < t.len && strchr(" \t", t.at[at]))
        at++;
    bool has_other = false;
    for (uint32_t i = n->start; i < n->end; i++)
        has_other |= t.at[i] == ',';
    return at < t.len && t.at[at] == ';' && !has_other;
}

static int make_atomic(struct codebase *code, const struct guard *g, struct patch *out,
                       struct err *err)
{
    node_id declared = NONE;
    uint32_t unit = 0;
    for (uint32_t i = 0; i < g->uses.len; i++) {
        struct node_ref s = codebase_find(code, &g->uses.at[i].site);
        node_id access =
            s.node == NONE ? NONE : codebase_access(code, s, g->uses.at[i].site.name);
        struct unit *u = access == NONE ? NULL : codebase_unit(code, s.unit);
        if (!u || node_of(u, access)->declared == NONE)
            return err_set(err, "%s is not one named variable", g->variable);
        if (!codebase_is_alone(code, &g->uses.at[i].site) && !is_one_step(u, access))
            return err_set(err, "a statement does more than one thing to %s", g->variable);
        if (declared != NONE && (unit != s.unit || declared != node_of(u, access)->declared))
            return err_set(err, "%s is used in several files", g->variable);
        declared = node_of(u, access)->declared;
        unit = s.unit;
    }
    struct unit *u = codebase_unit(code, unit);
    const struct node *n = declared == NONE ? NULL : node_of(u, declared);
    if (!n || (n->kind != NODE_VARIABLE && n->kind != NODE_FIELD) || !is_scalar(n->type) ||
        !is_alone(u, declared))
        return err_set(err, "%s is no counter or flag that is declared alone", g->variable);
    struct text t = node_text(u, declared);
    bool is_bool = strcmp(n->type, "_Bool") == 0 && !memmem(t.at, t.len, "_Bool", 5);
    const char *type = is_bool ? "bool" : n->type; /* <stdbool.h> has a macro for it */
    size_t len = strlen(type);
    for (uint32_t i = 0; i + len <= t.len; i++)
        if (memcmp(t.at + i, type, len) == 0) {
            patch_add(out, u->files.at[n->file].path, n->start + i, (uint32_t)len,
                      u->is_cxx ? keep_text(code, "std::atomic<%s>", type)
                                : keep_text(code, "_Atomic %s", type),
                      EDIT_OPEN);
            if (u->is_cxx)
                include_header(u, n->file, "atomic", out);
            return 0;
        }
    return err_set(err, "the type of %s is not written out", g->variable);
}

static void atomic_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    const struct guard *g =
        c->variable_count == 1 ? codebase_guard(code, c->variables[0]) : NULL;
    struct err err;
    if (c->kind != CAUSE_PATTERN || !g || g->bond != GUARD_BOND_NONE || g->uses.len == 0)
        return;
    struct fix_candidate *one = candidate_new(out, "atomic", cause);
    if (make_atomic(code, g, &one->patch, &err) < 0) {
        candidate_drop(out, code, &err);
        return;
    }
    candidate_explain(one, code, NULL, "the variable becomes atomic: every access is one step");
}

const struct recipe recipe_atomic = {
    .name = "atomic",
    .help = "a lone counter or flag becomes atomic",
    .make = atomic_make,
};

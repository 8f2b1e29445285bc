/* SPDX-License-Identifier: Apache-2.0
 *
 * unrun: accesses of a variable that no run made: in functions that were not called, and on
 * branches that were not taken. A lock that the others take is of no use if one of these does
 * without it; they are told of, and guarded on request. */
#include "fix/recipe.h"

#include <string.h>

/* What the variable is declared by in the unit: looked up at the accesses that ran. */
static node_id declared_in(struct codebase *code, const struct guard *g, uint32_t unit)
{
    for (uint32_t i = 0; i < g->uses.len; i++) {
        struct node_ref s = codebase_find(code, &g->uses.at[i].site);
        node_id access = s.node == NONE || s.unit != unit
                             ? NONE
                             : codebase_access(code, s, g->uses.at[i].site.name);
        if (access != NONE && node_of(codebase_unit(code, unit), access)->declared != NONE)
            return node_of(codebase_unit(code, unit), access)->declared;
    }
    return NONE;
}

bool has_run(const struct codebase *code, const char *function)
{
    if (!*function)
        return true; /* a lambda: its statements say */
    for (uint32_t i = 0; i < code->causes->ran.len; i++)
        if (is_function(code->causes->ran.at[i], function))
            return true;
    return false;
}

/* Is it in there, by their bytes? A header's are the same in every unit that reads it. */
static bool is_part(struct codebase *code, struct node_ref s, struct node_ref first,
                    struct node_ref last)
{
    const struct unit *u = codebase_unit(code, s.unit), *v = codebase_unit(code, first.unit);
    const struct node *n = node_of(u, s.node), *a = node_of(v, first.node);
    return n->start >= a->start && n->end <= node_of(v, last.node)->end &&
           strcmp(u->files.at[n->file].path, v->files.at[a->file].path) == 0;
}

/* Was something of its statement done, whatever else that is? */
static bool is_made(struct codebase *code, struct node_ref s)
{
    struct node_ref statement = {s.unit, node_statement(codebase_unit(code, s.unit), s.node)};
    const node_refs *made = codebase_made(code);
    for (uint32_t i = 0; statement.node != NONE && i < made->len; i++)
        if (is_part(code, made->at[i], statement, statement))
            return true;
    return false;
}

static bool is_listed(struct codebase *code, const node_refs *list, struct node_ref s)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (is_part(code, s, list->at[i], list->at[i]))
            return true;
    return false;
}

void unrun_list(struct codebase *code, const char *variable, node_refs *out)
{
    const struct guard *g = codebase_guard(code, variable);
    if (!g || code->causes->ran.len == 0)
        return;
    for (uint32_t i = 0; i < code->units.len; i++) {
        const struct unit *u = codebase_unit(code, i);
        node_id declared = u ? declared_in(code, g, i) : NONE, last = NONE;
        for (node_id n = 1; declared != NONE && n < u->nodes.len; n++) {
            node_id function = node_function(u, n);
            bool is_access =
                (node_of(u, n)->kind == NODE_NAME || node_of(u, n)->kind == NODE_MEMBER) &&
                node_of(u, n)->declared == declared;
            if (!is_access || function == NONE ||
                (has_run(code, node_of(u, function)->name) &&
                 is_made(code, (struct node_ref){i, n})))
                continue;
            node_id statement = node_statement(u, n);
            if (statement != last && !is_listed(code, out, (struct node_ref){i, n}))
                vec_push(out, (struct node_ref){i, n});
            last = statement;
        }
    }
}

/* Those that are in no section of the plan, and hold the lock by no other way. */
void unrun_note(const struct sections *p, const struct cause *c, const struct lock_choice *lock,
                struct patch *out)
{
    for (uint32_t v = 0; v < c->variable_count; v++) {
        node_refs list = {0};
        unrun_list(p->code, c->variables[v], &list);
        for (uint32_t i = 0; i < list.len; i++) {
            struct node_ref s = list.at[i];
            const struct unit *u = codebase_unit(p->code, s.unit);
            const struct node *n = node_of(u, s.node);
            const struct source_file *f = &u->files.at[n->file];
            const char *slash = strrchr(f->path, '/');
            const char *function = node_of(u, node_function(u, s.node))->name;
            struct err ignored;
            const char *text = lock_spell(p->code, lock, s.unit, s.node, &ignored);
            bool is_guarded = text && is_held(p->code, s, text);
            for (uint32_t k = 0; k < p->ranges.len; k++) {
                const struct section_range *r = &p->ranges.at[k];
                struct node_ref first = {r->unit, r->r.first}, end = {r->unit, r->r.last};
                is_guarded |= r->unit == s.unit ? range_locks(p, r, s.unit, s.node)
                                                : is_part(p->code, s, first, end);
            }
            AUTO(str) struct str words = {0};
            name_words(&words, c->variables[v]);
            if (!is_guarded)
                patch_note(out,
                           "%s:%u in %s accesses %s too; no run came there, and it is not "
                           "guarded (--unrun does it).",
                           slash ? slash + 1 : f->path, file_line(f, n->start),
                           *function ? function : "a lambda", words.at);
        }
        vec_done(&list);
    }
}

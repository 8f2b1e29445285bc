/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-attach: a detached thread still uses what is destroyed or freed. It is no longer
 * detached, and who destroys waits for its end first. */
#include "fix/recipe.h"

#include <ctype.h>
#include <string.h>

/* The first statement of the block that destroys or frees, before the node or around it. */
static node_id first_release(const struct unit *u, node_id n)
{
    node_id statement = node_statement(u, n), found = NONE;
    if (statement == NONE || is_body(u, statement))
        return NONE;
    for (node_id s = node_of(u, node_of(u, statement)->parent)->first;
         s != NONE && found == NONE; s = node_of(u, s)->next)
        if (is_release(u, s))
            found = s;
    return found;
}

/* A parameter or variable of the function that has this type; NULL. */
static const char *name_of_type(const struct unit *u, node_id function, const char *type)
{
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        const struct node *node = node_of(u, n);
        if ((node->kind == NODE_PARAMETER || node->kind == NODE_VARIABLE) &&
            strcmp(node->type, type) == 0)
            return node->name;
    }
    return NULL;
}

/* The detached thread as it is called in the function: "log->flusher", whoever log is there. */
static const char *thread_there(struct codebase *code, struct node_ref detach,
                                struct node_ref function)
{
    const struct unit *u = codebase_unit(code, detach.unit),
                      *v = codebase_unit(code, function.unit);
    node_id kept = node_of(u, detach.node)->last, base = NONE;
    struct text t = node_text(u, kept);
    for (node_id n = kept; n != NONE; n = node_walk(u, kept, n))
        if (node_of(u, n)->kind == NODE_NAME)
            base = n;
    node_id variable = base == NONE ? NONE : node_of(u, base)->declared;
    if (variable == NONE)
        return NULL;
    const char *old = node_of(u, variable)->name;
    size_t len = strlen(old);
    if (node_of(u, variable)->is_global)
        return keep_text(code, "%.*s", TEXT_ARG(t));
    const char *name = name_of_type(v, function.node, node_of(u, variable)->type);
    bool is_member = t.len > len && memcmp(t.at, old, len) == 0 &&
                     !isalnum((unsigned char)t.at[len]) && t.at[len] != '_';
    return name && is_member ? keep_text(code, "%s%.*s", name, (int)(t.len - len), t.at + len)
                             : NULL;
}

static int attach(struct codebase *code, struct node_ref s, struct patch *out, struct err *err)
{
    struct unit *u = codebase_unit(code, s.unit);
    struct node_ref function = {s.unit, node_function(u, s.node)};
    node_id release = function.node == NONE ? NONE : first_release(u, s.node);
    if (release == NONE)
        return err_set(err, "nothing is destroyed or freed there");
    for (uint32_t i = 0; i < code->units.len; i++) {
        struct unit *d = codebase_unit(code, i);
        for (node_id n = 1; d && n < d->nodes.len; n++) {
            const char *thread = is_call_of(d, n, "pthread_detach")
                                     ? thread_there(code, (struct node_ref){i, n}, function)
                                     : NULL;
            if (!thread || node_statement(d, n) != n)
                continue;
            remove_statement(d, n, out);
            unit_insert(u, release, INSERT_OPEN,
                        keep_text(code, "pthread_join(%s, NULL);", thread));
            unit_flush(u, out);
            return 0;
        }
    }
    return err_set(err, "no thread is detached that could be named there");
}

static void attach_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    for (uint32_t i = 0; i < c->step_count && c->kind == CAUSE_PATTERN; i++) {
        struct node_ref s = codebase_find(code, &c->steps[i].site);
        struct err err;
        if (s.node == NONE)
            continue;
        struct fix_candidate *one = candidate_new(out, "attach", cause);
        if (attach(code, s, &one->patch, &err) == 0) {
            candidate_explain(one, code, NULL,
                              "the thread is no longer detached, and its end is waited for "
                              "before what it uses goes");
            one->trade = "who destroys waits for the thread";
            return;
        }
        candidate_drop(out, code, &err);
    }
}

const struct recipe recipe_attach = {
    .name = "attach",
    .help = "a detached thread is joined before what it uses is destroyed",
    .make = attach_make,
    .turn = TURN_FIRST,
};

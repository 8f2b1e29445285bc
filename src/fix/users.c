/* SPDX-License-Identifier: Apache-2.0
 *
 * users: the program counts who uses an object, by functions of its own or where it finds
 * one; and who has such an object in a variable, or nothing. */
#include "fix/recipe.h"

#include <ctype.h>
#include <string.h>

/* ---- who counts ------------------------------------------------------------------------- */

/* The only parameter, if it points to such a record; NONE. */
static node_id only_parameter(const struct unit *u, node_id function, const char *record)
{
    node_id found = NONE;
    for (node_id c = node_of(u, function)->first; c != NONE; c = node_of(u, c)->next) {
        const struct node *p = node_of(u, c);
        if (p->kind != NODE_PARAMETER)
            continue;
        if (found != NONE || p->shape != SHAPE_POINTER || p->record == NONE ||
            strcmp(node_of(u, p->record)->name, record) != 0)
            return NONE;
        found = c;
    }
    return found;
}

int counts_users(struct codebase *code, struct node_ref function, const char *record, int depth)
{
    const struct unit *u = codebase_unit(code, function.unit);
    node_id parameter = u ? only_parameter(u, function.node, record) : NONE;
    int found = 0;
    for (node_id n = parameter == NONE ? NONE : function.node; n != NONE;
         n = node_walk(u, function.node, n)) {
        const struct node *node = node_of(u, n);
        struct text t = node_text(u, n);
        struct atomic_use use;
        int step = 0;
        if (node->kind == NODE_STEP && memmem(t.at, t.len, "->", 2))
            step = memmem(t.at, t.len, "++", 2) ? 1 : -1;
        else if (node->kind == NODE_CALL && atomic_use_whole(text_trim(t), &use))
            step = use.does == ATOMIC_ADD ? 1 : use.does == ATOMIC_SUB ? -1 : 0;
        else if (node->kind == NODE_CALL && depth > 0) {
            struct node_ref called = call_target(code, (struct node_ref){function.unit, n});
            step = called.node == NONE ? 0 : counts_users(code, called, record, depth - 1);
        } else if (node->kind == NODE_FOR || node->kind == NODE_WHILE)
            return 0; /* it does more */
        if (step && found && step != found)
            return 0;
        found = step ? step : found;
    }
    return found;
}

static bool is_declared(const struct unit *u, const char *name)
{
    for (node_id n = 1; n < u->nodes.len; n++)
        if ((node_of(u, n)->kind == NODE_FUNCTION || node_of(u, n)->kind == NODE_PROTOTYPE) &&
            strcmp(node_of(u, n)->name, name) == 0)
            return true;
    return false;
}

/* Who gives up frees what nobody has: that one must not be for those who have the lock. */
const char *users_counter(struct codebase *code, uint32_t unit, const char *record, int way)
{
    const struct unit *at = codebase_unit(code, unit);
    for (uint32_t i = 0; i < code->units.len; i++) {
        const struct unit *u = codebase_unit(code, i);
        for (node_id n = 1; u && n < u->nodes.len; n++) {
            const struct node *f = node_of(u, n);
            bool is_it = f->kind == NODE_FUNCTION && (i == unit || !f->is_static) &&
                         is_declared(at, f->name) && !strstr(f->name, "_locked") &&
                         counts_users(code, (struct node_ref){i, n}, record, way < 0) == way;
            if (is_it)
                return f->name;
        }
    }
    return NULL;
}

/* ---- who has it ------------------------------------------------------------------------- */

bool names_variable(const struct unit *u, node_id in, node_id variable)
{
    for (node_id n = in; n != NONE; n = node_walk(u, in, n))
        if (node_of(u, n)->declared == variable && node_of(u, n)->kind == NODE_NAME)
            return true;
    return false;
}

/* Behind "v == NULL" or "!v" that the text begins with; NULL: it begins otherwise. */
static const char *behind_null(const char *text, const char *name)
{
    static const char *const nulls[] = {"NULL", "nullptr", "0"};
    bool is_not = *text == '!';
    size_t len = strlen(name);
    text += is_not;
    if (strncmp(text, name, len) != 0)
        return NULL;
    text += len;
    if (is_not)
        return isalnum((unsigned char)*text) || strchr("_-.[(", *text) ? NULL : text;
    text += strspn(text, " ");
    if (strncmp(text, "==", 2) != 0)
        return NULL;
    text += 2 + strspn(text + 2, " ");
    for (unsigned i = 0; i < sizeof nulls / sizeof *nulls; i++)
        if (strncmp(text, nulls[i], strlen(nulls[i])) == 0)
            return text + strlen(nulls[i]);
    return NULL;
}

bool is_null_test(const struct unit *u, node_id statement, node_id variable, bool may_have)
{
    const struct node *n = node_of(u, statement);
    node_id body = n->kind == NODE_IF && n->first != NONE ? node_of(u, n->first)->next : NONE;
    if (body == NONE || node_of(u, body)->next != NONE)
        return false;
    node_id last = node_of(u, body)->kind == NODE_COMPOUND ? node_of(u, body)->last : body;
    enum node_kind kind = last == NONE ? NODE_OTHER : node_of(u, last)->kind;
    bool leaves =
        kind == NODE_RETURN || kind == NODE_BREAK || kind == NODE_CONTINUE || kind == NODE_GOTO;
    AUTO(str) struct str test = {0};
    struct text t = text_trim(node_text(u, n->first));
    str_add(&test, "%.*s ", TEXT_ARG(t));
    const char *rest = behind_null(test.at, node_of(u, variable)->name);
    rest = rest ? rest + strspn(rest, " ") : NULL;
    bool is_all = rest && !*rest;
    bool has_more = rest && strncmp(rest, "||", 2) == 0 && !strchr(rest, '?');
    return leaves && (is_all || (may_have && has_more));
}

bool is_known_there(const struct unit *u, node_id statement, node_id variable)
{
    for (node_id s = node_of(u, node_of(u, statement)->parent)->first;
         s != NONE && s != statement; s = node_of(u, s)->next)
        if (is_null_test(u, s, variable, true))
            return true;
    return false;
}

node_id variable_of_call(const struct unit *u, node_id call)
{
    node_id n = node_of(u, call)->parent;
    while (n != NONE && node_of(u, n)->kind == NODE_OTHER)
        n = node_of(u, n)->parent;
    if (n == NONE)
        return NONE;
    if (node_of(u, n)->kind == NODE_VARIABLE && !node_of(u, n)->is_global)
        return n;
    node_id to = node_of(u, n)->kind == NODE_ASSIGN ? node_of(u, n)->first : NONE;
    node_id v =
        to != NONE && node_of(u, to)->kind == NODE_NAME ? node_of(u, to)->declared : NONE;
    return v != NONE && node_of(u, v)->kind == NODE_VARIABLE && !node_of(u, v)->is_global
               ? v
               : NONE;
}

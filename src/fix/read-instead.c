/* SPDX-License-Identifier: Apache-2.0
 *
 * read-instead: a function that takes a lock, reads something and gives the lock back,
 *     int available() { std::lock_guard<std::mutex> hold(m_); return stock_; }
 * cannot be called by who has the lock; what it reads can be read. */
#include "fix/recipe.h"

#include <ctype.h>
#include <string.h>

/* ---- what it gives ---------------------------------------------------------------------- */

/* The value of a variable that is declared with one; NONE: it has none. */
static node_id initial_value(const struct unit *u, node_id declaration)
{
    node_id variable = node_of(u, declaration)->first;
    bool is_alone = variable != NONE && node_of(u, variable)->kind == NODE_VARIABLE &&
                    node_of(u, variable)->next == NONE;
    return is_alone ? node_of(u, variable)->last : NONE;
}

static node_id name_in(const struct unit *u, node_id n)
{
    while (n != NONE && node_of(u, n)->kind == NODE_OTHER &&
           node_of(u, n)->first == node_of(u, n)->last)
        n = node_of(u, n)->first;
    return n;
}

/* The expression that a function returns which does nothing else but hold the lock meanwhile;
 * NONE: it does more. */
static node_id value_under(const struct unit *u, node_id function, const char *lock)
{
    node_id body = node_of(u, function)->last, kept = NONE, value = NONE;
    uint32_t steps = 0;
    if (body == NONE || node_of(u, body)->kind != NODE_COMPOUND)
        return NONE;
    for (node_id s = node_of(u, body)->first; s != NONE; s = node_of(u, s)->next) {
        if (lock_step(u, s, lock) != 0) {
            steps++;
            continue;
        }
        if (steps == 0 || value != NONE)
            return NONE;
        if (node_of(u, s)->kind == NODE_DECLARATION && kept == NONE)
            kept = s;
        else if (node_of(u, s)->kind == NODE_RETURN)
            value = node_of(u, s)->first;
        else
            return NONE;
    }
    if (kept == NONE || value == NONE)
        return value;
    node_id name = name_in(u, value);
    bool is_kept = node_of(u, name)->kind == NODE_NAME &&
                   node_of(u, name)->declared == node_of(u, kept)->first;
    return is_kept ? initial_value(u, kept) : NONE;
}

/* ---- as it is written at the call ------------------------------------------------------- */

struct rewrite {
    struct codebase *code;
    struct node_ref call, function;
    struct str text;
};

static struct text argument_for(const struct rewrite *w, node_id parameter)
{
    const struct unit *u = codebase_unit(w->code, w->call.unit);
    const struct unit *of = codebase_unit(w->code, w->function.unit);
    node_id argument = node_of(u, w->call.node)->first;
    for (node_id c = node_of(of, w->function.node)->first; c != NONE && argument != NONE;
         c = node_of(of, c)->next) {
        if (node_of(of, c)->kind != NODE_PARAMETER)
            continue;
        argument = node_of(u, argument)->next;
        if (c == parameter)
            break;
    }
    return argument == NONE ? (struct text){0} : node_text(u, argument);
}

/* A name, a member of one, or a number. */
static bool is_simple(struct text t)
{
    for (uint32_t i = 0; i < t.len; i++) {
        bool is_arrow = i + 1 < t.len && t.at[i] == '-' && t.at[i + 1] == '>';
        if (!isalnum((unsigned char)t.at[i]) && !strchr("_.", t.at[i]) && !is_arrow)
            return false;
        i += is_arrow;
    }
    return t.len > 0;
}

/* May the node stand at the call: does it need nothing that only the function has? */
static bool can_stand(const struct rewrite *w, node_id n)
{
    const struct unit *u = codebase_unit(w->code, w->function.unit);
    const struct node *node = node_of(u, n);
    const struct node *declared = NULL;
    switch (node->kind) {
    case NODE_NAME:
        declared = node->declared == NONE ? NULL : node_of(u, node->declared);
        return !declared || declared->kind == NODE_PARAMETER ||
               (declared->kind == NODE_VARIABLE && declared->is_global &&
                (w->call.unit == w->function.unit || !declared->is_static));
    case NODE_CALL: /* of a library's method, without arguments */
        return node->first != NONE && node_of(u, node->first)->kind == NODE_MEMBER &&
               node_of(u, node->first)->first != NONE &&
               node_of(u, node->first)->next == NONE &&
               call_target(w->code, (struct node_ref){w->function.unit, n}).node == NONE;
    case NODE_OTHER:
    case NODE_MEMBER:
    case NODE_INDEX:
    case NODE_BINARY:
        return true;
    default:
        return false;
    }
}

/* Before a member of the function's own object stands the object that it is called for. */
static void add_owner(struct rewrite *w)
{
    const struct unit *u = codebase_unit(w->code, w->call.unit);
    node_id callee = node_of(u, w->call.node)->first;
    if (callee == NONE || node_of(u, callee)->kind != NODE_MEMBER ||
        node_of(u, callee)->first == NONE)
        return;
    struct text all = node_text(u, callee);
    str_add(&w->text, "%.*s", (int)(all.len - strlen(node_of(u, callee)->name)), all.at);
}

/* Up to where the text of the name has been told; 0: it cannot be. */
static uint32_t add_argument(struct rewrite *w, node_id n)
{
    const struct unit *u = codebase_unit(w->code, w->function.unit);
    const struct node *node = node_of(u, n);
    struct text a = argument_for(w, node->declared);
    const char *behind = u->files.at[node->file].text.at + node->end;
    bool is_address = a.len > 1 && a.at[0] == '&';
    bool is_arrow = strncmp(behind, "->", 2) == 0;
    struct text object = is_address ? (struct text){a.at + 1, a.len - 1} : a;
    if (!is_simple(object) || (is_address && !is_arrow))
        return 0;
    str_add(&w->text, "%.*s%s", TEXT_ARG(object), is_address ? "." : "");
    return node->end + (is_address ? 2 : 0);
}

static bool rewrite(struct rewrite *w, node_id value)
{
    const struct unit *u = codebase_unit(w->code, w->function.unit);
    const struct node *root = node_of(u, value);
    const char *text = u->files.at[root->file].text.at;
    uint32_t told = root->start;
    if (memchr(text + root->start, '\n', root->end - root->start))
        return false;
    for (node_id n = value; n != NONE; n = node_walk(u, value, n)) {
        const struct node *node = node_of(u, n);
        if (!can_stand(w, n) || node->is_macro || node->file != root->file)
            return false;
        bool is_own = node->kind == NODE_MEMBER && node->first == NONE;
        bool is_parameter = node->kind == NODE_NAME && node->declared != NONE &&
                            node_of(u, node->declared)->kind == NODE_PARAMETER;
        if ((!is_own && !is_parameter) || node->start < told)
            continue;
        str_add(&w->text, "%.*s", (int)(node->start - told), text + told);
        told = node->start;
        if (is_own)
            add_owner(w);
        else if ((told = add_argument(w, n)) == 0)
            return false;
    }
    str_add(&w->text, "%.*s", (int)(root->end - told), text + told);
    return true;
}

/* Would what stands around it tear it apart? */
static bool needs_parentheses(const struct unit *u, node_id call, const struct unit *of,
                              node_id value)
{
    enum node_kind around = node_of(u, node_of(u, call)->parent)->kind;
    return node_of(of, value)->kind == NODE_BINARY &&
           (around == NODE_BINARY || around == NODE_OTHER || around == NODE_MEMBER);
}

const char *value_at_call(struct codebase *code, struct node_ref call, const char *lock)
{
    const struct unit *u = codebase_unit(code, call.unit);
    struct node_ref function = call_target(code, call);
    struct unit *of = codebase_unit(code, function.unit);
    node_id statement = node_statement(u, call.node);
    bool is_moved =
        statement == NONE || /* what a return computes is written anew */
        (!u->is_cxx && node_of(u, statement_core(u, statement))->kind == NODE_RETURN);
    node_id value = is_moved || node_of(u, call.node)->is_macro
                        ? NONE
                        : value_under(of, function.node, lock);
    if (value == NONE)
        return NULL;
    struct rewrite w = {code, call, function, {0}};
    bool is_told = rewrite(&w, value);
    bool is_torn = is_told && needs_parentheses(u, call.node, of, value);
    const char *text = is_told ? keep_text(code, is_torn ? "(%s)" : "%s", w.text.at) : NULL;
    str_done(&w.text);
    return text;
}

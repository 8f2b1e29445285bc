/* SPDX-License-Identifier: Apache-2.0
 *
 * calls: who calls whom, what a lock is called on the other side of a call, and whether it is
 * held at a place already, here or by every caller. */
#include "fix/recipe.h"

#include <ctype.h>
#include <string.h>

enum {
    CALLERS_DEPTH = 4, /* of functions that are asked whether they hold a lock */
    WALK_ABOVE = 3     /* calls above a step */
};

bool is_function(const char *told, const char *name)
{
    const char *from = told;
    int depth = 0;
    for (const char *p = told; *p; p++) {
        depth += *p == '(' || *p == '<';
        depth -= depth > 0 && (*p == ')' || *p == '>');
        if (depth == 0 && p[0] == ':' && p[1] == ':')
            from = p + 2;
    }
    size_t len = strlen(name);
    return strncmp(from, name, len) == 0 && (from[len] == '\0' || from[len] == '<');
}

struct node_ref call_target(struct codebase *code, struct node_ref call)
{
    CHECK(call.unit < code->units.len && call.node != NONE);
    const struct unit *u = codebase_unit(code, call.unit);
    const struct node *n = node_of(u, call.node);
    node_id named = n->first != NONE ? node_of(u, n->first)->declared : NONE;
    if (named != NONE && node_of(u, named)->kind == NODE_FUNCTION)
        return (struct node_ref){call.unit, named};
    if (n->first != NONE && node_of(u, n->first)->is_library)
        return (struct node_ref){call.unit, NONE}; /* items_.empty() is not our empty() */
    return *n->name ? codebase_function(code, call.unit, n->name)
                    : (struct node_ref){call.unit, NONE};
}

/* A function of a header is one of every unit that includes it. */
static bool is_same_function(struct codebase *code, struct node_ref a, struct node_ref b)
{
    if (a.unit == b.unit || a.node == NONE || b.node == NONE)
        return a.unit == b.unit && a.node == b.node;
    const struct unit *u = codebase_unit(code, a.unit), *v = codebase_unit(code, b.unit);
    const struct node *f = node_of(u, a.node), *g = node_of(v, b.node);
    return f->start == g->start && f->end == g->end && strcmp(f->name, g->name) == 0 &&
           strcmp(u->files.at[f->file].path, v->files.at[g->file].path) == 0;
}

void calls_list(struct codebase *code, struct node_ref function, node_refs *out)
{
    CHECK(function.unit < code->units.len && function.node != NONE);
    const char *name = node_of(codebase_unit(code, function.unit), function.node)->name;
    for (uint32_t i = 0; i < code->units.len; i++) {
        const struct unit *u = codebase_unit(code, i);
        for (node_id n = 1; u && n < u->nodes.len; n++) {
            struct node_ref call = {i, n};
            if (node_of(u, n)->kind == NODE_CALL && strcmp(node_of(u, n)->name, name) == 0 &&
                is_same_function(code, call_target(code, call), function))
                vec_push(out, call);
        }
    }
}

struct node_ref caller_of(struct codebase *code, struct node_ref function,
                          const struct code_stack *s)
{
    CHECK(function.unit < code->units.len);
    node_refs calls = {0};
    struct node_ref found = {0, NONE};
    uint32_t fitting = 0;
    calls_list(code, function, &calls);
    for (uint32_t i = 0; i < calls.len; i++) {
        const struct unit *u = codebase_unit(code, calls.at[i].unit);
        node_id in = node_function(u, calls.at[i].node);
        bool fits = s->depth < 2 || (in != NONE && is_function(s->frames[s->depth - 2].function,
                                                               node_of(u, in)->name));
        if (fits && fitting++ == 0)
            found = calls.at[i];
    }
    vec_done(&calls);
    CHECK((found.node == NONE) == (fitting == 0));
    return s->depth < 2 && fitting > 1 ? (struct node_ref){0, NONE} : found;
}

static bool walk_up(struct codebase *code, const struct cause_step *step, uint32_t cause,
                    struct fix_repair *out, place_fn at)
{
    struct node_ref s = codebase_find(code, &step->site);
    struct code_stack stack = step->stack;
    for (int above = 0; above <= WALK_ABOVE && s.node != NONE; above++) {
        struct node_ref f = {s.unit, node_function(codebase_unit(code, s.unit), s.node)};
        if (f.node == NONE)
            return false;
        if (at(code, s, cause, out))
            return true;
        s = caller_of(code, f, &stack);
        stack.depth -= stack.depth > 0;
    }
    return false;
}

void places_walk(struct codebase *code, uint32_t cause, struct fix_repair *out, place_fn at)
{
    const struct cause *c = &code->causes->causes.at[cause];
    CHECK(c->step_count <= CAUSE_STEPS_MAX);
    for (uint32_t i = 0; i < c->step_count && c->kind == CAUSE_PATTERN; i++)
        if (walk_up(code, &c->steps[i], cause, out, at))
            return;
}

bool is_address_taken(struct codebase *code, struct node_ref function)
{
    const char *name = node_of(codebase_unit(code, function.unit), function.node)->name;
    for (uint32_t i = 0; i < code->units.len; i++) {
        const struct unit *u = codebase_unit(code, i);
        for (node_id n = 1; u && n < u->nodes.len; n++) {
            const struct node *node = node_of(u, n);
            if (node->kind != NODE_NAME || strcmp(node->name, name) != 0)
                continue;
            node_id above = node->parent, inner = n;
            while (above != NONE && node_of(u, above)->kind == NODE_OTHER) {
                inner = above;
                above = node_of(u, above)->parent;
            }
            bool is_callee = above != NONE && node_of(u, above)->kind == NODE_CALL &&
                             node_of(u, above)->first == inner;
            if (!is_callee)
                return true;
        }
    }
    return false;
}

/* ---- names on both sides of a call ------------------------------------------------------ */

static size_t name_length(const char *text)
{
    size_t len = 0;
    while (isalnum((unsigned char)text[len]) || text[len] == '_')
        len++;
    return len;
}

static bool is_name(const char *name, const char *text, size_t len)
{
    return strlen(name) == len && memcmp(name, text, len) == 0;
}

/* The function's parameter of that name, counted from 0; NONE if there is none. */
static uint32_t parameter_index(const struct unit *u, node_id function, const char *text,
                                size_t len)
{
    uint32_t index = 0;
    for (node_id c = node_of(u, function)->first; c != NONE; c = node_of(u, c)->next)
        if (node_of(u, c)->kind == NODE_PARAMETER) {
            if (is_name(node_of(u, c)->name, text, len))
                return index;
            index++;
        }
    return NONE;
}

static bool is_local(const struct unit *u, node_id function, const char *text, size_t len)
{
    for (node_id n = function; n != NONE; n = node_walk(u, function, n))
        if (node_of(u, n)->kind == NODE_VARIABLE && !node_of(u, n)->is_global &&
            is_name(node_of(u, n)->name, text, len))
            return true;
    return false;
}

static bool is_field(const struct unit *u, const char *text, size_t len)
{
    for (node_id n = 1; n < u->nodes.len; n++)
        if (node_of(u, n)->kind == NODE_VARIABLE && node_of(u, n)->is_global &&
            is_name(node_of(u, n)->name, text, len))
            return false;
    for (node_id n = 1; n < u->nodes.len; n++)
        if (node_of(u, n)->kind == NODE_FIELD && is_name(node_of(u, n)->name, text, len))
            return true;
    return false;
}

static struct text argument_text(const struct unit *u, node_id call, uint32_t index)
{
    node_id a = node_of(u, call)->first;
    for (uint32_t i = 0; a != NONE && i <= index; i++)
        a = node_of(u, a)->next;
    return a == NONE ? (struct text){0} : node_text(u, a);
}

/* A member of the object whose method is called: queue->push() makes `lock` queue->lock. */
static const char *member_at_call(struct codebase *code, struct node_ref call,
                                  const char *expression)
{
    const struct unit *u = codebase_unit(code, call.unit);
    node_id callee = node_of(u, call.node)->first;
    if (callee == NONE || node_of(u, callee)->kind != NODE_MEMBER)
        return expression;
    node_id object = node_of(u, callee)->first;
    if (object == NONE)
        return expression; /* of this object */
    struct text base = node_text(u, object), all = node_text(u, callee);
    bool is_arrow = all.len > base.len + 2 && strncmp(all.at + base.len, "->", 2) == 0;
    return keep_text(code, "%.*s%s%s", TEXT_ARG(base), is_arrow ? "->" : ".", expression);
}

const char *expression_at_call(struct codebase *code, struct node_ref call,
                               struct node_ref function, const char *expression)
{
    CHECK(call.unit < code->units.len && function.unit < code->units.len);
    const struct unit *u = codebase_unit(code, call.unit),
                      *of = codebase_unit(code, function.unit);
    const char *name = expression[0] == '*' ? expression + 1 : expression;
    size_t len = name_length(name);
    uint32_t index = parameter_index(of, function.node, name, len);
    if (index == NONE) {
        if (is_local(of, function.node, name, len))
            return NULL;
        return of->is_cxx && is_field(of, name, len) ? member_at_call(code, call, expression)
                                                     : expression;
    }
    AUTO(str) struct str text = {0};
    return argument_put(argument_text(u, call.node, index), expression, &text)
               ? keep_text(code, "%s", text.at)
               : NULL;
}

/* ---- held already ----------------------------------------------------------------------- */

static bool is_in_section(const struct unit *u, node_id n, const char *lock)
{
    for (node_id s = node_statement(u, n); s != NONE; s = statement_above(u, s)) {
        node_id block = node_of(u, s)->parent;
        int last = 0;
        for (node_id c = node_of(u, block)->first; c != NONE && c != s; c = node_of(u, c)->next)
            if (lock_step(u, c, lock) != 0)
                last = lock_step(u, c, lock);
        if (last != 0)
            return last > 0;
    }
    return false;
}

static bool is_held_within(struct codebase *code, struct node_ref s, const char *lock,
                           int depth)
{
    const struct unit *u = codebase_unit(code, s.unit);
    if (is_in_section(u, s.node, lock))
        return true;
    struct node_ref function = {s.unit, node_function(u, s.node)};
    if (depth == 0 || function.node == NONE || is_address_taken(code, function))
        return false;
    node_refs calls = {0};
    calls_list(code, function, &calls);
    bool is_held = calls.len > 0;
    for (uint32_t i = 0; i < calls.len && is_held; i++) {
        const char *outer = expression_at_call(code, calls.at[i], function, lock);
        is_held = outer && is_held_within(code, calls.at[i], outer, depth - 1);
    }
    vec_done(&calls);
    return is_held;
}

bool is_held(struct codebase *code, struct node_ref s, const char *lock)
{
    CHECK(s.unit < code->units.len);
    return is_held_within(code, s, lock, CALLERS_DEPTH);
}

node_id find_callback(const struct unit *u, node_id root)
{
    for (node_id n = root; n != NONE; n = node_walk(u, root, n)) {
        node_id callee = node_of(u, n)->kind == NODE_CALL ? node_of(u, n)->first : NONE;
        while (callee != NONE && node_of(u, callee)->kind == NODE_OTHER)
            callee = node_of(u, callee)->first;
        if (callee == NONE || node_of(u, callee)->is_library)
            continue;
        const struct node *c = node_of(u, callee);
        enum node_kind of = c->declared == NONE ? NODE_OTHER : node_of(u, c->declared)->kind;
        bool is_open = c->kind == NODE_MEMBER && c->declared == NONE; /* a template decides */
        if (is_open || c->kind == NODE_INDEX || c->kind == NODE_DEREF || of == NODE_FIELD ||
            of == NODE_VARIABLE || of == NODE_PARAMETER)
            return n;
    }
    return NONE;
}

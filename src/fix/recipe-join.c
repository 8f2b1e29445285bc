/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-join: a creator that needs what its threads do waits for their ends: each is joined
 * right behind its creation, and the join further down goes. The last resort, since nothing
 * runs at the same time any more. */
#include "fix/recipe.h"

#include <ctype.h>
#include <string.h>

static bool is_call_of(const struct unit *u, node_id n, const char *name)
{
    return node_of(u, n)->kind == NODE_CALL && strcmp(node_of(u, n)->name, name) == 0;
}

/* The variable whose name an argument begins with, behind its '&'; len 0 if it has none. */
static struct text argument_name(const struct unit *u, node_id call)
{
    node_id a = node_of(u, call)->first;
    a = a == NONE ? NONE : node_of(u, a)->next;
    struct text t = a == NONE ? (struct text){0} : node_text(u, a);
    if (t.len && t.at[0] == '&')
        t = (struct text){t.at + 1, t.len - 1};
    uint32_t len = 0;
    while (len < t.len && (isalnum((unsigned char)t.at[len]) || t.at[len] == '_'))
        len++;
    return (struct text){t.at, len};
}

/* The one call that joins threads kept in this variable; NONE if there are more or none. */
static node_id find_join(const struct unit *u, struct text name)
{
    node_id found = NONE;
    for (node_id n = 1; n < u->nodes.len; n++)
        if (is_call_of(u, n, "pthread_join") && text_is(argument_name(u, n), name)) {
            if (found != NONE)
                return NONE;
            found = n;
        }
    return found;
}

/* The loop that does nothing but join, or the call itself. */
static node_id join_statement(const struct unit *u, node_id join)
{
    node_id s = node_statement(u, join);
    node_id above = s == NONE ? NONE : statement_above(u, s);
    if (above == NONE)
        return s;
    const struct node *loop = node_of(u, above);
    bool is_loop = loop->kind == NODE_FOR || loop->kind == NODE_WHILE;
    node_id body = loop->last;
    bool is_alone = body == s || (body != NONE && node_of(u, body)->kind == NODE_COMPOUND &&
                                  node_of(u, body)->first == s && node_of(u, body)->last == s);
    return is_loop && is_alone ? above : s;
}

/* Is the variable named anywhere but in there and where it is declared? */
static bool is_used_outside(const struct unit *u, node_id variable, node_id statement)
{
    for (node_id n = 1; n < u->nodes.len; n++)
        if (node_of(u, n)->kind == NODE_NAME && node_of(u, n)->declared == variable &&
            !node_is_in(u, n, statement))
            return true;
    return false;
}

/* "int sent = send();" becomes "send();" if the statement that goes was the only one to use
 * it: a variable that nobody uses is a warning. */
static void drop_unused(const struct unit *u, node_id statement, struct patch *out)
{
    VEC(node_id) done = {0};
    for (node_id n = statement; n != NONE; n = node_walk(u, statement, n)) {
        node_id v = node_of(u, n)->kind == NODE_NAME ? node_of(u, n)->declared : NONE;
        if (v == NONE || node_of(u, v)->kind != NODE_VARIABLE || node_of(u, v)->is_global ||
            node_is_in(u, v, statement) || is_used_outside(u, v, statement))
            continue;
        bool is_done = false;
        for (uint32_t i = 0; i < done.len; i++)
            is_done |= done.at[i] == v;
        node_id declaration = node_of(u, v)->parent, value = node_of(u, v)->last;
        if (is_done || node_of(u, declaration)->kind != NODE_DECLARATION ||
            node_of(u, declaration)->first != v || node_of(u, declaration)->last != v)
            continue;
        vec_push(&done, v);
        if (value != NONE && node_of(u, value)->kind == NODE_CALL) {
            AUTO(str) struct str text = {0};
            struct text call = node_text(u, value);
            struct text old = node_text(u, declaration);
            str_add(&text, "%.*s%s", TEXT_ARG(call), old.at[old.len - 1] == ';' ? ";" : "");
            replace_node(u, declaration, text.at, out);
        } else {
            remove_statement(u, declaration, out);
        }
    }
    vec_done(&done);
}

/* The creation of the threads that run this function. */
static node_id find_create(const struct unit *u, const char *function)
{
    for (node_id n = 1; n < u->nodes.len; n++) {
        if (!is_call_of(u, n, "pthread_create"))
            continue;
        for (node_id a = node_of(u, n)->first; a != NONE; a = node_of(u, a)->next)
            if (text_is(node_text(u, a), text_of(function)))
                return n;
    }
    return NONE;
}

static const char *thread_function(const struct fix_step *s)
{
    return s->stack.depth ? s->stack.frames[0].function : s->site.function;
}

/* Joined where it is created. */
static int join_at_create(struct yard *y, uint32_t unit, node_id create, struct patch *out,
                          struct err *err)
{
    struct unit *u = yard_unit(y, unit);
    struct text name = argument_name(u, create);
    node_id first = node_of(u, node_of(u, create)->first)->next;
    struct text thread = node_text(u, first);
    node_id join = name.len ? find_join(u, name) : NONE;
    node_id statement = node_statement(u, create);
    if (join == NONE || statement == NONE || thread.len < 2 || thread.at[0] != '&')
        return err_set(err, "the one place where the threads are joined was not found");
    node_id goes = join_statement(u, join);
    if (goes == NONE || node_is_in(u, create, goes))
        return err_set(err, "the threads are created where they are joined");
    insert(u, statement, INSERT_CLOSE,
           keep_text(y, "pthread_join(%.*s, NULL);", (int)thread.len - 1, thread.at + 1));
    remove_statement(u, goes, out);
    drop_unused(u, goes, out);
    unit_flush(u, out);
    return 0;
}

/* The node in the creator's function that leads to the step; NONE: it is not its doing. */
static node_id node_in_creator(struct yard *y, uint32_t unit, node_id function,
                               const struct fix_step *step)
{
    const struct unit *u = yard_unit(y, unit);
    const char *name = node_of(u, function)->name;
    struct spot s = yard_find(y, &step->site);
    if (s.node != NONE && s.unit == unit && node_is_in(u, s.node, function))
        return s.node;
    for (uint32_t i = 0; i + 1 < step->stack.depth; i++) {
        const char *next = step->stack.frames[i + 1].function;
        if (strcmp(step->stack.frames[i].function, name) != 0)
            continue;
        node_id last = NONE;
        for (node_id n = function; n != NONE; n = node_walk(u, function, n))
            last = is_call_of(u, n, next) ? n : last;
        return last;
    }
    return NONE;
}

static node_id loop_around(const struct unit *u, node_id n)
{
    for (n = node_of(u, n)->parent; n != NONE; n = node_of(u, n)->parent)
        if (node_of(u, n)->kind == NODE_FOR || node_of(u, n)->kind == NODE_WHILE)
            return n;
    return NONE;
}

/* Does the creator itself make one of the steps while the thread may run? */
static bool is_creators_step(struct yard *y, const struct fix_cause *c, uint32_t unit,
                             node_id create)
{
    const struct unit *u = yard_unit(y, unit);
    node_id loop = loop_around(u, create);
    for (uint32_t i = 0; i < c->step_count; i++) {
        node_id n = node_in_creator(y, unit, node_function(u, create), &c->steps[i]);
        if (n != NONE && (node_of(u, n)->start > node_of(u, create)->end ||
                          (loop != NONE && node_is_in(u, n, loop))))
            return true;
    }
    return false;
}

static void join_make(struct yard *y, uint32_t cause, struct fix_repair *out)
{
    const struct fix_cause *c = &y->causes->causes.at[cause];
    struct err err;
    if (c->kind != FIX_PATTERN)
        return;
    for (uint32_t i = 0; i < c->step_count; i++) {
        struct spot s = yard_find(y, &c->steps[i].site);
        struct unit *u = s.node == NONE ? NULL : yard_unit(y, s.unit);
        node_id create = u ? find_create(u, thread_function(&c->steps[i])) : NONE;
        if (create == NONE || !is_creators_step(y, c, s.unit, create))
            continue;
        struct fix_candidate *one = candidate_new(out, "join", cause);
        if (join_at_create(y, s.unit, create, &one->patch, &err) < 0) {
            candidate_drop(out, y, &err);
            continue;
        }
        candidate_explain(one, y, NULL, "each thread is waited for before the next one begins");
        one->trade = "the threads run one after the other";
        return;
    }
}

const struct recipe recipe_join = {
    .name = "join",
    .help = "a thread is waited for where it is created",
    .make = join_make,
    .is_last = true,
};

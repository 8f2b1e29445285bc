/* SPDX-License-Identifier: Apache-2.0
 *
 * creators: where threads are created and joined in the source, for what moves work there. */
#include "fix/recipe.h"

#include <ctype.h>
#include <string.h>

bool is_call_of(const struct unit *u, node_id n, const char *name)
{
    CHECK(n < u->nodes.len);
    return node_of(u, n)->kind == NODE_CALL && strcmp(node_of(u, n)->name, name) == 0;
}

/* The variable whose name an argument begins with, behind its '&'; len 0 if it has none. */
struct text thread_variable(const struct unit *u, node_id call)
{
    CHECK(call < u->nodes.len);
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
node_id find_join(const struct unit *u, struct text name)
{
    node_id found = NONE;
    for (node_id n = 1; n < u->nodes.len; n++)
        if (is_call_of(u, n, "pthread_join") && text_is(thread_variable(u, n), name)) {
            if (found != NONE)
                return NONE;
            found = n;
        }
    return found;
}

static bool is_join(const struct unit *u, node_id n)
{
    static const char *const names[] = {"pthread_join", "thrd_join", "join"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (is_call_of(u, n, names[i]))
            return true;
    return false;
}

bool is_behind_joins(const struct unit *u, node_id place)
{
    CHECK(place < u->nodes.len);
    node_id function = node_function(u, place);
    uint32_t made = 0, joined = 0;
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        bool is_before = node_of(u, n)->start < node_of(u, place)->start;
        if (is_create(u, n) && !is_before)
            return false;
        made += is_create(u, n);
        joined += is_join(u, n) && is_before && !node_is_in(u, n, place);
    }
    return made > 0 && joined >= made;
}

/* The loop that does nothing but join, or the call itself. */
node_id join_statement(const struct unit *u, node_id join)
{
    CHECK(join < u->nodes.len);
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
void drop_unused(const struct unit *u, node_id statement, struct patch *out)
{
    CHECK(statement < u->nodes.len);
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
node_id find_create(const struct unit *u, const char *function, node_id from)
{
    for (node_id n = from + 1; n < u->nodes.len; n++) {
        if (!is_call_of(u, n, "pthread_create"))
            continue;
        for (node_id a = node_of(u, n)->first; a != NONE; a = node_of(u, a)->next)
            if (text_is(node_text(u, a), text_of(function)))
                return n;
    }
    return NONE;
}

node_id loop_around(const struct unit *u, node_id n)
{
    CHECK(n < u->nodes.len);
    for (n = node_of(u, n)->parent; n != NONE; n = node_of(u, n)->parent)
        if (node_of(u, n)->kind == NODE_FOR || node_of(u, n)->kind == NODE_WHILE)
            return n;
    return NONE;
}

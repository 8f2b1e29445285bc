/* SPDX-License-Identifier: Apache-2.0
 *
 * section-object: a lock that is part of an object. The object must be the same from the start
 * of the section to its end, and must not be freed while its own lock is held: there the lock
 * is given back first, and nothing of the section may follow. */
#include "source/section.h"

#include <ctype.h>
#include <string.h>

/* ---- the same object -------------------------------------------------------------------- */

/* The next name in the expression that is no member's; len 0: there is none. */
static struct text next_name(const char *expression, size_t *at)
{
    for (size_t i = *at; expression[i];) {
        size_t len = 0;
        while (is_word_char(expression[i + len]))
            len++;
        bool is_member =
            i > 0 && (expression[i - 1] == '.' ||
                      (i > 1 && expression[i - 1] == '>' && expression[i - 2] == '-'));
        bool is_name = len && !is_member && !isdigit((unsigned char)expression[i]);
        if (is_name) {
            *at = i + len;
            return (struct text){expression + i, (uint32_t)len};
        }
        i += len ? len : 1;
    }
    *at = strlen(expression);
    return (struct text){0};
}

/* Is it assigned or counted? That somebody takes its address is no change of a lock's name. */
static bool is_changed(const struct unit *u, node_id n)
{
    node_id p = node_of(u, n)->parent;
    while (p != NONE && node_of(u, p)->kind == NODE_OTHER)
        p = node_of(u, p)->parent;
    return p != NONE && node_of(u, p)->kind != NODE_TAKE && node_is_written(u, n) &&
           (node_of(u, p)->kind == NODE_ASSIGN || node_of(u, p)->kind == NODE_STEP);
}

static int check_name(const struct unit *u, struct range r, struct text name, struct err *err)
{
    for (node_id s = r.first; s != NONE; s = node_of(u, s)->next) {
        for (node_id n = s; n != NONE; n = node_walk(u, s, n)) {
            const struct node *node = node_of(u, n);
            if ((node->kind != NODE_VARIABLE && node->kind != NODE_NAME) ||
                !text_is(text_of(node->name), name))
                continue;
            if (node->kind == NODE_VARIABLE)
                return err_set(err, "%s, whose lock is meant, begins inside the section",
                               node->name);
            if (is_changed(u, n))
                return err_set(err, "%s, whose lock is meant, changes inside the section",
                               node->name);
        }
        if (s == r.last)
            break;
    }
    return 0;
}

int check_object(const struct unit *u, struct range r, const char *expression, struct err *err)
{
    size_t at = 0;
    for (struct text name; (name = next_name(expression, &at)).len > 0;)
        if (check_name(u, r, name, err) < 0)
            return -1;
    return 0;
}

/* ---- the end of the object -------------------------------------------------------------- */

/* "o" of "o->lock"; len 0: it is no member of what a pointer points to. */
static struct text owner_of(const char *expression)
{
    struct text owner = {0};
    for (const char *p = expression; *p; p++)
        if (p[0] == '-' && p[1] == '>')
            owner = (struct text){expression, (uint32_t)(p - expression)};
    return owner;
}

static bool ends_object(const struct unit *u, node_id n, const char *expression)
{
    const struct node *call = node_of(u, n);
    node_id argument = call->first != NONE ? node_of(u, call->first)->next : NONE;
    struct text owner = owner_of(expression);
    if (call->kind != NODE_CALL || argument == NONE)
        return false;
    struct text text = node_text(u, argument);
    if (strcmp(call->name, "free") == 0)
        return owner.len && text_is(text, owner);
    return strcmp(call->name, "pthread_mutex_destroy") == 0 && text.len > 1 &&
           text.at[0] == '&' &&
           text_is((struct text){text.at + 1, text.len - 1}, text_of(expression));
}

static bool is_void(const struct unit *u, node_id function)
{
    return strcmp(node_of(u, function)->type, "void") == 0;
}

/* Is this block the last thing that the function does, if it is done at all? */
static bool is_end_of_function(const struct unit *u, node_id block)
{
    for (node_id n = block; n != NONE && node_of(u, n)->kind != NODE_FUNCTION;
         n = node_of(u, n)->parent) {
        node_id parent = node_of(u, n)->parent;
        enum node_kind kind = node_of(u, parent)->kind;
        if (kind == NODE_WHILE || kind == NODE_FOR || kind == NODE_DO || kind == NODE_SWITCH)
            return false;
        if (kind == NODE_COMPOUND && node_of(u, n)->next != NONE)
            return false;
    }
    return true;
}

/* The lock is given back before the statement, which ends the object. */
static int leave_before(struct unit *u, struct range r, node_id statement, const char *unlock,
                        struct err *err)
{
    node_id block = node_of(u, statement)->parent;
    node_id function = node_function(u, statement);
    if (!is_block(u, block) || !range_has(u, r, block))
        return err_set(err, "the object is freed inside its own section");
    node_id last = node_of(u, block)->last;
    if (!ends_in_jump(u, last) && !(is_void(u, function) && is_end_of_function(u, r.last) &&
                                    is_end_of_function(u, block)))
        return err_set(err, "the object is freed inside its own section");
    unit_insert(u, statement, INSERT_OPEN, unlock);
    if (!ends_in_jump(u, last))
        unit_insert(u, last, INSERT_CLOSE, "return;");
    return 0;
}

int leave_before_end(struct unit *u, struct range *r, const char *expression,
                     const char *unlock, struct err *err)
{
    node_id previous = NONE, left = NONE;
    for (node_id s = r->first; s != NONE; previous = s, s = node_of(u, s)->next) {
        for (node_id n = s; n != NONE; n = node_walk(u, s, n)) {
            if (!ends_object(u, n, expression))
                continue;
            node_id statement = node_statement(u, n);
            if (statement == s && previous == NONE)
                return err_set(err, "the section would begin with the end of its object");
            if (statement == s) { /* the section ends before it */
                r->last = previous;
                return 0;
            }
            if (left != NONE && node_of(u, left)->parent == node_of(u, statement)->parent)
                continue;
            left = statement;
            if (leave_before(u, *r, statement, unlock, err) < 0)
                return -1;
        }
        if (s == r->last)
            break;
    }
    return 0;
}

bool is_left_before(const struct unit *u, node_id n, const char *expression)
{
    node_id statement = node_statement(u, n);
    if (statement == NONE || !is_block(u, node_of(u, statement)->parent))
        return false;
    for (node_id s = node_of(u, node_of(u, statement)->parent)->first; s != statement;
         s = node_of(u, s)->next)
        for (node_id i = s; i != NONE; i = node_walk(u, s, i))
            if (node_statement(u, i) == s && ends_object(u, i, expression))
                return true;
    return false;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-once: several threads run one function, and at its end each of them says that all is
 * done (`closed = 1;`): whoever comes first says it for those that are still at work. Their
 * creator says it, when it has waited for all of them. Only for a constant: saying it once is
 * then the same as saying it often. */
#include "fix/recipe.h"

#include <ctype.h>
#include <string.h>

/* Does the step set a constant? */
static bool sets_constant(struct codebase *code, const struct cause_step *step)
{
    struct node_ref s = codebase_find(code, &step->site);
    const struct unit *u = s.node == NONE ? NULL : codebase_unit(code, s.unit);
    node_id statement = u ? node_statement(u, s.node) : NONE;
    if (step->action != CAUSE_WRITE || statement == NONE ||
        node_of(u, statement)->kind != NODE_ASSIGN)
        return false;
    const struct node *n = node_of(u, statement);
    struct text all = node_text(u, statement), left = node_text(u, n->first);
    uint32_t at = left.len;
    while (at < all.len && isspace((unsigned char)all.at[at]))
        at++;
    if (at >= all.len || all.at[at] != '=')
        return false;
    for (node_id i = n->last; i != NONE; i = node_walk(u, n->last, i)) {
        const struct node *part = node_of(u, i);
        bool is_value = part->kind == NODE_NAME && part->declared != NONE &&
                        node_of(u, part->declared)->kind != NODE_OTHER; /* an enumerator is */
        if (is_value || part->kind == NODE_CALL || part->kind == NODE_MEMBER)
            return false;
    }
    return true;
}

/* Where the section that this statement ends begins; itself if it ends none. */
static node_id section_start(struct unit *u, node_id last)
{
    enum lock_sort sort;
    node_id block = node_of(u, last)->parent, found = last;
    for (node_id s = node_of(u, block)->first; s != NONE && s != last;
         s = node_of(u, s)->next) {
        const char *lock = call_lock(u, s, &sort);
        if (lock && lock_step(u, s, lock) > 0 && lock_step(u, last, lock) < 0)
            found = s;
    }
    return found;
}

/* Does it make the step, or call who does? */
static bool leads_to(struct codebase *code, struct node_ref statement,
                     const struct cause_step *step)
{
    const struct unit *u = codebase_unit(code, statement.unit);
    struct node_ref at = codebase_find(code, &step->site);
    if (at.unit == statement.unit && node_is_in(u, at.node, statement.node))
        return true;
    const char *next = step->stack.depth > 1 ? step->stack.frames[1].function : "";
    for (node_id n = statement.node; n != NONE; n = node_walk(u, statement.node, n))
        if (is_call_of(u, n, next))
            return true;
    return false;
}

/* The last thing that the function does, with its section, if that leads to the step. */
static int last_thing(struct codebase *code, struct node_ref function,
                      const struct cause_step *step, struct range *out, struct err *err)
{
    struct unit *u = codebase_unit(code, function.unit);
    node_id body = node_of(u, function.node)->last, last = NONE;
    bool leads = false;
    for (node_id s = node_of(u, body)->first; s != NONE; s = node_of(u, s)->next)
        if (node_of(u, s)->kind != NODE_RETURN)
            last = s;
    if (last != NONE)
        *out = (struct range){section_start(u, last), last};
    for (node_id s = last == NONE ? NONE : out->first; s != NONE; s = node_of(u, s)->next) {
        enum node_kind kind = node_of(u, s)->kind;
        if (kind == NODE_RETURN)
            break;
        if (kind != NODE_CALL && kind != NODE_ASSIGN)
            return err_set(err, "it is not all that the thread does at its end");
        leads |= leads_to(code, (struct node_ref){function.unit, s}, step);
    }
    return leads ? 0 : err_set(err, "it is not the last thing that the thread does");
}

/* ---- the statement, as its creator writes it -------------------------------------------- */

static node_id argument_at(const struct unit *u, node_id call, uint32_t index)
{
    node_id a = node_of(u, call)->first;
    for (uint32_t i = 0; a != NONE && i < index; i++)
        a = node_of(u, a)->next;
    return a;
}

/* Is it what the thread was given, under this name or another one? */
static bool is_given(const struct unit *u, node_id function, node_id variable)
{
    const struct node *v = node_of(u, variable);
    if (v->kind == NODE_PARAMETER)
        return true;
    struct text value = v->last == NONE ? (struct text){0} : node_text(u, v->last);
    for (node_id p = node_of(u, function)->first; p != NONE; p = node_of(u, p)->next)
        if (node_of(u, p)->kind == NODE_PARAMETER && value.len &&
            text_is(value, text_of(node_of(u, p)->name)))
            return true;
    return false;
}

/* Means it the same behind the loop? */
static bool is_for_all(const struct unit *u, node_id argument, node_id loop)
{
    for (node_id n = argument; n != NONE; n = node_walk(u, argument, n)) {
        node_id v = node_of(u, n)->kind == NODE_NAME ? node_of(u, n)->declared : NONE;
        if (v != NONE && !node_of(u, v)->is_global && loop != NONE)
            for (node_id i = loop; i != NONE; i = node_walk(u, loop, i))
                if (i == v ||
                    (node_of(u, i)->kind == NODE_NAME && node_of(u, i)->declared == v &&
                     node_is_written(u, i) && !node_is_in(u, i, argument)))
                    return false;
    }
    return true;
}

/* "&queue" and "->" are "queue."; what is no plain name goes into brackets. */
static void add_object(struct str *out, struct text object, struct text rest)
{
    bool is_member = rest.len > 1 && rest.at[0] == '-' && rest.at[1] == '>';
    bool is_plain = true;
    for (uint32_t i = 0; i < object.len; i++)
        is_plain &= isalnum((unsigned char)object.at[i]) || strchr("_.&", object.at[i]);
    if (is_member && object.len && object.at[0] == '&' && is_plain)
        str_add(out, "%.*s.", (int)object.len - 1, object.at + 1);
    else if (is_member && (!is_plain || object.at[0] == '&'))
        str_add(out, "(%.*s)->", TEXT_ARG(object));
    else
        str_add(out, "%.*s%s", TEXT_ARG(object), is_member ? "->" : "");
}

static int tell_in_creator(struct str *out, const struct unit *u, node_id function,
                           node_id statement, node_id create, struct err *err)
{
    struct text all = {u->files.at[node_of(u, statement)->file].text.at, 0};
    node_id argument = argument_at(u, create, 4);
    uint32_t at = node_of(u, statement)->start, end = statement_end(u, statement);
    if (argument == NONE || !is_for_all(u, argument, loop_around(u, create)))
        return err_set(err, "each thread was given something else");
    for (node_id n = statement; n != NONE; n = node_walk(u, statement, n)) {
        const struct node *name = node_of(u, n);
        node_id v = name->kind == NODE_NAME ? name->declared : NONE;
        if (v == NONE || node_of(u, v)->is_global || name->start < at ||
            (node_of(u, v)->kind != NODE_VARIABLE && node_of(u, v)->kind != NODE_PARAMETER))
            continue;
        if (!is_given(u, function, v))
            return err_set(err, "the creator does not know %s", node_of(u, v)->name);
        struct text rest = {all.at + name->end, end - name->end};
        str_bytes(out, all.at + at, name->start - at);
        add_object(out, node_text(u, argument), rest);
        bool is_member = rest.len > 1 && rest.at[0] == '-' && rest.at[1] == '>';
        at = name->end + 2 * is_member;
    }
    str_bytes(out, all.at + at, end - at);
    return 0;
}

typedef VEC(const char *) statements; /* statements */

/* ---- where ------------------------------------------------------------------------------ */

/* The first join of the function behind the creation. */
static node_id first_join(const struct unit *u, node_id create)
{
    node_id function = node_function(u, create);
    for (node_id n = function; n != NONE; n = node_walk(u, function, n))
        if (is_call_of(u, n, "pthread_join") && node_of(u, n)->start > node_of(u, create)->end)
            return n;
    return NONE;
}

/* Nobody waits for them yet: `for (i ...) pthread_join(threads[i], NULL);`, as the loop that
 * creates them, before anybody else is waited for. */
static int join_and_tell(struct codebase *code, struct unit *u, node_id create,
                         const statements *told, struct err *err)
{
    node_id loop = loop_around(u, create), join = first_join(u, create);
    node_id thread = argument_at(u, create, 1);
    struct text name = thread == NONE ? (struct text){0} : node_text(u, thread);
    if (join == NONE || loop == NONE || node_of(u, loop)->kind != NODE_FOR || name.len < 2 ||
        name.at[0] != '&')
        return err_set(err, "no thread is waited for where these are created");
    const struct node *l = node_of(u, loop), *body = node_of(u, l->last);
    const struct source_file *f = &u->files.at[l->file];
    uint32_t head = body->start;
    while (head > l->start && isspace((unsigned char)f->text.at[head - 1]))
        head--;
    node_id before = node_statement(u, join_statement(u, join));
    unit_insert(u, before, INSERT_OPEN,
                keep_text(code, "%.*s%s(%.*s, NULL);", (int)(head - l->start),
                          f->text.at + l->start, code_lines(u, before, "\n\tpthread_join"),
                          (int)name.len - 1, name.at + 1));
    for (uint32_t i = 0; i < told->len; i++)
        unit_insert(u, before, INSERT_OPEN, told->at[i]);
    return 0;
}

static int tell_once(struct codebase *code, struct unit *u, node_id create,
                     const statements *told, struct err *err)
{
    struct text name = thread_variable(u, create);
    node_id join = name.len ? find_join(u, name) : NONE;
    if (join == NONE)
        return join_and_tell(code, u, create, told, err);
    node_id behind = join_statement(u, join);
    if (behind == NONE || node_function(u, join) != node_function(u, create))
        return err_set(err, "the threads are joined elsewhere");
    for (uint32_t i = told->len; i-- > 0;)
        unit_insert(u, behind, INSERT_CLOSE, told->at[i]);
    return 0;
}

static int make_once(struct codebase *code, const struct cause_step *step, struct patch *out,
                     struct err *err)
{
    const char *name = step->stack.depth ? step->stack.frames[0].function : "";
    struct node_ref at = codebase_find(code, &step->site);
    struct node_ref f =
        *name ? codebase_function(code, at.unit, name) : (struct node_ref){0, NONE};
    struct unit *u = f.node == NONE ? NULL : codebase_unit(code, f.unit);
    node_id create = u ? find_create(u, name, 0) : NONE;
    if (create == NONE || loop_around(u, create) == NONE ||
        find_create(u, name, create) != NONE)
        return err_set(err, "there are no threads that are created in a loop");
    struct range r = {NONE, NONE};
    statements told = {0};
    if (last_thing(code, f, step, &r, err) < 0)
        return -1;
    int failed = 0;
    for (node_id s = r.first; s != NONE && !failed; s = node_of(u, s)->next) {
        AUTO(str) struct str text = {0};
        failed = tell_in_creator(&text, u, f.node, s, create, err);
        if (!failed)
            vec_push(&told, keep_text(code, "%s", text.at));
        if (s == r.last)
            break;
    }
    if (!failed)
        failed = tell_once(code, u, create, &told, err);
    vec_done(&told);
    for (node_id s = r.first; s != NONE && !failed; s = node_of(u, s)->next) {
        remove_statement(u, s, out);
        drop_unused(u, s, out);
        if (s == r.last)
            break;
    }
    if (!failed)
        unit_flush(u, out);
    return failed;
}

static void once_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    for (uint32_t i = 0; i < c->step_count; i++) {
        struct err err;
        if (!sets_constant(code, &c->steps[i]))
            continue;
        struct fix_candidate *one = candidate_new(out, "once", cause);
        if (make_once(code, &c->steps[i], &one->patch, &err) < 0) {
            candidate_drop(out, code, &err);
            continue;
        }
        candidate_explain(
            one, code, NULL,
            "what the first of several threads said at its end, while others were "
            "at work, is said once, when all have ended");
        one->trade = "no new lock; it is said when the last thread has ended";
        return;
    }
}

const struct recipe recipe_once = {
    .name = "once",
    .help = "said behind the joins, not by each thread",
    .make = once_make,
    .turn = TURN_FIRST,
};

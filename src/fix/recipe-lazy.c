/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-lazy: what is made when somebody needs it for the first time is made twice, or used
 * half made: `if (table == NULL) table_build();`. pthread_once and std::call_once are for that:
 * one thread makes it, the others wait, and all see it whole. */
#include "fix/recipe.h"

#include <string.h>

/* `if (!made) make();` */
struct lazy {
    struct unit *u;
    node_id test, body;
    node_id made; /* the variable that says whether it has been made */
};

/* The variable of "!x", "x == NULL", "x == 0"; NONE: it asks something else. */
static node_id asked_variable(const struct unit *u, node_id condition)
{
    static const char *const empty[] = {"NULL", "nullptr", "0", "false"};
    struct text t = node_text(u, condition);
    node_id name = NONE;
    for (node_id n = condition; n != NONE; n = node_walk(u, condition, n)) {
        const struct node *node = node_of(u, n);
        bool is_variable = (node->kind == NODE_NAME || node->kind == NODE_MEMBER) &&
                           node->declared != NONE &&
                           node_of(u, node->declared)->kind == NODE_VARIABLE;
        if (is_variable && name == NONE)
            name = n;
        else if (is_variable)
            return NONE;
    }
    if (name == NONE || !node_of(u, node_of(u, name)->declared)->is_global)
        return NONE;
    AUTO(str) struct str not = {0};
    struct text x = node_text(u, name);
    str_add(&not, "!%.*s", TEXT_ARG(x));
    bool is_asked = text_is(t, str_text(&not));
    for (uint32_t i = 0; i < sizeof empty / sizeof empty[0] && !is_asked; i++) {
        AUTO(str) struct str equal = {0};
        str_add(&equal, "%.*s == %s", TEXT_ARG(x), empty[i]);
        is_asked = text_is(t, str_text(&equal));
    }
    return is_asked ? node_of(u, name)->declared : NONE;
}

static bool lazy_read(struct unit *u, node_id n, struct lazy *out)
{
    const struct node *test = node_of(u, n);
    if (test->kind != NODE_IF || test->is_macro || test->first == NONE || is_body(u, n))
        return false;
    *out = (struct lazy){.u = u, .test = n, .body = node_of(u, test->first)->next};
    if (out->body == NONE || node_of(u, out->body)->next != NONE)
        return false;
    out->made = asked_variable(u, test->first);
    return out->made != NONE;
}

/* Is it written behind this place only, there or in the one function that is called there? */
static bool is_made_here(struct codebase *code, uint32_t unit, const struct lazy *l)
{
    node_id maker = NONE;
    for (node_id n = l->body; n != NONE; n = node_walk(l->u, l->body, n)) {
        struct node_ref f = node_of(l->u, n)->kind == NODE_CALL
                                ? call_target(code, (struct node_ref){unit, n})
                                : (struct node_ref){0, NONE};
        maker = f.node != NONE && f.unit == unit ? f.node : maker;
    }
    uint32_t writes = 0;
    for (node_id n = 1; n < l->u->nodes.len; n++) {
        const struct node *node = node_of(l->u, n);
        if (node->declared != l->made || n == l->made || !node_is_written(l->u, n))
            continue;
        if (!node_is_in(l->u, n, l->body) && (maker == NONE || !node_is_in(l->u, n, maker)))
            return false;
        writes++;
    }
    return writes > 0;
}

/* May what is in the body be a function of its own? */
static bool may_stand_alone(const struct lazy *l)
{
    for (node_id n = l->body; n != NONE; n = node_walk(l->u, l->body, n)) {
        enum node_kind kind = node_of(l->u, n)->kind;
        if (kind == NODE_RETURN || kind == NODE_GOTO || kind == NODE_BREAK ||
            kind == NODE_CONTINUE || kind == NODE_LABEL || kind == NODE_LEAP)
            return false;
    }
    return true;
}

/* Is it asked again in there, behind a lock? Such a lock is a better place to mend it. */
static bool is_asked_again(const struct lazy *l)
{
    for (node_id n = l->body; n != NONE; n = node_walk(l->u, l->body, n)) {
        const struct node *node = node_of(l->u, n);
        if (node->kind == NODE_IF && node->first != NONE &&
            asked_variable(l->u, node->first) == l->made)
            return true;
    }
    return false;
}

/* ---- C++ -------------------------------------------------------------------------------- */

static bool has_locals(const struct lazy *l)
{
    for (node_id n = l->body; n != NONE; n = node_walk(l->u, l->body, n)) {
        const struct node *node = node_of(l->u, n);
        node_id v = node->kind == NODE_NAME ? node->declared : NONE;
        bool is_local = v != NONE && !node_of(l->u, v)->is_global &&
                        (node_of(l->u, v)->kind == NODE_VARIABLE ||
                         node_of(l->u, v)->kind == NODE_PARAMETER);
        if (node->kind == NODE_MEMBER || is_local)
            return true;
    }
    return false;
}

/* std::call_once(once, [] { ... }); what is made stays on its line. */
static void once_in_cxx(const struct lazy *l, struct patch *out)
{
    struct unit *u = l->u;
    const struct node *test = node_of(u, l->test), *body = node_of(u, l->body);
    const struct source_file *f = &u->files.at[test->file];
    const char *name = unit_fresh(u, "once");
    AUTO(str) struct str head = {0};
    bool is_block = body->kind == NODE_COMPOUND;
    uint32_t end = body->start + is_block;
    bool is_below = !is_block && memchr(f->text.at + test->start, '\n', end - test->start);
    while (is_below && strchr(" \t\r\n", f->text.at[end - 1]))
        end--;
    str_add(&head, "static std::once_flag %s;\nstd::call_once(%s, [%s] {%s", name, name,
            has_locals(l) ? "&" : "", is_block || is_below ? "" : " ");
    patch_add(out, f->path, test->start, end - test->start, code_lines(u, l->test, head.at),
              EDIT_OPEN);
    patch_add(out, f->path, statement_end(u, l->body), 0,
              is_block   ? ");"
              : is_below ? code_lines(u, l->test, "\n});")
                         : " });",
              EDIT_CLOSE);
    include_header(u, test->file, "mutex", out);
}

/* ---- C ---------------------------------------------------------------------------------- */

/* The function without arguments that is all that the body calls; else it takes and gives back
 * a lock, and sets what says that it has been made. NONE: it does more. */
static node_id only_call(struct lazy *l, bool *sets)
{
    struct unit *u = l->u;
    node_id first = node_of(u, l->body)->kind == NODE_COMPOUND ? node_of(u, l->body)->first
                                                               : l->body,
            call = NONE;
    *sets = false;
    for (node_id s = first; s != NONE; s = node_of(u, s)->next) {
        const struct node *n = node_of(u, s);
        enum lock_sort sort;
        bool is_set = n->kind == NODE_ASSIGN && n->first != NONE &&
                      node_of(u, n->first)->declared == l->made;
        *sets |= is_set;
        if (is_set || call_lock(u, s, &sort) || call_unlock(u, s, &sort))
            continue;
        if (n->kind != NODE_CALL || call != NONE || n->first == NONE || n->first != n->last)
            return NONE;
        call = s;
        if (s == l->body)
            break;
    }
    return call;
}

/* How often it is named outside of the statement. */
static uint32_t uses_outside(const struct unit *u, node_id variable, node_id statement)
{
    uint32_t count = 0;
    for (node_id n = 1; n < u->nodes.len; n++)
        count += node_of(u, n)->declared == variable && n != variable &&
                 node_of(u, n)->kind == NODE_NAME && !node_is_in(u, n, statement);
    return count;
}

/* Variables that only the test used go with it: a flag, a lock. */
static void drop_left(const struct lazy *l, struct patch *out)
{
    const struct unit *u = l->u;
    for (node_id v = 1; v < u->nodes.len; v++) {
        bool is_named = false;
        if (node_of(u, v)->kind != NODE_VARIABLE || !node_of(u, v)->is_static ||
            uses_outside(u, v, l->test))
            continue;
        for (node_id n = l->test; n != NONE; n = node_walk(u, l->test, n))
            is_named |= node_of(u, n)->declared == v;
        if (is_named && v != l->made)
            remove_statement(u, v, out);
    }
}

/* pthread_once(&table_once, table_build); */
static int once_in_c(struct codebase *code, struct lazy *l, struct patch *out, struct err *err)
{
    struct unit *u = l->u;
    bool sets;
    node_id call = only_call(l, &sets);
    if (call == NONE)
        return err_set(err, "what makes it is no function of its own");
    bool is_flag = sets && uses_outside(u, l->made, l->test) == 0;
    if (sets && !is_flag)
        return err_set(err, "others look at what says that it was made");
    const char *name = unit_fresh(u, keep_text(code, "%s_once", node_of(u, l->made)->name));
    const char *declared =
        keep_text(code, "static pthread_once_t %s = PTHREAD_ONCE_INIT;", name);
    if (is_flag)
        replace_statement(u, l->made, declared, out);
    else
        declare_behind(u, l->made, declared, out);
    replace_statement(u, l->test,
                      keep_text(code, "pthread_once(&%s, %s);", name, node_of(u, call)->name),
                      out);
    drop_left(l, out);
    include_header(u, node_of(u, l->test)->file, "pthread.h", out);
    return 0;
}

/* ---- the recipe ------------------------------------------------------------------------- */

static int make_once(struct codebase *code, struct node_ref s, struct patch *out,
                     struct err *err)
{
    struct unit *u = codebase_unit(code, s.unit);
    node_id function = node_function(u, s.node);
    struct lazy l;
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        if (!lazy_read(u, n, &l) || !is_made_here(code, s.unit, &l) || !may_stand_alone(&l))
            continue;
        if (!u->is_cxx)
            return once_in_c(code, &l, out, err);
        if (is_asked_again(&l))
            return err_set(err, "it is asked again under a lock");
        once_in_cxx(&l, out);
        return 0;
    }
    return err_set(err, "nothing is made there when it is first needed");
}

static void lazy_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    for (uint32_t i = 0; i < c->step_count && c->kind == CAUSE_PATTERN; i++) {
        struct node_ref s = codebase_find(code, &c->steps[i].site);
        struct unit *u = s.node == NONE ? NULL : codebase_unit(code, s.unit);
        struct err err;
        if (!u || node_function(u, s.node) == NONE)
            continue;
        struct fix_candidate *one = candidate_new(out, "lazy", cause);
        if (make_once(code, s, &one->patch, &err) == 0) {
            candidate_explain(one, code, NULL,
                              "what is made when it is first needed is made once, by one "
                              "thread, and the others wait for that");
            one->trade = "no lock once it has been made";
            return;
        }
        candidate_drop(out, code, &err);
    }
}

const struct recipe recipe_lazy = {
    .name = "lazy",
    .help = "what is made when it is first needed is made by pthread_once or std::call_once",
    .make = lazy_make,
    .turn = TURN_FIRST,
};

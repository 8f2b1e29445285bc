/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-keep: a look-up finds an object under a lock and returns it without the lock; by the
 * time it is used somebody else may have freed it. Where the program counts who uses such an
 * object, the look-up counts its caller while it has the lock, and every caller says when it is
 * done:
 *     c = table[id]; conn_ref(c); unlock(); return c;
 *     struct conn *c = table_find(id); ... use(c); conn_unref(c); */
#include "fix/recipe.h"

#include <ctype.h>
#include <string.h>

/* What is found by whom, and who counts it. */
struct finding_function {
    struct node_ref function;
    node_id returned; /* return v; */
    node_id given;    /* the statement before it, which gives the lock back */
    node_id found;    /* the variable */
    const char *lock;
    const char *get, *put;
};

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

/* 1: it counts a member of its argument up, -1: down, itself or by a function that it gives
 * that to; 0: neither. */
static int counts(struct codebase *code, struct node_ref function, const char *record,
                  int depth)
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
            step = called.node == NONE ? 0 : counts(code, called, record, depth - 1);
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

/* A function of the program that counts so, and is known where it is wanted. Who gives up
 * frees what nobody has: that one must not be for those who have the lock. */
static const char *counter(struct codebase *code, uint32_t unit, const char *record, int way)
{
    const struct unit *at = codebase_unit(code, unit);
    for (uint32_t i = 0; i < code->units.len; i++) {
        const struct unit *u = codebase_unit(code, i);
        for (node_id n = 1; u && n < u->nodes.len; n++) {
            const struct node *f = node_of(u, n);
            bool is_it = f->kind == NODE_FUNCTION && (i == unit || !f->is_static) &&
                         is_declared(at, f->name) && !strstr(f->name, "_locked") &&
                         counts(code, (struct node_ref){i, n}, record, way < 0) == way;
            if (is_it)
                return f->name;
        }
    }
    return NULL;
}

/* ---- the look-up ------------------------------------------------------------------------ */

/* unlock(); return v; at its end */
static bool finding_read(struct codebase *code, struct node_ref function,
                         struct finding_function *out)
{
    struct unit *u = codebase_unit(code, function.unit);
    node_id body = node_of(u, function.node)->last;
    node_id last = body == NONE ? NONE : node_of(u, body)->last;
    node_id value =
        last != NONE && node_of(u, last)->kind == NODE_RETURN ? node_of(u, last)->first : NONE;
    while (value != NONE && node_of(u, value)->kind == NODE_OTHER)
        value = node_of(u, value)->first;
    node_id before = value == NONE ? NONE : statement_before(u, last);
    enum lock_sort sort;
    if (before == NONE || node_of(u, value)->kind != NODE_NAME)
        return false;
    *out = (struct finding_function){.function = function,
                                     .returned = last,
                                     .given = before,
                                     .found = node_of(u, value)->declared,
                                     .lock = call_unlock(u, before, &sort)};
    return out->lock && out->found != NONE && node_of(u, out->found)->kind == NODE_VARIABLE &&
           !node_of(u, out->found)->is_global && node_of(u, out->found)->shape == SHAPE_POINTER;
}

static bool names(const struct unit *u, node_id in, node_id variable)
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

/* `if (v == NULL) leave;`: behind it the variable is not null, and who left had nothing. Or
 * `if (v == NULL || ...) leave;`, if who left may have had it. */
static bool is_null_test(const struct unit *u, node_id statement, node_id variable,
                         bool may_have)
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

/* Is it known at the statement that the variable is not null? */
static bool is_tested(const struct unit *u, node_id statement, node_id variable)
{
    for (node_id s = node_of(u, node_of(u, statement)->parent)->first;
         s != NONE && s != statement; s = node_of(u, s)->next)
        if (is_null_test(u, s, variable, true))
            return true;
    return false;
}

/* ---- the callers ------------------------------------------------------------------------ */

/* The local variable that gets what the call returns; NONE. */
static node_id variable_of_call(const struct unit *u, node_id call)
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

/* Is it one that leaves the block, but not because nothing was found? */
static bool leaves(const struct unit *u, node_id statement, node_id variable)
{
    for (node_id n = is_null_test(u, statement, variable, false) ? NONE : statement; n != NONE;
         n = node_walk(u, statement, n)) {
        enum node_kind kind = node_of(u, n)->kind;
        if (kind == NODE_RETURN || kind == NODE_GOTO || kind == NODE_BREAK ||
            kind == NODE_CONTINUE || kind == NODE_LEAP)
            return true;
    }
    return false;
}

/* Behind the last statement of the block that uses the variable. */
static int give_up(struct codebase *code, struct node_ref call, const char *put,
                   struct patch *out, struct err *err)
{
    struct unit *u = codebase_unit(code, call.unit);
    node_id variable = variable_of_call(u, call.node);
    node_id statement = variable == NONE ? NONE : node_statement(u, call.node), last = NONE;
    bool is_left = false, is_tested_here = false;
    if (statement == NONE || is_body(u, statement))
        return err_set(err, "what a caller does with it is not seen");
    for (node_id s = node_of(u, statement)->next; s != NONE; s = node_of(u, s)->next) {
        bool is_test = is_null_test(u, s, variable, false);
        is_tested_here |= is_test;
        if (names(u, s, variable) && !is_test) {
            if (is_left)
                return err_set(err, "a caller leaves while it uses what it found");
            last = s;
        }
        is_left |= leaves(u, s, variable);
        if (last == s && is_left)
            return err_set(err, "a caller leaves while it uses what it found");
    }
    if (last == NONE)
        return err_set(err, "a caller does not use what it found");
    const char *name = node_of(u, variable)->name;
    const char *text = keep_text(code, "%s(%s);", put, name);
    if (!is_tested_here)
        text = code_lines(u, last, keep_text(code, "if (%s)\n\t%s(%s);", name, put, name));
    unit_insert(u, last, INSERT_CLOSE, text);
    unit_flush(u, out);
    return 0;
}

static int keep(struct codebase *code, struct finding_function *f, struct patch *out,
                struct err *err)
{
    struct unit *u = codebase_unit(code, f->function.unit);
    CHECK(u && node_of(u, f->returned)->kind == NODE_RETURN && f->lock);
    const char *record = node_of(u, node_of(u, f->found)->record)->name;
    node_refs calls = {0};
    int failed = 0;
    f->get = counter(code, f->function.unit, record, 1);
    if (!f->get)
        return err_set(err, "nothing counts who uses a %s", record);
    for (node_id n = f->function.node; n != NONE; n = node_walk(u, f->function.node, n))
        if (is_call_of(u, n, f->get))
            return err_set(err, "the look-up counts its caller already");
    calls_list(code, f->function, &calls);
    for (uint32_t i = 0; i < calls.len && !failed; i++) {
        f->put = counter(code, calls.at[i].unit, record, -1);
        failed = f->put ? give_up(code, calls.at[i], f->put, out, err)
                        : err_set(err, "a caller cannot say that it is done");
    }
    if (!failed && calls.len == 0)
        failed = err_set(err, "nobody calls it");
    vec_done(&calls);
    if (failed)
        return -1;
    const char *name = node_of(u, f->found)->name;
    const char *text = keep_text(code, "%s(%s);", f->get, name);
    if (!is_tested(u, f->given, f->found))
        text =
            code_lines(u, f->given, keep_text(code, "if (%s)\n\t%s(%s);", name, f->get, name));
    unit_insert(u, f->given, INSERT_OPEN, text);
    unit_flush(u, out);
    return 0;
}

/* ---- the recipe ------------------------------------------------------------------------- */

/* Does the function at the place use what such a look-up has found? */
static bool keep_at(struct codebase *code, struct node_ref s, uint32_t cause,
                    struct fix_repair *out)
{
    struct unit *u = codebase_unit(code, s.unit);
    node_id function = node_function(u, s.node);
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        struct node_ref call = {s.unit, n};
        struct finding_function f;
        if (node_of(u, n)->kind != NODE_CALL || variable_of_call(u, n) == NONE)
            continue;
        struct node_ref found = call_target(code, call);
        if (found.node == NONE || !finding_read(code, found, &f))
            continue;
        struct fix_candidate *one = candidate_new(out, "keep", cause);
        struct err err;
        if (keep(code, &f, &one->patch, &err) < 0) {
            candidate_drop(out, code, &err);
            continue;
        }
        candidate_explain(one, code, NULL,
                          "who is given the object is counted while the lock is held, and says "
                          "when it is done");
        one->trade = "no lock; the object lives as long as somebody uses it";
        return true;
    }
    return false;
}

static void keep_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    places_walk(code, cause, out, keep_at);
}

const struct recipe recipe_keep = {
    .name = "keep",
    .help = "what a look-up returns is counted under its lock",
    .make = keep_make,
    .turn = TURN_FIRST,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-keep: a look-up finds an object under a lock and returns it without the lock; by the
 * time it is used somebody else may have freed it. Where the program counts who uses such an
 * object, the look-up counts its caller while it has the lock, and every caller says when it is
 * done:
 *     c = table[id]; conn_ref(c); unlock(); return c;
 *     struct conn *c = table_find(id); ... use(c); conn_unref(c); */
#include "fix/recipe.h"

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

/* ---- the callers ------------------------------------------------------------------------ */

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
        if (names_variable(u, s, variable) && !is_test) {
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
    f->get = users_counter(code, f->function.unit, record, 1);
    if (!f->get)
        return err_set(err, "nothing counts who uses a %s", record);
    for (node_id n = f->function.node; n != NONE; n = node_walk(u, f->function.node, n))
        if (is_call_of(u, n, f->get))
            return err_set(err, "the look-up counts its caller already");
    calls_list(code, f->function, &calls);
    for (uint32_t i = 0; i < calls.len && !failed; i++) {
        f->put = users_counter(code, calls.at[i].unit, record, -1);
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
    if (!is_known_there(u, f->given, f->found))
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

/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-wakeup: a wait that nobody ends. The condition is tested in a loop around the wait,
 * under the lock, and what it tests is changed and signalled under the lock. */
#include "fix/recipe.h"

#include <string.h>

static node_id find_call(const struct unit *u, node_id root, const char *part)
{
    for (node_id n = root; n != NONE; n = node_walk(u, root, n))
        if (node_of(u, n)->kind == NODE_CALL && strstr(node_of(u, n)->name, part))
            return n;
    return NONE;
}

/* The lock that a wait gives back: of pthread_cond_wait(&c, &m), or of c.wait(l), where l is
 * declared as std::unique_lock<std::mutex> l(m). NULL: it is none of these. */
static const char *lock_of_wait(struct unit *u, node_id statement, node_id *call,
                                enum lock_sort *sort)
{
    *sort = LOCK_PTHREAD;
    *call = find_call(u, statement, "cond_wait");
    if (*call != NONE)
        return call_wait_lock(u, *call);
    *sort = LOCK_CXX;
    *call = u->is_cxx ? find_call(u, statement, "wait") : NONE;
    node_id held = *call == NONE ? NONE : node_of(u, node_of(u, *call)->first)->next;
    while (held != NONE && node_of(u, held)->kind == NODE_OTHER)
        held = node_of(u, held)->first;
    node_id variable = held == NONE ? NONE : node_of(u, held)->declared;
    return variable == NONE || node_of(u, variable)->kind != NODE_VARIABLE
               ? NULL
               : guard_lock(u, node_of(u, variable)->parent);
}

/* The nearest test around the wait. */
static node_id test_around(const struct unit *u, node_id call)
{
    for (node_id n = node_of(u, call)->parent; n != NONE; n = node_of(u, n)->parent) {
        enum node_kind kind = node_of(u, n)->kind;
        if (kind == NODE_IF || kind == NODE_WHILE || kind == NODE_DO)
            return n;
        if (kind == NODE_FUNCTION)
            break;
    }
    return NONE;
}

/* Statements that change what the test reads. */
static int cover_changes(struct sections *p, uint32_t unit, node_id test, struct err *err)
{
    const struct unit *u = codebase_unit(p->code, unit);
    node_id condition = node_of(u, test)->first;
    for (node_id n = condition; n != NONE; n = node_walk(u, condition, n)) {
        node_id v = node_of(u, n)->kind == NODE_NAME || node_of(u, n)->kind == NODE_MEMBER
                        ? node_of(u, n)->declared
                        : NONE;
        if (v == NONE || node_of(u, v)->kind == NODE_FUNCTION)
            continue;
        for (node_id w = 1; w < u->nodes.len; w++) {
            if (node_of(u, w)->declared != v || !node_is_written(u, w) ||
                node_is_in(u, w, test) || node_function(u, w) == NONE ||
                statement_is_alone(p->code, (struct node_ref){unit, w}))
                continue;
            struct section_range one = {.unit = unit, .access = w};
            bool is_behind = node_function(u, w) == node_function(u, test) &&
                             node_of(u, w)->start > node_of(u, test)->end;
            if (range_of(u, is_behind ? test : w, w, &one.r, err) < 0)
                return -1;
            sections_add(p, one);
        }
    }
    return 0;
}

static int make_wakeup(struct codebase *code, const struct cause *c, bool with_changes,
                       struct patch *out, struct err *err)
{
    const struct cause_step *waits = NULL, *signals = NULL;
    for (uint32_t i = 0; i < c->step_count; i++) {
        waits = c->steps[i].action == CAUSE_WAIT ? &c->steps[i] : waits;
        signals = c->steps[i].action == CAUSE_SIGNAL ? &c->steps[i] : signals;
    }
    struct node_ref w = waits ? codebase_find(code, &waits->site) : (struct node_ref){0, NONE};
    struct node_ref s =
        signals ? codebase_find(code, &signals->site) : (struct node_ref){0, NONE};
    if (w.node == NONE)
        return err_set(err, "the source of the wait was not found");
    struct unit *u = codebase_unit(code, w.unit);
    node_id statement = node_statement(u, w.node);
    node_id call = NONE;
    enum lock_sort sort = LOCK_PTHREAD;
    const char *lock = statement == NONE ? NULL : lock_of_wait(u, statement, &call, &sort);
    if (!lock)
        return err_set(err, "which lock the wait gives back is not understood");
    struct lock_choice choice = {.sort = sort, .text = lock, .name = lock};
    struct sections plan = {.code = code};
    node_id test = test_around(u, call);
    int failed = 0;
    if (test == NONE || node_of(u, test)->kind == NODE_DO) {
        failed = err_set(err, "nothing is tested before the wait");
    } else {
        struct section_range one = {.unit = w.unit, .r = {test, test}, .access = NONE};
        if (node_of(u, test)->kind == NODE_IF)
            patch_add(out, u->files.at[node_of(u, test)->file].path, node_of(u, test)->start, 2,
                      "while", EDIT_OPEN);
        sections_add(&plan, one);
        if (with_changes)
            failed = cover_changes(&plan, w.unit, test, err);
        if (!failed && with_changes && s.node != NONE && s.unit == w.unit) {
            struct section_range signal = {.unit = s.unit, .access = NONE};
            failed = range_of(u, s.node, s.node, &signal.r, err);
            if (!failed)
                sections_add(&plan, signal);
        }
    }
    if (!failed)
        failed = sections_make(&plan, &choice, out, err);
    sections_done(&plan);
    return failed;
}

static void wakeup_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    if (c->kind != CAUSE_WAKEUP)
        return;
    for (int with_changes = 0; with_changes < 2; with_changes++) {
        struct fix_candidate *one = candidate_new(out, "wakeup", cause);
        struct err err;
        if (make_wakeup(code, c, with_changes, &one->patch, &err) < 0)
            candidate_drop(out, code, &err);
        else
            candidate_explain(one, code, NULL,
                              with_changes
                                  ? "the test becomes a loop under the lock, and what it tests "
                                    "is changed and signalled under the lock"
                                  : "the test becomes a loop under the lock");
    }
}

const struct recipe recipe_wakeup = {
    .name = "wakeup",
    .help = "test in a loop, change and signal under the lock",
    .make = wakeup_make,
};

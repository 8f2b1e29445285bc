/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-lock-order: locks taken in a circle. Either one of the threads takes the lock it
 * wanted before the one it held, so that there is one order; or, where the same statements
 * take two locks of one sort, the one at the lower address goes first; or all take a new lock
 * before, the gate. */
#include "fix/recipe.h"

#include <string.h>

struct taking { /* of one thread of the circle */
    uint32_t unit;
    node_id held, wanted; /* calls */
    struct lock_use hold, want;
    struct range section; /* of the one held */
};

static node_id call_at(struct codebase *code, struct node_ref s, struct lock_use *out)
{
    if (s.node == NONE)
        return NONE;
    struct unit *u = codebase_unit(code, s.unit);
    node_id statement = node_statement(u, s.node);
    for (node_id n = statement; n != NONE; n = node_walk(u, statement, n)) {
        out->expression = call_lock(u, n, &out->sort);
        if (out->expression)
            return n;
    }
    *out = (struct lock_use){LOCK_CXX, statement == NONE ? NULL : guard_lock(u, statement)};
    return out->expression ? statement : NONE;
}

static int find_taking(struct codebase *code, const struct cause *c, uint32_t thread,
                       struct taking *out, struct err *err)
{
    const struct cause_step *held = NULL, *wanted = NULL;
    for (uint32_t i = 0; i < c->step_count; i++)
        if (c->steps[i].thread == thread) {
            held = c->steps[i].action == CAUSE_LOCK ? &c->steps[i] : held;
            wanted = c->steps[i].action == CAUSE_WANT ? &c->steps[i] : wanted;
        }
    if (!held || !wanted)
        return err_set(err, "no thread %u in the circle", thread);
    struct node_ref h = codebase_find(code, &held->site),
                    w = codebase_find(code, &wanted->site);
    *out = (struct taking){.unit = h.unit};
    out->held = call_at(code, h, &out->hold);
    out->wanted = call_at(code, w, &out->want);
    if (out->held == NONE || out->wanted == NONE)
        return err_set(err, "a lock is taken in a way that is not understood");
    struct unit *u = codebase_unit(code, h.unit);
    if (h.unit != w.unit || node_function(u, out->held) != node_function(u, out->wanted))
        out->wanted = NONE; /* somewhere below a call */
    if (range_of(u, out->held, out->wanted == NONE ? out->held : out->wanted, &out->section,
                 err) < 0 ||
        section_fit(u, &out->hold, &out->section, err) < 0)
        return -1;
    return out->wanted == NONE ? 0 : section_fit(u, &out->want, &out->section, err);
}

static uint32_t thread_count(const struct cause *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->step_count; i++)
        count = c->steps[i].thread + 1 > count ? c->steps[i].thread + 1 : count;
    return count;
}

/* The same statements make the whole circle: turned round, they make another one. */
static bool is_one_place(const struct taking *all, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (all[i].unit != all[0].unit || all[i].held != all[0].held ||
            all[i].wanted != all[0].wanted)
            return false;
    return true;
}

/* This thread takes what it wants first. */
static int make_order(struct codebase *code, const struct taking *t, struct patch *out,
                      struct err *err)
{
    struct unit *u = codebase_unit(code, t->unit);
    if (t->wanted == NONE)
        return err_set(err, "the second lock is taken in another function");
    int failed = section_make(u, t->section, &t->want, out, err);
    if (failed)
        u->inserts.len = 0;
    else
        unit_flush(u, out);
    return failed;
}

static const char *address(struct codebase *code, const char *expression)
{
    return expression[0] == '*' ? expression + 1 : keep_text(code, "&%s", expression);
}

/* Is the variable that a declaration makes named anywhere? */
static bool is_used(const struct unit *u, node_id declaration)
{
    node_id v = node_of(u, declaration)->first;
    for (node_id n = 1; n < u->nodes.len; n++)
        if (node_of(u, n)->kind == NODE_NAME && node_of(u, n)->declared == v)
            return true;
    return false;
}

/* Does the lock that is wanted have its name already where the other one is taken? */
static bool is_known_at(const struct unit *u, node_id wanted, node_id held)
{
    for (node_id n = wanted; n != NONE; n = node_walk(u, wanted, n)) {
        node_id v = node_of(u, n)->kind == NODE_NAME ? node_of(u, n)->declared : NONE;
        if (v != NONE && node_function(u, v) == node_function(u, held) &&
            node_of(u, v)->start > node_of(u, held)->start)
            return false;
    }
    return true;
}

/* Two std::lock_guards: std::scoped_lock takes both without a circle. */
static int make_scoped(struct codebase *code, const struct taking *t, struct patch *out,
                       struct err *err)
{
    const struct unit *u = codebase_unit(code, t->unit);
    const struct node *held = node_of(u, t->held), *wanted = node_of(u, t->wanted);
    if (held->kind != NODE_DECLARATION || wanted->kind != NODE_DECLARATION ||
        held->parent != wanted->parent)
        return err_set(err, "the two locks are not held by variables of one block");
    if (is_used(u, t->held) || is_used(u, t->wanted))
        return err_set(err, "a lock is given back, or waited with, by the variable it is in");
    if (!is_known_at(u, t->wanted, t->held))
        return err_set(err, "the second lock is not known where the first one is taken");
    struct text old = node_text(u, t->held);
    replace_node(u, t->held,
                 keep_text(code, "std::scoped_lock %s(%s, %s)%s", node_of(u, held->first)->name,
                           t->hold.expression, t->want.expression,
                           old.at[old.len - 1] == ';' ? ";" : ""),
                 out);
    remove_statement(u, t->wanted, out);
    return 0;
}

/* Both at once, the lower address first. */
static int make_address(struct codebase *code, const struct taking *t, struct patch *out,
                        struct err *err)
{
    struct unit *u = codebase_unit(code, t->unit);
    if (t->wanted != NONE && t->hold.sort == LOCK_CXX && t->want.sort == LOCK_CXX)
        return make_scoped(code, t, out, err);
    if (t->wanted == NONE || t->hold.sort != LOCK_PTHREAD || t->want.sort != LOCK_PTHREAD)
        return err_set(err, "the two locks are not taken side by side");
    const char *a = address(code, t->hold.expression), *b = address(code, t->want.expression);
    const char *first = unit_fresh(u, "first_lock"), *second = unit_fresh(u, "second_lock");
    struct lock_use locks[2] = {{LOCK_PTHREAD, keep_text(code, "*%s", first)},
                                {LOCK_PTHREAD, keep_text(code, "*%s", second)}};
    node_id at = statement_core(u, t->section.first);
    unit_insert(u, at, INSERT_OPEN,
                keep_text(code, "pthread_mutex_t *%s = %s < %s ? %s : %s;", first, a, b, a, b));
    unit_insert(
        u, at, INSERT_OPEN,
        keep_text(code, "pthread_mutex_t *%s = %s < %s ? %s : %s;", second, a, b, b, a));
    int failed = section_dissolve(u, t->section, t->hold.expression, out, err);
    if (!failed)
        failed = section_dissolve(u, t->section, t->want.expression, out, err);
    for (int i = 0; i < 2 && !failed; i++)
        failed = section_make(u, t->section, &locks[i], out, err);
    return failed;
}

/* At every place of the circle, each once. */
static int make_addresses(struct codebase *code, const struct taking *all, uint32_t count,
                          struct patch *out, struct err *err)
{
    int failed = 0;
    for (uint32_t i = 0; i < count && !failed; i++) {
        bool is_done = false;
        for (uint32_t k = 0; k < i; k++)
            is_done |= all[k].unit == all[i].unit && all[k].held == all[i].held;
        if (!is_done)
            failed = make_address(code, &all[i], out, err);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct unit *u = codebase_unit(code, all[i].unit);
        if (failed)
            u->inserts.len = 0;
        else
            unit_flush(u, out);
    }
    return failed;
}

static int make_gate(struct codebase *code, const struct taking *all, uint32_t count,
                     struct patch *out, struct err *err)
{
    struct sections plan = {.code = code};
    struct unit *u = codebase_unit(code, all[0].unit);
    struct lock_choice gate = {.sort = u->is_cxx ? LOCK_CXX : LOCK_PTHREAD,
                               .name = unit_fresh(u, "gate_lock"),
                               .variable = all[0].hold.expression};
    for (uint32_t i = 0; i < count; i++)
        sections_add(&plan, (struct section_range){
                                .unit = all[i].unit, .r = all[i].section, .access = NONE});
    int failed = sections_make(&plan, &gate, out, err);
    sections_done(&plan);
    return failed;
}

static void finish(struct fix_repair *out, struct codebase *code, int failed,
                   const struct err *err, uint32_t locks, const char *what, const char *trade)
{
    if (failed) {
        candidate_drop(out, code, err);
        return;
    }
    struct fix_candidate *one = &out->candidates.at[out->candidates.len - 1];
    candidate_explain(one, code, NULL, what);
    one->locks = locks;
    one->trade = trade;
}

/* The same member of two objects: which one is first is no matter of the code. */
static bool is_same_kind(const struct taking *t)
{
    const char *a = strrchr(t->hold.expression, '>'), *b = strrchr(t->want.expression, '>');
    return a && b && strcmp(a, b) == 0;
}

static void offer_addresses(struct codebase *code, uint32_t cause, const struct taking *all,
                            uint32_t count, struct fix_repair *out)
{
    struct err err;
    struct fix_candidate *one = candidate_new(out, "address order", cause);
    bool is_cxx = all[0].hold.sort == LOCK_CXX;
    finish(out, code, make_addresses(code, all, count, &one->patch, &err), &err, 0,
           is_cxx ? "both locks are taken at once, in a way that makes no circle"
                  : "the locks are taken in the order of their addresses",
           "no new lock; both are held for the whole section");
}

static void lock_order_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    struct taking all[CAUSE_STEPS_MAX] = {0};
    struct err err;
    if (c->kind != CAUSE_DEADLOCK)
        return;
    uint32_t count = thread_count(c);
    CHECK(count <= CAUSE_STEPS_MAX); /* each has a step */
    for (uint32_t i = 0; i < count; i++)
        if (find_taking(code, c, i, &all[i], &err) < 0) {
            candidate_new(out, "lock order", cause);
            candidate_drop(out, code, &err);
            return;
        }
    bool is_one_kind = is_same_kind(&all[0]);
    if (is_one_kind)
        offer_addresses(code, cause, all, count, out);
    for (uint32_t i = 0; i < count && !is_one_place(all, count); i++) {
        struct fix_candidate *one = candidate_new(out, "lock order", cause);
        finish(out, code, make_order(code, &all[i], &one->patch, &err), &err, 0,
               "the locks are taken in one order",
               "no new lock; the second one is held a little longer");
    }
    if (!is_one_kind)
        offer_addresses(code, cause, all, count, out);
    struct fix_candidate *one = candidate_new(out, "gate", cause);
    finish(out, code, make_gate(code, all, count, &one->patch, &err), &err, 1,
           "whoever takes two of the locks takes a third one first",
           "one new lock; what takes two locks no longer runs at the same time");
}

const struct recipe recipe_lock_order = {
    .name = "lock order",
    .help = "locks in one order, or behind a gate",
    .make = lock_order_make,
};

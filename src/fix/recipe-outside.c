/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-outside: somebody is called back under a lock, and takes another one that others hold
 * when they take this: a circle. The lock is given back before the call, and taken again if
 * something behind it needs it:
 *     std::unique_lock<std::mutex> lock(mutex_);
 *     ...
 *     if (is_full) {
 *         lock.unlock();
 *         on_full_(*this);
 *     }
 *     return true; */
#include "fix/recipe.h"

#include <string.h>

/* A call under a lock, and what takes that. */
struct outside {
    struct unit *u;
    node_id taken, statement; /* of the lock, of the call */
    struct lock_use lock;
    const char *guard; /* the variable that holds it; NULL: none */
};

/* How the statement takes a lock, if it does. */
static bool taking_read(struct unit *u, node_id statement, struct outside *out)
{
    const struct node *s = node_of(u, statement);
    *out = (struct outside){.u = u, .taken = statement, .lock = {.sort = LOCK_CXX}};
    out->lock.expression = guard_lock(u, statement);
    if (out->lock.expression && s->first != NONE)
        out->guard = node_of(u, s->first)->name;
    else
        out->lock.expression = call_lock(u, statement, &out->lock.sort);
    return out->lock.expression && !s->is_macro;
}

/* Does a statement behind it, on the way to the end of what has the lock, do more than return
 * what needs no lock? */
static bool is_needed_behind(const struct outside *o)
{
    const struct unit *u = o->u;
    node_id block = node_of(u, o->taken)->parent;
    for (node_id at = o->statement; at != NONE && at != block; at = node_of(u, at)->parent) {
        enum node_kind kind = node_of(u, at)->kind;
        if (kind == NODE_FOR || kind == NODE_WHILE || kind == NODE_DO)
            return true;
        bool is_in_block = node_of(u, node_of(u, at)->parent)->kind == NODE_COMPOUND;
        for (node_id s = is_in_block ? node_of(u, at)->next : NONE; s != NONE;
             s = node_of(u, s)->next)
            for (node_id n = s; n != NONE; n = node_walk(u, s, n)) {
                enum node_kind what = node_of(u, n)->kind;
                if (what == NODE_MEMBER || what == NODE_CALL || what == NODE_DEREF ||
                    what == NODE_INDEX || what == NODE_ASSIGN)
                    return true;
            }
    }
    return false;
}

/* std::lock_guard cannot give it back: std::unique_lock can. */
static int make_guard_movable(const struct outside *o, struct patch *out, struct err *err)
{
    static const char *const fixed[] = {"std::lock_guard", "std::scoped_lock"};
    const struct node *s = node_of(o->u, o->taken);
    const struct source_file *f = &o->u->files.at[s->file];
    struct text t = node_text(o->u, o->taken);
    if (t.len > 16 && memcmp(t.at, "std::unique_lock", 16) == 0)
        return 0;
    for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        uint32_t len = (uint32_t)strlen(fixed[i]);
        if (t.len > len && memcmp(t.at, fixed[i], len) == 0) {
            patch_add(out, f->path, s->start, len, "std::unique_lock", EDIT_OPEN);
            return 0;
        }
    }
    return err_set(err, "what holds the lock cannot give it back");
}

static int give_back(struct codebase *code, const struct outside *o, struct patch *out,
                     struct err *err)
{
    struct unit *u = o->u;
    const char *give, *take;
    CHECK(o->lock.expression && o->statement != o->taken);
    if (o->guard) {
        if (make_guard_movable(o, out, err) < 0)
            return -1;
        give = keep_text(code, "%s.unlock();", o->guard);
        take = keep_text(code, "%s.lock();", o->guard);
        unit_insert(u, o->statement, INSERT_OPEN, give);
        if (is_needed_behind(o))
            unit_insert(u, o->statement, INSERT_CLOSE, take);
        return 0;
    }
    node_id next = is_body(u, o->statement) ? NONE : node_of(u, o->statement)->next;
    unit_insert(u, o->statement, INSERT_OPEN, lock_call(u, o->statement, &o->lock, false));
    if (next != NONE && lock_step(u, next, o->lock.expression) < 0)
        remove_statement(u, next, out);
    else
        unit_insert(u, o->statement, INSERT_CLOSE, lock_call(u, o->statement, &o->lock, true));
    return 0;
}

/* A statement that calls back, behind what takes a lock in a block around it. */
static bool find_outside(struct unit *u, node_id function, struct outside *out)
{
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        bool is_whole = node_of(u, n)->kind == NODE_CALL && node_statement(u, n) == n;
        if (!is_whole || find_callback(u, n) != n) /* what it returns would be used */
            continue;
        for (node_id at = n; at != NONE; at = statement_above(u, at))
            for (node_id s = statement_before(u, at); s != NONE; s = statement_before(u, s))
                if (taking_read(u, s, out)) {
                    out->statement = n;
                    return true;
                }
    }
    return false;
}

/* What is called back there, as a field or variable; NONE. */
static node_id called_back(const struct unit *u, node_id statement)
{
    node_id call = find_callback(u, statement);
    node_id callee = call == NONE ? NONE : node_of(u, call)->first;
    while (callee != NONE && node_of(u, callee)->kind == NODE_OTHER)
        callee = node_of(u, callee)->first;
    return callee == NONE ? NONE : node_of(u, callee)->declared;
}

/* Other functions of the file that call the same back under a lock are mended, too. */
static int give_back_all(struct codebase *code, const struct outside *lead, struct patch *out,
                         struct err *err)
{
    struct unit *u = lead->u;
    node_id what = called_back(u, lead->statement);
    int failed = 0;
    for (node_id n = 1; n < u->nodes.len && !failed; n++) {
        struct outside one;
        if (node_of(u, n)->kind == NODE_FUNCTION && find_outside(u, n, &one) &&
            (one.statement == lead->statement ||
             (what != NONE && called_back(u, one.statement) == what)))
            failed = give_back(code, &one, out, err);
    }
    if (failed)
        u->inserts.len = 0;
    else
        unit_flush(u, out);
    return failed;
}

static void outside_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    for (uint32_t i = 0; i < c->step_count && c->kind == CAUSE_DEADLOCK; i++) {
        struct node_ref s = codebase_find(code, &c->steps[i].site);
        struct unit *u = s.node == NONE ? NULL : codebase_unit(code, s.unit);
        node_id function = u ? node_function(u, s.node) : NONE;
        struct outside one;
        struct err err;
        if (c->steps[i].action != CAUSE_LOCK || function == NONE ||
            !find_outside(u, function, &one))
            continue;
        struct fix_candidate *made = candidate_new(out, "outside", cause);
        if (give_back_all(code, &one, &made->patch, &err) < 0) {
            candidate_drop(out, code, &err);
            continue;
        }
        candidate_explain(made, code, NULL,
                          "the lock is given back before somebody is called back, who may "
                          "take others");
        made->trade = "no new lock; what the lock guards may change during the call";
        made->shows_in_locks = true;
        return;
    }
}

const struct recipe recipe_outside = {
    .name = "outside",
    .help = "no lock is held while somebody is called back",
    .make = outside_make,
    .turn = TURN_FIRST,
};

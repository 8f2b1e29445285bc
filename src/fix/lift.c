/* SPDX-License-Identifier: Apache-2.0
 *
 * lift: a lock is not taken twice. A function that is called where the lock is held already
 * does not take it itself: its other callers do. That holds for sections that are planned and
 * for those that the source has. */
#include "fix/recipe.h"

#include <string.h>

enum { LIFTS_MAX = 24, BELOW_MAX = 3 };

static bool is_covered(const struct sections *p, struct node_ref s, const char *lock)
{
    for (uint32_t i = 0; i < p->ranges.len; i++)
        if (strcmp(p->ranges.at[i].lock, lock) == 0 &&
            range_locks(p, &p->ranges.at[i], s.unit, s.node))
            return true;
    return false;
}

static bool is_same(struct node_ref a, struct node_ref b)
{
    return a.unit == b.unit && a.node == b.node;
}

/* Every caller that has not got the lock takes it around the call. */
static int cover_callers(struct sections *p, struct node_ref function, const char *lock,
                         struct err *err)
{
    const char *name = node_of(codebase_unit(p->code, function.unit), function.node)->name;
    if (is_address_taken(p->code, function))
        return err_set(
            err, "%s is called by who has the lock, and by others that are not known", name);
    node_refs calls = {0};
    calls_list(p->code, function, &calls);
    int failed = 0;
    for (uint32_t i = 0; i < calls.len && !failed; i++) {
        struct node_ref c = calls.at[i];
        const char *outer = expression_at_call(p->code, c, function, lock);
        if (!outer)
            failed = err_set(err, "%s, which %s needs, has no name where that is called", lock,
                             name);
        if (failed || is_covered(p, c, outer) || is_held(p->code, c, outer))
            continue;
        struct section_range one = {.unit = c.unit, .access = NONE, .lock = outer};
        failed = range_of(codebase_unit(p->code, c.unit), c.node, c.node, &one.r, err);
        if (!failed)
            sections_add(p, one);
    }
    vec_done(&calls);
    return failed;
}

/* ---- planned sections ------------------------------------------------------------------- */

/* Is the function called by somebody who has the lock? */
static bool is_called_inside(const struct sections *p, struct node_ref function,
                             const char *lock)
{
    node_refs calls = {0};
    calls_list(p->code, function, &calls);
    bool is_inside = false;
    for (uint32_t i = 0; i < calls.len && !is_inside; i++) {
        const char *outer = expression_at_call(p->code, calls.at[i], function, lock);
        is_inside = outer &&
                    (is_covered(p, calls.at[i], outer) || is_held(p->code, calls.at[i], outer));
    }
    vec_done(&calls);
    return is_inside;
}

/* 1: something was lifted. */
static int lift_planned(struct sections *p, struct err *err)
{
    for (uint32_t i = 0; i < p->ranges.len; i++) {
        struct node_ref function = range_function(p, &p->ranges.at[i]);
        const char *lock = p->ranges.at[i].lock;
        if (!is_called_inside(p, function, lock))
            continue;
        for (uint32_t k = p->ranges.len; k-- > 0;)
            if (is_same(range_function(p, &p->ranges.at[k]), function) &&
                strcmp(p->ranges.at[k].lock, lock) == 0)
                p->ranges.at[k] = p->ranges.at[--p->ranges.len];
        return cover_callers(p, function, lock, err) < 0 ? -1 : 1;
    }
    return 0;
}

/* ---- sections that are there ------------------------------------------------------------ */

static bool is_dissolved(const struct sections *p, struct node_ref function, const char *lock)
{
    for (uint32_t i = 0; i < p->dissolved.len; i++)
        if (is_same(p->dissolved.at[i].function, function) &&
            strcmp(p->dissolved.at[i].lock, lock) == 0)
            return true;
    return false;
}

/* Does the function that is called take the lock, itself or by its own calls? Then who does,
 * and what the lock is called there. */
static bool find_taker(const struct sections *p, const struct node_ref *way, uint32_t count,
                       const char *lock, struct dissolve *out)
{
    struct node_ref f = call_target(p->code, way[count - 1]);
    if (f.node == NONE)
        return false;
    struct unit *u = codebase_unit(p->code, f.unit);
    for (node_id n = f.node; n != NONE; n = node_walk(u, f.node, n)) {
        enum lock_sort sort;
        const char *inner = call_lock(u, n, &sort);
        inner = inner ? inner : guard_lock(u, n);
        const char *outer = inner;
        for (uint32_t i = count; outer && i-- > 0;)
            outer = expression_at_call(p->code, way[i], call_target(p->code, way[i]), outer);
        if (outer && strcmp(outer, lock) == 0 && !is_dissolved(p, f, inner)) {
            *out = (struct dissolve){f, inner};
            return true;
        }
        if (inner || count == BELOW_MAX || node_of(u, n)->kind != NODE_CALL)
            continue;
        struct node_ref longer[BELOW_MAX];
        memcpy(longer, way, count * sizeof *way);
        longer[count] = (struct node_ref){f.unit, n};
        if (find_taker(p, longer, count + 1, lock, out))
            return true;
    }
    return false;
}

static bool is_inlined(const struct sections *p, struct node_ref call)
{
    for (uint32_t i = 0; i < p->inlined.len; i++)
        if (is_same(p->inlined.at[i].call, call))
            return true;
    return false;
}

/* Others call it too, so that it stays as it is. */
static bool is_for_others(struct codebase *code, struct node_ref function)
{
    node_refs calls = {0};
    calls_list(code, function, &calls);
    bool has_others = calls.len > 1;
    vec_done(&calls);
    return has_others || !node_of(codebase_unit(code, function.unit), function.node)->is_static;
}

/* What the call reads is read instead, if it does nothing else. */
static bool read_instead(struct sections *p, struct node_ref call, const struct dissolve *taker)
{
    bool is_direct = is_same(call_target(p->code, call), taker->function);
    const char *value = is_direct && is_for_others(p->code, taker->function)
                            ? value_at_call(p->code, call, taker->lock)
                            : NULL;
    if (value)
        vec_push(&p->inlined, (struct inlined){call, value});
    return value != NULL;
}

/* Is it declared in a header, for others to call? */
static bool is_offered(struct codebase *code, struct node_ref function)
{
    const struct unit *u = codebase_unit(code, function.unit);
    const struct node *f = node_of(u, function.node);
    bool is_method = f->parent != NONE && node_of(u, f->parent)->kind == NODE_RECORD;
    return is_method && strcmp(u->files.at[f->file].path, code->units.at[function.unit].path) &&
           !f->is_static;
}

static const char *division_of(const struct sections *p, struct node_ref function)
{
    for (uint32_t i = 0; i < p->divided.len; i++)
        if (is_same(p->divided.at[i].function, function))
            return p->divided.at[i].name;
    return NULL;
}

/* The call is one of NAME_locked from now on. */
static bool divide(struct sections *p, struct node_ref call, const struct dissolve *taker)
{
    struct codebase *code = p->code;
    const struct unit *u = codebase_unit(code, call.unit);
    node_id callee = node_of(u, call.node)->first;
    if (!is_same(call_target(code, call), taker->function) ||
        !is_offered(code, taker->function) || callee == NONE)
        return false;
    const char *name = division_of(p, taker->function);
    if (!name) {
        AUTO(patch) struct patch scratch = {0};
        name = function_divide(code, taker->function, taker->lock, &scratch);
        if (!name)
            return false;
        vec_push(&p->divided, (struct division){taker->function, taker->lock, name});
    }
    struct text all = node_text(u, call.node), called = node_text(u, callee);
    uint32_t len = (uint32_t)strlen(node_of(u, callee)->name);
    uint32_t before = (uint32_t)(called.at - all.at) + called.len - len;
    vec_push(&p->inlined,
             (struct inlined){call,
                              keep_text(code, "%.*s%s%.*s", (int)before, all.at, name,
                                        (int)(all.len - before - len), all.at + before + len)});
    return true;
}

/* 1: a section was dissolved, or is no longer called. */
static int lift_taken(struct sections *p, struct err *err)
{
    for (uint32_t i = 0; i < p->ranges.len; i++) {
        const struct section_range r = p->ranges.at[i];
        const struct unit *u = codebase_unit(p->code, r.unit);
        node_id root = range_function(p, &r).node;
        for (node_id n = root; n != NONE; n = node_walk(u, root, n)) {
            struct dissolve found;
            struct node_ref call = {r.unit, n};
            if (node_of(u, n)->kind != NODE_CALL || !range_locks(p, &r, r.unit, n) ||
                is_inlined(p, call) || !find_taker(p, &call, 1, r.lock, &found))
                continue;
            if (read_instead(p, call, &found) || divide(p, call, &found))
                return 1;
            vec_push(&p->dissolved, found);
            return cover_callers(p, found.function, found.lock, err) < 0 ? -1 : 1;
        }
    }
    return 0;
}

/* Does the program make locks that may be taken twice? */
static bool is_recursive(struct codebase *code)
{
    static const char *const words[] = {"MUTEX_RECURSIVE", "recursive_mutex", "mtx_recursive"};
    for (uint32_t i = 0; i < code->units.len; i++) {
        const struct unit *u = codebase_unit(code, i);
        for (uint32_t f = 0; u && f < u->files.len; f++)
            for (unsigned w = 0; w < sizeof words / sizeof words[0]; w++)
                if (strncmp(u->files.at[f].path, "/usr/", 5) != 0 &&
                    memmem(u->files.at[f].text.at, u->files.at[f].text.len, words[w],
                           strlen(words[w])))
                    return true;
    }
    return false;
}

int sections_lift(struct sections *p, struct err *err)
{
    bool may_nest = is_recursive(p->code); /* then what takes it again may stay */
    for (int lifts = 0; lifts < LIFTS_MAX; lifts++) {
        int lifted = lift_planned(p, err);
        if (lifted == 0 && !may_nest)
            lifted = lift_taken(p, err);
        if (lifted <= 0)
            return lifted;
    }
    return err_set(err, "sections call each other");
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sections-make: planned sections become edits; a candidate for each lock that may serve. */
#include "fix/recipe.h"

#include <stdlib.h>
#include <string.h>

void sections_done(struct sections *p)
{
    vec_done(&p->ranges);
    vec_done(&p->dissolved);
    vec_done(&p->inlined);
    vec_done(&p->divided);
}

/* ---- waits ------------------------------------------------------------------------------ *
 * Whoever waits for a condition inside a section waits with the section's lock: with another
 * one nobody could take the section's lock to change what is waited for. */

static bool is_wait(const struct unit *u, node_id n)
{
    const char *name = node_of(u, n)->name;
    return node_of(u, n)->kind == NODE_CALL && (strcmp(name, "pthread_cond_wait") == 0 ||
                                                strcmp(name, "pthread_cond_timedwait") == 0);
}

/* The wait's lock as an argument, and without its '&'. */
static node_id wait_lock(struct unit *u, node_id call, struct str *out)
{
    node_id a = node_of(u, call)->first;
    for (int i = 0; a != NONE && i < 2; i++)
        a = node_of(u, a)->next;
    if (a == NONE)
        return NONE;
    const char *lock = call_wait_lock(u, call);
    if (!lock)
        return NONE;
    out->len = 0;
    str_add(out, "%s", lock);
    return a;
}

/* The section of the lock that is waited with so far goes into it as a whole. */
static int fit_waits(struct unit *u, struct section_range *r, struct err *err)
{
    node_id root = node_function(u, r->r.first);
    AUTO(str) struct str text = {0};
    for (node_id n = root; n != NONE; n = node_walk(u, root, n)) {
        if (!is_wait(u, n) || !range_has(u, r->r, n) || wait_lock(u, n, &text) == NONE ||
            strcmp(text.at, r->lock) == 0)
            continue;
        struct lock_use other = {.sort = LOCK_PTHREAD, .expression = text.at};
        if (section_fit(u, &other, &r->r, err) < 0)
            return -1;
    }
    return 0;
}

static int wait_with(struct unit *u, const struct section_range *r, const struct lock_use *lock,
                     struct patch *out, struct err *err)
{
    node_id root = node_function(u, r->r.first);
    AUTO(str) struct str text = {0};
    AUTO(str) struct str own = {0};
    for (node_id n = root; n != NONE; n = node_walk(u, root, n)) {
        node_id argument;
        if (!is_wait(u, n) || !range_has(u, r->r, n) ||
            (argument = wait_lock(u, n, &text)) == NONE ||
            strcmp(text.at, lock->expression) == 0)
            continue;
        if (lock->sort != LOCK_PTHREAD)
            return err_set(err, "a wait inside the section needs a mutex");
        if (node_of(u, argument)->is_macro)
            return err_set(err, "a macro waits with another lock");
        if (section_dissolve(u, r->r, text.at, out, err) < 0)
            return -1;
        own.len = 0;
        str_add(&own, "%s%s", lock->expression[0] == '*' ? "" : "&",
                lock->expression + (lock->expression[0] == '*'));
        replace_node(u, argument, own.at, out);
        node_id test = node_of(u, node_statement(u, n))->parent;
        if (is_body(u, node_statement(u, n)) && node_of(u, test)->kind == NODE_IF &&
            node_of(u, test)->last == node_statement(u, n))
            patch_add(out, u->files.at[node_of(u, test)->file].path, node_of(u, test)->start, 2,
                      "while", EDIT_OPEN);
    }
    return 0;
}

/* ---- edits ------------------------------------------------------------------------------ */

/* A loop whose head needs the lock and whose body must not have it:
 *     lock; while (head) { unlock; body; lock; } unlock; */
static int make_loop(struct unit *u, const struct section_range *r, const struct lock_use *lock,
                     struct patch *out, struct err *err)
{
    node_id loop = statement_core(u, r->r.first);
    const struct node *n = node_of(u, loop);
    node_id body = n->kind == NODE_DO ? n->first : n->last;
    const char *take = lock_call(u, r->r.first, lock, true);
    const char *give = lock_call(u, r->r.first, lock, false);
    (void)out;
    if (lock->sort == LOCK_CXX)
        return err_set(err, "the head of a loop would need a lock that its body must not have");
    for (node_id i = body; i != NONE; i = node_walk(u, body, i))
        switch (node_of(u, i)->kind) {
        case NODE_BREAK:
        case NODE_CONTINUE:
        case NODE_GOTO:
            return err_set(err, "a jump leaves the body of a loop whose head needs the lock");
        default:
            break;
        }
    if (n->kind != NODE_DO)
        unit_insert(u, loop, INSERT_OPEN, take);
    unit_insert(u, loop, INSERT_CLOSE, give);
    if (node_of(u, body)->kind == NODE_COMPOUND) {
        node_id first = node_of(u, body)->first, last = node_of(u, body)->last;
        if (first == NONE)
            return err_set(err, "the loop has an empty block");
        if (n->kind != NODE_DO)
            unit_insert(u, first, INSERT_OPEN, give);
        unit_insert(u, last, INSERT_CLOSE, take);
        return 0;
    }
    if (n->kind != NODE_DO)
        unit_insert(u, body, INSERT_OPEN, give);
    unit_insert(u, body, INSERT_CLOSE, take);
    return 0;
}

static int make_one(struct sections *p, struct section_range *r, const struct lock_choice *l,
                    struct patch *out, struct err *err)
{
    struct unit *u = codebase_unit(p->code, r->unit);
    struct lock_use lock = {.sort = l->sort, .expression = r->lock};
    if (r->is_loop)
        return make_loop(u, r, &lock, out, err);
    if (section_fit(u, &lock, &r->r, err) < 0 || wait_with(u, r, &lock, out, err) < 0)
        return -1;
    return r->end_count ? section_make_ends(u, r->r, r->ends, r->end_count, &lock, out, err)
                        : section_make(u, r->r, &lock, out, err);
}

/* A call whose length nobody knows: of a callback, or one that waits. */
static bool is_long_call(struct codebase *code, struct node_ref call)
{
    static const char *const names[] = {"pthread_join", "thrd_join", "join",     "sleep",
                                        "usleep",       "nanosleep", "sem_wait", "poll",
                                        "select",       "accept",    "system"};
    const struct unit *u = codebase_unit(code, call.unit);
    const struct node *n = node_of(u, call.node);
    node_id callee = n->first;
    while (callee != NONE && node_of(u, callee)->kind == NODE_OTHER)
        callee = node_of(u, callee)->first;
    node_id named = callee == NONE ? NONE : node_of(u, callee)->declared;
    enum node_kind kind = named == NONE ? NODE_OTHER : node_of(u, named)->kind;
    if (kind == NODE_VARIABLE || kind == NODE_PARAMETER || kind == NODE_FIELD)
        return true;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(n->name, names[i]) == 0)
            return true;
    return false;
}

static bool is_heavy(struct sections *p, const struct section_range *r)
{
    const struct unit *u = codebase_unit(p->code, r->unit);
    node_id function = node_function(u, r->r.first);
    for (node_id n = function; n != NONE && !r->is_loop; n = node_walk(u, function, n)) {
        struct node_ref call = {r->unit, n};
        if (node_of(u, n)->kind == NODE_CALL && range_locks(p, r, r->unit, n) &&
            is_long_call(p->code, call) && !is_held(p->code, call, r->lock))
            return true;
    }
    return false;
}

static int by_place(const void *a, const void *b)
{
    const struct section_range *x = a, *y = b;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return x->r.first < y->r.first ? -1 : x->r.first > y->r.first;
}

/* As it is written where the section is: the access may be in a function that it calls. */
static int spell_range(struct sections *p, const struct lock_choice *l, struct section_range *r,
                       struct err *err)
{
    if (r->lock)
        return 0;
    const char *text =
        lock_spell(p->code, l, r->call_count ? r->access_unit : r->unit, r->access, err);
    for (uint32_t i = r->call_count; text && i-- > 0;) {
        text =
            expression_at_call(p->code, r->calls[i], call_target(p->code, r->calls[i]), text);
        if (!text)
            err_set(err, "the lock has no name in the function that has both places");
    }
    r->lock = text;
    return text ? 0 : -1;
}

/* Does it take the lock, or give it back, in there? */
static bool has_steps(const struct unit *u, const struct section_range *r)
{
    node_id function = node_function(u, r->r.first);
    for (node_id n = function; n != NONE; n = node_walk(u, function, n))
        if (range_has(u, r->r, n) && lock_step(u, n, r->lock) != 0)
            return true;
    return false;
}

/* What has the lock by the source as it is needs no section. */
static void drop_held(struct sections *p)
{
    for (uint32_t i = p->ranges.len; i-- > 0;) {
        const struct section_range *r = &p->ranges.at[i];
        struct node_ref first = {r->unit, r->r.first};
        if (!has_steps(codebase_unit(p->code, r->unit), r) && is_held(p->code, first, r->lock))
            p->ranges.at[i] = p->ranges.at[--p->ranges.len];
    }
}

/* A gate is taken before the other locks: sections that it would begin or end in go into it as
 * a whole. */
/* The section of the lock that has it as a whole, somewhere above. */
static void grow_to_section(const struct unit *u, const struct lock_use *lock, struct range *r)
{
    for (node_id s = statement_above(u, r->first); s != NONE; s = statement_above(u, s)) {
        struct range outer = {s, s};
        struct err ignored;
        if (section_fit(u, lock, &outer, &ignored) == 0 && outer.first != s)
            *r = outer;
    }
}

static int fit_before_others(struct unit *u, struct section_range *r, struct err *err)
{
    node_id root = node_function(u, r->r.first);
    for (node_id n = root; n != NONE; n = node_walk(u, root, n)) {
        struct lock_use other = {.sort = LOCK_CXX, .expression = call_lock(u, n, &other.sort)};
        if (!other.expression)
            other.expression = guard_lock(u, n);
        if (other.expression)
            grow_to_section(u, &other, &r->r);
        if (other.expression && section_fit(u, &other, &r->r, err) < 0)
            return -1;
    }
    return 0;
}

/* A section of the same lock that begins right behind the range is one with it: nobody gives a
 * lock back to take it again at once. */
static int take_next(struct unit *u, const struct lock_use *lock, struct section_range *r,
                     struct err *err)
{
    node_id next = node_of(u, r->r.last)->next;
    if (next == NONE || r->end_count || lock_step(u, next, lock->expression) != 1)
        return 0;
    r->r.last = next;
    return section_fit(u, lock, &r->r, err);
}

/* Ranges grow when they are made to fit; then they may meet. */
static int fit_all(struct sections *p, const struct lock_choice *l, struct err *err)
{
    for (uint32_t i = 0; i < p->ranges.len; i++) {
        struct section_range *r = &p->ranges.at[i];
        struct lock_use lock = {.sort = l->sort, .expression = r->lock};
        struct unit *u = codebase_unit(p->code, r->unit);
        if (!r->is_loop && (section_fit(u, &lock, &r->r, err) < 0 ||
                            take_next(u, &lock, r, err) < 0 || fit_waits(u, r, err) < 0))
            return -1;
        if (p->is_gate && fit_before_others(u, r, err) < 0)
            return -1;
    }
    while (sections_join(p))
        ;
    return 0;
}

/* Sections of the same lock that callers have now. */
static int make_dissolved(struct sections *p, bool *used, struct patch *out, struct err *err)
{
    for (uint32_t i = 0; i < p->dissolved.len; i++) {
        const struct dissolve *d = &p->dissolved.at[i];
        struct unit *u = codebase_unit(p->code, d->function.unit);
        node_id body = node_of(u, d->function.node)->last;
        struct range all = {node_of(u, body)->first, node_of(u, body)->last};
        used[d->function.unit] = true;
        if (all.first == NONE || section_dissolve(u, all, d->lock, out, err) < 0)
            return -1;
    }
    return 0;
}

static int make_divided(struct sections *p, struct patch *out, struct err *err)
{
    for (uint32_t i = 0; i < p->divided.len; i++)
        if (!function_divide(p->code, p->divided.at[i].function, p->divided.at[i].lock, out))
            return err_set(err, "a function that others call cannot be divided");
    return 0;
}

/* A plan is of units that there are, and its ranges have their limits. */
static void sections_check(const struct sections *p)
{
    for (uint32_t i = 0; i < p->ranges.len; i++) {
        const struct section_range *r = &p->ranges.at[i];
        CHECK(r->unit < p->code->units.len && r->access_unit < p->code->units.len);
        CHECK(r->call_count <= SECTION_CALLS && r->end_count <= SECTION_ENDS);
        CHECK(r->r.first != NONE && r->r.last != NONE);
    }
    for (uint32_t i = 0; i < p->dissolved.len; i++)
        CHECK(p->dissolved.at[i].function.node != NONE && p->dissolved.at[i].lock);
    for (uint32_t i = 0; i < p->inlined.len; i++)
        CHECK(p->inlined.at[i].call.unit < p->code->units.len && p->inlined.at[i].value);
}

/* Around calls, in a function that starts threads: what it calls is no longer right alone. */
static bool is_driver(const struct sections *p, const struct section_range *r)
{
    const struct unit *u = codebase_unit(p->code, r->unit);
    node_id function = node_function(u, r->r.first);
    for (node_id n = function; r->call_count && n != NONE; n = node_walk(u, function, n))
        if (is_create(u, n))
            return true;
    return false;
}

int sections_make(struct sections *p, const struct lock_choice *l, struct patch *out,
                  struct err *err)
{
    sections_check(p);
    bool *used = mem_zeroed(p->code->units.len + 1, sizeof *used);
    int failed = p->ranges.len ? 0 : err_set(err, "every access is guarded already");
    for (uint32_t i = 0; i < p->ranges.len && !failed; i++)
        failed = spell_range(p, l, &p->ranges.at[i], err);
    if (!failed)
        drop_held(p);
    if (!failed && (sections_lift(p, err) < 0 || fit_all(p, l, err) < 0))
        failed = -1;
    sections_check(p);
    if (!failed)
        failed = make_dissolved(p, used, out, err);
    if (!failed)
        failed = make_divided(p, out, err);
    if (!failed)
        qsort(p->ranges.at, p->ranges.len, sizeof *p->ranges.at, by_place);
    bool has_ranges = p->ranges.len > 0;
    for (uint32_t i = 0; i < p->inlined.len && !failed; i++)
        replace_node(codebase_unit(p->code, p->inlined.at[i].call.unit),
                     p->inlined.at[i].call.node, p->inlined.at[i].value, out);
    for (uint32_t i = 0; i < p->ranges.len && !failed; i++) {
        used[p->ranges.at[i].unit] = true;
        p->is_heavy |= is_heavy(p, &p->ranges.at[i]);
        p->is_driver |= p->dissolved.len > 0 && is_driver(p, &p->ranges.at[i]);
        failed = make_one(p, &p->ranges.at[i], l, out, err);
    }
    if (!failed && !has_ranges)
        failed = err_set(err, "every access is guarded already");
    if (!failed && !l->guard && !l->text)
        failed = lock_declare(p->code, l, used, out, err);
    for (uint32_t i = 0; i < p->code->units.len; i++) {
        struct unit *u = used[i] ? codebase_unit(p->code, i) : NULL;
        if (u && failed)
            u->inserts.len = 0;
        else if (u)
            unit_flush(u, out);
    }
    free(used);
    return failed;
}

/* ---- candidates ------------------------------------------------------------------------- */

int sections_propagate_all(struct sections *p, const struct cause *c,
                           const struct lock_choice *lock, struct err *err)
{
    for (uint32_t i = 0; i < c->variable_count; i++)
        if (sections_propagate(p, c->variables[i], lock, err) < 0)
            return -1;
    return 0;
}

/* Kept in the codebase's arena; its list is the candidate's to free. */
static struct section_move *section_keep(struct sections *plan, cover_fn cover,
                                         const struct lock_choice *lock)
{
    struct section_move *m = arena_get(&plan->code->mem, sizeof *m);
    *m = (struct section_move){.cover = cover, .lock = *lock};
    if (lock->before) {
        m->before = *lock->before;
        m->lock.before = &m->before;
    }
    for (uint32_t i = 0; i < plan->ranges.len; i++)
        vec_push(&m->ranges, plan->ranges.at[i]);
    return m;
}

void sections_try_lock(struct codebase *code, uint32_t cause, const char *recipe,
                       cover_fn cover, const struct lock_choice *lock, const char *what,
                       struct fix_repair *out)
{
    CHECK(cause < code->causes->causes.len);
    const struct cause *c = &code->causes->causes.at[cause];
    struct fix_candidate *one = candidate_new(out, recipe, cause);
    struct sections plan = {.code = code};
    struct err err;
    bool failed =
        cover(&plan, c, lock, &err) != 0 || sections_make(&plan, lock, &one->patch, &err) != 0;
    if (!failed && !plan.is_gate)
        unrun_note(&plan, c, lock, &one->patch);
    if (!failed)
        one->section = section_keep(&plan, cover, lock);
    sections_done(&plan);
    one->is_heavy = plan.is_heavy;
    one->is_last = plan.is_driver;
    if (failed)
        candidate_drop(out, code, &err);
    else
        candidate_explain(one, code, lock, what);
    if (!failed && plan.is_heavy)
        one->trade = "the lock is held while others are waited for, or a callback runs";
}

void sections_try(struct codebase *code, uint32_t cause, const char *recipe, cover_fn cover,
                  const char *what, struct fix_repair *out)
{
    CHECK(cause < code->causes->causes.len);
    lock_choices locks = {0};
    locks_list(code, &code->causes->causes.at[cause], &locks);
    for (uint32_t i = 0; i < locks.len; i++)
        sections_try_lock(code, cause, recipe, cover, &locks.at[i], what, out);
    vec_done(&locks);
}

/* ---- what a section excludes ------------------------------------------------------------- */

static bool range_has_thread(struct codebase *code, const struct section_range *r,
                             const struct cause *c, uint32_t thread)
{
    struct sections p = {.code = code};
    for (uint32_t k = 0; k < c->step_count; k++) {
        if (c->steps[k].thread != thread)
            continue;
        struct node_ref s = codebase_find(code, &c->steps[k].site);
        if (s.node == NONE || !range_locks(&p, r, s.unit, s.node))
            return false;
    }
    return true;
}

/* Is the lock neither taken nor given back between the two, in the text? */
static bool is_one_section(struct codebase *code, struct node_ref a, struct node_ref b,
                           const char *lock)
{
    const struct unit *u = codebase_unit(code, a.unit);
    node_id function = node_function(u, a.node);
    if (a.unit != b.unit || function != node_function(u, b.node))
        return false;
    uint32_t from = node_of(u, a.node)->start, to = node_of(u, b.node)->start;
    for (node_id n = function; n != NONE; n = node_walk(u, function, n)) {
        uint32_t at = node_of(u, n)->start;
        if (at > (from < to ? from : to) && at < (from < to ? to : from) &&
            lock_step(u, n, lock) != 0)
            return false;
    }
    return true;
}

/* Has the source as it is one section of the lock for all that the thread does? */
static bool source_has_thread(struct codebase *code, const struct section_move *m,
                              const struct cause *c, uint32_t thread)
{
    struct node_ref before = {0, NONE};
    struct err ignored;
    for (uint32_t k = 0; k < c->step_count; k++) {
        const struct code_site *site = &c->steps[k].site;
        if (c->steps[k].thread != thread)
            continue;
        struct node_ref s = codebase_find(code, site);
        bool is_there = s.node != NONE && m->lock.guard;
        const char *lock = is_there ? lock_spell(code, &m->lock, s.unit,
                                                 codebase_access(code, s, site->name), &ignored)
                                    : NULL;
        if (!lock && is_there && m->ranges.len)
            lock = m->ranges.at[0].lock; /* as others call it */
        if (!lock || !is_held(code, s, lock) ||
            (before.node != NONE && !is_one_section(code, before, s, lock)))
            return false;
        before = s;
    }
    return true;
}

static bool has_thread(struct codebase *code, const struct section_move *m,
                       const struct cause *c, uint32_t thread)
{
    for (uint32_t i = 0; i < m->ranges.len; i++)
        if (range_has_thread(code, &m->ranges.at[i], c, thread))
            return true;
    return source_has_thread(code, m, c, thread);
}

bool section_excludes(struct codebase *code, const struct section_move *m,
                      const struct cause *c)
{
    if (c->kind != CAUSE_PATTERN)
        return false;
    for (uint32_t i = 0; i < c->step_count; i++)
        if (!has_thread(code, m, c, c->steps[i].thread))
            return false;
    return c->step_count > 0;
}

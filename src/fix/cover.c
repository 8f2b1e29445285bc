/* SPDX-License-Identifier: Apache-2.0
 *
 * cover: which statements become sections of one lock. Ranges that meet or follow each other
 * are joined. A function that is called from inside a section does not take the lock itself:
 * its other callers do. */
#include "fix/recipe.h"

#include <stdlib.h>
#include <string.h>

void sections_done(struct sections *p)
{
    vec_done(&p->ranges);
}

/* ---- ranges ----------------------------------------------------------------------------- */

/* In the head of a loop, not in its body? */
static bool is_in_head(const struct unit *u, node_id n, node_id statement)
{
    const struct node *s = node_of(u, statement);
    if (s->kind != NODE_WHILE && s->kind != NODE_FOR && s->kind != NODE_DO)
        return false;
    node_id body = s->kind == NODE_DO ? s->first : s->last;
    return !node_is_in(u, n, body);
}

static node_id function_of(const struct sections *p, const struct section_range *r)
{
    return node_function(yard_unit(p->y, r->unit), r->r.first);
}

/* Joins what meets; true if something did. */
static bool join_once(struct sections *p)
{
    struct err ignored;
    for (uint32_t i = 0; i < p->ranges.len; i++)
        for (uint32_t k = 0; k < p->ranges.len; k++) {
            struct section_range *a = &p->ranges.at[i], *b = &p->ranges.at[k];
            if (i == k || a->unit != b->unit || function_of(p, a) != function_of(p, b))
                continue;
            const struct unit *u = yard_unit(p->y, a->unit);
            bool is_inner = b->is_loop && !a->is_loop && range_has(u, a->r, b->r.first);
            bool is_body = a->is_loop && !b->is_loop && range_has(u, a->r, b->r.first);
            if (is_body)
                continue; /* the loop gives the lock back for its body */
            if (!is_inner && !range_meets(u, a->r, b->r) &&
                !(range_follows(u, a->r, b->r) && !a->is_loop && !b->is_loop))
                continue;
            if (!is_inner && a->is_loop != b->is_loop)
                a->is_loop = b->is_loop = false;
            if (range_join(u, a->r, b->r, &a->r, &ignored) < 0)
                continue;
            p->ranges.at[k] = p->ranges.at[--p->ranges.len];
            return true;
        }
    return false;
}

void sections_add(struct sections *p, struct section_range one)
{
    vec_push(&p->ranges, one);
    while (join_once(p))
        ;
}

/* ---- two places ------------------------------------------------------------------------- */

/* A call of the function in the root; NONE if there is none. */
static node_id find_call(const struct unit *u, node_id root, const char *name, node_id from)
{
    bool is_on = from == NONE;
    for (node_id n = root; n != NONE; n = node_walk(u, root, n)) {
        if (is_on && node_of(u, n)->kind == NODE_CALL && strcmp(node_of(u, n)->name, name) == 0)
            return n;
        is_on |= n == from;
    }
    return NONE;
}

/* The node in function `in` that leads to the spot: itself, or a call on the way. */
static node_id way_to(const struct unit *u, node_id in, node_id spot, const char *function,
                      node_id from, int depth)
{
    if (node_is_in(u, spot, in))
        return spot;
    node_id call = find_call(u, in, function, from);
    if (call == NONE && from != NONE)
        call = find_call(u, in, function, NONE);
    for (node_id n = in; call == NONE && depth > 0 && n != NONE; n = node_walk(u, in, n)) {
        if (node_of(u, n)->kind != NODE_CALL)
            continue;
        for (node_id f = 1; f < u->nodes.len; f++)
            if (node_of(u, f)->kind == NODE_FUNCTION && f != in &&
                strcmp(node_of(u, f)->name, node_of(u, n)->name) == 0 &&
                way_to(u, f, spot, function, NONE, depth - 1) != NONE)
                call = n;
    }
    return call;
}

static uint32_t range_bytes(const struct unit *u, struct range r)
{
    return node_of(u, r.last)->end - node_of(u, r.first)->start;
}

/* The smallest function of the unit with both, itself or through calls. */
static int range_over_calls(const struct unit *u, node_id a, const char *in_a, node_id b,
                            const char *in_b, struct range *out, struct err *err)
{
    uint32_t best = UINT32_MAX;
    for (int depth = 0; depth < 3 && best == UINT32_MAX; depth++)
        for (node_id f = 1; f < u->nodes.len; f++) {
            struct range r;
            struct err ignored;
            if (node_of(u, f)->kind != NODE_FUNCTION)
                continue;
            node_id x = way_to(u, f, a, in_a, NONE, depth);
            node_id y = x == NONE ? NONE : way_to(u, f, b, in_b, x, depth);
            if (x == NONE || y == NONE || range_of(u, x, y, &r, &ignored) < 0 ||
                range_bytes(u, r) >= best)
                continue;
            best = range_bytes(u, r);
            *out = r;
        }
    return best == UINT32_MAX ? err_set(err, "no function calls both %s and %s", in_a, in_b)
                              : 0;
}

int sections_cover(struct sections *p, const struct fix_step *a, const struct fix_step *b,
                   struct err *err)
{
    struct spot x = yard_find(p->y, &a->site), y = yard_find(p->y, &b->site);
    if (x.node == NONE || y.node == NONE)
        return err_set(err, "%s:%u: the source of this place was not found",
                       x.node == NONE ? a->site.file : b->site.file,
                       x.node == NONE ? a->site.line : b->site.line);
    const struct unit *u = yard_unit(p->y, x.unit);
    struct section_range one = {.unit = x.unit};
    one.access = spot_access(p->y, x, a->site.name);
    if (x.unit != y.unit)
        return err_set(err, "the two places are in different files: %s and %s", a->site.file,
                       b->site.file);
    if (node_function(u, x.node) == node_function(u, y.node)) {
        if (range_of(u, x.node, y.node, &one.r, err) < 0)
            return -1;
        node_id statement = node_statement(u, x.node);
        one.is_loop = a == b && is_in_head(u, x.node, statement);
    } else if (range_over_calls(u, x.node, node_of(u, node_function(u, x.node))->name, y.node,
                                node_of(u, node_function(u, y.node))->name, &one.r, err) < 0) {
        return -1;
    }
    sections_add(p, one);
    return 0;
}

/* ---- all accesses ----------------------------------------------------------------------- */

static int cover_use(struct sections *p, const struct fix_use *use, struct err *err)
{
    struct fix_step step = {.site = use->site};
    return sections_cover(p, &step, &step, err);
}

int sections_propagate(struct sections *p, const char *variable, const struct lock_choice *l,
                       struct err *err)
{
    const struct fix_guard *g = yard_guard(p->y, variable);
    if (!g)
        return 0;
    for (uint32_t i = 0; i < g->uses.len; i++) {
        const struct fix_use *use = &g->uses.at[i];
        bool is_guarded = l->guard == g && use->guarded == use->count;
        if (is_guarded || yard_is_alone(p->y, &use->site))
            continue;
        if (cover_use(p, use, err) < 0)
            return -1;
    }
    return 0;
}

int sections_hull(struct sections *p, const char *variable, struct err *err)
{
    const struct fix_guard *g = yard_guard(p->y, variable);
    if (!g)
        return err_set(err, "nothing is known of the accesses of %s", variable);
    for (uint32_t i = 0; i < g->uses.len; i++) {
        const struct fix_use *first = &g->uses.at[i];
        if (yard_is_alone(p->y, &first->site))
            continue;
        for (uint32_t k = 0; k < g->uses.len; k++) {
            struct fix_step a = {.site = first->site}, b = {.site = g->uses.at[k].site};
            if (strcmp(a.site.function, b.site.function) != 0 || yard_is_alone(p->y, &b.site))
                continue;
            if (sections_cover(p, &a, &b, err) < 0)
                return -1;
        }
    }
    return 0;
}

/* ---- calls from inside ------------------------------------------------------------------ */

static bool is_covered(const struct sections *p, uint32_t unit, node_id n)
{
    for (uint32_t i = 0; i < p->ranges.len; i++)
        if (p->ranges.at[i].unit == unit &&
            range_has(yard_unit(p->y, unit), p->ranges.at[i].r, n))
            return true;
    return false;
}

/* The range whose function is called from inside another range; NONE if there is none. */
static uint32_t find_called(const struct sections *p)
{
    for (uint32_t i = 0; i < p->ranges.len; i++) {
        const struct section_range *r = &p->ranges.at[i];
        const struct unit *u = yard_unit(p->y, r->unit);
        node_id root = function_of(p, r);
        for (node_id n = root; n != NONE; n = node_walk(u, root, n)) {
            if (node_of(u, n)->kind != NODE_CALL || !range_has(u, r->r, n))
                continue;
            for (uint32_t k = 0; k < p->ranges.len; k++) {
                const struct unit *other = yard_unit(p->y, p->ranges.at[k].unit);
                node_id f = function_of(p, &p->ranges.at[k]);
                if (k != i && f != root &&
                    strcmp(node_of(other, f)->name, node_of(u, n)->name) == 0)
                    return k;
            }
        }
    }
    return NONE;
}

/* Its callers take the lock instead. */
static int lift(struct sections *p, const char *name, struct err *err)
{
    for (uint32_t i = p->ranges.len; i-- > 0;) {
        const struct unit *u = yard_unit(p->y, p->ranges.at[i].unit);
        if (strcmp(node_of(u, function_of(p, &p->ranges.at[i]))->name, name) == 0)
            p->ranges.at[i] = p->ranges.at[--p->ranges.len];
    }
    for (uint32_t i = 0; i < p->y->units.len; i++) {
        const struct unit *u = yard_unit(p->y, i);
        for (node_id n = 1; u && n < u->nodes.len; n++) {
            if (node_of(u, n)->kind != NODE_CALL || strcmp(node_of(u, n)->name, name) != 0 ||
                is_covered(p, i, n))
                continue;
            struct section_range one = {.unit = i, .access = NONE};
            if (range_of(u, n, n, &one.r, err) < 0)
                return -1;
            sections_add(p, one);
        }
    }
    return 0;
}

static int lift_called(struct sections *p, struct err *err)
{
    for (int rounds = 0; rounds < 16; rounds++) {
        uint32_t i = find_called(p);
        if (i == NONE)
            return 0;
        const struct unit *u = yard_unit(p->y, p->ranges.at[i].unit);
        if (lift(p, node_of(u, function_of(p, &p->ranges.at[i]))->name, err) < 0)
            return -1;
    }
    return err_set(err, "sections call each other");
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
    const char *take = lock_call(u, lock, true), *give = lock_call(u, lock, false);
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
        insert(u, loop, INSERT_OPEN, take);
    insert(u, loop, INSERT_CLOSE, give);
    if (node_of(u, body)->kind == NODE_COMPOUND) {
        node_id first = node_of(u, body)->first, last = node_of(u, body)->last;
        if (first == NONE)
            return err_set(err, "the loop has an empty block");
        if (n->kind != NODE_DO)
            insert(u, first, INSERT_OPEN, give);
        insert(u, last, INSERT_CLOSE, take);
        return 0;
    }
    if (n->kind != NODE_DO)
        insert(u, body, INSERT_OPEN, give);
    insert(u, body, INSERT_CLOSE, take);
    return 0;
}

static int make_one(struct sections *p, struct section_range *r, const struct lock_choice *l,
                    struct patch *out, struct err *err)
{
    struct unit *u = yard_unit(p->y, r->unit);
    const char *text = lock_spell(p->y, l, r->unit, r->access, err);
    if (!text)
        return -1;
    struct lock_use lock = {.sort = l->sort, .expression = text};
    if (r->is_loop)
        return make_loop(u, r, &lock, out, err);
    if (section_fit(u, &lock, &r->r, err) < 0)
        return -1;
    return section_make(u, r->r, &lock, out, err);
}

static int by_place(const void *a, const void *b)
{
    const struct section_range *x = a, *y = b;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return x->r.first < y->r.first ? -1 : x->r.first > y->r.first;
}

/* Ranges grow when they are made to fit; then they may meet. */
static int fit_all(struct sections *p, const struct lock_choice *l, struct err *err)
{
    for (uint32_t i = 0; i < p->ranges.len; i++) {
        struct section_range *r = &p->ranges.at[i];
        const char *text = lock_spell(p->y, l, r->unit, r->access, err);
        struct lock_use lock = {.sort = l->sort, .expression = text};
        if (!text ||
            (!r->is_loop && section_fit(yard_unit(p->y, r->unit), &lock, &r->r, err) < 0))
            return -1;
    }
    while (join_once(p))
        ;
    return 0;
}

int sections_make(struct sections *p, const struct lock_choice *l, struct patch *out,
                  struct err *err)
{
    bool *used = mem_zeroed(p->y->units.len + 1, sizeof *used);
    int failed = p->ranges.len ? 0 : err_set(err, "every access is guarded already");
    if (!failed && (lift_called(p, err) < 0 || fit_all(p, l, err) < 0))
        failed = -1;
    if (!failed)
        qsort(p->ranges.at, p->ranges.len, sizeof *p->ranges.at, by_place);
    for (uint32_t i = 0; i < p->ranges.len && !failed; i++) {
        used[p->ranges.at[i].unit] = true;
        failed = make_one(p, &p->ranges.at[i], l, out, err);
    }
    if (!failed && !l->guard && !l->text)
        failed = lock_declare(p->y, l, used, out, err);
    for (uint32_t i = 0; i < p->y->units.len; i++)
        if (used[i]) {
            struct unit *u = yard_unit(p->y, i);
            if (failed)
                u->inserts.len = 0;
            else
                unit_flush(u, out);
        }
    free(used);
    return failed;
}

/* ---- candidates ------------------------------------------------------------------------- */

int sections_propagate_all(struct sections *p, const struct fix_cause *c,
                           const struct lock_choice *lock, struct err *err)
{
    for (uint32_t i = 0; i < c->variable_count; i++)
        if (sections_propagate(p, c->variables[i], lock, err) < 0)
            return -1;
    return 0;
}

void sections_try(struct yard *y, uint32_t cause, const char *recipe,
                  int (*cover)(struct sections *, const struct fix_cause *,
                               const struct lock_choice *, struct err *),
                  const char *what, struct fix_repair *out)
{
    const struct fix_cause *c = &y->causes->causes.at[cause];
    lock_choices locks = {0};
    locks_list(y, c, &locks);
    for (uint32_t i = 0; i < locks.len; i++) {
        const struct lock_choice *lock = &locks.at[i];
        struct fix_candidate *one = candidate_new(out, recipe, cause);
        struct sections plan = {.y = y};
        struct err err;
        bool failed = cover(&plan, c, lock, &err) != 0 ||
                      sections_make(&plan, lock, &one->patch, &err) != 0;
        sections_done(&plan);
        if (failed)
            candidate_drop(out, y, &err);
        else
            candidate_explain(one, y, lock, what);
    }
    vec_done(&locks);
}

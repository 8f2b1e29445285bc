/* SPDX-License-Identifier: Apache-2.0
 *
 * cover: which statements become sections of one lock. Ranges that meet or follow each other
 * are joined. */
#include "fix/recipe.h"

#include <string.h>

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

/* Does the head set a pointer that the body follows? Then what it points to belongs to what the
 * head read: the lock is kept for both, as somebody might free it meanwhile. */
static bool is_walk(const struct unit *u, node_id loop)
{
    const struct node *s = node_of(u, loop);
    node_id body = s->kind == NODE_DO ? s->first : s->last;
    for (node_id n = body; n != NONE; n = node_walk(u, body, n)) {
        bool follows = node_of(u, n)->kind == NODE_MEMBER || node_of(u, n)->kind == NODE_DEREF;
        node_id inner = follows ? node_of(u, n)->first : NONE;
        while (inner != NONE && node_of(u, inner)->kind == NODE_OTHER)
            inner = node_of(u, inner)->first;
        node_id v = inner != NONE && node_of(u, inner)->kind == NODE_NAME
                        ? node_of(u, inner)->declared
                        : NONE;
        if (v == NONE || !strchr(node_of(u, v)->type, '*'))
            continue;
        for (node_id h = loop; h != NONE; h = node_walk(u, loop, h))
            if (!node_is_in(u, h, body) &&
                (h == v || (node_of(u, h)->kind == NODE_NAME && node_of(u, h)->declared == v &&
                            node_is_written(u, h))))
                return true;
    }
    return false;
}

struct node_ref range_function(const struct sections *p, const struct section_range *r)
{
    return (struct node_ref){r->unit,
                             node_function(codebase_unit(p->code, r->unit), r->r.first)};
}

bool range_locks(const struct sections *p, const struct section_range *r, uint32_t unit,
                 node_id n)
{
    CHECK(unit < p->code->units.len && r->call_count <= SECTION_CALLS);
    const struct unit *u = codebase_unit(p->code, r->unit);
    if (r->unit != unit)
        return false;
    return r->end_count ? section_ends_have(u, r->r, r->ends, r->end_count, n)
                        : range_has(u, r->r, n);
}

/* Sections of different locks stay apart. */
static bool is_other_lock(const struct section_range *a, const struct section_range *b)
{
    return a->lock && b->lock && strcmp(a->lock, b->lock) != 0;
}

/* Does one of them end at several places, and reach the other? */
static bool is_split_around(const struct sections *p, const struct section_range *a,
                            const struct section_range *b)
{
    const struct section_range *split = a->end_count ? a : b, *other = a->end_count ? b : a;
    return split->end_count && !range_locks(p, split, other->unit, other->r.first);
}

/* Joins what meets; true if something did. */
bool sections_join(struct sections *p)
{
    struct err ignored;
    for (uint32_t i = 0; i < p->ranges.len; i++)
        for (uint32_t k = 0; k < p->ranges.len; k++) {
            struct section_range *a = &p->ranges.at[i], *b = &p->ranges.at[k];
            if (i == k || a->unit != b->unit || is_other_lock(a, b) ||
                range_function(p, a).node != range_function(p, b).node ||
                is_split_around(p, a, b))
                continue;
            const struct unit *u = codebase_unit(p->code, a->unit);
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
            if (b->end_count && !a->end_count) {
                memcpy(a->ends, b->ends, sizeof a->ends);
                a->end_count = b->end_count;
            }
            p->ranges.at[k] = p->ranges.at[--p->ranges.len];
            return true;
        }
    return false;
}

void sections_add(struct sections *p, struct section_range one)
{
    CHECK(one.unit < p->code->units.len && one.access_unit < p->code->units.len);
    CHECK(one.r.first != NONE && one.r.last != NONE && one.call_count <= SECTION_CALLS);
    CHECK(one.end_count <= SECTION_ENDS);
    vec_push(&p->ranges, one);
    while (sections_join(p))
        ;
}

/* ---- two places ------------------------------------------------------------------------- */

/* How a function gets to a place: the node in it, and the calls, the outermost first. */
struct way {
    node_id node; /* NONE: it does not */
    struct node_ref calls[SECTION_CALLS];
    uint32_t count;
};

/* A header's functions are there in every unit that reads it. */
static bool is_same_function(struct codebase *code, struct node_ref a, struct node_ref b)
{
    if (a.unit == b.unit || a.node == NONE || b.node == NONE)
        return a.unit == b.unit && a.node == b.node;
    const struct unit *u = codebase_unit(code, a.unit), *v = codebase_unit(code, b.unit);
    const struct node *n = node_of(u, a.node), *m = node_of(v, b.node);
    return n->start == m->start && n->end == m->end && n->kind == m->kind &&
           strcmp(u->files.at[n->file].path, v->files.at[m->file].path) == 0;
}

static struct way way_to(struct codebase *code, struct node_ref in, struct node_ref place,
                         struct node_ref function, node_id from, int depth);

/* Through a call that stands behind `from`, or anywhere. */
static struct way way_by_call(struct codebase *code, struct node_ref in, struct node_ref place,
                              struct node_ref function, node_id from, int depth)
{
    const struct unit *u = codebase_unit(code, in.unit);
    bool is_on = from == NONE;
    for (node_id n = in.node; n != NONE; n = node_walk(u, in.node, n)) {
        struct node_ref call = {in.unit, n};
        bool is_call = is_on && node_of(u, n)->kind == NODE_CALL;
        is_on |= n == from;
        struct node_ref target = is_call ? call_target(code, call) : (struct node_ref){0, NONE};
        if (target.node == NONE || is_same_function(code, target, in))
            continue;
        struct way rest = {.node = NONE};
        if (is_same_function(code, target, function))
            rest.node = place.node;
        else if (depth > 0)
            rest = way_to(code, target, place, function, NONE, depth - 1);
        if (rest.node == NONE || rest.count == SECTION_CALLS)
            continue;
        struct way out = {.node = n, .calls = {call}, .count = rest.count + 1};
        memcpy(out.calls + 1, rest.calls, rest.count * sizeof *out.calls);
        return out;
    }
    return (struct way){.node = NONE};
}

static struct way way_to(struct codebase *code, struct node_ref in, struct node_ref place,
                         struct node_ref function, node_id from, int depth)
{
    if (is_same_function(code, in, function))
        return (struct way){.node = place.node};
    struct way w = way_by_call(code, in, place, function, from, depth);
    return w.node == NONE && from != NONE ? way_by_call(code, in, place, function, NONE, depth)
                                          : w;
}

static uint32_t range_bytes(const struct unit *u, struct range r)
{
    return node_of(u, r.last)->end - node_of(u, r.first)->start;
}

static bool is_waiting(const struct unit *u, node_id n)
{
    static const char *const names[] = {"join", "wait", "sleep", "barrier", "poll", "select"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (node_of(u, n)->kind == NODE_CALL && strstr(node_of(u, n)->name, names[i]))
            return true;
    return false;
}

/* If what waits for others stands behind the last access on a way through the last statement,
 * the section ends before it. */
static void set_ends(struct codebase *code, struct section_range *one, const struct way *last)
{
    const struct unit *u = codebase_unit(code, one->unit);
    struct node_ref target =
        last->count ? call_target(code, last->calls[0]) : (struct node_ref){one->unit, NONE};
    if (one->r.first == one->r.last || node_of(u, one->r.last)->kind != NODE_IF)
        return;
    uint32_t count = 0;
    for (node_id n = one->r.last; n != NONE; n = node_walk(u, one->r.last, n)) {
        bool is_end =
            last->count
                ? node_of(u, n)->kind == NODE_CALL &&
                      is_same_function(code, call_target(code, (struct node_ref){one->unit, n}),
                                       target)
                : n == last->node;
        if (is_end && count == SECTION_ENDS)
            return;
        if (is_end)
            one->ends[count++] = n;
    }
    bool is_needed = false;
    for (node_id n = one->r.last; n != NONE && count; n = node_walk(u, one->r.last, n))
        is_needed |= is_waiting(u, n) && !section_ends_have(u, one->r, one->ends, count, n);
    one->end_count = is_needed ? count : 0;
}

static bool is_on_stack(const struct code_stack *s, const char *function)
{
    for (uint32_t i = 0; i < s->depth; i++)
        if (is_function(s->frames[i].function, function))
            return true;
    return s->depth == 0;
}

/* The smallest part of a function that has both, itself or through calls; of those that were
 * active then, if that is known. */
static int cover_calls(struct sections *p, const struct cause_step *a, struct node_ref x,
                       const struct cause_step *b, struct node_ref z, struct section_range *out,
                       struct err *err)
{
    struct codebase *code = p->code;
    struct node_ref in_x = {x.unit, node_function(codebase_unit(code, x.unit), x.node)};
    struct node_ref in_z = {z.unit, node_function(codebase_unit(code, z.unit), z.node)};
    uint32_t best = UINT32_MAX;
    for (int depth = 0; depth < SECTION_CALLS && best == UINT32_MAX; depth++)
        for (uint32_t i = 0; i < code->units.len; i++) {
            const struct unit *u = codebase_unit(code, i);
            for (node_id f = 1; u && f < u->nodes.len; f++) {
                struct node_ref in = {i, f};
                struct range r;
                struct err ignored;
                if (node_of(u, f)->kind != NODE_FUNCTION ||
                    !is_on_stack(&a->stack, node_of(u, f)->name))
                    continue;
                struct way first = way_to(code, in, x, in_x, NONE, depth);
                if (first.node == NONE)
                    continue;
                struct way last = way_to(code, in, z, in_z, first.node, depth);
                if (last.node == NONE || range_of(u, first.node, last.node, &r, &ignored) < 0 ||
                    range_bytes(u, r) >= best)
                    continue;
                best = range_bytes(u, r);
                out->unit = i;
                out->r = r;
                out->call_count = first.count;
                memcpy(out->calls, first.calls, sizeof out->calls);
                set_ends(code, out, &last);
            }
        }
    return best == UINT32_MAX ? err_set(err, "no function calls both %s and %s",
                                        a->site.function, b->site.function)
                              : 0;
}

/* Deep in a library, behind a pointer of its own: whoever called it is among the others. */
static bool is_library(const struct code_site *s)
{
    return strncmp(s->file, "/usr/", 5) == 0;
}

/* The value that a global variable begins with, when no thread is there yet; or the end of a
 * function, where what its own variables hold goes. */
static bool is_outside(struct codebase *code, struct node_ref s)
{
    const struct unit *u = s.node == NONE ? NULL : codebase_unit(code, s.unit);
    return u && (node_function(u, s.node) == NONE || node_statement(u, s.node) == NONE);
}

int sections_cover(struct sections *p, const struct cause_step *a, const struct cause_step *b,
                   struct err *err)
{
    struct node_ref x = codebase_find(p->code, &a->site), z = codebase_find(p->code, &b->site);
    if ((x.node == NONE && is_library(&a->site)) || (z.node == NONE && is_library(&b->site)) ||
        is_outside(p->code, x) || is_outside(p->code, z))
        return 0;
    if (x.node == NONE || z.node == NONE)
        return err_set(err, "%s:%u: the source of this place was not found",
                       x.node == NONE ? a->site.file : b->site.file,
                       x.node == NONE ? a->site.line : b->site.line);
    const struct unit *u = codebase_unit(p->code, x.unit);
    struct section_range one = {.unit = x.unit, .access_unit = x.unit};
    one.access = codebase_access(p->code, x, a->site.name);
    if (x.unit == z.unit && node_function(u, x.node) == node_function(u, z.node)) {
        if (range_of(u, x.node, z.node, &one.r, err) < 0)
            return -1;
        node_id statement = node_statement(u, x.node);
        one.is_loop = a == b && is_in_head(u, x.node, statement) && !is_walk(u, statement);
        set_ends(p->code, &one, &(struct way){.node = z.node});
    } else if (cover_calls(p, a, x, b, z, &one, err) < 0) {
        return -1;
    }
    sections_add(p, one);
    return 0;
}

/* ---- all accesses ----------------------------------------------------------------------- */

static int cover_use(struct sections *p, const struct guard_use *use, struct err *err)
{
    struct cause_step step = {.site = use->site};
    return sections_cover(p, &step, &step, err);
}

bool is_site_held(struct codebase *code, const struct code_site *site,
                  const struct lock_choice *l)
{
    struct node_ref s = codebase_find(code, site);
    struct err ignored;
    if (!l->guard || s.node == NONE)
        return false;
    const char *lock =
        lock_spell(code, l, s.unit, codebase_access(code, s, site->name), &ignored);
    return lock && is_held(code, s, lock);
}

int sections_unrun(struct sections *p, const char *variable, const struct lock_choice *l,
                   struct err *err)
{
    node_refs list = {0};
    int failed = 0;
    if (!p->code->with_unrun || p->is_gate)
        return 0;
    unrun_list(p->code, variable, &list);
    for (uint32_t i = 0; i < list.len && !failed; i++) {
        struct section_range one = {
            .unit = list.at[i].unit, .access = list.at[i].node, .access_unit = list.at[i].unit};
        const char *lock = lock_spell(p->code, l, one.unit, one.access, err);
        failed = lock ? 0 : -1;
        if (failed || (l->guard && is_held(p->code, list.at[i], lock)))
            continue;
        failed =
            range_of(codebase_unit(p->code, one.unit), one.access, one.access, &one.r, err);
        if (!failed)
            sections_add(p, one);
    }
    vec_done(&list);
    return failed;
}

int sections_propagate(struct sections *p, const char *variable, const struct lock_choice *l,
                       struct err *err)
{
    const struct guard *g = codebase_guard(p->code, variable);
    if (!g)
        return 0;
    for (uint32_t i = 0; i < g->uses.len; i++) {
        const struct guard_use *use = &g->uses.at[i];
        bool is_guarded = l->guard == g && use->guarded == use->count;
        if ((p->only_writes && !use->writes) || is_guarded ||
            codebase_is_alone(p->code, &use->site) || is_site_held(p->code, &use->site, l))
            continue;
        if (cover_use(p, use, err) < 0)
            return -1;
    }
    return sections_unrun(p, variable, l, err);
}

/* Two lambdas of one function have the same name. */
static bool is_one_function(struct codebase *code, const struct code_site *a,
                            const struct code_site *b)
{
    struct node_ref x = codebase_find(code, a), z = codebase_find(code, b);
    if (strcmp(a->function, b->function) != 0)
        return false;
    return x.node == NONE || z.node == NONE ||
           (x.unit == z.unit && node_function(codebase_unit(code, x.unit), x.node) ==
                                    node_function(codebase_unit(code, z.unit), z.node));
}

static bool is_meant(const struct sections *p, const struct code_site *site)
{
    struct node_ref s = codebase_find(p->code, site);
    struct err ignored;
    if (codebase_is_alone(p->code, site))
        return false;
    return !p->nameable || s.node == NONE ||
           lock_spell(p->code, p->nameable, s.unit, codebase_access(p->code, s, site->name),
                      &ignored);
}

int sections_whole(struct sections *p, const struct guard *g, const struct guard *h,
                   struct err *err)
{
    for (uint32_t i = 0; i < g->uses.len; i++) {
        struct cause_step a = {.site = g->uses.at[i].site};
        if (!is_meant(p, &a.site))
            continue;
        for (uint32_t k = 0; k < h->uses.len; k++) {
            struct cause_step b = {.site = h->uses.at[k].site};
            if (!is_one_function(p->code, &a.site, &b.site) || !is_meant(p, &b.site))
                continue;
            if (sections_cover(p, &a, &b, err) < 0)
                return -1;
        }
    }
    return 0;
}

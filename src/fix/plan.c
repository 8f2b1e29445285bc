/* SPDX-License-Identifier: Apache-2.0
 *
 * plan: the choice of moves is weighted MaxSAT. A variable for each move; every known failure
 * wants one of those that exclude it; plans that were tried are forbidden; the costs keep the
 * order in which single moves would be tried, and one move before two. */
#include "fix/plan.h"

#include "smt/smt.h"

#include <string.h>

enum {
    COST_MOVE = 1000,    /* and its place in the list */
    COST_LAST = 1500,    /* a last resort, besides: rather two moves */
    COST_LOCK = 300,     /* a new lock, besides, when there is evidence to choose by */
    COST_SEVERAL = 1500, /* the same, for several findings: rather two without one */
    COST_LEFT = 4500     /* of a failure that nothing in the plan excludes */
};

static void check_moves(const struct planner *p)
{
    const struct causes *all = p->code->causes;
    for (uint32_t m = 0; m < p->made.candidates.len; m++) {
        const struct fix_candidate *c = &p->made.candidates.at[m];
        CHECK(c->state == FIX_UNTRIED && c->round == 0 && c->cause < all->causes.len);
        CHECK(c->recipe && *c->recipe && c->why && c->trade);
        CHECK(!c->is_serial && !c->is_surplus && !c->is_offered); /* that is for plans */
        for (uint32_t i = 0; i < c->also.len; i++)
            CHECK(c->also.at[i] < all->causes.len);
        if (c->section)
            CHECK(c->section->cover && c->section->lock.sort < LOCK_SORTS);
    }
}

void planner_check(const struct planner *p)
{
    check_moves(p);
    for (uint32_t i = 0; i < p->required.len; i++)
        for (uint32_t k = 0; k < i; k++)
            CHECK(p->required.at[i] != p->required.at[k]);
    for (uint32_t i = 0; i < p->tried.len; i++) {
        const move_list *t = &p->tried.at[i].moves;
        CHECK(t->len > 0);
        for (uint32_t k = 0; k < t->len; k++) {
            CHECK(t->at[k] < p->made.candidates.len);
            for (uint32_t j = 0; j < k; j++)
                CHECK(t->at[j] != t->at[k]);
        }
    }
}

void planner_done(struct planner *p)
{
    fix_repair_done(&p->made);
    vec_done(&p->required);
    for (uint32_t i = 0; i < p->tried.len; i++)
        vec_done(&p->tried.at[i].moves);
    vec_done(&p->tried);
}

void planner_require(struct planner *p, uint32_t failure)
{
    for (uint32_t i = 0; i < p->required.len; i++)
        if (p->required.at[i] == failure)
            return;
    vec_push(&p->required, failure);
}

void plan_tried(struct planner *p, const move_list *plan, enum plan_fate fate,
                uint32_t candidate)
{
    struct tried_plan one = {.fate = fate, .candidate = candidate};
    CHECK(plan->len > 0 && (candidate != NONE || fate == PLAN_FAILED));
    for (uint32_t i = 0; i < plan->len; i++)
        vec_push(&one.moves, plan->at[i]);
    vec_push(&p->tried, one);
}

static bool has_move(const move_list *plan, uint32_t move)
{
    for (uint32_t i = 0; i < plan->len; i++)
        if (plan->at[i] == move)
            return true;
    return false;
}

bool plan_was_tried(const struct planner *p, const move_list *plan)
{
    for (uint32_t i = 0; i < p->tried.len; i++) {
        const move_list *t = &p->tried.at[i].moves;
        uint32_t shared = 0;
        for (uint32_t k = 0; k < t->len; k++)
            shared += has_move(plan, t->at[k]);
        if (shared == plan->len && t->len == plan->len)
            return true;
    }
    return false;
}

uint32_t plan_last_left(const struct planner *p)
{
    uint32_t left = 0;
    for (uint32_t m = 0; m < p->made.candidates.len; m++) {
        bool is_left = p->made.candidates.at[m].is_last;
        for (uint32_t i = 0; i < p->tried.len; i++)
            is_left &= !has_move(&p->tried.at[i].moves, m);
        left += is_left;
    }
    return left;
}

/* ---- what excludes what ----------------------------------------------------------------- */

static bool is_for(const struct fix_candidate *m, uint32_t cause)
{
    for (uint32_t i = 0; i < m->also.len; i++)
        if (m->also.at[i] == cause)
            return true;
    return m->cause == cause;
}

/* How well it is known that the failure comes from it. */
static int evidence(const struct cause *c)
{
    return cause_is_necessary(c) + cause_is_sufficient(c);
}

static int best_evidence(const struct causes *all, uint32_t failure)
{
    int best = 0;
    for (uint32_t c = 0; c < all->causes.len; c++)
        if (all->causes.at[c].failure == failure && evidence(&all->causes.at[c]) > best)
            best = evidence(&all->causes.at[c]);
    return best;
}

bool cause_counts(const struct causes *all, const struct cause *c)
{
    return evidence(c) == best_evidence(all, c->failure);
}

bool move_is_against(struct planner *p, uint32_t move, uint32_t cause)
{
    const struct fix_candidate *m = &p->made.candidates.at[move];
    return is_for(m, cause) ||
           (m->section &&
            section_excludes(p->code, m->section, &p->code->causes->causes.at[cause]));
}

/* A cause of the failure, of those that are known best. */
static bool move_excludes(struct planner *p, uint32_t move, uint32_t failure)
{
    const struct causes *all = p->code->causes;
    bool is_vain = p->made.candidates.at[move].is_vain;
    for (uint32_t i = 0; i < all->causes.len && !is_vain; i++)
        if (all->causes.at[i].failure == failure && cause_counts(all, &all->causes.at[i]) &&
            move_is_against(p, move, i))
            return true;
    return false;
}

void planner_doubt(struct planner *p, const move_list *plan, uint32_t failure)
{
    for (uint32_t i = 0; i < plan->len; i++)
        p->made.candidates.at[plan->at[i]].is_vain |= move_excludes(p, plan->at[i], failure);
}

bool plan_excludes(struct planner *p, const move_list *plan, uint32_t failure)
{
    for (uint32_t i = 0; i < plan->len; i++)
        if (move_excludes(p, plan->at[i], failure))
            return true;
    return false;
}

/* ---- the choice ------------------------------------------------------------------------- *
 * Move m is the literal m + 1. */

typedef VEC(lit) lit_list;

static lit lit_of(uint32_t move)
{
    return (lit)move + 1;
}

static void add_moves(struct planner *p, struct maxsat *s, enum plan_way way)
{
    lit_list any = {0};
    for (uint32_t m = 0; m < p->made.candidates.len; m++) {
        const struct fix_candidate *c = &p->made.candidates.at[m];
        lit l = maxsat_bool(s);
        CHECK(l == lit_of(m));
        if (c->is_vain)
            maxsat_clause(s, &(lit){-l}, 1);
        maxsat_cost(s, l,
                    COST_MOVE + m + (c->is_last ? COST_LAST : 0) +
                        (p->required.len && way == PLAN_LEARNT
                             ? c->locks * (p->is_for_several ? COST_SEVERAL : COST_LOCK)
                             : 0));
        if (c->is_last || way != PLAN_LAST)
            vec_push(&any, l);
    }
    maxsat_clause(s, any.at, any.len);
    vec_done(&any);
}

static void add_required(struct planner *p, struct maxsat *s)
{
    for (uint32_t i = 0; i < p->required.len; i++) {
        lit_list some = {0};
        lit is_left = maxsat_bool(s);
        vec_push(&some, is_left);
        for (uint32_t m = 0; m < p->made.candidates.len; m++)
            if (move_excludes(p, m, p->required.at[i]))
                vec_push(&some, lit_of(m));
        maxsat_clause(s, some.at, some.len);
        maxsat_cost(s, is_left, COST_LEFT);
        vec_done(&some);
    }
}

static void forbid(struct planner *p, struct maxsat *s, const struct tried_plan *t)
{
    lit_list other = {0};
    for (uint32_t m = 0; m < p->made.candidates.len; m++) {
        if (has_move(&t->moves, m))
            vec_push(&other, -lit_of(m));
        else if (t->fate == PLAN_FAILED)
            vec_push(&other, lit_of(m));
    }
    maxsat_clause(s, other.at, other.len);
    vec_done(&other);
}

int plan_next(struct planner *p, enum plan_way way, move_list *out, struct err *err)
{
    out->len = 0;
    CHECK_ALL(planner_check(p));
    AUTO(maxsat) struct maxsat *s = maxsat_new(err);
    if (!s)
        return -1;
    add_moves(p, s, way);
    if (way != PLAN_LISTED)
        add_required(p, s);
    for (uint32_t i = 0; i < p->tried.len; i++)
        forbid(p, s, &p->tried.at[i]);
    if (maxsat_solve(s) != SAT_YES)
        return 1;
    for (uint32_t m = 0; m < p->made.candidates.len; m++)
        if (maxsat_value(s, lit_of(m)))
            vec_push(out, m);
    CHECK(out->len > 0 && !plan_was_tried(p, out));
    return 0;
}

/* ---- the patch -------------------------------------------------------------------------- */

bool is_same_edit(const struct edit *a, const struct edit *b)
{
    return a->offset == b->offset && a->length == b->length && a->rank == b->rank &&
           strcmp(a->file, b->file) == 0 && strcmp(a->text, b->text) == 0;
}

/* What both want is done once. */
static void merge_patch(struct patch *out, const struct patch *from)
{
    uint32_t own = out->edits.len;
    for (uint32_t i = 0; i < from->edits.len; i++) {
        const struct edit *e = &from->edits.at[i];
        bool is_there = false;
        for (uint32_t k = 0; k < own; k++)
            is_there |= is_same_edit(e, &out->edits.at[k]);
        if (!is_there)
            patch_add(out, e->file, e->offset, e->length, e->text, (enum edit_rank)e->rank);
    }
    for (uint32_t i = 0; i < from->notes.len; i++)
        patch_note(out, "%s", from->notes.at[i]);
}

static bool is_same_lock(const struct lock_choice *a, const struct lock_choice *b)
{
    return a->sort == b->sort && !a->guard == !b->guard && a->is_there == b->is_there &&
           a->record.unit == b->record.unit && a->record.node == b->record.node &&
           strcmp(a->name, b->name) == 0;
}

/* The sections of one lock, of all moves that have that. */
static int make_sections(struct planner *p, const move_list *plan, uint32_t first,
                         struct fix_candidate *out, struct err *err)
{
    const struct section_move *lead = p->made.candidates.at[plan->at[first]].section;
    CHECK(lead && lead->cover);
    struct sections all = {.code = p->code};
    AUTO(patch) struct patch patch = {0};
    int failed = 0;
    for (uint32_t i = first; i < plan->len && !failed; i++) {
        const struct fix_candidate *m = &p->made.candidates.at[plan->at[i]];
        if (m->section && is_same_lock(&m->section->lock, &lead->lock))
            failed = m->section->cover(&all, &p->code->causes->causes.at[m->cause],
                                       &m->section->lock, err);
    }
    if (!failed)
        failed = sections_make(&all, &lead->lock, &patch, err);
    out->is_heavy |= all.is_heavy;
    sections_done(&all);
    if (!failed)
        merge_patch(&out->patch, &patch);
    return failed;
}

/* Was the lock's first move before this one? */
static bool is_made_already(struct planner *p, const move_list *plan, uint32_t place)
{
    const struct section_move *own = p->made.candidates.at[plan->at[place]].section;
    for (uint32_t i = 0; i < place; i++) {
        const struct section_move *m = p->made.candidates.at[plan->at[i]].section;
        if (m && is_same_lock(&m->lock, &own->lock))
            return true;
    }
    return false;
}

static int make_patch(struct planner *p, const move_list *plan, struct fix_candidate *out,
                      struct err *err)
{
    for (uint32_t i = 0; i < plan->len; i++) {
        const struct fix_candidate *m = &p->made.candidates.at[plan->at[i]];
        if (plan->len > 1 && m->section) {
            if (!is_made_already(p, plan, i) && make_sections(p, plan, i, out, err) < 0)
                return -1;
        } else {
            merge_patch(&out->patch, &m->patch);
        }
    }
    return 0;
}

/* "The failure comes with ..., Then the failure comes with ...": what each move says. */
static void tell_moves(struct planner *p, const move_list *plan, struct fix_repair *r,
                       struct fix_candidate *out)
{
    AUTO(str) struct str recipes = {0}, why = {0};
    for (uint32_t i = 0; i < plan->len; i++) {
        const struct fix_candidate *m = &p->made.candidates.at[plan->at[i]];
        bool is_next = i > 0 && *m->why;
        str_add(&recipes, "%s%s", i ? ", " : "", m->recipe);
        str_add(&why, "%s%s", is_next ? " Then t" : "", m->why + is_next);
        out->locks += i > 0 && m->section && is_made_already(p, plan, i) ? 0 : m->locks;
        out->is_heavy |= m->is_heavy;
        out->is_last |= m->is_last;
        out->shows_in_locks |= m->shows_in_locks;
    }
    CHECK(recipes.len > 0);
    out->recipe = arena_text(&r->mem, recipes.at, recipes.len);
    out->why = arena_text(&r->mem, why.at ? why.at : "", why.len);
    out->trade = p->made.candidates.at[plan->at[0]].trade;
}

bool plan_make(struct planner *p, const move_list *plan, struct fix_repair *out,
               const fix_texts *texts)
{
    CHECK(plan->len > 0 && plan->at[0] < p->made.candidates.len);
    const struct fix_candidate *lead = &p->made.candidates.at[plan->at[0]];
    struct fix_candidate *c = candidate_new(out, lead->recipe, lead->cause);
    struct err why;
    if (make_patch(p, plan, c, &why) < 0 || candidate_diff(out, c, texts, &why) < 0) {
        candidate_free(c);
        out->candidates.len--;
        return false;
    }
    tell_moves(p, plan, out, c);
    return true;
}

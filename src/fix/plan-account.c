/* SPDX-License-Identifier: Apache-2.0
 *
 * plan-account: why this plan. The violations that are known, the moves with what each
 * excludes, the plans that were tried with what broke them, and what the best one leaves. */
#include "fix/plan.h"

#include <string.h>

static const char *keep(struct fix_repair *out, const char *text)
{
    return arena_text(&out->mem, text, strlen(text));
}

/* ---- violations -------------------------------------------------------------------------- */

static const char *known_by(struct fix_repair *out, const struct cause *c)
{
    char text[128];
    bool without = cause_is_necessary(c), with = cause_is_sufficient(c);
    if (without || with)
        return without && with ? "without it failing runs pass, with it passing ones fail"
               : without       ? "without it failing runs pass"
                               : "with it passing runs fail";
    if (c->fail + c->pass == 0)
        return "a finding names it";
    snprintf(text, sizeof text, "in %u failing and %u passing runs", c->fail, c->pass);
    return keep(out, text);
}

/* Those that count for their failure: their numbers among the causes. */
static void list_violations(struct planner *p, const move_list *learnt, move_list *causes,
                            struct fix_repair *out)
{
    const struct causes *all = p->code->causes;
    for (uint32_t i = 0; i < all->causes.len; i++) {
        const struct cause *c = &all->causes.at[i];
        bool has_failure = c->failure < all->failures.len;
        AUTO(str) struct str text = {0};
        if (!cause_counts(all, c))
            continue;
        cause_describe(&text, c);
        vec_push(causes, i);
        vec_push(&out->account.violations,
                 (struct fix_violation){
                     .text = keep(out, text.at ? text.at : ""),
                     .known = known_by(out, c),
                     .failure = keep(out, has_failure ? all->failures.at[c->failure].kind : ""),
                     .round = c->failure < learnt->len ? learnt->at[c->failure] : 0});
    }
}

/* ---- moves ------------------------------------------------------------------------------- */

static void list_moves(struct planner *p, const move_list *causes, struct fix_repair *out)
{
    for (uint32_t m = 0; m < p->made.candidates.len; m++) {
        const struct fix_candidate *c = &p->made.candidates.at[m];
        struct fix_move one = {.recipe = keep(out, c->recipe),
                               .why = keep(out, c->why),
                               .locks = c->locks,
                               .is_vain = c->is_vain,
                               .is_last = c->is_last};
        for (uint32_t i = 0; i < causes->len; i++)
            if (move_is_against(p, m, causes->at[i]))
                vec_push(&one.excludes, i);
        vec_push(&out->account.moves, one);
    }
}

/* ---- rounds ------------------------------------------------------------------------------ */

/* What decided, of the lines of its proof. */
static const char *said_of(const struct fix_candidate *c)
{
    return *c->decided ? c->decided : c->log.len ? c->log.at[c->log.len - 1] : "";
}

static void list_rounds(struct planner *p, struct fix_repair *out)
{
    for (uint32_t i = 0; i < p->tried.len; i++) {
        const struct tried_plan *t = &p->tried.at[i];
        bool is_made = t->candidate != NONE;
        const struct fix_candidate *c = is_made ? &out->candidates.at[t->candidate] : NULL;
        struct fix_round one = {.round = is_made ? c->round : 0,
                                .state = is_made ? fix_state_text(c->state) : "no patch",
                                .said = is_made ? said_of(c) : "its edits do not go together"};
        for (uint32_t k = 0; k < t->moves.len; k++)
            vec_push(&one.moves, t->moves.at[k]);
        vec_push(&out->account.rounds, one);
    }
}

/* The plan that the best patch is of; NULL: none. */
static const struct tried_plan *best_plan(const struct planner *p, const struct fix_repair *out)
{
    for (uint32_t i = 0; i < p->tried.len; i++)
        if (out->best != NONE && p->tried.at[i].candidate == out->best)
            return &p->tried.at[i];
    return NULL;
}

static void list_left(struct planner *p, const move_list *causes, struct fix_repair *out)
{
    const struct tried_plan *best = best_plan(p, out);
    for (uint32_t i = 0; best && i < causes->len; i++) {
        bool is_excluded = false;
        for (uint32_t k = 0; k < best->moves.len; k++)
            is_excluded |= move_is_against(p, best->moves.at[k], causes->at[i]);
        if (!is_excluded)
            vec_push(&out->account.left, i);
    }
}

void plan_account(struct planner *p, const move_list *learnt, struct fix_repair *out)
{
    move_list causes = {0};
    list_violations(p, learnt, &causes, out);
    list_moves(p, &causes, out);
    list_rounds(p, out);
    list_left(p, &causes, out);
    vec_done(&causes);
}

void fix_account_done(struct fix_account *a)
{
    for (uint32_t i = 0; i < a->moves.len; i++)
        vec_done(&a->moves.at[i].excludes);
    for (uint32_t i = 0; i < a->rounds.len; i++)
        vec_done(&a->rounds.at[i].moves);
    vec_done(&a->violations);
    vec_done(&a->moves);
    vec_done(&a->rounds);
    vec_done(&a->left);
}

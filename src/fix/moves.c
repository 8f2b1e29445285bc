/* SPDX-License-Identifier: Apache-2.0
 *
 * moves: every recipe is asked about every cause. What they make stands in the order in which
 * each alone would be tried: the smallest change that can work comes first. */
#include "fix/plan.h"

#include <stdlib.h>
#include <string.h>

enum { CAUSES_MAX = 8 };

static const struct recipe *const recipes[] = {
#define RECIPE(name) &recipe_##name,
#include "fix/recipe.def"
#undef RECIPE
};
typedef VEC(uint32_t) cause_list;
enum { RECIPE_COUNT = sizeof recipes / sizeof recipes[0] };

static bool is_same_patch(const struct patch *a, const struct patch *b)
{
    if (a->edits.len != b->edits.len)
        return false;
    for (uint32_t i = 0; i < a->edits.len; i++)
        if (!is_same_edit(&a->edits.at[i], &b->edits.at[i]))
            return false;
    return true;
}

/* Takes back moves behind `from` that are there already: those serve one more cause. */
static void drop_doubles(struct fix_repair *out, uint32_t from)
{
    uint32_t kept = from;
    for (uint32_t i = from; i < out->candidates.len; i++) {
        struct fix_candidate *c = &out->candidates.at[i], *same = NULL;
        for (uint32_t k = 0; k < kept && !same; k++)
            if (is_same_patch(&out->candidates.at[k].patch, &c->patch))
                same = &out->candidates.at[k];
        if (same) {
            vec_push(&same->also, c->cause);
            candidate_free(c);
        } else {
            out->candidates.at[kept++] = *c;
        }
    }
    CHECK(kept >= from && kept <= out->candidates.len);
    out->candidates.len = kept;
}

/* The best causes of each failure in turn, so that no failure is left out. */
static void choose_causes(const struct causes *all, uint32_t first, cause_list *out)
{
    uint32_t *taken = mem_zeroed(all->failures.len + 2, sizeof *taken);
    for (uint32_t place = 0; out->len < CAUSES_MAX && place < all->causes.len; place++) {
        memset(taken, 0, (all->failures.len + 2) * sizeof *taken);
        for (uint32_t c = first; c < all->causes.len && out->len < CAUSES_MAX; c++) {
            uint32_t f = all->causes.at[c].failure;
            f = f < all->failures.len ? f : all->failures.len;
            if (taken[f]++ == place)
                vec_push(out, c);
        }
    }
    free(taken);
}

static bool is_same_step(const struct cause_step *a, const struct cause_step *b)
{
    return a->action == b->action && a->thread == b->thread && a->site.unit == b->site.unit &&
           a->site.ordinal == b->site.ordinal;
}

/* Has the longer one all steps of the shorter one, in as many runs? */
static bool is_part_of(const struct cause *part, const struct cause *whole)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < whole->step_count && found < part->step_count; i++)
        found += is_same_step(&part->steps[found], &whole->steps[i]);
    return found == part->step_count && part->step_count < whole->step_count &&
           part->fail == whole->fail && part->pass == whole->pass &&
           part->failure == whole->failure;
}

/* Two accesses that have a lock in common cannot be kept apart better than by it: what they are
 * part of says what is missing, and has its turn first. */
static void put_whole_first(struct codebase *code, cause_list *list)
{
    for (uint32_t i = 0; i < list->len; i++) {
        const struct cause *part = &code->causes->causes.at[list->at[i]];
        if (part->kind != CAUSE_PATTERN || part->step_count != 2 || !is_guarded(code, part))
            continue;
        for (uint32_t k = i + 1; k < list->len; k++)
            if (is_part_of(part, &code->causes->causes.at[list->at[k]])) {
                uint32_t moved = list->at[i];
                memmove(&list->at[i], &list->at[i + 1], (k - i) * sizeof moved);
                list->at[k] = moved;
                i--; /* who has come to its place is asked too */
                break;
            }
    }
}

static void ask_recipes(struct planner *p, const cause_list *causes)
{
    static const enum recipe_turn turns[] = {TURN_FIRST, TURN_USUAL, TURN_LAST};
    struct fix_repair *out = &p->made;
    for (uint32_t t = 0; t < sizeof turns / sizeof *turns; t++)
        for (uint32_t c = 0; c < causes->len; c++)
            for (uint32_t i = 0; i < RECIPE_COUNT; i++) {
                uint32_t from = out->candidates.len;
                if (recipes[i]->turn != turns[t])
                    continue;
                recipes[i]->make(p->code, causes->at[c], out);
                CHECK(out->candidates.len >= from);
                for (uint32_t k = from; k < out->candidates.len; k++)
                    CHECK(out->candidates.at[k].cause == causes->at[c]);
                drop_doubles(out, from);
                for (uint32_t k = from; k < out->candidates.len; k++)
                    out->candidates.at[k].is_last |= turns[t] == TURN_LAST;
            }
}

/* What holds a lock for long comes behind what does not, and before the last resorts; then
 * existing locks before new ones. */
static void put_heavy_back(struct fix_repair *out, uint32_t from)
{
    VEC(struct fix_candidate) sorted = {0};
    for (int part = 0; part < 4; part++)
        for (uint32_t i = from; i < out->candidates.len; i++) {
            const struct fix_candidate *c = &out->candidates.at[i];
            int own = c->is_last ? 3 : !c->is_heavy ? 0 : c->locks ? 2 : 1;
            if (own == part)
                vec_push(&sorted, *c);
        }
    CHECK(sorted.len == out->candidates.len - from); /* each has one part */
    for (uint32_t i = 0; i < sorted.len; i++)
        out->candidates.at[from + i] = sorted.at[i];
    vec_done(&sorted);
}

void planner_ask(struct planner *p, uint32_t first_cause)
{
    cause_list causes = {0};
    uint32_t from = p->made.candidates.len;
    CHECK(first_cause <= p->code->causes->causes.len);
    choose_causes(p->code->causes, first_cause, &causes);
    CHECK(causes.len <= CAUSES_MAX);
    put_whole_first(p->code, &causes);
    ask_recipes(p, &causes);
    put_heavy_back(&p->made, from);
    vec_done(&causes);
    CHECK_ALL(planner_check(p));
}

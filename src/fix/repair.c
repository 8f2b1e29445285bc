/* SPDX-License-Identifier: Apache-2.0
 *
 * repair: every recipe is asked about every cause; the patches are tried in an order in which
 * the smallest change that can work comes first, until one is proven. */
#include "fix/recipe.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS_DEFAULT = 12, CAUSES_MAX = 8, LAST_ROUNDS = 2 };

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
    for (uint32_t i = 0; i < a->edits.len; i++) {
        const struct edit *x = &a->edits.at[i], *y = &b->edits.at[i];
        if (x->offset != y->offset || x->length != y->length || strcmp(x->file, y->file) != 0 ||
            strcmp(x->text, y->text) != 0)
            return false;
    }
    return true;
}

/* Takes back candidates behind `from` that are there already. */
static void drop_doubles(struct fix_repair *out, uint32_t from)
{
    uint32_t kept = from;
    for (uint32_t i = from; i < out->candidates.len; i++) {
        bool is_double = false;
        for (uint32_t k = 0; k < kept; k++)
            is_double |=
                is_same_patch(&out->candidates.at[k].patch, &out->candidates.at[i].patch);
        if (is_double) {
            patch_done(&out->candidates.at[i].patch);
            vec_done(&out->candidates.at[i].log);
        } else {
            out->candidates.at[kept++] = out->candidates.at[i];
        }
    }
    out->candidates.len = kept;
}

/* The best causes of each failure in turn, so that no failure is left out. */
static void choose_causes(const struct causes *all, cause_list *out)
{
    uint32_t *taken = mem_zeroed(all->failures.len + 2, sizeof *taken);
    for (uint32_t place = 0; out->len < CAUSES_MAX && place < all->causes.len; place++) {
        memset(taken, 0, (all->failures.len + 2) * sizeof *taken);
        for (uint32_t c = 0; c < all->causes.len && out->len < CAUSES_MAX; c++) {
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

static void collect(struct fix_repair *out, struct codebase *code)
{
    static const enum recipe_turn turns[] = {TURN_FIRST, TURN_USUAL, TURN_LAST};
    cause_list causes = {0};
    choose_causes(code->causes, &causes);
    put_whole_first(code, &causes);
    for (uint32_t t = 0; t < sizeof turns / sizeof *turns; t++)
        for (uint32_t c = 0; c < causes.len; c++)
            for (uint32_t i = 0; i < RECIPE_COUNT; i++) {
                uint32_t from = out->candidates.len;
                if (recipes[i]->turn != turns[t])
                    continue;
                recipes[i]->make(code, causes.at[c], out);
                drop_doubles(out, from);
                for (uint32_t k = from; k < out->candidates.len; k++)
                    out->candidates.at[k].is_last = turns[t] == TURN_LAST;
            }
    vec_done(&causes);
}

/* What holds a lock for long comes behind what does not, and before the last resorts; then
 * existing locks before new ones. */
static void put_heavy_back(struct fix_repair *out)
{
    VEC(struct fix_candidate) sorted = {0};
    for (int part = 0; part < 4; part++)
        for (uint32_t i = 0; i < out->candidates.len; i++) {
            const struct fix_candidate *c = &out->candidates.at[i];
            int own = c->is_last ? 3 : !c->is_heavy ? 0 : c->locks ? 2 : 1;
            if (own == part)
                vec_push(&sorted, *c);
        }
    for (uint32_t i = 0; i < sorted.len; i++)
        out->candidates.at[i] = sorted.at[i];
    vec_done(&sorted);
}

/* A patch that changes nothing is none. */
static int diff_all(struct fix_repair *out, const fix_texts *texts, struct err *err)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < out->candidates.len; i++) {
        struct fix_candidate *c = &out->candidates.at[i];
        if (candidate_diff(out, c, texts, err) < 0)
            return -1;
        if (c->lines) {
            out->candidates.at[kept++] = *c;
            continue;
        }
        patch_done(&c->patch);
        str_done(&c->diff);
    }
    out->candidates.len = kept;
    return 0;
}

static bool is_better(const struct fix_candidate *a, const struct fix_candidate *b)
{
    if (a->state != b->state)
        return a->state > b->state;
    if (a->is_helping != b->is_helping)
        return a->is_helping;
    if (a->is_last != b->is_last)
        return b->is_last;
    if (a->is_heavy != b->is_heavy)
        return b->is_heavy;
    if (a->locks != b->locks)
        return a->locks < b->locks;
    return a->lines < b->lines;
}

static int try_all(struct fix_repair *out, struct codebase *code,
                   const struct fix_repair_opts *opts, struct err *err)
{
    uint32_t rounds = opts->rounds ? opts->rounds : ROUNDS_DEFAULT, last = 0;
    for (uint32_t i = 0; i < out->candidates.len; i++)
        last += out->candidates.at[i].is_last && last < LAST_ROUNDS;
    for (uint32_t i = 0; i < out->candidates.len && out->rounds < rounds; i++) {
        struct fix_candidate *c = &out->candidates.at[i];
        if (!c->is_last && out->rounds + last >= rounds && out->rounds > opts->rounds_done)
            continue; /* so that a last resort has its turn */
        c->round = ++out->rounds;
        if (opts->progress)
            opts->progress("patches tried", out->rounds);
        if (candidate_prove(out, c, code, opts, err) < 0)
            return -1;
        if (out->best == NONE || is_better(c, &out->candidates.at[out->best]))
            out->best = i;
        if ((c->state == FIX_PROVEN && !opts->all) || run_signal())
            break;
    }
    return 0;
}

/* Which accesses had company is seen in the runs that are told of. */
static int mark_alone(struct codebase *code, const struct fix_repair_opts *opts,
                      struct err *err)
{
    AUTO(str) struct str recorded = {0};
    str_add(&recorded, "%s/%s", opts->home, opts->recorded ? opts->recorded : "");
    if (opts->recorded && codebase_mark_alone(code, recorded.at, err) < 0)
        return -1;
    for (uint32_t i = 0; i < code->causes->failures.len; i++)
        if (codebase_mark_alone(code, code->causes->failures.at[i].run, err) < 0)
            return -1;
    return code->causes->passing ? codebase_mark_alone(code, code->causes->passing, err) : 0;
}

int fix_repair(struct fix_repair *out, const struct causes *causes, const struct guards *guards,
               const struct fix_repair_opts *opts, struct err *err)
{
    struct codebase code;
    *out = (struct fix_repair){.best = NONE, .rounds = opts->rounds_done};
    const char *original = opts->original ? opts->original : opts->argv[0];
    if (codebase_open(&code, original, opts->texts, err) < 0)
        return -1;
    code.causes = causes;
    code.guards = guards;
    code.with_unrun = opts->unrun;
    int failed = mark_alone(&code, opts, err);
    if (!failed) {
        collect(out, &code);
        put_heavy_back(out);
        failed = diff_all(out, opts->texts, err);
    }
    if (!failed)
        failed = try_all(out, &code, opts, err);
    codebase_close(&code);
    return failed;
}

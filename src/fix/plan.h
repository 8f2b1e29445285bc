/* SPDX-License-Identifier: Apache-2.0
 *
 * plan: which moves together mend the program. A move is what one recipe makes of one cause; a
 * plan is a set of them, and one patch. The cheapest plan comes first that excludes every
 * failure that is known to be left; a plan that has failed does not come again. */
#ifndef FIX_PLAN_H
#define FIX_PLAN_H

#include "fix/recipe.h"

typedef VEC(uint32_t) move_list; /* indices of moves */

enum plan_fate {
    PLAN_FAILED,  /* with more moves it may be right */
    PLAN_REFUSED, /* not with these in it, whatever comes with them */
};

struct tried_plan {
    move_list moves;
    enum plan_fate fate;
    uint32_t candidate; /* what it became; NONE: its moves made no patch */
};

struct planner {
    struct codebase *code;
    struct fix_repair made; /* its candidates are the moves */
    move_list required;     /* failures that some run had behind a plan without a move for it */
    VEC(struct tried_plan) tried;
    bool is_for_several; /* findings, each of which wants something against it */
};

/* The moves of all causes from this one on. */
void planner_ask(struct planner *p, uint32_t first_cause);
/* Moves are untried, of causes that are known, and no plan names one twice. */
void planner_check(const struct planner *p);
void planner_done(struct planner *p);
/* Every plan has to have a move against this failure from now on, if there is any. */
void planner_require(struct planner *p, uint32_t failure);
/* The plan's program still fails so: its moves that should exclude that do not. */
void planner_doubt(struct planner *p, const move_list *plan, uint32_t failure);
enum plan_way {
    PLAN_LEARNT, /* what is known to be left has its price */
    PLAN_LISTED, /* as if nothing had been learnt: the next single move */
    PLAN_LAST,   /* with a last resort in it */
};

/* The cheapest plan that was not tried. 1: there is none. */
int plan_next(struct planner *p, enum plan_way way, move_list *out, struct err *err);
void plan_tried(struct planner *p, const move_list *plan, enum plan_fate fate,
                uint32_t candidate);
bool plan_was_tried(const struct planner *p, const move_list *plan);
/* Is the cause one of those that are known best for its failure? */
bool cause_counts(const struct causes *all, const struct cause *c);
bool move_is_against(struct planner *p, uint32_t move, uint32_t cause);
/* Does a move of the plan exclude a cause of the failure? */
bool plan_excludes(struct planner *p, const move_list *plan, uint32_t failure);
/* Last resorts that were not tried yet. */
uint32_t plan_last_left(const struct planner *p);
/* A candidate with the plan's patch, the last of out's; false: its moves cannot be made
 * together. */
bool plan_make(struct planner *p, const move_list *plan, struct fix_repair *out,
               const fix_texts *texts);
bool is_same_edit(const struct edit *a, const struct edit *b);

/* Fills out's account; learnt: by failure, the round that has taught it. */
void plan_account(struct planner *p, const move_list *learnt, struct fix_repair *out);

/* ---- learn ------------------------------------------------------------------------------ */

/* Causes of what the patched program fails by, as causes of the program before; they explain a
 * failure of their own, the last of all->failures. 1: there are none, or they are about what
 * the patch itself has brought. */
int learn_causes(struct causes *all, const struct fix_candidate *c,
                 const struct fix_repair_opts *opts, struct err *err);

#endif

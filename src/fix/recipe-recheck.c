/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-recheck: `if (empty) wait;` believes that what it waited for is still so when it goes
 * on; others may have come first, or nobody may have called. The test becomes a loop. */
#include "fix/recipe.h"

/* The `if` without `else` whose body is nothing but the wait; NONE if it is none. */
static node_id if_of(const struct unit *u, node_id wait)
{
    node_id s = node_statement(u, wait);
    node_id above = s == NONE ? NONE : node_of(u, s)->parent, body = s;
    if (above != NONE && node_of(u, above)->kind == NODE_COMPOUND &&
        node_of(u, above)->first == s && node_of(u, above)->last == s) {
        body = above;
        above = node_of(u, above)->parent;
    }
    bool is_if = above != NONE && node_of(u, above)->kind == NODE_IF &&
                 node_of(u, above)->last == body && !node_of(u, above)->is_macro;
    /* the condition is all that stands before the body: no `else` */
    return is_if && node_of(u, node_of(u, above)->first)->next == body ? above : NONE;
}

static uint32_t recheck(struct unit *u, struct patch *out)
{
    uint32_t count = 0;
    for (node_id n = 1; n < u->nodes.len; n++) {
        node_id test = call_is_wait(u, n) && node_function(u, n) != NONE ? if_of(u, n) : NONE;
        if (test == NONE)
            continue;
        patch_add(out, u->files.at[node_of(u, test)->file].path, node_of(u, test)->start, 2,
                  "while", EDIT_OPEN);
        count++;
    }
    return count;
}

/* Those of the file that a step is in, if that step's function waits so. */
static void recheck_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    for (uint32_t i = 0; i < c->step_count; i++) {
        struct node_ref s = codebase_find(code, &c->steps[i].site);
        struct unit *u = s.node == NONE ? NULL : codebase_unit(code, s.unit);
        node_id function = u ? node_function(u, s.node) : NONE;
        bool waits = false;
        for (node_id n = function; n != NONE; n = node_walk(u, function, n))
            waits |= call_is_wait(u, n) && if_of(u, n) != NONE;
        if (!waits)
            continue;
        struct fix_candidate *one = candidate_new(out, "recheck", cause);
        recheck(u, &one->patch);
        candidate_explain(one, code, NULL,
                          "what is waited for is tested again when the wait is over");
        one->trade = "no new lock, nothing is held longer";
        return;
    }
}

const struct recipe recipe_recheck = {
    .name = "recheck",
    .help = "the test before a wait becomes a loop",
    .make = recheck_make,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * encode-why: which guards, places, locks and orders keep a goal from being reached. Every
 * clause hangs on the literal of its reason; the solver says which of these it needed. One
 * after the other is then left out, as long as the answer stays no. */
#include "symbolic/encode.h"

#include "base/err.h"

enum { REASONS_MAX = 40 }; /* that it is tried without */

typedef VEC(lit) lit_list;

/* Those that the last no needed. */
static void take_core(struct encoder *e, const lit_list *assumed, lit_list *out)
{
    out->len = 0;
    for (uint32_t i = 0; i < assumed->len; i++)
        if (solver_in_core(e->s, assumed->at[i]))
            vec_push(out, assumed->at[i]);
}

/* From the last to the first: what was made first is closest to the goal's own thread. */
static void shrink(struct encoder *e, lit_list *core, bool is_limited)
{
    lit_list fewer = {0}, next = {0};
    for (uint32_t i = core->len; i-- > 0 && core->len <= REASONS_MAX;) {
        fewer.len = 0;
        for (uint32_t k = 0; k < core->len; k++)
            if (k != i)
                vec_push(&fewer, core->at[k]);
        if (encode_search(e, fewer.at, fewer.len, is_limited) != SAT_NO)
            continue;
        take_core(e, &fewer, &next);
        core->len = 0;
        for (uint32_t k = 0; k < next.len; k++)
            vec_push(core, next.at[k]);
        i = i < core->len ? i : core->len;
    }
    vec_done(&fewer);
    vec_done(&next);
}

enum verdict_sat encode_why(const struct problem *p, const struct goal *g,
                            const struct encode_opts *opts, hinder_list *out)
{
    AUTO(solver) struct solver *s =
        solver_new(opts->engine, p->pool, &(struct solver_opts){opts->work});
    struct encoder e = {.p = p, .g = g, .s = s, .explains = true};
    lit_list all = {0}, core = {0};
    enum verdict_sat answer;
    bool is_limited = opts->clauses_max > 0;
    encoder_init(&e, opts);
    if (encode_all(&e, opts->clauses_max, &answer)) {
        for (uint32_t i = 0; i < e.reason_lits.len; i++)
            vec_push(&all, e.reason_lits.at[i]);
        answer = encode_search(&e, all.at, all.len, is_limited);
    }
    if (answer == SAT_NO && all.len > 0) {
        take_core(&e, &all, &core);
        shrink(&e, &core, is_limited);
    }
    for (uint32_t i = 0; i < core.len; i++)
        for (uint32_t k = 0; k < e.reason_lits.len; k++)
            if (e.reason_lits.at[k] == core.at[i])
                vec_push(out, e.reasons.at[k]);
    vec_done(&all);
    vec_done(&core);
    encoder_done(&e);
    return answer;
}

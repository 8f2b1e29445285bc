/* SPDX-License-Identifier: Apache-2.0
 *
 * why: a no as a sentence. Its reasons, few enough that none can be left out, are told in the
 * order in which a person follows them: under which values threads come there, who writes those
 * and when, then locks and the lives of threads. */
#include "symbolic/symbolic.h"
#include "symbolic/words.h"

#include <string.h>

enum { GUARDS_MAX = 3, WRITERS_MAX = 2 };

struct whying {
    struct words words;
    const struct goal *g;
    struct str *out;
    uint32_t told;
};

static void next_part(struct whying *y)
{
    str_add(y->out, y->told++ ? "; " : "");
}

/* ---- who makes a condition hold ---------------------------------------------------------- */

/* The only reading that a condition depends on, or NULL. */
static const struct reading *only_reading(const struct problem *p, term cond)
{
    bool *part = term_parts(p->pool, cond);
    const struct reading *only = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->readings.len; i++)
        if (part[p->readings.at[i].var]) {
            only = &p->readings.at[i];
            count++;
        }
    free(part);
    return count == 1 && only->count == 1 ? only : NULL;
}

static bool would_hold(const struct problem *p, term cond, bool wanted, term var,
                       term_bits value)
{
    AUTO(term_env) struct term_env *env = term_env_new(p->pool);
    term_bits holds = 0;
    term_env_set(env, var, value);
    return term_eval(env, cond, &holds) && (holds == 1) == wanted;
}

/* The writes of the run that make it so, one of each site. false: they are too many, or the
 * first content does too. */
static bool find_writers(const struct problem *p, const struct node *guard,
                         const struct reading *r, node_id *out, uint32_t *count)
{
    place_id x = p->parts.at[r->first].place;
    bool wanted = guard->op == NODE_GUARD;
    *count = 0;
    if (!p->places.at[x].is_known ||
        would_hold(p, guard->cond, wanted, r->var, p->places.at[x].initial))
        return false;
    for (node_id n = 0; n < p->nodes.len; n++)
        for (uint32_t i = 0; i < p->nodes.at[n].count; i++) {
            const struct part *part = &p->parts.at[p->nodes.at[n].first + i];
            if (part->place != x || !part->writes)
                continue;
            if (part->write == NONE)
                return false;
            if (!would_hold(p, guard->cond, wanted, r->var, part->wrote))
                continue;
            bool is_known = false;
            for (uint32_t k = 0; k < *count; k++)
                is_known |= p->nodes.at[out[k]].site == p->nodes.at[n].site &&
                            p->nodes.at[out[k]].thr == p->nodes.at[n].thr;
            if (!is_known && *count == WRITERS_MAX)
                return false;
            if (!is_known)
                out[(*count)++] = n;
        }
    return *count > 0;
}

/* "; in the run only the write by T1 at a.c:20 makes it so, behind a.c:18" */
static void add_writers(struct whying *y, const struct node *guard)
{
    const struct problem *p = y->words.p;
    const struct reading *r = only_reading(p, guard->cond);
    node_id writer[WRITERS_MAX];
    uint32_t count;
    if (!r || !find_writers(p, guard, r, writer, &count))
        return;
    str_add(y->out, ", and in the run only the write by ");
    for (uint32_t i = 0; i < count; i++) {
        str_add(y->out, i ? " or by " : "");
        words_add_thread(y->out, &y->words, writer[i]);
        str_add(y->out, " at ");
        words_add_site(y->out, &y->words, writer[i]);
    }
    str_add(y->out, " makes it so");
    const struct node *w = &p->nodes.at[writer[0]];
    for (uint32_t i = 0; count == 1 && i < y->g->count; i++) {
        const struct node *n = &p->nodes.at[y->g->node[i]];
        if (n->thr != w->thr || n->idx >= w->idx)
            continue;
        str_add(y->out, ", behind ");
        words_add_site(y->out, &y->words, y->g->node[i]);
        break;
    }
}

static void add_guard(struct whying *y, node_id n)
{
    const struct problem *p = y->words.p;
    const struct node *guard = &p->nodes.at[n];
    term cond = guard->cond;
    next_part(y);
    words_add_thread(y->out, &y->words, n);
    str_add(y->out, " goes on past ");
    words_add_site(y->out, &y->words, n);
    str_add(y->out, " only if ");
    if (guard->op == NODE_CHECK)
        cond = term_not(p->pool, cond);
    if (!words_add_condition(y->out, &y->words, cond))
        str_add(y->out, "what it has read gives the same result as in the run");
    add_writers(y, guard);
}

/* ---- the other reasons ------------------------------------------------------------------- */

static void add_lock(struct whying *y, uint32_t lock)
{
    next_part(y);
    str_add(y->out, "sections of '");
    sync_name(y->out, y->words.m, lock);
    str_add(y->out, "' exclude each other");
}

static void add_created(struct whying *y, uint32_t thr)
{
    next_part(y);
    thread_name(y->out, y->words.m->trace, thr);
    str_add(y->out, " exists only behind ");
    words_add_site(y->out, &y->words, y->words.p->paths.at[thr].create);
}

static void add_joined(struct whying *y, node_id join)
{
    next_part(y);
    words_add_thread(y->out, &y->words, join);
    str_add(y->out, " waits at ");
    words_add_site(y->out, &y->words, join);
    str_add(y->out, " until ");
    thread_name(y->out, y->words.m->trace, y->words.p->nodes.at[join].obj);
    str_add(y->out, " has ended");
}

static void add_node(struct whying *y, node_id n, const char *what)
{
    next_part(y);
    words_add_thread(y->out, &y->words, n);
    str_add(y->out, "%s", what);
    words_add_site(y->out, &y->words, n);
}

static void add_reason(struct whying *y, const struct hinder *r)
{
    switch (r->kind) {
    case HINDER_GUARD:
        add_guard(y, r->what);
        break;
    case HINDER_LOCK:
        add_lock(y, r->what);
        break;
    case HINDER_WAIT:
        add_node(y, r->what, " has to be woken at ");
        break;
    case HINDER_CREATE:
        add_created(y, r->what);
        break;
    case HINDER_JOIN:
        add_joined(y, r->what);
        break;
    case HINDER_NEED:
        add_node(y, r->what, " needs what was done for it in the run at ");
        break;
    case HINDER_PLACE:
        break; /* told with the guards that read it */
    }
}

static void tell(struct whying *y, const hinder_list *reasons)
{
    uint32_t guards = 0;
    for (unsigned pass = 0; pass < 2; pass++) /* guards first */
        for (uint32_t i = 0; i < reasons->len; i++) {
            bool is_guard = reasons->at[i].kind == HINDER_GUARD;
            if (is_guard == (pass == 0) && !(is_guard && guards++ >= GUARDS_MAX))
                add_reason(y, &reasons->at[i]);
        }
    if (guards > GUARDS_MAX)
        str_add(y->out, "; and %u more conditions hold", guards - GUARDS_MAX);
    if (y->told == 0)
        str_add(y->out, "each thread's own order leaves no room for it");
}

enum verdict_sat symbolic_why(const struct problem *p, const struct model *m,
                              const struct goal *g, const struct symbolic_opts *opts,
                              struct str *out)
{
    AUTO(sym_witness) struct sym_witness w = {0};
    struct symbolic_stat stat = {0};
    struct err refusal;
    enum verdict_sat answer = symbolic_ask(p, g, opts, &w, &stat, &refusal);
    if (answer != SAT_NO)
        return answer;
    hinder_list reasons = {0};
    struct whying y = {.words = {p, m}, .g = g, .out = out};
    struct encode_opts all = {
        .engine = opts->engine, .work = opts->work, .clauses_max = opts->clauses_max};
    all.end = p->nodes.len;
    if (encode_why(p, g, &all, &reasons) == SAT_NO)
        tell(&y, &reasons);
    else
        str_add(out,
                "no order of the recorded paths, with the values that go with it, does it");
    vec_done(&reasons);
    return SAT_NO;
}

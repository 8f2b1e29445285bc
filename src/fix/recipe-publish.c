/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-publish: an atomic variable says that something is there, or free, or asked for; it is
 * set before that is so, or cleared when others may have set it again:
 *     atomic_store(&r->head, head + 1);         r->slot[head] = *s;
 *     r->slot[head] = *s;                       atomic_store(&r->head, head + 1);
 * The store and what it tells of change places. */
#include "fix/recipe.h"

/* Is it nothing but a store to an atomic variable, or a count of one? */
static bool is_store(const struct unit *u, node_id statement)
{
    struct atomic_use use;
    return !is_body(u, statement) &&
           atomic_use_whole(text_trim(node_text(u, statement)), &use) &&
           use.does != ATOMIC_LOAD;
}

/* The variable that an assignment's left side begins with: c of "c->name = name"; NONE. */
static node_id assigned_to(const struct unit *u, node_id statement)
{
    const struct node *s = node_of(u, statement);
    node_id at = s->kind == NODE_ASSIGN ? s->first : NONE;
    while (at != NONE && node_of(u, at)->kind != NODE_NAME)
        at = node_of(u, at)->first;
    return at == NONE ? NONE : node_of(u, at)->declared;
}

/* With what fills the same thing right behind it. */
static node_id last_filling(const struct unit *u, node_id statement)
{
    node_id variable = assigned_to(u, statement), next = node_of(u, statement)->next;
    if (variable == NONE || node_of(u, variable)->kind == NODE_FIELD)
        return statement;
    while (next != NONE && assigned_to(u, next) == variable) {
        statement = next;
        next = node_of(u, statement)->next;
    }
    return statement;
}

/* May control leave the statements, so that what stands behind them is not done? */
static bool may_leave(const struct unit *u, struct range r)
{
    for (node_id s = r.first; s != NONE; s = node_of(u, s)->next) {
        for (node_id n = s; n != NONE; n = node_walk(u, s, n)) {
            enum node_kind kind = node_of(u, n)->kind;
            if (kind == NODE_RETURN || kind == NODE_GOTO || kind == NODE_BREAK ||
                kind == NODE_CONTINUE || kind == NODE_LABEL || kind == NODE_CASE ||
                kind == NODE_THROW)
                return true;
        }
        if (s == r.last)
            break;
    }
    return false;
}

/* The store that stands before the last statement, or is that: it goes to the other end. */
static node_id find_store(const struct unit *u, struct range r)
{
    node_id found = NONE;
    for (node_id s = r.first; s != NONE && s != r.last; s = node_of(u, s)->next)
        if (is_store(u, s))
            found = s;
    bool is_last = r.first != r.last && is_store(u, r.last);
    if (found == NONE && is_last)
        found = r.last;
    return is_last && found != r.last ? NONE : found; /* which of the two is meant? */
}

static int swap(struct codebase *code, const struct section_range *one, struct patch *out,
                struct err *err)
{
    struct unit *u = codebase_unit(code, one->unit);
    struct range r = one->r;
    node_id store = find_store(u, r);
    if (store == NONE)
        return err_set(err, "no store to an atomic variable stands there");
    bool is_down = store != r.last;
    if (is_down)
        r.last = last_filling(u, r.last);
    struct range moved = {store, store};
    struct range passed = is_down ? (struct range){node_of(u, store)->next, r.last}
                                  : (struct range){r.first, statement_before(u, r.last)};
    if (may_leave(u, passed) || !may_change_places(u, moved, passed))
        return err_set(err, "what stands between decides what is stored, or whether");
    statements_move(u, moved, is_down ? r.last : r.first, is_down ? INSERT_CLOSE : INSERT_OPEN,
                    out);
    unit_flush(u, out);
    return 0;
}

/* A thread's first and last step of the cause; false: it has one only. */
static bool steps_of(const struct cause *c, uint32_t thread, uint32_t *first, uint32_t *last)
{
    *first = *last = NONE;
    for (uint32_t i = 0; i < c->step_count; i++)
        if (c->steps[i].thread == thread) {
            *first = *first == NONE ? i : *first;
            *last = i;
        }
    return *first != *last;
}

static int swap_steps(struct codebase *code, const struct cause *c, uint32_t thread,
                      struct patch *out, struct err *err)
{
    struct sections p = {.code = code};
    uint32_t first, last;
    if (!steps_of(c, thread, &first, &last))
        return err_set(err, "a thread does one thing only");
    int failed = sections_cover(&p, &c->steps[first], &c->steps[last], err);
    if (!failed)
        failed = p.ranges.len == 1 ? swap(code, &p.ranges.at[0], out, err)
                                   : err_set(err, "its source was not found");
    sections_done(&p);
    return failed;
}

/* In the threads whose bits are set: a ring may be wrong at both of its ends. */
static void try_threads(struct codebase *code, uint32_t cause, uint32_t threads,
                        struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    struct fix_candidate *one = candidate_new(out, "publish", cause);
    struct err err;
    int failed = 0;
    for (uint32_t t = 0; t < 2 && !failed; t++)
        if (threads & 1U << t)
            failed = swap_steps(code, c, t, &one->patch, &err);
    if (failed) {
        candidate_drop(out, code, &err);
        return;
    }
    candidate_explain(one, code, NULL,
                      "the variable is set when what it tells of is so, not before or after");
    one->trade = "no lock, and not a step more";
}

static void publish_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    if (code->causes->causes.at[cause].kind == CAUSE_PATTERN)
        for (uint32_t threads = 1; threads <= 3; threads++)
            try_threads(code, cause, threads, out);
}

const struct recipe recipe_publish = {
    .name = "publish",
    .help = "an atomic store and what it tells of change places",
    .make = publish_make,
    .turn = TURN_FIRST,
};

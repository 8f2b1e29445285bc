/* SPDX-License-Identifier: Apache-2.0
 *
 * recipe-gate: every access has its lock, and what belongs together is done in several
 * sections of it, in functions that take it themselves:
 *     if (queue_size(q) > 0)
 *         item = queue_pop(q);
 * Who calls them cannot take that lock as well. A new one, the gate, is taken before it, around
 * the calls, and around every other change of the data, so that nothing comes between. */
#include "fix/recipe.h"

#include <string.h>

bool is_guarded(struct codebase *code, const struct cause *c)
{
    for (uint32_t i = 0; i < c->variable_count; i++) {
        const struct guard *g = codebase_guard(code, c->variables[i]);
        if (!g || g->bond == GUARD_BOND_NONE || g->is_shared || g->guarded < g->accesses)
            return false;
    }
    return c->variable_count > 0;
}

bool is_only_gate(struct codebase *code, const struct cause *c, const struct lock_choice *lock)
{
    return !lock->guard && !lock->is_there && is_guarded(code, c);
}

/* What comes between is a change? Then reads may come there. */
static bool is_broken_by_write(const struct cause *c)
{
    return c->step_count == 3 && c->variable_count == 1 && c->steps[1].action == CAUSE_WRITE;
}

static int cover_pair(struct sections *p, const struct cause *c, const struct lock_choice *lock,
                      struct err *err)
{
    p->is_gate = true;
    p->only_writes = is_broken_by_write(c);
    if (cover_threads(p, c, err) < 0)
        return -1;
    return sections_propagate_all(p, c, lock, err);
}

/* The lock that guards what the cause is about, elsewhere; NULL: none does. */
static const struct lock_choice *other_lock(const lock_choices *locks)
{
    for (uint32_t i = 0; i < locks->len; i++)
        if (locks->at[i].guard)
            return &locks->at[i];
    return NULL;
}

/* Who walks through a list and calls what is in it cannot have the list's lock meanwhile: what
 * is called may take it. It has the gate instead, and so has whoever changes the list. */
static int cover_callback(struct sections *p, const struct cause *c,
                          const struct lock_choice *lock, struct err *err)
{
    p->is_gate = true;
    for (uint32_t v = 0; v < c->variable_count; v++) {
        const struct guard *g = codebase_guard(p->code, c->variables[v]);
        for (uint32_t i = 0; g && i < g->uses.len; i++) {
            struct cause_step step = {.site = g->uses.at[i].site};
            bool is_needed =
                g->uses.at[i].writes || !is_site_held(p->code, &step.site, lock->before);
            if (is_needed && !codebase_is_alone(p->code, &step.site) &&
                sections_cover(p, &step, &step, err) < 0)
                return -1;
        }
    }
    return 0;
}

/* Only if somebody is called back: else the lock that there is would do. */
static void try_callback(struct codebase *code, uint32_t cause, const struct lock_choice *gate,
                         struct fix_repair *out)
{
    uint32_t before = out->candidates.len;
    sections_try_lock(code, cause, "gate", cover_callback, gate,
                      "it is taken before the other around what calls back, and around what "
                      "changes the data",
                      out);
    if (out->candidates.len == before || out->candidates.at[before].is_heavy)
        return;
    struct err err;
    err_set(&err, "nothing is called back");
    candidate_drop(out, code, &err);
}

static const char *gate_name(struct codebase *code, const struct lock_choice *l)
{
    struct unit *u = codebase_unit(code, l->record.unit);
    if (!l->record.node)
        return unit_fresh(u, keep_text(code, "%s_gate", name_stem(code, l->variable)));
    size_t len = strlen(l->name);
    const char *name = len && l->name[len - 1] == '_' ? "gate_" : "gate";
    return record_field(u, l->record.node, name) == NONE ? name : unit_fresh(u, name);
}

static void gate_make(struct codebase *code, uint32_t cause, struct fix_repair *out)
{
    const struct cause *c = &code->causes->causes.at[cause];
    lock_choices locks = {0};
    if (c->kind != CAUSE_PATTERN)
        return;
    locks_list(code, c, &locks);
    bool is_only = is_guarded(code, c);
    for (uint32_t i = 0; i < locks.len; i++) {
        struct lock_choice gate = locks.at[i];
        gate.before = other_lock(&locks);
        if (gate.guard || gate.is_there || (is_only ? c->step_count < 3 : !gate.before))
            continue;
        gate.name = gate_name(code, &gate);
        if (is_only)
            sections_try_lock(code, cause, "gate", cover_pair, &gate,
                              "it is taken before the other around what belongs together", out);
        else
            try_callback(code, cause, &gate, out);
    }
    vec_done(&locks);
}

const struct recipe recipe_gate = {
    .name = "gate",
    .help = "a new lock around several sections of one that stays",
    .make = gate_make,
};

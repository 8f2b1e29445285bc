/* SPDX-License-Identifier: Apache-2.0
 *
 * evaluate: executes the paths in the order of a witness, one step after the other, with a
 * memory of values, owners of locks and waiting threads, and looks whether the goal is reached.
 * It knows the problem and nothing of how the witness was found. */
#include "symbolic/problem.h"

#include "base/err.h"

#include <inttypes.h>

struct content {
    bool is_known;
    term_bits value;
    node_id writer; /* NONE: it was there at the start */
};

struct lock {
    uint32_t owner; /* thread, or NONE */
    uint32_t readers;
};

/* Signals that have woken nobody yet; which thread one wakes is decided when somebody goes on:
 * the earliest one that came after its wait began. */
struct signal {
    uint32_t cond, when;
    bool is_used, is_broadcast;
};

struct machine {
    const struct problem *p;
    const struct goal *g;
    struct term_env *env;
    uint32_t *at; /* by thread: so many nodes of its path are executed */
    struct content *memory;
    struct lock *locks;
    bool *done;           /* by node */
    uint32_t *wait_began; /* by node: when */
    VEC(struct signal) signals;
    uint32_t now;
    bool is_over; /* a check has failed */
    struct err *err;
};

#define NO(m, n, ...)                                                                        \
    (err_set((m)->err, __VA_ARGS__), err_in((m)->err, "step %u of T%u", (n)->idx, (n)->thr), \
     false)

static bool holds(struct machine *m, term t)
{
    term_bits value;
    return term_eval(m->env, t, &value) && value == 1;
}

static bool is_condition(const struct node *n)
{
    return n->op == NODE_GUARD || n->op == NODE_CHECK;
}

/* Executes the guards and checks of a thread up to node idx `to` of it, or to an event. */
static bool pass_guards(struct machine *m, uint32_t thr, uint32_t to)
{
    const struct path *path = &m->p->paths.at[thr];
    while (m->at[thr] < to) {
        const struct node *n = &m->p->nodes.at[path->nodes.at[m->at[thr]]];
        if (!is_condition(n))
            break;
        term_bits value;
        if (!term_eval(m->env, n->cond, &value))
            return NO(m, n, "its condition has no value");
        if ((value == 1) != (n->op == NODE_GUARD))
            return NO(m, n, "the thread leaves its path here");
        m->at[thr]++;
    }
    return true;
}

/* ---- memory ------------------------------------------------------------------------------ */

/* A read that has to be as recorded, or sees a write of which nothing else is known. */
static bool is_as_recorded(struct machine *m, const struct part *part)
{
    const struct content *c = &m->memory[part->place];
    if (c->writer != part->source)
        return false;
    if (c->writer == NONE || !c->is_known)
        return true;
    const struct node *w = &m->p->nodes.at[c->writer];
    for (uint32_t i = 0; i < w->count; i++) {
        const struct part *wrote = &m->p->parts.at[w->first + i];
        if (wrote->place == part->place && wrote->writes)
            return wrote->wrote == c->value;
    }
    return false;
}

static bool read_one(struct machine *m, const struct node *n, const struct reading *r)
{
    term_bits value = 0;
    unsigned at = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const struct part *part = &m->p->parts.at[r->first + i];
        const struct content *c = &m->memory[part->place];
        if (!c->is_known && !is_as_recorded(m, part))
            return NO(m, n, "it reads what is not known");
        value |= (c->is_known ? c->value : part->saw) << at;
        at += m->p->places.at[part->place].width;
    }
    term_env_set(m->env, r->var, value);
    return true;
}

/* What it reads has not been written by anybody, and what it gets is nobody's business. */
static bool read_early(struct machine *m, const struct node *n)
{
    for (uint32_t i = 0; i < n->count; i++)
        if (m->memory[m->p->parts.at[n->first + i].place].writer != NONE)
            return NO(m, n, "what it reads has been written");
    return true;
}

static bool access_memory(struct machine *m, node_id id, const struct node *n)
{
    if (goal_is_blind(m->g, id))
        return read_early(m, n);
    for (uint32_t i = 0; i < n->count; i++) {
        const struct part *part = &m->p->parts.at[n->first + i];
        if (part->reads && part->read == NONE && !is_as_recorded(m, part))
            return NO(m, n, "it has to read what it read in the trace");
    }
    for (uint32_t i = 0; i < n->read_count; i++)
        if (!read_one(m, n, &m->p->readings.at[n->read_first + i]))
            return false;
    for (uint32_t i = 0; i < n->count; i++) {
        const struct part *part = &m->p->parts.at[n->first + i];
        struct content *c = &m->memory[part->place];
        if (!part->writes)
            continue;
        c->writer = id;
        c->is_known = part->write != NONE;
        if (c->is_known && !term_eval(m->env, part->write, &c->value))
            return NO(m, n, "what it writes has no value");
    }
    return true;
}

/* ---- locks, waits ------------------------------------------------------------------------ */

/* A thread that was woken uses up the earliest signal that it could have got. */
static bool was_woken(struct machine *m, const struct node *n)
{
    uint32_t cond = m->p->nodes.at[n->wait].obj;
    for (uint32_t i = 0; i < m->signals.len; i++) {
        struct signal *s = &m->signals.at[i];
        if (s->cond != cond || s->is_used || s->when < m->wait_began[n->wait])
            continue;
        s->is_used = !s->is_broadcast;
        return true;
    }
    return false;
}

static bool acquire(struct machine *m, const struct node *n)
{
    struct lock *l = &m->locks[n->obj];
    if (l->owner != NONE || (!n->is_shared && l->readers > 0))
        return NO(m, n, "the lock is taken");
    if (n->wait != NONE && !was_woken(m, n))
        return NO(m, n, "nobody has woken it");
    if (n->is_shared)
        l->readers++;
    else
        l->owner = n->thr;
    return true;
}

static bool release(struct machine *m, const struct node *n)
{
    struct lock *l = &m->locks[n->obj];
    bool is_shared = n->link != NONE && m->p->nodes.at[n->link].is_shared;
    if (is_shared ? l->readers == 0 : l->owner != n->thr)
        return NO(m, n, "the thread does not have the lock");
    if (is_shared)
        l->readers--;
    else
        l->owner = NONE;
    return true;
}

static bool join(struct machine *m, const struct node *n)
{
    const struct path *path = &m->p->paths.at[n->obj];
    if (!pass_guards(m, n->obj, path->nodes.len))
        return false;
    return m->at[n->obj] == path->nodes.len || NO(m, n, "the thread joined has not ended");
}

/* ---- steps ------------------------------------------------------------------------------- */

static bool has_needs(struct machine *m, node_id id)
{
    const struct problem *p = m->p;
    for (uint32_t i = problem_needs(p, id); i < p->needs.len && p->needs.at[i].to == id; i++)
        if (!m->done[p->needs.at[i].from])
            return false;
    return true;
}

static bool is_live(const struct machine *m, uint32_t thr)
{
    node_id create = m->p->paths.at[thr].create;
    return create == NONE || m->done[create];
}

static bool perform(struct machine *m, node_id id, const struct node *n)
{
    switch (n->op) {
    case NODE_ACCESS:
        return access_memory(m, id, n);
    case NODE_ACQUIRE:
        return acquire(m, n);
    case NODE_RELEASE:
        return release(m, n);
    case NODE_JOIN:
        return join(m, n);
    case NODE_WAIT:
        m->wait_began[id] = m->now;
        return true;
    case NODE_SIGNAL:
    case NODE_BROADCAST:
        vec_push(&m->signals, (struct signal){.cond = n->obj,
                                              .when = m->now,
                                              .is_broadcast = n->op == NODE_BROADCAST});
        return true;
    default:
        return true;
    }
}

/* Does a check fail that comes right behind what the thread has done? */
static bool fails_now(struct machine *m, uint32_t thr)
{
    const struct path *path = &m->p->paths.at[thr];
    for (uint32_t i = m->at[thr]; i < path->nodes.len; i++) {
        const struct node *n = &m->p->nodes.at[path->nodes.at[i]];
        if (!is_condition(n))
            return false;
        if (holds(m, n->cond) != (n->op == NODE_GUARD))
            return n->op == NODE_CHECK;
    }
    return false;
}

static bool step(struct machine *m, node_id id)
{
    const struct node *n = &m->p->nodes.at[id];
    if (m->is_over)
        return NO(m, n, "the program has ended: a check has failed");
    if (!is_live(m, n->thr))
        return NO(m, n, "its thread does not exist yet");
    const struct node *read = &m->p->nodes.at[m->g->node[0]];
    if (m->g->kind == GOAL_EARLY && m->done[m->g->node[0]] && read->thr == n->thr &&
        read->read_count != 1) /* else what depends on it has no value */
        return NO(m, n, "its thread has read what is not known");
    if (!pass_guards(m, n->thr, n->idx))
        return false;
    if (m->at[n->thr] != n->idx)
        return NO(m, n, "it is not the next step of its thread");
    if (!has_needs(m, id))
        return NO(m, n, "what it needs has not happened");
    m->now++;
    if (!perform(m, id, n))
        return false;
    m->done[id] = true;
    m->at[n->thr]++;
    m->is_over = fails_now(m, n->thr);
    return true;
}

/* Stands the thread of this node right before it? */
static bool is_next(struct machine *m, node_id id)
{
    const struct node *n = &m->p->nodes.at[id];
    if (!is_live(m, n->thr) || !pass_guards(m, n->thr, n->idx))
        return false;
    return m->at[n->thr] == n->idx || NO(m, n, "its thread does not come to it");
}

static bool is_reached(struct machine *m, const struct goal *g, const uint32_t *when)
{
    for (uint32_t i = 0; i < g->count; i++) {
        const struct node *n = &m->p->nodes.at[g->node[i]];
        if (goal_happens(g) ? !m->done[g->node[i]] : !is_next(m, g->node[i]))
            return NO(m, n, "the goal is not reached");
        if (g->kind == GOAL_CHECK && !holds(m, n->cond))
            return NO(m, n, "the check does not fail");
        if (goal_happens(g) && i > 0 && when[i - 1] >= when[i])
            return NO(m, n, "not the order that was asked for");
    }
    if (g->also != NONE && !holds(m, g->also)) {
        err_set(m->err, "what was asked besides does not hold");
        return false;
    }
    return true;
}

static bool execute(struct machine *m, const struct goal *g, const struct sym_witness *w)
{
    uint32_t when[GOAL_MAX] = {0};
    for (uint32_t i = 0; i < w->from + w->order.len; i++) {
        node_id id = i < w->from ? i : w->order.at[i - w->from];
        if (is_condition(&m->p->nodes.at[id]))
            continue;
        if (!step(m, id))
            return false;
        for (uint32_t k = 0; k < g->count; k++)
            if (g->node[k] == id)
                when[k] = m->now;
    }
    return is_reached(m, g, when);
}

bool problem_evaluate(const struct problem *p, const struct goal *g,
                      const struct sym_witness *w, struct term_env *env, struct err *err)
{
    AUTO(term_env) struct term_env *own = env ? NULL : term_env_new(p->pool);
    struct machine m = {.p = p, .g = g, .env = env ? env : own, .err = err};
    m.at = mem_zeroed(p->paths.len + 1, sizeof *m.at);
    m.memory = mem_zeroed(p->places.len + 1, sizeof *m.memory);
    m.locks = mem_zeroed(p->lock_count + 1, sizeof *m.locks);
    m.done = mem_zeroed(p->nodes.len + 1, sizeof *m.done);
    m.wait_began = mem_zeroed(p->nodes.len + 1, sizeof *m.wait_began);
    for (uint32_t i = 0; i < p->places.len; i++)
        m.memory[i] = (struct content){p->places.at[i].is_known, p->places.at[i].initial, NONE};
    for (uint32_t i = 0; i < p->lock_count; i++)
        m.locks[i].owner = NONE;
    bool good = execute(&m, g, w);
    free(m.at);
    free(m.memory);
    free(m.locks);
    free(m.done);
    free(m.wait_began);
    vec_done(&m.signals);
    return good;
}

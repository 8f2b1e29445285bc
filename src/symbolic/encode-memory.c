/* SPDX-License-Identifier: Apache-2.0
 *
 * encode-memory: which write each read sees, and with which value. Only reads whose values
 * matter are looked at: those that a guard or the goal depends on, directly or through what is
 * written. */
#include "symbolic/encode.h"

#include "base/err.h"

#include <string.h>

/* ---- what matters ------------------------------------------------------------------------ */

static void cone_push(struct encoder *e, term t)
{
    if (t == NONE || t >= e->cone_size || e->term_seen[t])
        return;
    e->term_seen[t] = 1;
    vec_push(&e->cone, t);
}

/* Everything that may be read there matters. */
static void place_push(struct encoder *e, place_id x)
{
    if (e->place_matters[x])
        return;
    e->place_matters[x] = true;
    for (uint32_t i = e->writes_first[x]; i < e->writes_first[x + 1]; i++)
        cone_push(e, lean(e, e->p->parts.at[e->write_parts[i]].write));
}

static void reading_push(struct encoder *e, const struct reading *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        place_push(e, e->p->parts.at[r->first + i].place);
}

static void cone_close(struct encoder *e, const uint32_t *reading_of)
{
    while (e->cone.len) {
        term t = e->cone.at[--e->cone.len];
        const struct term_node *n = term_at(e->p->pool, t);
        if (n->op == TERM_VAR && reading_of[n->a] != NONE)
            reading_push(e, &e->p->readings.at[reading_of[n->a]]);
        const term child[3] = {n->a, n->b, n->c};
        for (unsigned i = 0; i < term_child_count(n); i++)
            cone_push(e, child[i]);
    }
}

/* Variables of reads that lie in the stretch have to be looked for; the others are known. */
static uint32_t *index_readings(const struct encoder *e)
{
    uint32_t vars = term_var_count(e->p->pool);
    uint32_t *out = mem_get((vars + 1) * sizeof *out);
    memset(out, 0xff, (vars + 1) * sizeof *out);
    for (node_id n = e->from; n < e->end; n++) {
        const struct node *node = node_at(e, n);
        for (uint32_t i = 0; is_open(e, n) && i < node->read_count; i++)
            out[term_var_number(e->p->pool, e->p->readings.at[node->read_first + i].var)] =
                node->read_first + i;
    }
    return out;
}

void cone_mark(struct encoder *e)
{
    uint32_t *reading_of = index_readings(e);
    for (node_id n = e->from; n < e->end; n++) {
        const struct node *node = node_at(e, n);
        if (!is_open(e, n))
            continue;
        if ((node->op == NODE_GUARD || node->op == NODE_CHECK) && !node->is_idle)
            cone_push(e, lean(e, node->cond));
        for (uint32_t i = 0; !goal_is_blind(e->g, n) && i < node->count; i++)
            if (is_bound(e, &e->p->parts.at[node->first + i])) {
                place_push(e, e->p->parts.at[node->first + i].place);
                cone_push(e, e->p->parts.at[node->first + i].read);
            }
    }
    if (e->g->kind == GOAL_CHECK)
        cone_push(e, lean(e, node_at(e, e->g->node[0])->cond));
    cone_push(e, lean(e, e->g->also));
    cone_close(e, reading_of);
    free(reading_of);
}

/* ---- what a read sees -------------------------------------------------------------------- */

/* One read of one place. */
struct sight {
    node_id read;
    const struct part *part;
    lit executed;
    uint32_t own; /* index in writes of the last write of its own thread before it, or NONE */
};

/* The write is over when this read sees another one: it came before that, or comes after. */
static void exclude(struct encoder *e, const struct sight *r, lit sees, node_id seen,
                    node_id other)
{
    clause_begin(e);
    clause_add(e, -sees);
    clause_add(e, -executed(e, other));
    if (seen != NONE)
        clause_add(e, node_is_before(e, other, seen));
    clause_add(e, node_is_before(e, r->read, other));
    clause_end(e);
}

static void exclude_others(struct encoder *e, const struct sight *r, lit sees, node_id seen)
{
    place_id x = r->part->place;
    for (uint32_t i = e->writes_first[x]; i < e->writes_first[x + 1]; i++)
        if (e->writes[i] != seen && e->writes[i] != r->read)
            exclude(e, r, sees, seen, e->writes[i]);
}

/* A literal that the read sees this (NONE: what was there), under these conditions. */
static lit sees_if(struct encoder *e, const struct sight *r, node_id seen, const lit *then,
                   uint32_t count)
{
    lit sees = solver_bool(e->s);
    for (uint32_t i = 0; i < count; i++) {
        clause_begin(e);
        clause_add(e, -sees);
        clause_add(e, then[i]);
        clause_end(e);
    }
    exclude_others(e, r, sees, seen);
    return sees;
}

/* What a term has to be for the read to see that value; writer NONE: the first content. */
static lit same_value(struct encoder *e, const struct part *read, term written, bool is_known,
                      term_bits wrote, bool is_source)
{
    struct term_pool *pool = e->p->pool;
    if (read->read == NONE) { /* it is to see what it saw */
        if (!is_source)
            return -e->yes;
        if (written == NONE)
            return e->yes;
        return solver_lit(
            e->s, term_eq(pool, written, term_const(pool, term_width(pool, written), wrote)));
    }
    unsigned width = term_width(pool, read->read);
    if (written != NONE)
        return solver_lit(e->s, term_eq(pool, read->read, written));
    if (is_known)
        return solver_lit(e->s, term_eq(pool, read->read, term_const(pool, width, wrote)));
    if (!is_source)
        return -e->yes;
    return solver_lit(e->s, term_eq(pool, read->read, term_const(pool, width, read->saw)));
}

static const struct part *written_part(const struct encoder *e, node_id writer, place_id x)
{
    const struct node *n = node_at(e, writer);
    for (uint32_t i = 0; i < n->count; i++) {
        const struct part *part = &e->p->parts.at[n->first + i];
        if (part->place == x && part->writes)
            return part;
    }
    return NULL;
}

/* The literal that the read sees what was there when the stretch began. */
static lit see_start(struct encoder *e, const struct sight *r)
{
    place_id x = r->part->place;
    node_id writer = e->writer[x];
    const struct sym_place *place = &e->p->places.at[x];
    bool is_known = place->is_known;
    term_bits value = place->initial;
    if (writer != NONE) {
        const struct part *part = written_part(e, writer, x);
        is_known = part->write != NONE;
        value = part->wrote;
    }
    lit same = same_value(e, r->part, NONE, is_known, value, writer == r->part->source);
    if (same == -e->yes)
        return same;
    return sees_if(e, r, NONE, (const lit[]){same, r->executed}, 2);
}

static lit see_write(struct encoder *e, const struct sight *r, uint32_t at)
{
    node_id w = e->writes[at];
    const struct part *part = &e->p->parts.at[e->write_parts[at]];
    lit same =
        same_value(e, r->part, lean(e, part->write), false, part->wrote, w == r->part->source);
    lit earlier = node_is_before(e, w, r->read);
    if (same == -e->yes || earlier == -e->yes)
        return -e->yes;
    return sees_if(e, r, w, (const lit[]){same, earlier, executed(e, w), r->executed}, 4);
}

/* Writes of the read's own thread before its last one before the read are over for it. */
static bool is_visible(const struct encoder *e, const struct sight *r, uint32_t at)
{
    const struct node *w = node_at(e, e->writes[at]), *n = node_at(e, r->read);
    return w->thr != n->thr || at == r->own;
}

static uint32_t own_write(const struct encoder *e, const struct node *r, place_id x)
{
    uint32_t own = NONE;
    for (uint32_t i = e->writes_first[x]; i < e->writes_first[x + 1]; i++) {
        const struct node *w = node_at(e, e->writes[i]);
        if (w->thr == r->thr && w->idx < r->idx)
            own = i;
    }
    return own;
}

static void encode_read(struct encoder *e, node_id read, const struct part *part)
{
    place_id x = part->place;
    group_begin(e, HINDER_PLACE, x);
    struct sight r = {.read = read, .part = part, .executed = executed(e, read)};
    VEC(lit) sees = {0};
    r.own = own_write(e, node_at(e, read), x);
    if (r.own == NONE)
        vec_push(&sees, see_start(e, &r));
    for (uint32_t i = e->writes_first[x]; i < e->writes_first[x + 1]; i++)
        if (e->writes[i] != read && is_visible(e, &r, i))
            vec_push(&sees, see_write(e, &r, i));
    clause_begin(e);
    clause_add(e, -r.executed);
    for (uint32_t i = 0; i < sees.len; i++)
        clause_add(e, sees.at[i]);
    clause_end(e);
    vec_done(&sees);
    group_end(e);
    e->stat.reads++;
}

/* What was read before the stretch is what it was in the trace. */
static void fix_earlier(struct encoder *e)
{
    struct term_pool *pool = e->p->pool;
    for (node_id n = 0; n < e->from; n++) {
        const struct node *node = node_at(e, n);
        for (uint32_t i = 0; i < node->read_count; i++) {
            const struct reading *r = &e->p->readings.at[node->read_first + i];
            if (!cone_has(e, r->var))
                continue;
            clause_begin(e);
            clause_add(e, solver_lit(e->s, term_eq(pool, r->var,
                                                   term_const(pool, term_width(pool, r->var),
                                                              r->saw))));
            clause_end(e);
        }
    }
}

static bool reading_matters(const struct encoder *e, const struct node *n, uint32_t part)
{
    if (e->p->parts.at[part].is_forwarded && !is_plain(e))
        return false;
    for (uint32_t i = 0; i < n->read_count; i++) {
        const struct reading *r = &e->p->readings.at[n->read_first + i];
        if (part >= r->first && part < r->first + r->count)
            return cone_has(e, r->var);
    }
    return true;
}

uint64_t memory_size(const struct encoder *e)
{
    uint64_t size = 0;
    for (node_id n = e->from; n < e->end; n++) {
        const struct node *node = node_at(e, n);
        for (uint32_t i = node->first; is_open(e, n) && i < node->first + node->count; i++) {
            place_id x = e->p->parts.at[i].place;
            uint64_t writes = e->writes_first[x + 1] - e->writes_first[x];
            if (e->p->parts.at[i].reads && reading_matters(e, node, i))
                size += writes * writes;
        }
    }
    return size;
}

void encode_memory(struct encoder *e)
{
    fix_earlier(e);
    for (node_id n = e->from; n < e->end; n++) {
        const struct node *node = node_at(e, n);
        if (!is_open(e, n) || goal_is_blind(e->g, n))
            continue;
        if (is_too_much(e))
            return;
        for (uint32_t i = node->first; i < node->first + node->count; i++)
            if (e->p->parts.at[i].reads && reading_matters(e, node, i))
                encode_read(e, n, &e->p->parts.at[i]);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * paths: the problem of a window: the model says which events there are, how they synchronise
 * and which memory they share, the executed paths say what their values depend on. An event
 * that no path tells of happens as recorded: what it reads is fixed by a guard. Where a path
 * ends, everything that its thread has read so far is fixed, and it goes on as recorded. */
#include "symbolic/symbolic.h"

#include "symbolic/places.h"

#include <string.h>

struct value {
    uint64_t value, value2;
};

/* One thread while its events are merged with its path. */
struct merging {
    const struct ir_path *path; /* borrowed; NULL: none */
    uint32_t at;                /* its next step */
    bool has_ended;             /* everything read so far is fixed */
    VEC(uint32_t) readings;
};

struct build {
    struct problem *p;
    const struct model *m;
    const struct ir *ir;
    struct places places;
    struct value *values; /* by event number */
    node_id *node_of;     /* by row, or NONE */
    bool *is_shared;      /* by cell */
    bool *is_chained;     /* by sync: its events keep their order */
    node_id *chain;       /* by sync: the last of them, or NONE */
    struct merging *threads;
};

/* ---- what the trace says ----------------------------------------------------------------- */

static int read_values(struct build *b, struct err *err)
{
    struct trace_cursor *c = mem_get(sizeof *c);
    struct ev e;
    int item;
    cursor_init(c, b->m->trace);
    c->values = true;
    while ((item = trace_next(c, &e, err)) > ITEM_END)
        if (item == ITEM_EVENT && c->number <= b->m->trace_events)
            b->values[c->number - 1] = (struct value){e.value, e.value2};
    free(c);
    return item < 0 ? -1 : 0;
}

static void find_shared(struct build *b)
{
    const struct model *m = b->m;
    for (cell_id c = 0; c < m->cell_count; c++)
        for (uint32_t i = m->cell_first[c] + 1; i < m->cell_first[c + 1]; i++)
            if (m->ev[m->accesses[i]].thr != m->ev[m->accesses[i - 1]].thr)
                b->is_shared[c] = true;
}

/* Objects whose rules are not encoded: semaphores, and locks that somebody was refused. */
static void find_chained(struct build *b)
{
    const struct model *m = b->m;
    for (ev_id e = 0; e < m->ev_count; e++) {
        uint8_t kind = m->ev[e].kind;
        bool is_refusal = kind == EV_REFUSED || kind == EV_TIMEOUT;
        if (kind == EV_SEM_POST || kind == EV_SEM_WAIT ||
            (is_refusal && (m->ev[e].detail & DETAIL_BUSY)))
            b->is_chained[m->obj[e]] = b->p->is_partial = true;
    }
}

/* ---- cutting memory ---------------------------------------------------------------------- */

/* The rows of an event: [first, last]. */
static bool rows_of(const struct model *m, uint64_t number, ev_id *first, ev_id *last)
{
    *last = model_find(m, number);
    if (*last == NONE)
        return false;
    for (*first = *last; *first > 0 && model_number(m, *first - 1) == number; --*first)
        ;
    return true;
}

static void cut_step(struct build *b, const struct ir_step *s)
{
    ev_id first, last;
    if ((s->kind != IR_READ && s->kind != IR_WRITE) || !rows_of(b->m, s->event, &first, &last))
        return;
    for (ev_id e = first; e <= last; e++) {
        if (!model_touches(b->m, e))
            continue;
        struct span span = model_cells(b->m, e);
        for (uint32_t i = 0; i < span.count; i++)
            places_cut(&b->places, span.first + i, s->addr, s->size);
    }
}

static void cut_memory(struct build *b, const struct ir_paths *paths)
{
    for (uint32_t t = 0; t < paths->at.len; t++)
        for (uint32_t i = 0; i < paths->at.at[t].steps.len; i++)
            cut_step(b, &paths->at.at[t].steps.at[i]);
    places_sort(&b->places);
}

/* What was there before anybody wrote: what the program's file has, as far as it says. */
static void make_places(struct build *b)
{
    for (cell_id c = 0; c < b->m->cell_count; c++) {
        uint32_t count;
        places_of(&b->places, c, &count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t bytes;
            uint64_t addr = place_addr(&b->places, c, i, &bytes), value = 0;
            struct sym_place place = {.width = bytes > 16 ? 0 : 8 * bytes};
            if (bytes <= 8 && ir_initial(b->ir, addr, bytes, &value)) {
                place.is_known = true;
                place.initial = value & term_mask(8 * bytes);
            }
            vec_push(&b->p->places, place);
        }
    }
}

/* ---- nodes ------------------------------------------------------------------------------- */

static struct node node_of_row(const struct build *b, ev_id e, enum node_op op)
{
    return (struct node){.op = (uint8_t)op,
                         .thr = b->m->ev[e].thr,
                         .link = NONE,
                         .wait = NONE,
                         .notify = NONE,
                         .cond = NONE,
                         .site = model_site(b->m, e),
                         .event = model_number(b->m, e)};
}

static void add_guard(struct build *b, uint32_t thr, enum node_op op, term cond, uint8_t why,
                      uint32_t site, uint64_t event)
{
    if (term_is_const(b->p->pool, cond))
        return;
    problem_add(b->p, (struct node){.op = (uint8_t)op,
                                    .why = why,
                                    .thr = (uint16_t)thr,
                                    .link = NONE,
                                    .wait = NONE,
                                    .notify = NONE,
                                    .cond = cond,
                                    .site = site,
                                    .event = event});
}

/* The variable has the value that it had in the trace. */
static void fix_reading(struct build *b, uint32_t thr, const struct reading *r, uint64_t event)
{
    struct term_pool *pool = b->p->pool;
    term saw = term_const(pool, term_width(pool, r->var), r->saw);
    add_guard(b, thr, NODE_GUARD, term_eq(pool, r->var, saw), IR_FOREIGN, NONE, event);
}

static void end_path(struct build *b, uint32_t thr, uint64_t event)
{
    struct merging *t = &b->threads[thr];
    t->has_ended = true;
    for (uint32_t i = 0; i < t->readings.len; i++) {
        struct reading r = b->p->readings.at[t->readings.at[i]];
        fix_reading(b, thr, &r, event);
    }
}

/* ---- accesses ---------------------------------------------------------------------------- */

enum { STEPS_MAX = 64 };

/* What a path says of one event, or what the trace does. */
struct told_access {
    struct ir_step step[STEPS_MAX];
    uint32_t count;
    term success; /* of a compare-exchange, NONE: it is none */
    bool is_fixed;
};

/* Takes the steps of this event from the path. A guard between the read and the write of one
 * event says whether it writes. */
static void take_steps(struct merging *t, uint64_t event, struct term_pool *pool,
                       struct told_access *out)
{
    uint32_t end = t->path ? t->path->steps.len : 0, last = t->at;
    for (uint32_t i = t->at; i < end && t->path->steps.at[i].event == event; i++)
        if (t->path->steps.at[i].kind == IR_READ || t->path->steps.at[i].kind == IR_WRITE)
            last = i + 1;
    for (; t->at < last; t->at++) {
        const struct ir_step *s = &t->path->steps.at[t->at];
        if (s->kind == IR_GUARD)
            out->success =
                out->success == NONE ? s->term : term_and(pool, out->success, s->term);
        else if (s->kind != IR_SYNC) {
            CHECK(out->count < STEPS_MAX); /* what one event does is a read, a write or both */
            out->step[out->count++] = *s;
        }
    }
}

/* What the trace says of a scalar. */
static void take_recorded(struct build *b, ev_id e, ev_id last, struct told_access *out)
{
    const struct model *m = b->m;
    struct term_pool *pool = b->p->pool;
    const struct value *v = &b->values[model_number(m, e)];
    uint8_t kind = m->ev[e].kind;
    if (kind == EV_READ_RANGE || kind == EV_WRITE_RANGE || kind == EV_EXTERNAL_WRITE ||
        ev_ends_life(kind))
        return;
    struct span low = model_cells(m, e), high = model_cells(m, last);
    const struct cell *end = &m->cells[high.first + high.count - 1];
    uint64_t addr = m->cells[low.first].addr, size = end->addr + end->len - addr;
    if (size > 8)
        return;
    struct ir_step s = {.size = (uint8_t)size,
                        .addr = addr,
                        .event = model_number(m, e),
                        .site = model_site(m, e)};
    unsigned width = 8 * (unsigned)size;
    if (model_reads(m, e)) {
        s.kind = IR_READ;
        s.value = v->value;
        s.term = term_var(pool, width);
        out->step[out->count++] = s;
        out->is_fixed = true;
    }
    if (model_writes(m, e)) {
        s.kind = IR_WRITE;
        s.value = model_reads(m, e) ? v->value2 : v->value;
        s.term = term_const(pool, width, s.value);
        out->step[out->count++] = s;
    }
}

static bool covers(const struct ir_step *s, uint64_t addr, uint32_t bytes)
{
    return s->addr <= addr && bytes <= s->size && addr - s->addr <= s->size - bytes;
}

static term piece(struct build *b, const struct ir_step *s, uint64_t addr, uint32_t bytes,
                  term_bits *value)
{
    unsigned low = 8 * (unsigned)(addr - s->addr), width = 8 * bytes;
    *value = (term_bits)s->value >> low & term_mask(width);
    return term_extract(b->p->pool, s->term, low, width);
}

/* A compare-exchange that does not succeed leaves what is there. */
static term if_success(struct build *b, const struct told_access *a, term write, term read)
{
    if (a->success == NONE || read == NONE || write == NONE)
        return write;
    return term_ite(b->p->pool, a->success, write, read);
}

static void add_part(struct build *b, ev_id e, cell_id c, uint32_t i,
                     const struct told_access *a)
{
    uint32_t bytes, count;
    uint64_t addr = place_addr(&b->places, c, i, &bytes);
    struct part part = {.place = places_of(&b->places, c, &count) + i,
                        .reads = model_reads(b->m, e),
                        .writes = model_writes(b->m, e),
                        .read = NONE,
                        .write = NONE,
                        .source = NONE};
    for (uint32_t k = 0; k < a->count; k++) {
        if (!covers(&a->step[k], addr, bytes))
            continue;
        if (a->step[k].kind == IR_READ)
            part.read = piece(b, &a->step[k], addr, bytes, &part.saw);
        else
            part.write = piece(b, &a->step[k], addr, bytes, &part.wrote);
    }
    part.write = if_success(b, a, part.write, part.read);
    if (part.reads) {
        ev_id source = model_source(b->m, e, c);
        part.source = source == NONE ? NONE : b->node_of[source];
        struct sym_place *place = &b->p->places.at[part.place];
        if (source == NONE && part.read != NONE && !place->is_known) {
            place->is_known = true;
            place->initial = part.saw;
        }
    }
    vec_push(&b->p->parts, part);
}

/* The variable of a read, if the parts from first on make up all of it. */
static void add_reading(struct build *b, struct node *n, const struct ir_step *s)
{
    struct reading r = {.var = s->term, .saw = s->value};
    unsigned width = 0;
    for (uint32_t i = n->first; i < n->first + n->count; i++) {
        const struct part *part = &b->p->parts.at[i];
        bool is_its =
            part->read != NONE &&
            (part->read == s->term || (term_at(b->p->pool, part->read)->op == TERM_EXTRACT &&
                                       term_at(b->p->pool, part->read)->a == s->term));
        if (!is_its)
            continue;
        if (r.count++ == 0)
            r.first = i;
        width += b->p->places.at[part->place].width;
    }
    if (width != term_width(b->p->pool, s->term))
        return;
    if (n->read_count++ == 0)
        n->read_first = b->p->readings.len;
    vec_push(&b->threads[n->thr].readings, b->p->readings.len);
    vec_push(&b->p->readings, r);
}

static bool any_shared(const struct build *b, ev_id first, ev_id last)
{
    for (ev_id e = first; e <= last; e++) {
        struct span span = model_cells(b->m, e);
        for (uint32_t i = 0; i < span.count; i++)
            if (b->is_shared[span.first + i])
                return true;
    }
    return false;
}

/* A block is freed after everything that others do with it in the trace: the other order is a
 * use after free, which is another question. */
static void need_accesses(struct build *b, ev_id e, node_id to)
{
    const struct model *m = b->m;
    struct span span = model_cells(m, e);
    for (uint32_t c = span.first; c < span.first + span.count; c++)
        for (uint32_t i = m->cell_first[c]; i < m->cell_first[c + 1]; i++) {
            ev_id other = m->accesses[i];
            if (other < e && m->ev[other].thr != m->ev[e].thr && b->node_of[other] != NONE)
                vec_push(&b->p->needs, (struct node_need){b->node_of[other], to});
        }
}

static void add_access(struct build *b, ev_id first, ev_id last)
{
    struct merging *t = &b->threads[b->m->ev[first].thr];
    struct told_access a = {.success = NONE};
    take_steps(t, model_number(b->m, first), b->p->pool, &a);
    if (a.count == 0 && !any_shared(b, first, last))
        return;
    if (a.count == 0)
        take_recorded(b, first, last, &a);
    struct node n = node_of_row(b, first, NODE_ACCESS);
    n.first = b->p->parts.len;
    for (ev_id e = first; e <= last; e++) {
        struct span span = model_cells(b->m, e);
        for (uint32_t i = 0; i < span.count; i++) {
            uint32_t count;
            places_of(&b->places, span.first + i, &count);
            for (uint32_t k = 0; k < count; k++)
                add_part(b, e, span.first + i, k, &a);
        }
    }
    n.count = b->p->parts.len - n.first;
    for (uint32_t i = 0; i < a.count; i++)
        if (a.step[i].kind == IR_READ)
            add_reading(b, &n, &a.step[i]);
    node_id id = problem_add(b->p, n);
    for (ev_id e = first; e <= last; e++) {
        b->node_of[e] = id;
        if (ev_ends_life(b->m->ev[e].kind))
            need_accesses(b, e, id);
    }
    for (uint32_t i = 0; a.is_fixed && i < n.read_count; i++) {
        struct reading r = b->p->readings.at[n.read_first + i];
        fix_reading(b, n.thr, &r, n.event);
    }
    if (a.success != NONE)
        add_guard(b, n.thr, NODE_GUARD, a.success, IR_BRANCH, n.site, n.event);
}

/* ---- synchronisation --------------------------------------------------------------------- */

static enum node_op op_of(uint8_t kind)
{
    switch (kind) {
    case EV_ACQUIRE:
        return NODE_ACQUIRE;
    case EV_RELEASE:
        return NODE_RELEASE;
    case EV_CREATE:
        return NODE_CREATE;
    case EV_JOIN:
        return NODE_JOIN;
    case EV_WAIT_ENTER:
        return NODE_WAIT;
    case EV_SIGNAL:
        return NODE_SIGNAL;
    case EV_BROADCAST:
        return NODE_BROADCAST;
    default:
        return NODE_OTHER;
    }
}

static bool is_needed(const struct build *b, ev_id e, const bool *in_need)
{
    uint8_t kind = b->m->ev[e].kind;
    if (op_of(kind) != NODE_OTHER || in_need[e] || kind == EV_EXIT)
        return true;
    return ev_acts_on(kind) >= ON_SYNC && b->is_chained[b->m->obj[e]];
}

static void add_sync(struct build *b, ev_id e)
{
    const struct model *m = b->m;
    uint8_t kind = m->ev[e].kind;
    struct node n = node_of_row(b, e, op_of(kind));
    n.obj = m->obj[e];
    n.is_shared = kind == EV_ACQUIRE && (m->ev[e].detail & FLAG(SHARED));
    if (kind == EV_RELEASE && m->link[e] != NONE)
        n.link = b->node_of[m->link[e]];
    node_id id = problem_add(b->p, n);
    b->node_of[e] = id;
    if (n.link != NONE)
        b->p->nodes.at[n.link].link = id;
    if (ev_acts_on(kind) < ON_SYNC || !b->is_chained[n.obj])
        return;
    if (b->chain[n.obj] != NONE)
        vec_push(&b->p->needs, (struct node_need){b->chain[n.obj], id});
    b->chain[n.obj] = id;
}

/* A wait of a condition may be ended by any signal; one of a futex only by what ended it. */
static void link_waits(struct build *b)
{
    for (uint32_t i = 0; i < b->m->wait_count; i++) {
        const struct wait *w = &b->m->waits[i];
        if (w->notify == NONE)
            continue;
        node_id enter = b->node_of[w->enter], notify = b->node_of[w->notify];
        if (w->lock != NONE && w->acquire != NONE) {
            struct node *n = &b->p->nodes.at[b->node_of[w->acquire]];
            n->wait = enter;
            n->notify = notify;
            continue;
        }
        node_id leave = w->leave == NONE ? NONE : b->node_of[w->leave];
        b->p->is_partial = true;
        if (notify != NONE && leave != NONE)
            vec_push(&b->p->needs, (struct node_need){notify, leave});
        if (enter != NONE && notify != NONE)
            vec_push(&b->p->needs, (struct node_need){enter, notify});
    }
}

static bool *rows_in_needs(const struct model *m)
{
    bool *in = mem_zeroed(m->ev_count + 1, sizeof *in);
    for (uint32_t i = 0; i < m->need_count; i++)
        in[m->needs[i].from] = in[m->needs[i].to] = true;
    for (uint32_t i = 0; i < m->bar_count; i++)
        in[m->bars[i].from] = in[m->bars[i].to] = true;
    for (uint32_t i = 0; i < m->wait_count; i++) {
        const struct wait *w = &m->waits[i];
        const ev_id at[] = {w->enter, w->leave, w->notify};
        for (uint32_t k = 0; k < 3; k++)
            if (at[k] != NONE)
                in[at[k]] = true;
    }
    return in;
}

static void link_pairs(struct build *b, const struct need *at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        node_id from = b->node_of[at[i].from], to = b->node_of[at[i].to];
        if (from != NONE && to != NONE)
            vec_push(&b->p->needs, (struct node_need){from, to});
    }
}

/* What bars another only if it happens itself counts as needed: that asks for more than has to
 * be. */
static void link_needs(struct build *b)
{
    link_pairs(b, b->m->needs, b->m->need_count);
    link_pairs(b, b->m->bars, b->m->bar_count);
    b->p->is_partial |= b->m->bar_count > 0;
}

/* ---- all of it --------------------------------------------------------------------------- */

/* The guards and checks of a thread that come behind this event. */
static void add_conditions(struct build *b, uint32_t thr, uint64_t event)
{
    struct merging *t = &b->threads[thr];
    while (t->path && t->at < t->path->steps.len) {
        const struct ir_step *s = &t->path->steps.at[t->at];
        if (s->event != event)
            return;
        t->at++;
        if (s->kind == IR_GUARD || s->kind == IR_CHECK)
            add_guard(b, thr, s->kind == IR_GUARD ? NODE_GUARD : NODE_CHECK, s->term, s->why,
                      s->site, event);
    }
}

static void add_row(struct build *b, ev_id first, ev_id last, const bool *in_need)
{
    uint32_t thr = b->m->ev[first].thr;
    uint64_t number = model_number(b->m, first);
    struct merging *t = &b->threads[thr];
    if (b->p->paths.at[thr].nodes.len == 0)
        add_conditions(b, thr, NO_EVENT);
    if (t->path && !t->path->is_whole && number >= t->path->stop && !t->has_ended)
        end_path(b, thr, number > 0 ? number - 1 : 0);
    if (model_touches(b->m, first))
        add_access(b, first, last);
    else if (is_needed(b, first, in_need))
        add_sync(b, first);
    add_conditions(b, thr, number);
}

static void add_rows(struct build *b)
{
    const struct model *m = b->m;
    bool *in_need = rows_in_needs(m);
    for (ev_id e = 0, last; e < m->ev_count; e = last + 1) {
        for (last = e;
             last + 1 < m->ev_count && model_number(m, last + 1) == model_number(m, e); last++)
            ;
        add_row(b, e, last, in_need);
    }
    free(in_need);
}

static void build_init(struct build *b, const struct ir_paths *paths)
{
    const struct model *m = b->m;
    b->values = mem_zeroed(m->trace_events + 1, sizeof *b->values);
    b->node_of = mem_get((m->ev_count + 1) * sizeof *b->node_of);
    memset(b->node_of, 0xff, (m->ev_count + 1) * sizeof *b->node_of);
    b->is_shared = mem_zeroed(m->cell_count + 1, sizeof *b->is_shared);
    b->is_chained = mem_zeroed(m->sync_count + 1, sizeof *b->is_chained);
    b->chain = mem_get((m->sync_count + 1) * sizeof *b->chain);
    memset(b->chain, 0xff, (m->sync_count + 1) * sizeof *b->chain);
    b->threads = mem_zeroed(m->thread_count + 1, sizeof *b->threads);
    for (uint32_t t = 0; t < m->thread_count; t++)
        vec_push(&b->p->paths, (struct path){.create = NONE});
    for (uint32_t i = 0; i < paths->at.len; i++)
        if (paths->at.at[i].thr < m->thread_count)
            b->threads[paths->at.at[i].thr].path = &paths->at.at[i];
    b->p->lock_count = b->p->cond_count = m->sync_count;
}

static void build_done(struct build *b)
{
    for (uint32_t t = 0; t < b->m->thread_count; t++)
        vec_done(&b->threads[t].readings);
    places_done(&b->places);
    free(b->values);
    free(b->node_of);
    free(b->is_shared);
    free(b->is_chained);
    free(b->chain);
    free(b->threads);
}

int problem_build(struct problem *out, struct term_pool *pool, const struct model *m,
                  const struct ir *ir, const struct ir_paths *paths, struct err *err)
{
    struct build b = {.p = out, .m = m, .ir = ir, .places = {.m = m}};
    *out = (struct problem){.pool = pool};
    build_init(&b, paths);
    int result = read_values(&b, err);
    if (result == 0) {
        find_shared(&b);
        find_chained(&b);
        cut_memory(&b, paths);
        make_places(&b);
        add_rows(&b);
        link_waits(&b);
        link_needs(&b);
        problem_finish(out);
    }
    build_done(&b);
    return result;
}

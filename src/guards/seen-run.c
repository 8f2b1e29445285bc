/* SPDX-License-Identifier: Apache-2.0
 *
 * seen-run: one run in memory. */
#include "guards/guards.h"

#include "base/stop.h"

#include <string.h>

/* ---- sites and stacks ------------------------------------------------------------------- */

static const char *copy(struct arena *mem, struct def_text t)
{
    return arena_text(mem, t.at ? t.at : "", t.len);
}

static bool is_text(const char *s, struct def_text t)
{
    return text_is(text_of(s), (struct text){t.at, t.len});
}

static bool is_site(const struct code_site *known, const struct def_site *s)
{
    return known->line == s->line && known->column == s->column && known->unit == s->unit &&
           known->ordinal == s->ordinal && is_text(known->name, s->name) &&
           is_text(known->function, s->function) && is_text(known->file, s->file);
}

uint32_t site_number(struct site_table *t, const struct def_site *s)
{
    uint64_t hash = hash_u64((uint64_t)s->line << 32 ^ (uint64_t)s->column << 16 ^ s->ordinal);
    uint32_t *slot = map_at(&t->by_hash, hash);
    for (uint32_t i = *slot; i != NONE; i = t->before.at[i])
        if (is_site(&t->sites.at[i], s))
            return i;
    CHECK(t->before.len == t->sites.len);
    vec_push(&t->before, *slot);
    *slot = t->sites.len;
    vec_push(&t->sites, (struct code_site){.file = copy(t->mem, s->file),
                                           .function = copy(t->mem, s->function),
                                           .name = copy(t->mem, s->name),
                                           .line = s->line,
                                           .column = s->column,
                                           .statement = s->statement,
                                           .unit = s->unit,
                                           .ordinal = s->ordinal});
    return t->sites.len - 1;
}

static uint32_t stack_number(struct site_table *t, uint32_t outer, uint32_t function)
{
    uint32_t *slot = map_at(&t->stacks, (uint64_t)(outer + 1) << 32 | function);
    if (*slot == NONE) {
        CHECK((outer == NONE || outer < t->outer.len) && function < t->sites.len);
        *slot = t->outer.len;
        vec_push(&t->outer, outer);
        vec_push(&t->function, function);
    }
    return *slot;
}

struct code_stack stack_told(const struct site_table *t, uint32_t stack)
{
    CHECK(stack == NONE || stack < t->outer.len);
    uint32_t depth = 0;
    for (uint32_t s = stack; s != NONE; s = t->outer.at[s])
        depth++;
    struct code_site *frames = ARENA_NEW(t->mem, struct code_site, depth + 1);
    uint32_t at = depth;
    for (uint32_t s = stack; s != NONE; s = t->outer.at[s])
        frames[--at] = t->sites.at[t->function.at[s]];
    return (struct code_stack){frames, depth};
}

void site_table_done(struct site_table *t)
{
    vec_done(&t->sites);
    vec_done(&t->before);
    vec_done(&t->outer);
    vec_done(&t->function);
    map_done(&t->by_hash);
    map_done(&t->stacks);
}

/* ---- events ----------------------------------------------------------------------------- */

struct reading_thread {
    uint32_t stack, holds;
    VEC(uint32_t) held; /* events since it holds a lock */
};

struct reading {
    struct seen_run *r;
    struct site_table *sites;
    VEC(uint32_t) number; /* by site of the trace, in the table */
    VEC(struct happening) ev;
    VEC(struct reading_thread) threads;
    struct map objects; /* address -> dense */
};

static uint32_t object_of(struct reading *x, uint64_t addr)
{
    uint32_t *slot = map_at(&x->objects, addr);
    if (*slot == NONE) {
        *slot = x->r->objects.len;
        vec_push(&x->r->objects, addr);
    }
    return *slot;
}

static struct reading_thread *thread_of(struct reading *x, uint32_t thr)
{
    while (x->threads.len <= thr)
        vec_push(&x->threads, (struct reading_thread){.stack = NONE});
    return &x->threads.at[thr];
}

/* Closes the time in which the thread held something. */
static void end_hold(struct reading *x, struct reading_thread *t)
{
    for (uint32_t i = 0; i < t->held.len; i++) {
        struct happening *h = &x->ev.at[t->held.at[i]];
        h->held_first = t->held.at[0];
        h->held_last = t->held.at[t->held.len - 1];
        CHECK(h->held_first <= t->held.at[i] && t->held.at[i] <= h->held_last);
    }
    t->held.len = 0;
}

static void follow_locks(struct reading *x, const struct ev *e, uint32_t number)
{
    struct reading_thread *t = thread_of(x, e->thr);
    if (e->kind == EV_ACQUIRE && e->number <= 1)
        t->holds++;
    if (t->holds > 0)
        vec_push(&t->held, number);
    if (e->kind == EV_RELEASE && e->number == 0 && t->holds > 0 && --t->holds == 0)
        end_hold(x, t);
    CHECK((t->holds == 0) == (t->held.len == 0));
}

static void add_event(struct reading *x, const struct ev *e)
{
    uint32_t number = x->ev.len;
    CHECK(e->site < x->number.len &&
          (e->kind != EV_WAIT_LEAVE || e->ref == NO_EVENT || e->ref < number));
    enum acts_on on = ev_acts_on(e->kind);
    uint32_t *stack = &thread_of(x, e->thr)->stack;
    struct happening h = {.kind = e->kind,
                          .flags = e->flags,
                          .thr = (uint16_t)e->thr,
                          .site = x->number.at[e->site],
                          .peer = e->peer,
                          .object = on >= ON_SYNC ? object_of(x, e->addr) : NONE,
                          .depth = (uint32_t)e->number,
                          .ref = NONE,
                          .held_first = number,
                          .held_last = number};
    if (e->kind == EV_WAIT_LEAVE && e->ref != NO_EVENT)
        h.ref = (uint32_t)e->ref;
    if (e->kind == EV_ENTER)
        *stack = stack_number(x->sites, *stack, h.site);
    h.stack = *stack;
    if (e->kind == EV_LEAVE && *stack != NONE)
        *stack = x->sites->outer.at[*stack];
    vec_push(&x->ev, h);
    follow_locks(x, e, number);
}

int seen_run_read(struct seen_run *r, struct site_table *sites, struct err *err)
{
    struct reading x = {.r = r, .sites = sites};
    struct trace_cursor *c = mem_get(sizeof *c);
    struct ev e;
    int item;
    cursor_init(c, &r->trace);
    while ((item = trace_next(c, &e, err)) > ITEM_END) {
        if (stop_signal()) {
            item = err_set(err, "stopped");
            break;
        }
        if (item == ITEM_SITE)
            vec_push(&x.number, site_number(sites, &r->trace.sites.at[c->site_count - 1]));
        else if (item == ITEM_EVENT)
            add_event(&x, &e);
    }
    for (uint32_t t = 0; t < x.threads.len; t++) {
        end_hold(&x, &x.threads.at[t]);
        vec_done(&x.threads.at[t].held);
    }
    r->ev = x.ev.at;
    r->ev_count = x.ev.len;
    r->thread_count = x.threads.len;
    r->object_count = r->objects.len;
    vec_done(&x.number);
    vec_done(&x.threads);
    map_done(&x.objects);
    free(c);
    return item;
}

struct seen_run *seen_run_open(const char *directory, struct site_table *sites, struct err *err)
{
    struct seen_run *r = mem_zeroed(1, sizeof *r);
    r->failure = NONE;
    if (trace_open_in(&r->trace, directory, err) < 0) {
        free(r);
        return NULL;
    }
    r->model = model_build(&r->trace, &(struct model_opts){0}, err);
    if (r->model && seen_run_read(r, sites, err) >= 0) {
        r->fields = fields_of(r->model, &r->mem);
        return r;
    }
    seen_run_free(r);
    return NULL;
}

void seen_run_free(struct seen_run *r)
{
    if (!r)
        return;
    model_free(r->model);
    arena_done(&r->mem);
    trace_close(&r->trace);
    vec_done(&r->objects);
    free(r->ev);
    free(r);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * unenforced: the paper's own way to a trace of the program after that is like the failing one
 * (Shi et al. 2016, section 2): the failing schedule is followed, and the locks that the change
 * adds are recorded and not taken. What the failing run did is all there, inside of its new
 * sections, which overlap: a trace that no run could give, and from which nothing but the
 * suspicious violations is read. */
#include "verify/judge.h"

#include <stdlib.h>

struct added {
    bool *is_mapped; /* by site of the fresh trace: the program before has it too */
    VEC(struct witness_site) sites; /* where added locks are taken; texts live in the trace */
};

static bool is_waited_with(const struct model *m, sync_id lock)
{
    for (uint32_t i = 0; i < m->wait_count; i++)
        if (m->waits[i].lock == lock)
            return true;
    return false;
}

/* A plain mutex that is locked where the program before has nothing. */
static bool is_added(const struct added *a, const struct model *m, ev_id e)
{
    return m->ev[e].kind == EV_ACQUIRE && m->ev[e].detail == 0 &&
           !a->is_mapped[model_site(m, e)] &&
           m->syncs[m->obj[e]].class == WORD_VALUE(CLASS, MUTEX) &&
           !is_waited_with(m, m->obj[e]);
}

static void add_site(struct added *a, const struct def_site *d)
{
    for (uint32_t i = 0; i < a->sites.len; i++)
        if (witness_site_is(&a->sites.at[i], d))
            return;
    vec_push(&a->sites, (struct witness_site){.file = text_from(d->file),
                                              .function = text_from(d->function),
                                              .name = text_from(d->name),
                                              .line = d->line,
                                              .column = d->column,
                                              .statement = d->statement});
}

static int find_added(struct added *out, struct judge *j, struct err *err)
{
    struct trace *t = &j->fresh_trace;
    struct site_map sites;
    AUTO(model) struct model *m = model_build(t, &(struct model_opts){0}, err);
    if (!m)
        return -1;
    out->is_mapped = mem_zeroed(t->sites.len + 1, sizeof *out->is_mapped);
    site_map_make(&sites, &j->before, t, j->o);
    for (uint32_t i = 0; i < j->before.sites.len; i++)
        if (sites.to[i] != NONE)
            out->is_mapped[sites.to[i]] = true;
    site_map_done(&sites);
    for (ev_id e = 0; e < m->ev_count; e++)
        if (is_added(out, m, e))
            add_site(out, &t->sites.at[model_site(m, e)]);
    return 0;
}

static bool is_unenforced(const char *directory)
{
    AUTO(trace) struct trace t = {0};
    struct err ignored;
    return trace_open_in(&t, directory, &ignored) == 0 && (t.head.flags & TRACE_UNENFORCED);
}

static int follow(struct judge *j, const struct added *a, struct err *err)
{
    AUTO(witness_writer) struct witness_writer *writer = NULL;
    struct witness_file *w = NULL;
    struct trial t;
    int mapped = map_schedule(j, &w, &writer, err);
    if (mapped != 0)
        return mapped < 0 ? -1 : 0;
    struct run_greedy greedy = reachable_greedy(j->reach);
    greedy.free = a->sites.at;
    greedy.free_count = a->sites.len;
    uint32_t runs = j->out->runs;
    if (trial_run(j, w, &greedy, &t, err) < 0)
        return -1;
    j->out->runs = runs; /* however it ended, that says nothing about the program after */
    if (is_unenforced(t.directory.at))
        str_add(&j->unenforced, "%s", t.directory.at);
    trial_done(&t);
    return 0;
}

int unenforced_run(struct judge *j, struct err *err)
{
    struct added a = {0};
    int result = find_added(&a, j, err);
    if (result == 0 && a.sites.len > 0)
        result = follow(j, &a, err);
    free(a.is_mapped);
    vec_done(&a.sites);
    return result;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * reachable: the control-flow graph of the program after, from its bitcode, as the rescheduler
 * and the account need it. The places asked about are the sites of a trace; a site that is in
 * the bitcode of several units is reached if one of them is. */
#include "verify/reachable.h"

#include "ir/ir.h"

#include <stdlib.h>

struct reachable {
    struct ir *ir;
    uint32_t count;
    struct witness_site *sites; /* by site of the trace; texts borrowed from it */
    ir_place *places;
    struct map by_name; /* -> first site of that name */
    uint32_t *next;     /* by site: another one of the same name, or NONE */
    uint64_t *names;
};

static uint64_t name_of(const struct witness_site *w)
{
    struct text file = text_base_name(w->file);
    struct def_site s = {.file = {file.at, file.len},
                         .function = {w->function.at, w->function.len},
                         .name = {w->name.at, w->name.len},
                         .column = w->column,
                         .statement = w->statement};
    return site_own_name(&s);
}

static void add_site(struct reachable *r, uint32_t i, const struct def_site *s)
{
    r->sites[i] = (struct witness_site){.file = text_from(s->file),
                                        .function = text_from(s->function),
                                        .name = text_from(s->name),
                                        .line = s->line,
                                        .column = s->column,
                                        .statement = s->statement};
    r->places[i] = ir_find(r->ir, s);
    r->names[i] = site_own_name(s);
    uint32_t *first = map_at(&r->by_name, r->names[i]);
    r->next[i] = *first;
    *first = i;
}

struct reachable *reachable_open(const char *program, const struct trace *t)
{
    struct ir *ir = NULL;
    struct err ignored;
    if (ir_open(&ir, program, &ignored) < 0)
        return NULL;
    struct reachable *r = mem_zeroed(1, sizeof *r);
    r->ir = ir;
    r->count = t->sites.len;
    r->sites = mem_zeroed(r->count + 1, sizeof *r->sites);
    r->places = mem_zeroed(r->count + 1, sizeof *r->places);
    r->next = mem_zeroed(r->count + 1, sizeof *r->next);
    r->names = mem_zeroed(r->count + 1, sizeof *r->names);
    for (uint32_t i = 0; i < r->count; i++)
        add_site(r, i, &t->sites.at[i]);
    return r;
}

void reachable_close(struct reachable *r)
{
    if (!r)
        return;
    ir_close(r->ir);
    map_done(&r->by_name);
    free(r->sites);
    free(r->places);
    free(r->next);
    free(r->names);
    free(r);
}

bool reachable_named(struct reachable *r, uint64_t from, uint64_t to)
{
    uint32_t first = map_find(&r->by_name, from), last = map_find(&r->by_name, to);
    if (first == NONE || last == NONE)
        return true;
    for (uint32_t i = first; i != NONE; i = r->next[i])
        for (uint32_t k = last; k != NONE; k = r->next[k])
            if (r->places[i] == NONE || r->places[k] == NONE ||
                ir_reaches(r->ir, r->places[i], r->places[k]))
                return true;
    return false;
}

void reachable_tell(const struct reachable *r, uint64_t name, struct str *out)
{
    uint32_t site = map_find(&r->by_name, name);
    CHECK(site < r->count);
    const struct witness_site *s = &r->sites[site];
    str_add(out, "%.*s:%u", TEXT_ARG(text_base_name(s->file)), s->line);
}

static bool reaches(void *arg, const struct witness_site *from, const struct witness_site *to)
{
    struct reachable *r = arg;
    return reachable_named(r, r->names[from - r->sites], name_of(to));
}

struct run_greedy reachable_greedy(struct reachable *r)
{
    if (!r)
        return (struct run_greedy){0};
    return (struct run_greedy){
        .from = r->sites, .count = r->count, .reaches = reaches, .arg = r};
}

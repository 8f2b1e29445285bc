/* SPDX-License-Identifier: Apache-2.0
 *
 * findings: what the everyday search found, merged by cause. Findings with the same id are
 * one; an atomicity or order violation between accesses that race, say, goes with the race. */
#include "predict/engine.h"

#include <string.h>

static void add_account(struct account *a, enum answer answer)
{
    a->candidates++;
    a->refuted += answer == ANSWER_NO;
    a->found += answer == ANSWER_YES;
    a->unknown += answer == ANSWER_UNKNOWN;
}

/* The events that it is about. */
static uint32_t events_of(const struct predicted *x, const uint64_t **out)
{
    *out = x->about_count > 0 ? x->about : x->query.number;
    return x->about_count > 0 ? x->about_count : x->query.count;
}

struct part_row row_of(const struct model *m, const struct predicted *x, enum answer answer)
{
    struct part_row row = {
        .at = x->at, .pattern = x->pattern->id, .answer = answer, .finding = NONE};
    const uint64_t *number;
    uint32_t count = answer == ANSWER_YES ? events_of(x, &number) : 0;
    CHECK(count <= QUERY_MAX);
    for (; row.count < count; row.count++)
        row.sites[row.count] = model_site(m, model_find(m, number[row.count]));
    if (answer == ANSWER_YES)
        row.query = x->query;
    return row;
}

/* ---- answers become findings ------------------------------------------------------------ */

static uint64_t place_key(uint32_t x, uint32_t y)
{
    return hash_u64((uint64_t)(x < y ? x : y) << 32 | (x < y ? y : x));
}

static void add_places(struct gathering *g, const struct part_row *row, uint32_t finding)
{
    for (uint32_t i = 0; i < row->count; i++)
        for (uint32_t j = i + 1; j < row->count; j++)
            *map_at(&g->by_places, place_key(row->sites[i], row->sites[j])) = finding;
}

void gather_begin(struct gathering *g, struct findings *out)
{
    *g = (struct gathering){.out = out};
    for (uint32_t i = 0; patterns[i]; i++)
        account_get(&out->list, patterns[i]->id);
}

bool gather(struct gathering *g, const struct part_row *row, struct finding *f)
{
    struct findings *out = g->out;
    add_account(account_get(&out->list, row->pattern), row->answer);
    if (row->answer != ANSWER_YES)
        return false;
    uint32_t *at = map_at(&g->by_id, hash_bytes(f->id, strlen(f->id)));
    bool is_new = *at == NONE;
    if (is_new)
        *at = out->list.findings.len;
    if (pattern_is(row->pattern, TRAIT_PLAIN))
        add_places(g, row, *at);
    if (!is_new) {
        out->list.findings.at[*at].alike++;
        finding_done(f);
        return false;
    }
    vec_push(&out->list.findings, *f);
    vec_push(&g->rows, *row);
    return true;
}

/* The bug between two of its accesses, if one was found. */
static uint32_t bug_of(const struct gathering *g, const struct part_row *row)
{
    for (uint32_t i = 0; i < row->count; i++)
        for (uint32_t j = i + 1; j < row->count; j++) {
            uint32_t bug = map_find(&g->by_places, place_key(row->sites[i], row->sites[j]));
            if (bug != NONE)
                return bug;
        }
    return NONE;
}

void gather_end(struct gathering *g)
{
    struct finding_list *l = &g->out->list;
    for (uint32_t i = 0; i < l->findings.len; i++) {
        const struct part_row *row = &g->rows.at[i];
        uint32_t bug = pattern_is(row->pattern, TRAIT_JOINS) ? bug_of(g, row) : NONE;
        if (bug != NONE)
            l->findings.at[i].with = l->findings.at[bug].id;
    }
    map_done(&g->by_id);
    map_done(&g->by_places);
    vec_done(&g->rows);
}

/* ---- the whole search ------------------------------------------------------------------- */

struct collector {
    const struct model *m;
    struct gathering g;
};

static void collect(void *arg, const struct predicted *found, enum answer answer)
{
    struct collector *c = arg;
    struct part_row row = row_of(c->m, found, answer);
    struct finding f;
    if (answer == ANSWER_YES)
        predict_tell(c->m, found, &c->g.out->list.mem, &f);
    if (gather(&c->g, &row, answer == ANSWER_YES ? &f : NULL))
        vec_push(&c->g.out->predicted, *found);
}

/* What makes answers unknown. */
void add_unseen(const struct predictor *p, struct finding_list *l)
{
    AUTO(str) struct str text = {0};
    if (p->unmodelled.len > 0)
        str_add(&text, "not modelled in this trace, every answer is unknown: %s",
                p->unmodelled.at);
    else if (p->broken.len > 0)
        str_add(&text, "the trace is not that of an execution, nothing can be excluded: %s",
                p->broken.at);
    else
        return;
    vec_push(&l->unseen, arena_text(&l->mem, text.at, text.len));
}

/* By pattern that is searched for, in the order of the patterns. */
void add_skipped(const struct predictor *p, struct finding_list *l)
{
    for (uint32_t i = 0, searched = 0; patterns[i] && searched < p->skipped.len; i++)
        if (patterns[i]->scan) {
            struct account *a = account_get(l, patterns[i]->id);
            a->skipped = p->skipped.at[searched];
            a->by = p->refuted.at[searched++];
        }
    if (p->stat.cut_short > 0)
        vec_push(&l->unseen,
                 "deadlocks: too many nestings of locks, longer cycles were not all looked at");
}

void describe_list(const struct predictor *p, struct finding_list *l)
{
    l->program = l->outcome = "";
    l->events = p->m->trace_events;
    l->threads = p->m->thread_count;
}

void predict_findings(struct predictor *p, struct findings *out)
{
    struct collector c = {.m = p->m};
    describe_list(p, &out->list);
    gather_begin(&c.g, out);
    add_unseen(p, &out->list);
    predict_scan(p, collect, &c);
    add_skipped(p, &out->list);
    gather_end(&c.g);
}

void findings_done(struct findings *f)
{
    finding_list_done(&f->list);
    vec_done(&f->predicted);
}

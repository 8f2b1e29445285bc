/* SPDX-License-Identifier: Apache-2.0
 *
 * findings: what the everyday search found, merged by cause. Findings with the same id are
 * one; an atomicity or order violation between accesses that race, say, goes with the race. */
#include "predict/engine.h"

#include <string.h>

struct collector {
    const struct model *m;
    struct findings *out;
    struct map by_id;     /* hash of the id -> index */
    struct map by_places; /* of two sites -> index of a bug between them */
};

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

static uint64_t place_key(const struct model *m, uint64_t a, uint64_t b)
{
    uint32_t x = model_site(m, model_find(m, a)), y = model_site(m, model_find(m, b));
    return hash_u64((uint64_t)(x < y ? x : y) << 32 | (x < y ? y : x));
}

static void add_places(struct collector *c, const struct predicted *x, uint32_t finding)
{
    const uint64_t *number;
    uint32_t count = events_of(x, &number);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            *map_at(&c->by_places, place_key(c->m, number[i], number[j])) = finding;
}

static void collect(void *arg, const struct predicted *found, enum answer answer)
{
    struct collector *c = arg;
    struct findings *out = c->out;
    add_account(account_get(&out->list, found->pattern->id), answer);
    if (answer != ANSWER_YES)
        return;
    struct finding f;
    predict_tell(c->m, found, &out->list.mem, &f);
    uint32_t *at = map_at(&c->by_id, hash_bytes(f.id, strlen(f.id)));
    bool is_new = *at == NONE;
    if (is_new)
        *at = out->list.findings.len;
    if (pattern_is(found->pattern->id, TRAIT_PLAIN))
        add_places(c, found, *at);
    if (!is_new) {
        out->list.findings.at[*at].alike++;
        finding_done(&f);
        return;
    }
    vec_push(&out->list.findings, f);
    vec_push(&out->predicted, *found);
}

/* The bug between two of its accesses, if one was found. */
static uint32_t bug_of(const struct collector *c, const struct predicted *x)
{
    const uint64_t *number;
    uint32_t count = events_of(x, &number);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) {
            uint64_t key = place_key(c->m, number[i], number[j]);
            uint32_t bug = map_find(&c->by_places, key);
            if (bug != NONE)
                return bug;
        }
    return NONE;
}

static void find_with(const struct collector *c)
{
    struct finding_list *l = &c->out->list;
    for (uint32_t i = 0; i < l->findings.len; i++) {
        const struct predicted *x = &c->out->predicted.at[i];
        if (!pattern_is(x->pattern->id, TRAIT_JOINS))
            continue;
        uint32_t bug = bug_of(c, x);
        if (bug != NONE)
            l->findings.at[i].with = l->findings.at[bug].id;
    }
}

/* What makes answers unknown. */
static void add_unseen(const struct predictor *p, struct finding_list *l)
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
static void add_skipped(const struct predictor *p, struct finding_list *l)
{
    for (uint32_t i = 0, searched = 0; patterns[i]; i++)
        if (patterns[i]->scan) {
            struct account *a = account_get(l, patterns[i]->id);
            a->skipped = p->skipped.at[searched];
            a->by = p->refuted.at[searched++];
        }
    if (p->stat.cut_short > 0)
        vec_push(&l->unseen,
                 "deadlocks: too many nestings of locks, longer cycles were not all looked at");
}

void predict_findings(struct predictor *p, struct findings *out)
{
    struct collector c = {.m = p->m, .out = out};
    out->list.program = out->list.outcome = "";
    out->list.events = p->m->trace_events;
    out->list.threads = p->m->thread_count;
    for (uint32_t i = 0; patterns[i]; i++)
        account_get(&out->list, patterns[i]->id);
    add_unseen(p, &out->list);
    predict_scan(p, collect, &c);
    add_skipped(p, &out->list);
    find_with(&c);
    map_done(&c.by_id);
    map_done(&c.by_places);
}

void findings_done(struct findings *f)
{
    finding_list_done(&f->list);
    vec_done(&f->predicted);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * findings: what the everyday search found, merged by cause. Findings with the same id are
 * one; an atomicity violation whose accesses race is said to come with that race. */
#include "predict/engine.h"

#include <string.h>

struct collector {
    const struct model *m;
    struct findings *out;
    struct map by_id;   /* hash of the id -> index */
    struct map by_race; /* of two places -> index of a race there */
};

static struct account *account_of(struct told_list *l, const char *pattern)
{
    for (uint32_t i = 0; i < l->accounts.len; i++)
        if (l->accounts.at[i].pattern == pattern)
            return &l->accounts.at[i];
    vec_push(&l->accounts, (struct account){.pattern = pattern});
    return &l->accounts.at[l->accounts.len - 1];
}

static void add_account(struct account *a, enum answer answer)
{
    a->candidates++;
    a->refuted += answer == ANSWER_NO;
    a->found += answer == ANSWER_YES;
    a->unknown += answer == ANSWER_UNKNOWN;
}

static uint64_t place_key(const struct model *m, uint64_t a, uint64_t b)
{
    uint32_t x = model_site(m, model_find(m, a)), y = model_site(m, model_find(m, b));
    return hash_u64((uint64_t)(x < y ? x : y) << 32 | (x < y ? y : x));
}

/* The race between two of its accesses, if one was found: races come first. */
static uint32_t race_of(const struct collector *c, const struct query *q)
{
    for (uint32_t i = 0; i < q->count; i++)
        for (uint32_t j = i + 1; j < q->count; j++) {
            uint32_t race = map_find(&c->by_race, place_key(c->m, q->number[i], q->number[j]));
            if (race != NONE)
                return race;
        }
    return NONE;
}

static void collect(void *arg, const struct predicted *found, enum answer answer)
{
    struct collector *c = arg;
    struct findings *out = c->out;
    add_account(account_of(&out->told, found->pattern->name), answer);
    if (answer != ANSWER_YES)
        return;
    struct told f;
    predict_tell(c->m, found, &out->told.mem, &f);
    uint32_t *at = map_at(&c->by_id, hash_bytes(f.id, strlen(f.id)));
    bool is_new = *at == NONE;
    if (is_new)
        *at = out->told.findings.len;
    bool race = found->pattern == &pattern_race;
    if (race)
        *map_at(&c->by_race, place_key(c->m, found->query.number[0], found->query.number[1])) =
            *at;
    if (!is_new) {
        out->told.findings.at[*at].alike++;
        told_done(&f);
        return;
    }
    uint32_t with = race ? NONE : race_of(c, &found->query);
    f.with = with == NONE ? "" : out->told.findings.at[with].id;
    vec_push(&out->told.findings, f);
    vec_push(&out->predicted, *found);
}

void predict_findings(struct predictor *p, struct findings *out)
{
    struct collector c = {.m = p->m, .out = out};
    out->told.program = out->told.outcome = "";
    out->told.events = p->m->trace_events;
    out->told.threads = p->m->thread_count;
    for (uint32_t i = 0; patterns[i]; i++)
        account_of(&out->told, patterns[i]->name);
    predict_scan(p, collect, &c);
    map_done(&c.by_id);
    map_done(&c.by_race);
}

void findings_done(struct findings *f)
{
    told_list_done(&f->told);
    vec_done(&f->predicted);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * next: which units a campaign begins with, and what each round's outcome calls for. A pure
 * function of the plan and the merged state: nobody's clock and no host has a say. */
#include "campaign/campaign-parts.h"

#include <string.h>

enum {
    UNIT_MS = 20000, /* that a unit should take */
    RUN_MS = 2,      /* of a run, and of so many of its steps: */
    STEPS_PER_MS = 500,
    UNIT_RUNS_MAX = 10000,
    CONFIRM_EACH = 4,  /* findings of one unit that confirms */
    FIRST_SHARE = 4,   /* of the runs that explore, for the first round */
    FIRST_LEAST = 2,   /* of each policy */
    GROWS_ABOVE = 20,  /* one new schedule in so many runs: there are more to be seen */
    LOOKED_AT_MAX = 5, /* ways to fail that are looked into, for each test */
    AIMED_RUNS = 40,
    MORE_RECORDS = 20, /* one more recorded run for so many that explore */
};

static struct campaign_unit unit_of(enum unit_kind kind, uint32_t test)
{
    return (struct campaign_unit){.kind = kind, .test = test, .policy = "", .patch = ""};
}

static struct campaign_unit record_unit(uint32_t test, const char *policy, uint64_t seed)
{
    struct campaign_unit u = unit_of(UNIT_RECORD, test);
    u.policy = policy;
    u.seed = seed;
    return u;
}

static void plan_first(const struct campaign_plan *p, uint32_t test, campaign_units *out)
{
    uint64_t chunks = p->tests.at[test].chunks;
    for (uint64_t k = 1; k <= chunks; k++) {
        struct campaign_unit u = unit_of(UNIT_PREDICT, test);
        u.part = k;
        u.parts = chunks;
        vec_push(out, u);
    }
    for (uint32_t k = 0; chunks == 0 && k < p->policies.len; k++)
        vec_push(out, record_unit(test, p->policies.at[k], 0));
}

void next_first(const struct campaign_plan *p, campaign_units *out)
{
    for (uint32_t i = 0; i < p->tests.len; i++)
        plan_first(p, i, out);
    for (uint32_t i = 0; i < p->patches.len; i++)
        for (uint32_t k = 0; k < p->tests.len; k++) {
            struct campaign_unit u = unit_of(UNIT_VERIFY, k);
            if (p->tests.at[k].chunks > 0)
                continue;
            u.patch = p->patches.at[i];
            vec_push(out, u);
        }
    for (uint32_t i = 0; i < p->mutants.len; i++)
        vec_push(out, unit_of(UNIT_MUTANTS, i));
}

/* ---- findings that were predicted ------------------------------------------------------- */

static bool is_open(const struct campaign_state *s, uint32_t i)
{
    const struct finding *f = &s->list.findings.at[i];
    return !f->is_confirmed && s->found.at[i].tried < s->found.at[i].source_count &&
           !pattern_is(f->pattern, TRAIT_UNSEEN);
}

/* The unit that follows others of the same witnesses' unit, with room for one more. */
static struct campaign_unit *find_confirm(campaign_units *out, uint64_t from)
{
    for (uint32_t i = out->len; i-- > 0;) {
        struct campaign_unit *u = &out->at[i];
        if (u->kind == UNIT_CONFIRM && u->from == from && u->ids.len < CONFIRM_EACH)
            return u;
    }
    return NULL;
}

static void plan_confirm(const struct campaign_state *s, campaign_units *out)
{
    for (uint32_t i = 0; i < s->found.len; i++) {
        if (!is_open(s, i))
            continue;
        const struct campaign_source *from = &s->found.at[i].sources[s->found.at[i].tried];
        struct campaign_unit *u = find_confirm(out, from->unit);
        if (!u) {
            struct campaign_unit fresh = unit_of(UNIT_CONFIRM, from->test);
            fresh.from = from->unit;
            vec_push(out, fresh);
            u = &out->at[out->len - 1];
        }
        vec_push(&u->ids, s->list.findings.at[i].id);
    }
}

/* Those that no witness leads to: runs that are kept waiting at their places may meet there. */
static void plan_aimed(struct campaign_state *s, struct arena *mem, campaign_units *out)
{
    for (uint32_t i = 0; i < s->found.len; i++) {
        struct campaign_found *found = &s->found.at[i];
        const struct finding *f = &s->list.findings.at[i];
        if (f->is_confirmed || found->aimed || found->source_count == 0 ||
            found->tried < found->source_count || pattern_is(f->pattern, TRAIT_UNSEEN))
            continue;
        found->aimed = true;
        struct campaign_unit u = unit_of(UNIT_EXPLORE, found->sources[0].test);
        u.policy = "targeted";
        u.seed = 1;
        u.runs = AIMED_RUNS;
        for (uint32_t k = 0; k < f->sites.len; k++) {
            AUTO(str) struct str site = {0};
            const struct place *p = &f->sites.at[k];
            if (!*p->file || p->line == 0)
                continue;
            str_add(&site, "%s:%u", base_name(p->file), p->line);
            if (p->column > 0)
                str_add(&site, ":%u", p->column);
            vec_push(&u.sites, arena_text(mem, site.at, site.len));
        }
        if (u.sites.len > 0)
            vec_push(out, u);
    }
}

/* ---- more runs -------------------------------------------------------------------------- */

/* Does another seed give another schedule? */
static bool has_seeds(const char *policy)
{
    return strcmp(policy, "fifo") != 0 && strcmp(policy, "rr") != 0;
}

static uint32_t seeded_count(const struct campaign_plan *p)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->policies.len; i++)
        count += has_seeds(p->policies.at[i]);
    return count;
}

/* Seeds of each policy that come next, and how many runs that is in all. */
static uint64_t next_seeds(const struct campaign_plan *p, const struct campaign_tested *t)
{
    uint32_t policies = seeded_count(p);
    if (policies == 0 || !t->judged)
        return 0;
    uint64_t all = (p->runs + policies - 1) / policies, first = all / FIRST_SHARE;
    uint64_t left = all > t->planned ? all - t->planned : 0;
    uint64_t want = t->planned > 0 ? t->planned : first > FIRST_LEAST ? first : FIRST_LEAST;
    uint64_t last_runs = (t->planned + 1) / 2 * policies; /* each time as many as before */
    bool grows = t->planned == 0 || t->new_schedules * GROWS_ABOVE >= last_runs;
    return !grows ? 0 : want < left ? want : left;
}

static uint64_t runs_of_unit(const struct campaign_tested *t)
{
    uint64_t ms = RUN_MS + t->steps / STEPS_PER_MS, runs = UNIT_MS / ms;
    return runs < 1 ? 1 : runs > UNIT_RUNS_MAX ? UNIT_RUNS_MAX : runs;
}

static void plan_seeds(const struct campaign_plan *p, struct campaign_state *s, uint32_t test,
                       campaign_units *out)
{
    struct campaign_tested *t = &s->tests.at[test];
    uint64_t seeds = next_seeds(p, t), each = runs_of_unit(t);
    for (uint32_t i = 0; seeds > 0 && i < p->policies.len; i++) {
        if (!has_seeds(p->policies.at[i]))
            continue;
        for (uint64_t done = 0; done < seeds; done += each) {
            struct campaign_unit u = unit_of(UNIT_EXPLORE, test);
            u.policy = p->policies.at[i];
            u.seed = t->planned + 1 + done;
            u.runs = seeds - done < each ? seeds - done : each;
            vec_push(out, u);
        }
    }
    t->planned += seeds;
}

/* A schedule that failed is recorded and predicted from: its failure has a cause. */
static void plan_failures(struct campaign_state *s, uint32_t test, campaign_units *out)
{
    struct campaign_tested *t = &s->tests.at[test];
    uint32_t looked_at = 0;
    for (uint32_t i = 0; i < t->ends.len; i++)
        looked_at += t->ends.at[i].looked_at;
    for (uint32_t i = 0; i < t->ends.len && looked_at < LOOKED_AT_MAX; i++) {
        struct campaign_end *e = &t->ends.at[i];
        if (!e->failed || e->looked_at || strcmp(e->policy, "targeted") == 0)
            continue;
        e->looked_at = true;
        looked_at++;
        vec_push(out, record_unit(test, e->policy, e->seed));
    }
}

/* What was predicted from the last ones was new, or left undecided: others may show more. */
static void plan_records(const struct campaign_plan *p, struct campaign_state *s, uint32_t test,
                         campaign_units *out)
{
    struct campaign_tested *t = &s->tests.at[test];
    uint64_t most = p->policies.len + p->runs / MORE_RECORDS;
    if (!t->judged || (t->new_findings == 0 && t->undecided == 0))
        return;
    bool any = false;
    for (uint32_t i = 0; i < p->policies.len && t->records < most; i++) {
        if (!has_seeds(p->policies.at[i]))
            continue;
        vec_push(out, record_unit(test, p->policies.at[i], t->recorded_seed + 1));
        most--;
        any = true;
    }
    t->recorded_seed += any;
}

/* ---- all of it -------------------------------------------------------------------------- */

void next_plan(const struct campaign_plan *p, struct campaign_state *s, struct arena *mem,
               campaign_units *out)
{
    plan_confirm(s, out);
    plan_aimed(s, mem, out);
    for (uint32_t i = 0; i < p->tests.len; i++) {
        plan_failures(s, i, out);
        plan_records(p, s, i, out);
        plan_seeds(p, s, i, out);
    }
}

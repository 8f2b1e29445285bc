/* SPDX-License-Identifier: Apache-2.0
 *
 * culprit: what a failing run of the program after is about. It is made smaller first: most of
 * its switches have nothing to do with the failure. Of the violations that the smaller run has,
 * in the order in which it has them, the one is told that spans least: there a thread stood
 * still, and had to. */
#include "verify/swan.h"

#include <string.h>

/* As many runs as these events make, within bounds: a limit of time would tell another story on
 * a busy machine, so that one is for emergencies. */
enum { SHRINK_MIN = 8, SHRINK_MAX = 150, SHRINK_EVENTS = 100000, SHRINK_MS = 20000 };

/* What speaks for a violation, the first difference decides. */
struct appeal {
    uint32_t free;  /* pairs that creation and join do not put in this order anyway */
    bool is_news;   /* the run that nobody disturbed, and passed, did not have it */
    uint32_t span;  /* what its threads do in between: the less, the better */
    bool is_single; /* about one variable */
    uint32_t last;  /* place in the run of its last event: the later, the better */
};

static bool is_better(const struct appeal *a, const struct appeal *than)
{
    if (a->free != than->free)
        return a->free > than->free;
    if (a->is_news != than->is_news)
        return a->is_news;
    if (a->span != than->span)
        return a->span < than->span;
    if (a->is_single != than->is_single)
        return a->is_single;
    return a->last > than->last;
}

static uint32_t last_of(const struct violation *v)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < violation_count(v); i++)
        last = v->e[i] > last ? v->e[i] : last;
    return last;
}

static struct appeal appeal_of(const struct swan *s, const struct names *passed,
                               const struct violation *v)
{
    ev_id pairs[2][2];
    uint32_t last;
    violation_pairs(v, pairs);
    return (struct appeal){
        .free = !must_before(s->must, pairs[0][0], pairs[0][1]) +
                !must_before(s->must, pairs[1][0], pairs[1][1]),
        .is_news = !passed || swan_shown(s, passed, v, &last) != SHOWN_WHOLE,
        .is_single = v->pattern <= 5,
        .span = violation_span(s->m, v),
        .last = last_of(v),
    };
}

/* NULL: it has none. */
static const struct violation *find_culprit(const struct swan *s, const struct names *passed)
{
    const struct violation *best = NULL;
    struct appeal most = {0};
    for (uint32_t i = 0; i < s->all.len; i++) {
        struct appeal own = appeal_of(s, passed, &s->all.at[i]);
        if (own.free == 0 || (best && !is_better(&own, &most)))
            continue;
        best = &s->all.at[i];
        most = own;
    }
    return best;
}

/* Its events, as a witness lists them: in their order. */
static uint32_t list_numbers(const struct swan *s, const struct violation *v, uint64_t out[4])
{
    uint32_t count = v ? violation_count(v) : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = model_number(s->m, v->e[i]);
        uint32_t at = i;
        for (; at > 0 && out[at - 1] > number; at--)
            out[at] = out[at - 1];
        out[at] = number;
    }
    return count;
}

/* All violations that the run has, whatever the failing run before did. */
static void find_own(struct swan *s)
{
    for (ev_id e = 0; e < s->m->ev_count; e++)
        s->rank[e] = e;
    struct suspect_opts opts = {
        .rank = s->rank, .alike_max = ALIKE_MAX, .max = VIOLATIONS_MAX, .observed = true};
    (void)suspect_find(&s->all, s->m, s->must, &opts);
}

static int tell(struct judge *j, const struct run_result *r, const char *directory,
                enum verify_found found_by, struct err *err)
{
    AUTO(swan) struct swan s = {.j = j};
    AUTO(str) struct str text = {0}, missing = {0};
    struct names passed = {0};
    uint64_t numbers[4];
    bool has_passed = j->fresh.len > 0 && j->has_passed;
    if (swan_open(&s, directory, err) < 0 ||
        (has_passed && swan_names(&passed, j->fresh.at, err) < 0))
        return -1;
    find_own(&s);
    const struct violation *v = find_culprit(&s, has_passed ? &passed : NULL);
    names_done(&passed);
    uint32_t count = list_numbers(&s, v, numbers);
    judge_broken(j, r, directory, found_by, numbers, count);
    if (!j->is_decided)
        return 0;
    rewait_tell(&missing, directory);
    if (v)
        violation_tell(&text, s.m, v);
    if (v && missing.len == 0)
        missing_tell(&missing, s.m, v);
    j->out->violation = judge_text(j, "%s", text.at ? text.at : "");
    j->out->missing = judge_text(j, "%s", missing.at ? missing.at : "");
    return 0;
}

static uint32_t shrink_runs(const struct judge *j)
{
    uint64_t runs = SHRINK_EVENTS / (j->fresh_events + 1);
    return runs < SHRINK_MIN ? SHRINK_MIN : runs > SHRINK_MAX ? SHRINK_MAX : (uint32_t)runs;
}

static void tell_stuck(struct judge *j, const struct run_result *r, const char *directory,
                       enum verify_found found_by)
{
    AUTO(str) struct str missing = {0}, again = {0};
    judge_broken(j, r, directory, found_by, NULL, 0);
    if (!j->is_decided)
        return;
    stuck_tell(&j->out->steps, &missing, directory);
    rewait_tell(&again, directory);
    j->out->missing = again.len ? judge_text(j, "%s", again.at)
                                : judge_text(j, "%s", missing.at ? missing.at : "");
}

int culprit_broken(struct judge *j, const struct run_result *r, const char *directory,
                   enum verify_found found_by, struct err *err)
{
    AUTO(str) struct str smaller = {0};
    run_nudges set = {0};
    bool is_stuck = r->outcome == WORD_VALUE(OUTCOME, DEADLOCK);
    if (is_hanging(r)) /* has a long trace that says little */
        judge_broken(j, r, directory, found_by, NULL, 0);
    else if (is_stuck)
        tell_stuck(j, r, directory, found_by);
    if (is_hanging(r) || is_stuck)
        return 0;
    struct run_shrink_opts fewer = {
        .run = &j->o->run, .in_place = j->o->in_place, .runs = shrink_runs(j), .ms = SHRINK_MS};
    int failed = j->o->shrink ? run_shrink(&smaller, &set, directory, &fewer) : -1;
    vec_done(&set);
    return tell(j, r, failed ? directory : smaller.at, found_by, err);
}

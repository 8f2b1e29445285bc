/* SPDX-License-Identifier: Apache-2.0
 *
 * minimize: which switches of a failing run are needed for it to fail? Every switch becomes a
 * nudge: at this step of this thread, that one goes on. Any set of nudges over the policy fifo
 * is a run. Delta debugging (Zeller and Hildebrandt, 2002) leaves out ever smaller parts of the
 * set, with a real run each, until no single one can be left out. */
#include "run/parts.h"

#include <stdlib.h>
#include <string.h>

struct search {
    struct run_again *again;
    const struct run_minimize_opts *opts;
    struct run_opts run;
    struct str wanted; /* the kind of end */
    run_nudges set;    /* what is known to suffice, in the order of the schedule */
    uint64_t runs;
    int64_t deadline_ms; /* 0: none */
};

/* As the runtime wants them, see rt/policy-nudge.c. */
static int by_place(const void *a, const void *b)
{
    const struct run_nudge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* A run with these switches and no others, recorded in full in a->files. */
static int run_nudged(struct run_again *a, const run_nudges *nudges, struct run_result *out,
                      const struct run_opts *opts, struct err *err)
{
    run_nudges sorted = {0};
    VEC(struct choice) choices = {0};
    struct run_opts own = *opts;
    const struct runfile *schedule = &a->recorded->schedule;
    own.nudged = true;
    own.weak = weak_mode_of(schedule->choices.at, schedule->choices.len);
    if (own.weak != WEAK_OFF)
        own.weak_history = (uint32_t)weak_history_of(&schedule->choices.at[1]);
    for (uint32_t i = 0; i < nudges->len; i++)
        vec_push(&sorted, nudges->at[i]);
    if (sorted.len)
        qsort(sorted.at, sorted.len, sizeof *sorted.at, by_place);
    for (uint32_t i = 0; i < sorted.len; i++) {
        const struct run_nudge *n = &sorted.at[i];
        vec_push(&choices, (struct choice){.step = (uint64_t)n->from << 48 | n->step,
                                           .thr = n->to,
                                           .why = n->why,
                                           .mark = LOG_MARK});
    }
    int failed = run_again(a, choices.at, choices.len, out, &own, err);
    vec_done(&choices);
    vec_done(&sorted);
    return failed;
}

/* 1: a run with these ends as the recorded one did. */
static int suffices(struct search *s, const run_nudges *set, struct err *err)
{
    AUTO(str) struct str kind = {0};
    struct run_result r;
    s->runs++;
    if (run_nudged(s->again, set, &r, &s->run, err) < 0)
        return -1;
    run_kind(&kind, &r);
    run_result_done(&r);
    return strcmp(kind.at, s->wanted.at) == 0;
}

static void take_all(struct search *s, const struct runfile *schedule)
{
    uint32_t running = 0;
    for (uint32_t i = 0; i < schedule->choices.len; i++) {
        const struct choice *c = &schedule->choices.at[i];
        bool is_weak = choice_is_weak(c);
        if (is_weak ? weak_unpack(c).count > 0 : c->why != WORD_VALUE(SWITCH, START))
            vec_push(
                &s->set,
                (struct run_nudge){
                    .from = running, .to = c->thr, .step = c->step, .order = i, .why = c->why});
        running = is_weak ? running : c->thr;
    }
}

static bool may_go_on(const struct search *s)
{
    return s->runs < s->opts->runs && !run_signal() &&
           (!s->deadline_ms || run_now_ms() < s->deadline_ms);
}

/* Tries to do without a part of the set; 1: that went well. */
static int leave_out(struct search *s, uint32_t first, uint32_t count, struct err *err)
{
    run_nudges rest = {0};
    for (uint32_t i = 0; i < s->set.len; i++)
        if (i < first || i >= first + count)
            vec_push(&rest, s->set.at[i]);
    int good = suffices(s, &rest, err);
    if (good == 1) {
        vec_done(&s->set);
        s->set = rest;
        if (s->opts->progress)
            s->opts->progress(s->runs, s->set.len);
        return 1;
    }
    vec_done(&rest);
    return good;
}

/* Most findings need no weak behaviour: all of it goes at once, if it can. */
static int leave_out_weak(struct search *s, struct err *err)
{
    run_nudges rest = {0};
    for (uint32_t i = 0; i < s->set.len; i++)
        if (s->set.at[i].why != WORD_VALUE(SWITCH, WEAK))
            vec_push(&rest, s->set.at[i]);
    int good = rest.len < s->set.len ? suffices(s, &rest, err) : 0;
    if (good != 1) {
        vec_done(&rest);
        return good;
    }
    vec_done(&s->set);
    s->set = rest;
    return 1;
}

static int shrink(struct search *s, struct err *err)
{
    if (may_go_on(s) && leave_out_weak(s, err) < 0)
        return -1;
    uint32_t size = s->set.len;
    while (size > 0 && s->set.len > 0 && may_go_on(s)) {
        bool smaller = false;
        for (uint32_t first = 0; first < s->set.len && may_go_on(s);) {
            uint32_t count = size < s->set.len - first ? size : s->set.len - first;
            int good = leave_out(s, first, count, err);
            if (good < 0)
                return -1;
            smaller |= good;
            first += good ? 0 : count;
        }
        if (!smaller || size > s->set.len)
            size /= 2;
    }
    return 0;
}

int run_minimize(struct run_again *a, const struct run_minimize_opts *opts, run_nudges *out,
                 uint64_t *runs, struct err *err)
{
    struct search s = {.again = a, .opts = opts, .run = opts->run};
    s.run.no_trace = true;
    s.deadline_ms = opts->ms ? run_now_ms() + (int64_t)opts->ms : 0;
    run_kind(&s.wanted, &a->recorded->outcome);
    take_all(&s, &a->recorded->schedule);
    int good = suffices(&s, &s.set, err);
    if (good == 1 && shrink(&s, err) < 0)
        good = -1;
    *runs = s.runs;
    str_done(&s.wanted);
    if (good != 1) {
        vec_done(&s.set);
        return good < 0 ? -1 : 1;
    }
    *out = s.set;
    return 0;
}

int run_record_nudged(struct run_again *a, const run_nudges *set, const struct run_opts *opts,
                      const char *place, struct err *err)
{
    AUTO(str) struct str wanted = {0};
    AUTO(str) struct str got = {0};
    struct run_result r;
    struct str files = a->files;
    a->files = (struct str){0};
    str_add(&a->files, "%s", place);
    int failed = run_nudged(a, set, &r, opts, err);
    str_done(&a->files);
    a->files = files;
    if (failed)
        return -1;
    run_kind(&wanted, &a->recorded->outcome);
    run_kind(&got, &r);
    run_result_done(&r);
    return strcmp(wanted.at, got.at) == 0
               ? 0
               : err_set(err, "the smaller run ended with %s when it was recorded", got.at);
}

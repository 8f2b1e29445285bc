/* SPDX-License-Identifier: Apache-2.0
 *
 * swan: suspicious violations of the failing run, on a trace of the program after: found,
 * refuted where the change really excludes them, and the rest tried, many in one schedule,
 * until one fails or each was excluded, has passed or cannot come about.
 *
 * The trace is one in which the program after followed the failing schedule as far as it
 * could: the nearest to it that is legal. Must-happen-before is program order, creation and
 * join. What these and the locks do not refute is run; only what several schedules could not
 * bring about is given to the predictor, whose answers know waits, semaphores and values. */
#include "verify/swan.h"

#include <stdlib.h>
#include <string.h>

void swan_close(struct swan *s)
{
    predictor_free(s->sync);
    predictor_free(s->sound);
    must_free(s->must);
    model_free(s->m);
    names_done(&s->names);
    trace_close(&s->trace);
    free(s->rank);
    free(s->line_rank);
    vec_done(&s->all);
}

/* ---- the failing run's order ------------------------------------------------------------- */

/* By thread, from both ends: what is not in the failing run stands beside what is. */
static void fill_line_rank(struct swan *s)
{
    const struct model *m = s->m;
    for (thr_id t = 0; t < m->thread_count; t++) {
        const ev_id *mine = m->by_thread + m->threads[t].first;
        uint32_t len = m->threads[t].len, last = NONE;
        for (uint32_t i = len; i-- > 0;) {
            last = s->rank[mine[i]] != NONE ? s->rank[mine[i]] : last;
            s->line_rank[mine[i]] = last;
        }
        last = 0;
        for (uint32_t i = 0; i < len; i++) {
            bool is_release = m->ev[mine[i]].kind == EV_RELEASE;
            if (s->rank[mine[i]] == NONE && (is_release || s->line_rank[mine[i]] == NONE))
                s->line_rank[mine[i]] = last;
            last = s->line_rank[mine[i]];
        }
    }
}

static int find_ranks(struct swan *s, struct err *err)
{
    struct judge *j = s->j;
    struct site_map sites;
    struct names before;
    site_map_make(&sites, &j->before, &s->trace, j->o);
    int result = names_make(&before, &j->before, sites.name, err);
    for (ev_id e = 0; result == 0 && e < s->m->ev_count; e++) {
        CHECK(model_number(s->m, e) < s->names.count);
        s->rank[e] = names_find(&before, s->names.of[model_number(s->m, e)]);
    }
    site_map_done(&sites);
    names_done(&before);
    fill_line_rank(s);
    return result;
}

int swan_open(struct swan *s, const char *directory, struct err *err)
{
    CHECK(!s->m);
    AUTO(str) struct str path = {0};
    str_add(&path, "%s/trace", directory);
    if (trace_open(&s->trace, path.at, err) < 0)
        return -1;
    s->m = model_build(&s->trace, &(struct model_opts){.unenforced = s->is_unenforced}, err);
    if (!s->m)
        return err_in(err, "%s", path.at);
    if (names_make(&s->names, &s->trace, NULL, err) < 0)
        return err_in(err, "%s", path.at);
    s->must = must_new(s->m);
    s->rank = mem_get((s->m->ev_count + 1) * sizeof *s->rank);
    s->line_rank = mem_get((s->m->ev_count + 1) * sizeof *s->line_rank);
    return find_ranks(s, err);
}

/* ---- what a run says --------------------------------------------------------------------- */

int swan_names(struct names *out, const char *directory, struct err *err)
{
    AUTO(trace) struct trace t = {0};
    if (trace_open_in(&t, directory, err) < 0)
        return -1;
    return names_make(out, &t, NULL, err);
}

/* A run of the program after has ended: what does it say? */
int swan_take_run(struct swan *s, const struct trial *t, const violation_group *group,
                  enum verify_found found_by, struct err *err)
{
    struct names run = {0};
    const struct run_result *r = &t->run.result;
    if (swan_names(&run, t->directory.at, err) < 0)
        return -1;
    int result = 0;
    if (is_failure(r) && !is_known_failure(s->j, r))
        result = culprit_broken(s->j, r, t->directory.at, found_by, err);
    else if (run_ended_well(r))
        swan_note_passed(s, &run, group);
    else
        for (uint32_t i = 0; i < group->len; i++)
            s->all.at[group->at[i]].tries++;
    names_done(&run);
    return result;
}

/* ---- schedules --------------------------------------------------------------------------- */

/* The group's events in a line; in a trace whose locks were not enforced all events, as near to
 * the failing run as the locks allow, where that can be had. 1: neither can. */
static int line_up(struct swan *s, struct order *order, struct witness *out)
{
    ev_id events[ORDER_NODES_MAX];
    uint32_t count = 0;
    if (!order_line(order, s->line_rank, events, &count))
        return 1;
    CHECK(count <= ORDER_NODES_MAX);
    ev_id *all = mem_get((s->m->ev_count + 1) * sizeof *all);
    if (s->is_unenforced && order_whole(s->m, s->line_rank, events, count, all))
        for (uint32_t i = 0; i < s->m->ev_count; i++)
            vec_push(&out->order, model_number(s->m, all[i]));
    else
        for (uint32_t i = 0; i < count; i++)
            vec_push(&out->order, model_number(s->m, events[i]));
    free(all);
    return 0;
}

static int write_schedule(struct swan *s, struct order *order, struct witness_writer **out,
                          struct err *err)
{
    AUTO(witness) struct witness w = {.mode = MODE_SYNC};
    if (line_up(s, order, &w) != 0)
        return 1;
    struct witness_writer *writer = witness_writer_new(&s->trace, err);
    if (!writer)
        return -1;
    w.query = (struct query){.kind = QUERY_ORDER};
    witness_writer_add(writer, &w, "suspicious", s->j->o->after);
    if (witness_writer_finish(writer, err) < 0) {
        witness_writer_free(writer);
        return -1;
    }
    *out = writer;
    return 0;
}

static bool is_open(const struct swan *s)
{
    for (uint32_t i = 0; i < s->all.len; i++)
        if (s->all.at[i].state == VIOLATION_OPEN && s->all.at[i].tries < TRIES_EACH)
            return true;
    return false;
}

/* Those that were tried often enough wait for the predictor. */
static void park(struct swan *s, uint8_t from, uint8_t to)
{
    for (uint32_t i = 0; i < s->all.len; i++)
        if (s->all.at[i].state == from && s->all.at[i].tries >= TRIES_EACH)
            s->all.at[i].state = to;
}

static int try_group(struct swan *s, struct err *err)
{
    AUTO(order) struct order *order = order_new(s->must);
    AUTO(witness_writer) struct witness_writer *writer = NULL;
    violation_group group = {0};
    struct trial t;
    suspect_group(&group, &s->all, s->must, order);
    int result = write_schedule(s, order, &writer, err);
    if (result == 1 || group.len == 0) {
        for (uint32_t i = 0; i < group.len; i++)
            s->all.at[group.at[i]].tries++;
        result = 0;
    } else if (result == 0) {
        struct run_greedy greedy = reachable_greedy(s->j->reach);
        s->j->out->schedules++;
        result = trial_run(s->j, witness_writer_get(writer, 0), &greedy, &t, err);
        if (result == 0) {
            result = swan_take_run(s, &t, &group, FOUND_SUSPICIOUS, err);
            trial_done(&t);
        }
    }
    vec_done(&group);
    return result;
}

static int try_groups(struct swan *s, struct err *err)
{
    uint32_t max = swan_tries(s);
    while (is_open(s) && !s->j->is_decided && s->j->out->schedules < max && !run_signal()) {
        park(s, VIOLATION_OPEN, VIOLATION_LEFT);
        if (try_group(s, err) < 0)
            return -1;
    }
    park(s, VIOLATION_OPEN, VIOLATION_LEFT);
    return 0;
}

/* ---- the stages -------------------------------------------------------------------------- */

/* The runs so far count too: the failing schedule, as far as it went. */
static int take_followed(struct swan *s, struct err *err)
{
    violation_group none = {0};
    const struct str *seen[] = {&s->j->fresh, &s->j->followed};
    for (uint32_t i = 0; i < 2; i++) {
        struct names run = {0};
        if (seen[i]->len == 0)
            continue;
        if (swan_names(&run, seen[i]->at, err) < 0)
            return -1;
        swan_note_passed(s, &run, &none);
        names_done(&run);
    }
    return 0;
}

/* All but what no schedule brought about. True in *is_cut: there are too many. */
static int try_all(struct swan *s, bool *is_cut, struct err *err)
{
    struct suspect_opts opts = {.rank = s->rank, .alike_max = ALIKE_MAX, .max = VIOLATIONS_MAX};
    *is_cut = suspect_find(&s->all, s->m, s->must, &opts);
    suspect_refute(&s->all, s->must);
    return take_followed(s, err) < 0 || try_groups(s, err) < 0 ? -1 : 0;
}

int swan_unenforced_stage(struct judge *j, struct err *err)
{
    AUTO(swan) struct swan s = {.j = j, .is_unenforced = true};
    bool is_cut;
    if (swan_open(&s, j->unenforced.at, err) < 0 || try_all(&s, &is_cut, err) < 0)
        return -1;
    violations open = {0};
    account_decided(&s, &open);
    int result = j->is_decided ? 0 : swan_settle(&s, &open, err);
    vec_done(&open);
    return result;
}

int swan_stage(struct judge *j, struct err *err)
{
    AUTO(swan) struct swan s = {.j = j};
    bool is_cut;
    if (swan_open(&s, j->followed.len ? j->followed.at : j->fresh.at, err) < 0 ||
        try_all(&s, &is_cut, err) < 0 || swan_resolve(&s, err) < 0)
        return -1;
    if (is_cut) {
        j->out->left++;
        vec_push(&j->out->lefts, (struct verify_item){"more suspicious violations",
                                                      "there are too many to look at all", 1});
    }
    account_all(&s);
    return 0;
}

int swan_broken(struct judge *j, const struct run_result *r, const char *directory,
                enum verify_found found_by, struct err *err)
{
    if (j->o->run.weak != WEAK_OFF) { /* nothing follows from the order of its events */
        judge_broken(j, r, directory, found_by, NULL, 0);
        return 0;
    }
    if (culprit_broken(j, r, directory, found_by, err) < 0)
        return -1;
    if (!j->has_failing || j->out->suspicious > 0 || is_hanging(r))
        return 0; /* what does not end has a long trace that says little */
    AUTO(swan) struct swan s = {.j = j};
    if (swan_open(&s, directory, err) < 0)
        return -1;
    struct suspect_opts opts = {.rank = s.rank, .alike_max = ALIKE_MAX, .max = VIOLATIONS_MAX};
    (void)suspect_find(&s.all, s.m, s.must, &opts);
    suspect_refute(&s.all, s.must);
    j->out->suspicious = s.all.len;
    for (uint32_t i = 0; i < s.all.len; i++)
        j->out->excluded += s.all.at[i].state == VIOLATION_EXCLUDED;
    return 0;
}

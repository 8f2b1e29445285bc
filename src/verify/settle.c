/* SPDX-License-Identifier: Apache-2.0
 *
 * settle: a trace whose locks were not enforced shows violations, and no predictor can say
 * whether they can be. A run that was made for one and did all that it is about, in another
 * order, gives a legal trace that has its events: the question is put to that one. */
#include "verify/swan.h"

#include <stdlib.h>

enum { RUNS_MAX = 6 };

/* The same violation in the other trace; false: it does not have all of it. */
static bool translate(const struct swan *from, const struct swan *to, const ev_id *event_of,
                      const struct violation *v, struct violation *out)
{
    *out = *v;
    for (uint32_t i = 0; i < violation_count(v); i++) {
        uint32_t number =
            names_find(&to->names, from->names.of[model_number(from->m, v->e[i])]);
        if (number == NONE || event_of[number] == NONE)
            return false;
        out->e[i] = event_of[number];
    }
    out->state = VIOLATION_LEFT;
    return true;
}

/* By number in the trace: the event of the model, or NONE. */
static ev_id *events_by_number(const struct swan *s)
{
    ev_id *out = mem_get((s->names.count + 1) * sizeof *out);
    for (uint64_t i = 0; i < s->names.count; i++)
        out[i] = NONE;
    for (ev_id e = 0; e < s->m->ev_count; e++)
        out[model_number(s->m, e)] = e;
    return out;
}

/* All that the run had, one for each set of places. */
static int ask_run(struct swan *s, const violations *open, uint32_t run, struct map *asked,
                   struct err *err)
{
    AUTO(swan) struct swan legal = {.j = s->j};
    AUTO(str) struct str path = {0};
    trial_path(s->j, run, &path);
    if (swan_open(&legal, path.at, err) < 0)
        return -1;
    ev_id *event_of = events_by_number(&legal);
    for (uint32_t i = 0; i < open->len; i++) {
        struct violation v;
        uint32_t *slot = map_at(asked, account_places(s, &open->at[i]));
        if (open->at[i].seen_in != run || *slot != NONE ||
            !translate(s, &legal, event_of, &open->at[i], &v))
            continue;
        *slot = 1;
        vec_push(&legal.all, v);
    }
    free(event_of);
    if (swan_resolve(&legal, err) < 0)
        return -1;
    violations rest = {0};
    account_decided(&legal, &rest);
    for (uint32_t i = 0; i < rest.len; i++)
        account_open(&legal, &rest.at[i]);
    vec_done(&rest);
    return 0;
}

int swan_settle(struct swan *s, const violations *open, struct err *err)
{
    CHECK(!s->j->is_decided);
    struct map asked = {0}; /* places */
    int result = 0;
    uint32_t last = s->j->made;
    for (uint32_t run = last, runs = 0; run > 0 && runs < RUNS_MAX && result == 0; run--) {
        bool is_wanted = false;
        for (uint32_t i = 0; i < open->len && !is_wanted; i++)
            is_wanted = open->at[i].seen_in == run &&
                        map_find(&asked, account_places(s, &open->at[i])) == NONE;
        if (!is_wanted || s->j->is_decided || run_signal())
            continue;
        runs++;
        result = ask_run(s, open, run, &asked, err);
    }
    for (uint32_t i = 0; i < open->len; i++)
        account_open(s, &open->at[i]);
    map_done(&asked);
    return result;
}

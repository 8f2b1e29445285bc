/* SPDX-License-Identifier: Apache-2.0
 *
 * stage-symbolic: see stage-symbolic.h. */
#include "check/stage-symbolic.h"

#include "base/log.h"
#include "check/values-window.h"
#include "predict/predict.h"

#include <string.h>

enum {
    /* for all questions: so much, and more for longer runs, whose other stages take longer */
    TOTAL_MS = 60,
    EVENTS_PER_MS = 1000,
    TOTAL_ALWAYS_MS = 2000,
    CHECKS_SHARE = 70, /* of it in percent for checks; the rest is for candidates of the core */
    TRIES_MAX = 8,     /* of one check in the source, at different times */
    CANDIDATES_MAX = 1000,
    SCAN_EVENTS = 10000,    /* shorter runs are searched for candidates again */
    EFFECTS_EVENTS = 40000, /* and these, if the core found some */
    CANDIDATES_AHEAD = 4,   /* what is left is shared with so many */
};

/* A witness that will be saved. */
struct written {
    uint32_t finding;
    bool is_second; /* the finding has another one */
};

struct stage {
    const struct stage_symbolic *o;
    struct finding_list *out;
    struct values_window window;
    struct witness_writer *writer;
    VEC(struct written) written; /* by witness */
    struct symbolic_opts ask;
    struct symbolic_stat stat;
    uint64_t cost_max;
};

/* ---- questions --------------------------------------------------------------------------- */

static void count_answer(struct account *a, enum verdict_sat answer)
{
    a->candidates++;
    a->found += answer == SAT_YES;
    a->refuted += answer == SAT_NO;
    a->by.values += answer == SAT_NO;
    a->unknown += answer == SAT_UNKNOWN;
}

static void add_witness(struct stage *s, struct written w, enum pattern_id pattern,
                        const struct goal *g, const struct sym_witness *found,
                        const struct query *query)
{
    AUTO(witness) struct witness witness = {0};
    if (!s->writer)
        return;
    symbolic_witness(&s->window.problem, g, found, &witness);
    witness.query = *query;
    witness_writer_add(s->writer, &witness, pattern_text(pattern), s->window.recorded.argv.at);
    vec_push(&s->written, w);
}

/* A finding that is new goes to the list, with its witness. */
static void add_finding(struct stage *s, struct finding *f, const struct goal *g,
                        const struct sym_witness *w, const struct query *query)
{
    if (finding_find(s->out, f->id)) {
        finding_done(f);
        return;
    }
    add_witness(s, (struct written){.finding = s->out->findings.len}, f->pattern, g, w, query);
    vec_push(&s->out->findings, *f);
}

static void take_found(struct stage *s, const struct goal *g, const struct sym_witness *w)
{
    struct finding f;
    struct query query;
    symbolic_tell(&s->window.problem, s->window.model, g, w, &s->out->mem, &query, &f);
    add_finding(s, &f, g, w, &query);
}

static bool has_spent(const struct stage *s)
{
    return s->stat.cost > s->cost_max;
}

static void check_found(void *arg, const struct goal *g, const struct sym_witness *w)
{
    take_found(arg, g, w);
}

static void check_answered(void *arg, enum ir_why why, enum verdict_sat answer)
{
    struct stage *s = arg;
    count_answer(account_get(s->out, symbolic_pattern(why)), answer);
}

static void ask_all(struct stage *s)
{
    struct symbolic_checks checks = {.opts = &s->ask,
                                     .cost_max = s->cost_max * CHECKS_SHARE / 100,
                                     .stop = run_signal,
                                     .found = check_found,
                                     .answered = check_answered,
                                     .arg = s};
    progress_begin("reasoning about values");
    symbolic_checks(&s->window.problem, &checks, &s->stat);
    progress_end();
}

/* ---- races and the like that the value-free core gave up on ------------------------------ */

typedef VEC(struct predicted) predicted_list;

/* Races, orders of accesses, and reads that come before the first write. */
static bool is_askable(const struct predicted *x)
{
    bool race = x->pattern == &pattern_race && x->query.kind == QUERY_RACE;
    bool early = x->pattern == &pattern_uninitialised && x->query.count == 2;
    bool order = x->pattern == &pattern_atomicity && x->query.kind == QUERY_ORDER &&
                 x->query.adjacent == 0 && x->about_count == 0;
    return (race || order || early) && x->query.count <= GOAL_MAX;
}

static void keep_possible(void *arg, const struct predicted *x, enum answer answer)
{
    predicted_list *list = arg;
    if (answer == ANSWER_YES && is_askable(x) && list->len < CANDIDATES_MAX)
        vec_push(list, *x);
}

static bool goal_of(const struct stage *s, const struct predicted *x, struct goal *out)
{
    enum goal_kind kind = x->query.kind == QUERY_RACE            ? GOAL_RACE
                          : x->pattern == &pattern_uninitialised ? GOAL_EARLY
                                                                 : GOAL_ORDER;
    *out = (struct goal){.kind = kind, .count = x->query.count, .also = NONE};
    for (uint32_t i = 0; i < x->query.count; i++) {
        out->node[i] = problem_find(&s->window.problem, x->query.number[i]);
        if (out->node[i] == NONE || s->window.problem.nodes.at[out->node[i]].op != NODE_ACCESS)
            return false;
    }
    return true;
}

static bool share_memory(const struct problem *p, node_id a, node_id b)
{
    const struct node *x = &p->nodes.at[a], *y = &p->nodes.at[b];
    for (uint32_t i = x->first; i < x->first + x->count; i++)
        for (uint32_t k = y->first; k < y->first + y->count; k++)
            if (p->parts.at[i].place == p->parts.at[k].place)
                return true;
    return false;
}

/* The same places in the source at other times: another remote access of the same site. */
static bool next_instance(const struct stage *s, const struct goal *first, node_id *at,
                          struct goal *out)
{
    const struct problem *p = &s->window.problem;
    for (node_id n = *at; n < p->nodes.len; n++) {
        const struct node *node = &p->nodes.at[n], *old = &p->nodes.at[first->node[1]];
        if (node->op != NODE_ACCESS || node->site != old->site || n == first->node[1] ||
            node->thr == p->nodes.at[first->node[0]].thr || !share_memory(p, n, first->node[0]))
            continue;
        *out = *first;
        out->node[1] = n;
        *at = n + 1;
        return true;
    }
    return false;
}

static enum verdict_sat ask_instances(struct stage *s, struct predicted *x, struct goal *goal,
                                      struct sym_witness *w)
{
    struct err refusal;
    struct goal first = *goal;
    node_id at = 0;
    for (uint32_t i = 0; i < TRIES_MAX && !has_spent(s); i++) {
        struct symbolic_opts ask =
            symbolic_share(&s->ask, s->cost_max - s->stat.cost, CANDIDATES_AHEAD);
        enum verdict_sat answer =
            symbolic_ask(&s->window.problem, goal, &ask, w, &s->stat, &refusal);
        if (answer == SAT_YES)
            return SAT_YES;
        bool is_only = first.kind == GOAL_EARLY || first.count > 3;
        if (is_only || !next_instance(s, &first, &at, goal))
            return answer;
        x->query.number[1] = s->window.problem.nodes.at[goal->node[1]].event;
    }
    return SAT_UNKNOWN;
}

/* What was found of the same cause, by whoever. */
static struct finding *finding_of(struct stage *s, const struct predicted *x)
{
    struct finding f;
    predict_tell(s->window.model, x, &s->out->mem, &f);
    finding_done(&f);
    return finding_find(s->out, f.id);
}

/* The core does not know what the program's file puts into static data. */
static bool is_filled(const struct stage *s, const struct goal *g)
{
    const struct problem *p = &s->window.problem;
    const struct node *read = &p->nodes.at[g->node[0]];
    for (uint32_t i = read->first; i < read->first + read->count; i++) {
        const struct sym_place *place = &p->places.at[p->parts.at[i].place];
        if (place->is_known && place->initial != 0)
            return true;
    }
    return false;
}

/* A read before the first write of what the program's file fills is none of memory that was not
 * initialised. */
static void drop_filled(struct stage *s, const struct predicted *x)
{
    struct goal goal;
    if (x->pattern != &pattern_uninitialised || !goal_of(s, x, &goal) || !is_filled(s, &goal))
        return;
    struct finding *f = finding_of(s, x);
    if (!f)
        return;
    uint32_t at = (uint32_t)(f - s->out->findings.at);
    finding_done(f);
    s->out->findings.len--;
    memmove(f, f + 1, (s->out->findings.len - at) * sizeof *f);
    for (uint32_t i = 0; i < s->written.len; i++)
        s->written.at[i].finding -= s->written.at[i].finding > at;
    struct account *a = account_get(s->out, x->pattern->id);
    a->found--;
    a->refuted++;
    a->by.values++;
}

static void ask_predicted(struct stage *s, struct predicted *x)
{
    AUTO(sym_witness) struct sym_witness w = {0};
    struct goal goal;
    struct finding f;
    if (has_spent(s) || !goal_of(s, x, &goal))
        return;
    if (finding_of(s, x))
        return;
    bool is_vain = goal.kind == GOAL_EARLY && is_filled(s, &goal);
    enum verdict_sat answer = is_vain ? SAT_NO : ask_instances(s, x, &goal, &w);
    count_answer(account_get(s->out, x->pattern->id), answer);
    if (answer != SAT_YES)
        return;
    predict_tell(s->window.model, x, &s->out->mem, &f);
    add_finding(s, &f, &goal, &w, &x->query);
}

/* Where another thread reads the same and does the same again, what that writes belongs to the
 * violation. false: it does not come to it in the trace. */
static bool add_twin(const struct stage *s, struct goal *g)
{
    const struct problem *p = &s->window.problem;
    const struct node *read = &p->nodes.at[g->node[1]], *write = &p->nodes.at[g->node[2]];
    const struct path *path = &p->paths.at[read->thr];
    for (uint32_t i = read->idx + 1; i < path->nodes.len; i++) {
        const struct node *n = &p->nodes.at[path->nodes.at[i]];
        if (n->op == NODE_ACCESS && n->site == write->site) {
            g->node[g->count++] = path->nodes.at[i];
            return true;
        }
    }
    return false;
}

/* Is a violation that was found silent? If not, there is a witness that shows values. */
static void ask_effect(struct stage *s, const struct predicted *x)
{
    AUTO(sym_witness) struct sym_witness w = {0};
    struct goal goal;
    struct query query = x->query;
    struct finding *f =
        x->pattern == &pattern_atomicity && !has_spent(s) ? finding_of(s, x) : NULL;
    if (!f || f->values || *f->with || !goal_of(s, x, &goal))
        return;
    if (strcmp(x->shape, "RRW") == 0 && !add_twin(s, &goal))
        return;
    enum effect effect =
        symbolic_effect(&s->window.problem, &goal, &s->ask, s->cost_max, &w, &s->stat);
    f->values = effect;
    f->effect = effect_sentence(effect);
    if (effect != EFFECT_VISIBLE)
        return;
    for (uint32_t i = 0; i < query.count; i++)
        query.number[i] = s->window.problem.nodes.at[goal.node[i]].event;
    struct written second = {.finding = (uint32_t)(f - s->out->findings.at), .is_second = true};
    add_witness(s, second, f->pattern, &goal, &w, &query);
}

/* Did the core leave something that data decides, or find something whose values matter? In a
 * long run it is not looked at again what the core's clocks order, which know data too. */
static bool is_left(const struct stage *s)
{
    if (s->window.recorded.events <= SCAN_EVENTS)
        return true;
    const struct pattern *const asked[] = {&pattern_race, &pattern_atomicity,
                                           &pattern_uninitialised};
    for (uint32_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const struct account *a = account_get(s->out, asked[i]->id);
        bool has_values = a->found > 0 && asked[i] != &pattern_race;
        if (a->by.closure > 0 || a->unknown > 0 ||
            (has_values && s->window.recorded.events <= EFFECTS_EVENTS))
            return true;
    }
    return false;
}

/* What is possible as far as locks and the like go, and is not among the core's findings: data
 * kept it from being found. */
static int ask_undecided(struct stage *s, struct err *err)
{
    predicted_list list = {0};
    AUTO(predictor) struct predictor *sync = predictor_new(s->window.model, MODE_SYNC, err);
    if (!sync)
        return -1;
    predict_scan(sync, keep_possible, &list);
    for (uint32_t i = 0; i < list.len; i++)
        drop_filled(s, &list.at[i]);
    progress_begin("reasoning about values");
    uint32_t i = 0;
    for (; i < list.len && !run_signal(); i++) {
        progress_of(i, list.len, "candidates");
        ask_predicted(s, &list.at[i]);
    }
    if (i < list.len)
        undone_add(s->out, (struct undone){.stage = "values",
                                           .what = "candidates",
                                           .left = list.len - i,
                                           .total = list.len,
                                           .next = ""});
    for (i = 0; i < list.len && !run_signal(); i++)
        ask_effect(s, &list.at[i]);
    progress_end();
    vec_done(&list);
    return 0;
}

/* ---- witnesses --------------------------------------------------------------------------- */

static int save_witnesses(struct stage *s, struct err *err)
{
    AUTO(str) struct str path = {0};
    if (!s->writer || witness_writer_finish(s->writer, err) < 0)
        return s->writer ? -1 : 0;
    for (uint32_t i = 0; i < s->written.len; i++) {
        struct finding *f = &s->out->findings.at[s->written.at[i].finding];
        bool is_second = s->written.at[i].is_second;
        path.len = 0;
        str_add(&path, "%s/%s%s", s->o->witness_dir, f->id, is_second ? "-values" : "");
        if (s->o->known && finding_find(s->o->known, f->id))
            str_add(&path, "-%llu", (unsigned long long)s->o->known->runs + 1);
        str_add(&path, ".witness");
        if (witness_writer_save(s->writer, i, path.at, err) < 0)
            return -1;
        *(is_second ? &f->second : &f->witness) = arena_text(&s->out->mem, path.at, path.len);
    }
    return 0;
}

/* ---- all of it --------------------------------------------------------------------------- */

static void tell_unseen(struct stage *s, const char *why)
{
    AUTO(str) struct str text = {0};
    str_add(&text, "values: %s", why);
    vec_push(&s->out->unseen, arena_text(&s->out->mem, text.at, text.len));
}

/* Threads whose paths could not be executed to their end: how many, and the first. */
static void tell_paths(struct stage *s)
{
    const struct ir_path *first = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->window.paths.at.len; i++) {
        const struct ir_path *p = &s->window.paths.at.at[i];
        first = !first && !p->is_whole ? p : first;
        count += !p->is_whole;
    }
    if (count == 0)
        return;
    AUTO(str) struct str text = {0};
    str_add(&text, "values in T%u behind event %llu", first->thr,
            (unsigned long long)first->stop);
    if (count > 1)
        str_add(&text, ", and in %u more threads", count - 1);
    str_add(&text, ": %s", first->reason.at ? first->reason.at : "");
    vec_push(&s->out->unseen, arena_text(&s->out->mem, text.at, text.len));
}

/* What is cheap to record and predict shall not wait long for this. */
static uint64_t total_ms(const struct stage *s)
{
    const struct symbolic_words *words = s->o->words;
    if (words->total)
        return words->total;
    if (words->when == SYMBOLIC_ALWAYS + 1)
        return TOTAL_ALWAYS_MS;
    return TOTAL_MS + s->window.recorded.events / EVENTS_PER_MS;
}

static int stages(struct stage *s, struct err *err)
{
    struct err why;
    const struct symbolic_words *words = s->o->words;
    s->ask.work = 1000 * (words->budget ? words->budget : SYMBOLIC_BUDGET_MS);
    s->ask.clauses_max = SYMBOLIC_CLAUSES_MAX;
    bool is_bounded = words->when != SYMBOLIC_ALWAYS + 1;
    struct values_opts opts = {.run = s->o->run,
                               .events_max = is_bounded ? SYMBOLIC_EVENTS_MAX : 0,
                               .steps_max = is_bounded ? SYMBOLIC_STEPS_MAX : 0,
                               .in_place = s->o->in_place};
    if (values_open(&s->window, &opts, &why) < 0) {
        if (run_signal())
            undone_add(
                s->out,
                (struct undone){
                    .stage = "values", .what = "runs", .left = 1, .total = 1, .next = ""});
        else
            tell_unseen(s, why.text);
        return 0;
    }
    s->cost_max = 1000 * total_ms(s);
    tell_paths(s);
    if (s->o->witness_dir && !(s->writer = witness_writer_new(&s->window.trace, err)))
        return -1;
    if (s->writer)
        witness_writer_process(s->writer, s->window.recorded.process);
    ask_all(s);
    if (is_left(s) && ask_undecided(s, err) < 0)
        return -1;
    if (s->o->stat) {
        *s->o->stat = s->stat;
        s->o->stat->nodes = s->window.problem.nodes.len;
    }
    return 0;
}

static void stage_done(struct stage *s)
{
    witness_writer_free(s->writer);
    vec_done(&s->written);
    values_close(&s->window);
}

int stage_symbolic(struct finding_list *out, const struct stage_symbolic *opts, struct err *err)
{
    struct stage s = {.o = opts, .out = out};
    if (opts->words->when == SYMBOLIC_OFF + 1)
        return 0;
    int result = stages(&s, err);
    if (result == 0)
        result = save_witnesses(&s, err);
    stage_done(&s);
    return result;
}

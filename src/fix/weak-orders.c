/* SPDX-License-Identifier: Apache-2.0
 *
 * weak-orders: a failure or race that weak behaviour of atomics brings about is mended where
 * that is allowed: stronger memory orders, or a fence. Which ones is asked of the failing runs
 * themselves (relaxed/forbid.c), the cheapest that forbids all of them; whether that is enough
 * is for runs of the rebuilt program to say, with weak behaviour and without. */
#include "fix/recipe.h"

#include "explore/explore.h"
#include "relaxed/relaxed.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    GATHERED_MAX = 10,
    GATHER_RUNS = 120,
    MORE_MAX = 3, /* runs that a remedy does not forbid, and */
    MORE_RUNS = 600,
    REMEDIES_MAX = 12,
    WEAK_PROOF_RUNS = 400, /* with weak behaviour */
    TURN_PROOF_RUNS = 40,  /* without */
    RACE_LOOKS = 60,       /* of the first, those that are looked into for the race */
    EXHAUST_RUNS = 2000,   /* if these are all that the program can do */
};

struct orders {
    struct fix_repair *r;
    const struct finding *f;
    const struct fix_repair_opts *opts;
    struct codebase *code;
    enum weak_mode weak;                /* of the runs */
    VEC(struct relaxed_graph *) graphs; /* owned */
    VEC(struct relaxed_goal) goals;
    relaxed_remedies tried;
    uint32_t runs; /* of the program before */
};

static bool is_race(const struct orders *o)
{
    return o->f->pattern == PATTERN_WEAK_RACE;
}

/* ---- runs that must not be --------------------------------------------------------------- */

static bool is_at(const struct relaxed_graph *g, uint32_t step, const struct place *p)
{
    const struct def_site *s = relaxed_site(g, step);
    return s && s->line == p->line && strlen(p->file) == s->file.len &&
           memcmp(p->file, s->file.at, s->file.len) == 0;
}

static bool is_the_race(const struct orders *o, const struct relaxed_graph *g,
                        const struct relaxed_race *race)
{
    const struct finding *f = o->f;
    if (f->sites.len < 2)
        return false;
    return (is_at(g, race->first, &f->sites.at[0]) &&
            is_at(g, race->second, &f->sites.at[1])) ||
           (is_at(g, race->first, &f->sites.at[1]) && is_at(g, race->second, &f->sites.at[0]));
}

/* Is the race in this run? All of them if nothing says which. */
static bool find_race(const struct orders *o, const struct relaxed_graph *g,
                      struct relaxed_race *out, bool any)
{
    relaxed_races all = {0};
    bool found = false;
    relaxed_find_races(g, &all);
    for (uint32_t i = 0; i < all.len && !found; i++)
        if (any || is_the_race(o, g, &all.at[i])) {
            *out = all.at[i];
            found = true;
        }
    vec_done(&all);
    return found;
}

static bool has_weak_step(const struct relaxed_graph *g)
{
    for (uint32_t i = 0; i < g->steps.len; i++)
        if (g->steps.at[i].is_weak)
            return true;
    return false;
}

/* The run joins those that must not be, if none of what was tried forbids it: of one remedy,
 * or of the program as it is (NULL). */
static void add_goal(struct orders *o, const char *run, const struct relaxed_remedy *with)
{
    struct relaxed_graph *g = mem_zeroed(1, sizeof *g);
    struct relaxed_goal goal = {.graph = g, .race = {NONE, NONE}};
    struct relaxed_changes none = {0};
    struct relaxed_changes changes =
        with ? (struct relaxed_changes){.at = with->at, .len = with->len} : none;
    struct err ignored;
    bool is_open = relaxed_graph_read(g, run, &ignored) == 0;
    bool fits =
        is_open && (is_race(o) ? find_race(o, g, &goal.race, false) : has_weak_step(g)) &&
        relaxed_first_forbidden(g, none) == NONE && (!with || !relaxed_is_met(&goal, changes));
    if (fits) {
        vec_push(&o->graphs, g);
        vec_push(&o->goals, goal);
        CHECK(o->goals.len == o->graphs.len);
        return;
    }
    if (is_open)
        relaxed_graph_done(g);
    free(g);
}

/* ---- runs of a program ------------------------------------------------------------------- */

struct trial {
    struct run_opts run;
    struct run_world *in;
    struct str directory;
};

static int trial_open(struct trial *t, const struct orders *o, char *const *argv,
                      const char *name, struct err *err)
{
    t->run = o->opts->run;
    str_add(&t->directory, "%s/fix", o->opts->home);
    if (directory_make(t->directory.at, err) < 0)
        return -1;
    str_add(&t->directory, "/%s", name);
    run_remove_tree(t->directory.at);
    if (run_make_directory(t->directory.at, err) < 0 ||
        (!o->opts->pool.in_place && run_world_open(&t->in, ".", err) < 0) ||
        run_server_open(&t->run.server, argv, false, err) < 0)
        return -1;
    t->run.in = t->in;
    return 0;
}

static void trial_close(struct trial *t)
{
    run_server_close(t->run.server);
    run_world_close(t->in);
    str_done(&t->directory);
}

static int trial_run(struct trial *t, char *const *argv, uint32_t number, enum weak_mode weak,
                     struct run_result *out, struct err *err)
{
    t->run.policy = number % 2 ? "pos" : "random";
    t->run.seed = number;
    t->run.weak = weak;
    run_clear(t->directory.at);
    return run_target(out, argv, t->directory.at, &t->run, err);
}

/* More runs of the program that must not be, and that the remedy allows. */
static int gather(struct orders *o, const struct relaxed_remedy *with, uint32_t goals,
                  uint32_t runs, struct err *err)
{
    struct trial t = {0};
    uint32_t most = o->goals.len + goals;
    int result = trial_open(&t, o, o->opts->argv, "weak", err);
    for (uint32_t i = 0; result == 0 && i < runs && o->goals.len < most && !run_signal(); i++) {
        struct run_result r;
        result = trial_run(&t, o->opts->argv, o->runs++, o->weak, &r, err);
        if (result < 0)
            break;
        if (run_judges_program(&r) && (is_race(o) || !run_ended_well(&r)))
            add_goal(o, t.directory.at, with);
        run_result_done(&r);
    }
    trial_close(&t);
    return result;
}

/* ---- edits ------------------------------------------------------------------------------- */

/* A memory order as it is written: memory_order_relaxed, std::memory_order::relaxed,
 * __ATOMIC_RELAXED. */
struct order_text {
    uint32_t start, end; /* of the last word, which says which it is */
    bool is_upper;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool order_next(struct text t, uint32_t from, uint32_t end, struct order_text *out)
{
    static const char *const heads[] = {"memory_order_", "memory_order::", "__ATOMIC_"};
    for (uint32_t i = from; i < end; i++)
        for (uint32_t k = 0; k < sizeof heads / sizeof *heads; k++) {
            uint32_t len = (uint32_t)strlen(heads[k]);
            if (i + len > end || memcmp(t.at + i, heads[k], len) != 0)
                continue;
            *out = (struct order_text){i + len, i + len, k == 2};
            while (out->end < end && is_word(t.at[out->end]))
                out->end++;
            return true;
        }
    return false;
}

static bool is_operation(struct text word)
{
    static const char *const parts[] = {"load",    "store",        "exchange", "fetch_",
                                        "atomic_", "test_and_set", "clear"};
    for (uint32_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (memmem(word.at, word.len, parts[i], strlen(parts[i])))
            return true;
    return false;
}

/* The arguments of the first call of an atomic operation from there on; false: none. */
static bool find_arguments(struct text t, uint32_t from, uint32_t *start, uint32_t *end)
{
    for (uint32_t i = from; i < t.len && t.at[i] != ';' && t.at[i] != '{'; i++) {
        uint32_t word = i, depth = 0;
        if (t.at[i] != '(')
            continue;
        while (word > 0 && is_word(t.at[word - 1]))
            word--;
        if (!is_operation((struct text){t.at + word, i - word}))
            continue;
        *start = i + 1;
        for (*end = i; *end < t.len; ++*end) {
            depth += t.at[*end] == '(';
            if (t.at[*end] == ')' && --depth == 0)
                return true;
        }
    }
    return false;
}

static unsigned order_of(struct text word)
{
    for (unsigned o = 0; o <= WORD_VALUE(ORDER, SEQ_CST); o++) {
        const char *name = word_text(ORDER_FIRST, o);
        if (strlen(name) == word.len && strncasecmp(name, word.at, word.len) == 0)
            return o;
    }
    return NONE;
}

/* As strong as both; the second order of a compare-exchange releases nothing. */
static unsigned order_with(unsigned is, unsigned raised, bool is_failing)
{
    bool sc = is == WORD_VALUE(ORDER, SEQ_CST) || raised == WORD_VALUE(ORDER, SEQ_CST);
    bool gets = sc, gives = sc;
    unsigned both[] = {is, raised};
    for (uint32_t i = 0; i < 2; i++) {
        gets |= both[i] != WORD_VALUE(ORDER, RELAXED) && both[i] != WORD_VALUE(ORDER, RELEASE);
        gives |= both[i] >= WORD_VALUE(ORDER, RELEASE);
    }
    gives &= !is_failing;
    return sc              ? WORD_VALUE(ORDER, SEQ_CST)
           : gets && gives ? WORD_VALUE(ORDER, ACQ_REL)
           : gets          ? WORD_VALUE(ORDER, ACQUIRE)
           : gives         ? WORD_VALUE(ORDER, RELEASE)
                           : WORD_VALUE(ORDER, RELAXED);
}

static bool has_edit(const struct patch *p, const char *file, uint32_t offset)
{
    for (uint32_t i = 0; i < p->edits.len; i++)
        if (p->edits.at[i].offset == offset && strcmp(p->edits.at[i].file, file) == 0)
            return true;
    return false;
}

static uint32_t offset_of(struct text t, uint32_t line, uint32_t column)
{
    uint32_t at = 0;
    for (uint32_t n = 1; n < line && at < t.len; at++)
        n += t.at[at] == '\n';
    return column > 0 && at + column - 1 < t.len ? at + column - 1 : at;
}

struct spot {
    struct node_ref node;
    uint32_t file;   /* of its unit */
    uint32_t offset; /* where the access is written */
};

static bool find_spot(struct orders *o, uint64_t key, struct spot *out)
{
    const struct relaxed_graph *g = o->goals.at[0].graph;
    for (uint32_t k = 0; k < o->goals.len; k++) {
        g = o->goals.at[k].graph;
        for (uint32_t i = 0; i < g->steps.len; i++) {
            const struct def_site *s = relaxed_site(g, i);
            if (g->steps.at[i].key != key || g->steps.at[i].op > RELAXED_UPDATE || !s)
                continue;
            struct code_site site = {.file = arena_text(&o->r->mem, s->file.at, s->file.len),
                                     .function = "",
                                     .name = "",
                                     .line = s->line,
                                     .column = s->column};
            out->node = codebase_find(o->code, &site);
            if (out->node.node == NONE)
                return false;
            const struct unit *u = codebase_unit(o->code, out->node.unit);
            out->file = node_of(u, out->node.node)->file;
            out->offset = offset_of(u->files.at[out->file].text, s->line, s->column);
            CHECK(out->offset <= u->files.at[out->file].text.len);
            return true;
        }
    }
    return false;
}

static int raise_order(struct orders *o, const struct relaxed_change *c, const struct spot *s,
                       struct patch *out, struct err *err)
{
    const struct unit *u = codebase_unit(o->code, s->node.unit);
    const struct source_file *f = &u->files.at[s->file];
    uint32_t start, end, count = 0;
    struct order_text at;
    if (!find_arguments(f->text, s->offset, &start, &end))
        return err_set(err, "%s: no atomic operation is written there", f->path);
    for (; order_next(f->text, start, end, &at); start = at.end, count++) {
        unsigned is = order_of((struct text){f->text.at + at.start, at.end - at.start});
        if (is == NONE)
            return err_set(err, "%s: an order is not understood", f->path);
        char word[16];
        snprintf(word, sizeof word, "%s",
                 word_text(ORDER_FIRST, order_with(is, c->order, count > 0)));
        for (char *p = word; at.is_upper && *p; p++)
            *p = (char)toupper((unsigned char)*p);
        if (!has_edit(out, f->path, at.start))
            patch_add(out, f->path, at.start, at.end - at.start, word, EDIT_OPEN);
    }
    return count > 0
               ? 0
               : err_set(err, "%s: the order is not written where the operation is", f->path);
}

/* As the file writes such things. */
static const char *fence_text(struct orders *o, const struct source_file *f, unsigned order)
{
    AUTO(str) struct str text = {0};
    const char *name = word_text(ORDER_FIRST, order);
    bool is_builtin = !memmem(f->text.at, f->text.len, "memory_order", 12);
    bool is_cxx = memmem(f->text.at, f->text.len, "std::memory_order", 17) != NULL;
    str_add(&text, is_builtin ? "__atomic_thread_fence(__ATOMIC_"
                   : is_cxx   ? "std::atomic_thread_fence(std::memory_order_"
                              : "atomic_thread_fence(memory_order_");
    for (; *name; name++)
        str_char(&text, is_builtin ? (char)toupper((unsigned char)*name) : *name);
    str_add(&text, ");");
    return arena_text(&o->r->mem, text.at, text.len);
}

static int add_fence(struct orders *o, const struct relaxed_change *c, const struct spot *s)
{
    struct unit *u = codebase_unit(o->code, s->node.unit);
    node_id statement = node_statement(u, s->node.node);
    bool before = c->move == RELAXED_FENCE_BEFORE;
    unit_insert(u, statement, before ? INSERT_OPEN : INSERT_CLOSE,
                fence_text(o, &u->files.at[s->file], c->order));
    return 0;
}

static int make_edits(struct orders *o, const struct relaxed_remedy *remedy, struct patch *out,
                      struct err *err)
{
    uint64_t with_fences = 0; /* units */
    CHECK(remedy->len > 0 && remedy->len <= RELAXED_CHANGES_MAX && o->goals.len > 0);
    for (uint32_t i = 0; i < remedy->len; i++) {
        const struct relaxed_change *c = &remedy->at[i];
        struct spot s;
        if (!find_spot(o, c->key, &s))
            return err_set(err, "the source of an atomic operation was not found");
        if (c->move == RELAXED_RAISE) {
            if (raise_order(o, c, &s, out, err) < 0)
                return -1;
        } else if (add_fence(o, c, &s) == 0 && s.node.unit < 64) {
            with_fences |= 1ULL << s.node.unit;
        }
    }
    for (uint32_t i = 0; i < o->code->units.len && i < 64; i++)
        if (with_fences >> i & 1)
            unit_flush(codebase_unit(o->code, i), out);
    return 0;
}

/* ---- proof ------------------------------------------------------------------------------- */

/* 1: the run is one that must not be. */
static int judge_run(struct orders *o, struct fix_candidate *c, const struct trial *t,
                     const struct run_result *r, bool looks)
{
    struct relaxed_graph g;
    struct relaxed_race race;
    struct err ignored;
    if (!run_unjudged(r) && !run_ended_well(r)) {
        AUTO(str) struct str kind = {0};
        run_kind(&kind, r);
        c->breaks = arena_text(&o->r->mem, t->directory.at, t->directory.len);
        c->ends_in = arena_text(&o->r->mem, kind.at, kind.len);
        candidate_say(o->r, c, "a run still ends in %s: heddle replay %s", kind.at,
                      t->directory.at);
        return 1;
    }
    if (!looks || relaxed_graph_read(&g, t->directory.at, &ignored) < 0)
        return 0;
    bool races = find_race(o, &g, &race, true);
    relaxed_graph_done(&g);
    if (races)
        candidate_say(o->r, c, "the accesses still race: heddle replay %s", t->directory.at);
    return races;
}

/* Chosen by chance, with weak behaviour and without. 1: one must not be. */
static int prove_by_chance(struct orders *o, struct fix_candidate *c, char *const *argv,
                           struct err *err)
{
    AUTO(str) struct str name = {0};
    struct trial t = {0};
    str_add(&name, "%u/weak", c->round);
    int result = trial_open(&t, o, argv, name.at, err);
    for (uint32_t i = 0; result == 0 && i < WEAK_PROOF_RUNS + TURN_PROOF_RUNS; i++) {
        struct run_result r;
        bool is_weak = i < WEAK_PROOF_RUNS;
        result = trial_run(&t, argv, i, is_weak ? o->weak : WEAK_OFF, &r, err);
        if (result < 0)
            break;
        result = judge_run(o, c, &t, &r, is_race(o) && i < RACE_LOOKS);
        run_result_done(&r);
    }
    if (result == 0)
        candidate_say(
            o->r, c, "%d runs with weak behaviour of atomics and %d without: all pass%s",
            WEAK_PROOF_RUNS, TURN_PROOF_RUNS, is_race(o) ? ", and nothing races" : "");
    trial_close(&t);
    return result;
}

/* A schedule that starves a thread that spins says nothing. 1: another run failed. */
static int judge_explored(struct orders *o, struct fix_candidate *c,
                          const struct run_table *table)
{
    for (uint32_t i = 0; i < table->rows.len; i++) {
        const struct run_row *row = &table->rows.at[i];
        if (run_ended_well(&row->first) || !run_judges_program(&row->first) ||
            row->first.outcome == WORD_VALUE(OUTCOME, HANG))
            continue;
        c->breaks = arena_text(&o->r->mem, row->directory.at, row->directory.len);
        c->ends_in = arena_text(&o->r->mem, row->kind.at, row->kind.len);
        candidate_say(o->r, c, "a run still ends in %s: heddle replay %s", c->ends_in,
                      c->breaks);
        return 1;
    }
    return 0;
}

/* All that the program can do, up to equivalence, if that is little. 1: a run failed. */
static int prove_by_all(struct orders *o, struct fix_candidate *c, char *const *argv,
                        struct err *err)
{
    AUTO(str) struct str store = {0};
    struct run_table table = {0};
    struct explore_count count = {0};
    struct run_opts run = o->opts->run;
    run.weak = o->weak;
    str_add(&store, "%s/fix/%u/all", o->opts->home, c->round);
    struct run_many_opts many = {.pool = o->opts->pool, .runs = EXHAUST_RUNS, .keep = 1};
    many.pool.store = store.at;
    int result = directory_make(store.at, err);
    if (result == 0)
        result = explore_program(&table, &count, argv, &run, &many, EXPLORE_UNBOUNDED, err);
    if (result == 0)
        result = judge_explored(o, c, &table);
    bool is_all = count.complete && count.lost == 0 && !count.leaves_out &&
                  table.weak.len == 0 && !(count.has_sc && count.has_weaker);
    if (result == 0)
        candidate_say(o->r, c, "%llu runs explored%s", (unsigned long long)count.runs,
                      is_all ? ": all that it can do, up to equivalence" : "");
    run_table_done(&table);
    return result;
}

static int prove(struct orders *o, struct fix_candidate *c, struct err *err)
{
    argv_list argv = {0};
    candidate_argv(&argv, c, o->opts);
    int result = prove_by_chance(o, c, argv.at, err);
    if (result == 0)
        result = prove_by_all(o, c, argv.at, err);
    vec_done(&argv);
    return result;
}

/* ---- candidates -------------------------------------------------------------------------- */

static void explain(struct orders *o, struct fix_candidate *c, const struct relaxed_remedy *r)
{
    bool fences = false, orders = false;
    AUTO(str) struct str text = {0};
    for (uint32_t i = 0; i < r->len; i++) {
        fences |= r->at[i].move != RELAXED_RAISE;
        orders |= r->at[i].move == RELAXED_RAISE;
    }
    c->recipe = fences ? "fence" : "memory-order";
    str_add(&text,
            "%s: %s. C11 allows that with the orders as they are; with %s the runs "
            "that show it (%u) are not allowed any more.",
            is_race(o) ? "The race is one by C11's rules" : "The failure needs weak behaviour",
            weak_label_text(o->f->label),
            fences && orders ? "stronger ones and a fence"
            : fences         ? "a fence"
                             : "stronger ones",
            o->goals.len);
    c->why = arena_text(&o->r->mem, text.at, text.len);
    c->trade = fences ? "no lock; a fence each time" : "no lock";
}

static int try_remedy(struct orders *o, const struct relaxed_remedy *remedy, struct err *err)
{
    struct err why;
    struct fix_candidate *c = candidate_new(o->r, "memory-order", 0);
    uint32_t number = o->r->candidates.len - 1;
    explain(o, c, remedy);
    if (make_edits(o, remedy, &c->patch, &why) < 0 ||
        candidate_diff(o->r, c, o->opts->texts, &why) < 0) {
        vec_push(&o->r->refusals, arena_text(&o->r->mem, why.text, strlen(why.text)));
        candidate_free(c);
        o->r->candidates.len--;
        return 0;
    }
    c->round = ++o->r->rounds;
    int result = candidate_build(o->r, c, o->code, o->opts, err);
    if (result != 0)
        return result < 0 ? -1 : 0;
    result = prove(o, c, err);
    if (result == 0)
        c->state = FIX_PROVEN;
    if (o->r->best == NONE || result == 0)
        o->r->best = number;
    return result < 0 ? -1 : 0;
}

static bool is_proven(const struct fix_repair *r)
{
    return r->best != NONE && r->candidates.at[r->best].state == FIX_PROVEN;
}

static bool is_tried(const struct orders *o, const struct relaxed_remedy *r)
{
    for (uint32_t i = 0; i < o->tried.len; i++)
        if (o->tried.at[i].len == r->len &&
            memcmp(o->tried.at[i].at, r->at, r->len * sizeof r->at[0]) == 0)
            return true;
    return false;
}

/* The cheapest that forbids all that must not be and was not tried; false: there is none. */
static bool next_remedy(struct orders *o, struct relaxed_remedy *out)
{
    relaxed_remedies all = {0};
    bool is_found = false;
    relaxed_find_remedies(o->goals.at, o->goals.len, o->tried.len + 1, &all);
    for (uint32_t i = 0; i < all.len && !is_found; i++) {
        is_found = !is_tried(o, &all.at[i]);
        if (is_found)
            *out = all.at[i];
    }
    vec_done(&all);
    return is_found;
}

/* A remedy that is not enough is asked what it allows: the next one must forbid that, too. */
static int try_remedies(struct orders *o, struct err *err)
{
    struct relaxed_remedy now;
    int result = 0;
    bool is_done = false;
    while (result == 0 && !is_done && o->tried.len < REMEDIES_MAX && next_remedy(o, &now)) {
        if (o->opts->progress)
            o->opts->progress("patches", o->tried.len);
        CHECK(!is_tried(o, &now));
        vec_push(&o->tried, now);
        result = try_remedy(o, &now, err);
        if (result == 0 && !is_proven(o->r))
            result = gather(o, &now, MORE_MAX, MORE_RUNS, err);
        is_done = run_signal() || (is_proven(o->r) && !o->opts->all);
    }
    return result;
}

static void orders_done(struct orders *o)
{
    for (uint32_t i = 0; i < o->graphs.len; i++) {
        relaxed_graph_done(o->graphs.at[i]);
        free(o->graphs.at[i]);
    }
    vec_done(&o->graphs);
    vec_done(&o->goals);
    vec_done(&o->tried);
}

int fix_weak(struct fix_repair *out, const struct causes *causes, const struct finding *f,
             const struct fix_repair_opts *opts, struct err *err)
{
    struct codebase code;
    *out = (struct fix_repair){.best = NONE};
    if (codebase_open(&code, opts->argv[0], opts->texts, err) < 0)
        return -1;
    code.causes = causes;
    struct orders o = {.r = out,
                       .f = f,
                       .opts = opts,
                       .code = &code,
                       .weak = opts->run.weak == WEAK_OFF ? WEAK_C11 : opts->run.weak};
    add_goal(&o, o.f->run, NULL);
    int result = gather(&o, NULL, GATHERED_MAX, GATHER_RUNS, err);
    if (result == 0 && o.goals.len > 0)
        result = try_remedies(&o, err);
    orders_done(&o);
    codebase_close(&code);
    return result;
}

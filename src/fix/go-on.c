/* SPDX-License-Identifier: Apache-2.0
 *
 * go-on: a program may fail in more than one way, and one bug may hide another. Behind a proven
 * patch the search goes on in the patched program, and the patches become one. */
#include "fix/recipe.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEPS_MAX = 4, /* patches in one */
    ROUNDS_MAX = 24,
    LOOK_RUNS = 400, /* for another failure */
    TRACED_RUNS = 8  /* of these, to see which deadlocks could be brought about */
};

/* What a look for more failures has seen. */
struct seen_more {
    uint32_t apart; /* harms that do not count */
    bool fails;
};

struct steps {
    struct fix_repair *r;
    struct fix_candidate *best;
    const struct seek_runs *seek;
    const struct fix_repair_opts *opts;
    fix_texts texts; /* of the files patched so far; live in r->mem */
    struct str recipes, why;
    uint32_t count, locks;
    argv_list argv; /* of the patched program */
};

/* ---- the patched program ---------------------------------------------------------------- */

static void set_program(struct steps *s, const char *program)
{
    const char *kept = arena_text(&s->r->mem, program, strlen(program));
    union {
        const char *in;
        char *out;
    } name = {kept};
    s->argv.len = 0;
    vec_push(&s->argv, name.out);
    for (char *const *a = s->opts->argv + 1; *a; a++)
        vec_push(&s->argv, *a);
    vec_push(&s->argv, NULL);
    s->best->program = kept;
}

static void set_text(struct steps *s, const char *path, struct text t)
{
    struct source_change one = {.path = arena_text(&s->r->mem, path, strlen(path)),
                                .text = {arena_text(&s->r->mem, t.at, t.len), t.len}};
    for (uint32_t i = 0; i < s->texts.len; i++)
        if (strcmp(s->texts.at[i].path, path) == 0) {
            s->texts.at[i] = one;
            return;
        }
    vec_push(&s->texts, one);
}

/* The patch is made: what its files are from now on. */
static int take_texts(struct steps *s, const struct patch *p, struct err *err)
{
    patch_files files = {0};
    int failed = 0;
    patch_list(p, &files);
    for (uint32_t i = 0; i < files.len && !failed; i++) {
        AUTO(bytes) struct bytes old = {0};
        AUTO(str) struct str text = {0};
        failed = text_before_patch(&old, &s->texts, files.at[i], err);
        if (!failed)
            failed =
                patch_apply(p, files.at[i],
                            (struct text){(const char *)old.at, (uint32_t)old.len}, &text, err);
        if (!failed)
            set_text(s, files.at[i], (struct text){text.at ? text.at : "", (uint32_t)text.len});
    }
    vec_done(&files);
    return failed;
}

static int take_step(struct steps *s, const struct fix_candidate *c, const char *failure,
                     struct err *err)
{
    CHECK(*c->program && c->patch.edits.len > 0 && s->count < STEPS_MAX);
    if (s->count > 0)
        candidate_say(s->r, s->best, "then %s: %s", failure, c->recipe);
    for (uint32_t i = 0; i < c->log.len && c != s->best; i++)
        candidate_say(s->r, s->best, "%s", c->log.at[i]);
    str_add(&s->recipes, "%s%s", s->count ? ", " : "", c->recipe);
    /* "The failure comes with ..." */
    bool is_next = s->count > 0 && *c->why;
    str_add(&s->why, "%s%s", is_next ? " Then t" : "", c->why + is_next);
    s->locks += c->locks;
    s->count++;
    if (take_texts(s, &c->patch, err) < 0)
        return -1;
    set_program(s, c->program);
    return 0;
}

/* ---- another failure -------------------------------------------------------------------- */

static int look_for_failure(void *arg, struct run_done *d, bool *enough, struct err *err)
{
    struct seen_more *seen = arg;
    (void)err;
    seen->fails |= run_failed(&d->result) && !harm_in(seen->apart, harm_of(d->result.outcome));
    *enough = seen->fails;
    return 0;
}

/* Causes of what still fails; none: failures is empty. */
static int find_more(struct steps *s, struct causes *causes, struct guards *guards,
                     struct err *err)
{
    struct seek_runs seek = *s->seek, quick = *s->seek;
    struct seen_more seen = {.apart = s->opts->apart};
    uint64_t runs = seek.runs ? seek.runs : LOOK_RUNS;
    seek.argv = quick.argv = s->argv.at;
    seek.guards = guards;
    quick.run.no_trace = true;
    if (explore_runs(&quick, runs, look_for_failure, &seen, err) < 0)
        return -1;
    if (!seen.fails)
        seek.runs = TRACED_RUNS;
    if (causes_find(causes, &seek, err) < 0)
        return -1;
    causes_leave(causes, s->opts->apart);
    if (!seen.fails && causes->failures.len == 0)
        candidate_say(s->r, s->best, "%llu more runs of the patched program: none fails%s",
                      (unsigned long long)(runs + causes->runs),
                      s->opts->apart ? " by this" : "");
    return 0;
}

/* 1: no patch for what is left. */
static int mend_more(struct steps *s, const struct causes *causes, const struct guards *guards,
                     struct err *err)
{
    struct fix_repair more;
    struct fix_repair_opts opts = *s->opts;
    opts.argv = s->argv.at;
    opts.original = s->opts->argv[0];
    opts.texts = &s->texts;
    opts.rounds_done = s->r->rounds;
    opts.rounds = s->opts->rounds ? s->opts->rounds : ROUNDS_MAX;
    opts.all = false;
    int failed = fix_repair(&more, causes, guards, &opts, err);
    if (!failed) {
        const struct fix_candidate *c =
            more.best == NONE ? NULL : &more.candidates.at[more.best];
        const struct cause_failure *f = &causes->failures.at[0];
        s->r->rounds = more.rounds;
        if (c && c->state == FIX_PROVEN) {
            failed = take_step(s, c, f->kind, err);
        } else {
            candidate_say(s->r, s->best, "%s is left: no patch for it passed: heddle replay %s",
                          f->kind, f->run);
            s->best->breaks = arena_text(&s->r->mem, f->run, strlen(f->run));
            failed = 1;
        }
    }
    fix_repair_done(&more);
    return failed;
}

/* ---- one patch -------------------------------------------------------------------------- */

static int combine(struct steps *s, const char *failing, bool is_circle, struct err *err)
{
    struct fix_candidate *c = s->best;
    c->patch.edits.len = 0;
    for (uint32_t i = 0; i < s->texts.len; i++) {
        AUTO(bytes) struct bytes old = {0};
        if (bytes_read(&old, s->texts.at[i].path, err) < 0)
            return -1;
        diff_edits(&c->patch, s->texts.at[i].path,
                   (struct text){(const char *)old.at, (uint32_t)old.len}, s->texts.at[i].text);
    }
    c->diff.len = 0;
    c->lines = 0;
    c->locks = s->locks;
    c->recipe = arena_text(&s->r->mem, s->recipes.at, s->recipes.len);
    c->why = arena_text(&s->r->mem, s->why.at, s->why.len);
    if (candidate_diff(s->r, c, NULL, err) < 0)
        return -1;
    if (c->state != FIX_PROVEN)
        return 0;
    candidate_say(s->r, c, "all of it, against the program as it was:");
    int failed = candidate_judge(s->r, c, s->opts, failing, is_circle, err);
    if (failed > 0)
        c->state = FIX_PARTIAL;
    return failed < 0 ? -1 : 0;
}

/* 1: something is left. */
static int take_steps(struct steps *s, struct err *err)
{
    for (uint32_t more = 1; more < STEPS_MAX && !run_signal(); more++) {
        struct causes causes = {0};
        struct guards guards = {0};
        int left = find_more(s, &causes, &guards, err);
        bool is_done = left == 0 && causes.failures.len == 0;
        if (left == 0 && !is_done)
            left = mend_more(s, &causes, &guards, err);
        guards_done(&guards);
        causes_done(&causes);
        if (left != 0 || is_done)
            return left;
    }
    return 0;
}

int fix_go_on(struct fix_repair *r, const struct causes *causes, const struct seek_runs *seek,
              const struct fix_repair_opts *opts, struct err *err)
{
    if (r->best == NONE || (r->candidates.at[r->best].state != FIX_PROVEN &&
                            !r->candidates.at[r->best].is_helping))
        return 0;
    struct steps s = {.r = r, .best = &r->candidates.at[r->best], .seek = seek, .opts = opts};
    uint32_t failure = causes->causes.at[s.best->cause].failure;
    const char *failing =
        failure < causes->failures.len ? causes->failures.at[failure].run : NULL;
    int failed = take_step(&s, s.best, "", err);
    int left = failed ? failed : take_steps(&s, err);
    if (left > 0)
        s.best->state = FIX_PARTIAL;
    else if (left == 0 && s.count > 1)
        s.best->state = FIX_PROVEN; /* if the judge says so */
    failed = left < 0 ? -1 : 0;
    if (!failed && s.count > 1)
        failed = combine(&s, failing, candidate_shows_in_locks(s.best, causes), err);
    vec_done(&s.texts);
    vec_done(&s.argv);
    str_done(&s.recipes);
    str_done(&s.why);
    return failed;
}

/* ---- others ------------------------------------------------------------------------------ */

/* Is the same text offered already? */
static bool is_double(const struct fix_repair *r, uint32_t number)
{
    const struct str *own = &r->candidates.at[number].diff;
    for (uint32_t i = 0; i < r->candidates.len; i++) {
        const struct fix_candidate *c = &r->candidates.at[i];
        if ((i == r->best || c->is_offered) && c->diff.len == own->len &&
            memcmp(c->diff.at, own->at, own->len) == 0)
            return true;
    }
    return false;
}

int fix_look_at_others(struct fix_repair *r, const struct causes *causes,
                       const struct seek_runs *seek, const struct fix_repair_opts *opts,
                       struct err *err)
{
    uint32_t best = r->best, offered = 0;
    bool is_proven = best != NONE && r->candidates.at[best].state == FIX_PROVEN;
    int failed = 0;
    for (uint32_t i = 0; is_proven && i < r->candidates.len && !failed && !run_signal(); i++) {
        struct fix_candidate *c = &r->candidates.at[i];
        if (offered == opts->alternatives || i == best || c->state != FIX_PROVEN ||
            c->is_surplus)
            continue;
        r->best = i;
        if (causes->failures.len > 0)
            failed = fix_go_on(r, causes, seek, opts, err);
        r->best = best;
        c = &r->candidates.at[i];
        c->is_offered = !failed && c->state == FIX_PROVEN && !is_double(r, i);
        offered += c->is_offered;
    }
    return failed;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * check: see check.h. One function per stage; each leaves its files behind, so that any stage
 * can be looked at or done again alone. */
#include "cmd/check.h"

#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/unseen.h"
#include "confirm/confirm.h"
#include "explain/explain.h"
#include "predict/predict.h"

#include <string.h>

struct cascade {
    const struct check_opts *o;
    struct told_list *out;
    struct str home; /* PROGRAM.heddle */
    struct str run;  /* directory of the recorded run */
    struct run_result recorded;
    struct run_copy *copy; /* where confirming runs work; NULL: in place */
};

static const char *keep(struct cascade *c, const struct str *text)
{
    return arena_text(&c->out->mem, text->at ? text->at : "", text->len);
}

static void path_in(struct str *out, const struct str *directory, const char *name)
{
    out->len = 0;
    str_add(out, "%s/%s", directory->at, name);
}

/* ---- record ---------------------------------------------------------------------------- */

static int record(struct cascade *c, struct err *err)
{
    uint32_t number = 0;
    struct run_opts run = c->o->run;
    progress_begin("recording");
    int result = run_directory(&c->run, c->o->argv[0], &number, err);
    if (result == 0)
        result = run_target(&c->recorded, c->o->argv, c->run.at, &run, err);
    progress_end();
    if (result == 0)
        result = run_link_last(c->run.at, err);
    return result;
}

/* "runs/3" below the home becomes the home. */
static void find_home(struct cascade *c)
{
    str_bytes(&c->home, c->run.at, c->run.len);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(c->home.at, '/');
        c->home.len = (size_t)(slash - c->home.at);
        c->home.at[c->home.len] = 0;
    }
}

/* Calls that the run let through without knowing them. */
static void note_unmodelled(struct cascade *c)
{
    AUTO(str) struct str path = {0}, line = {0};
    struct runfile f;
    struct err ignored;
    path_in(&path, &c->run, "outcome");
    if (runfile_open(&f, path.at, &ignored) < 0)
        return;
    for (uint32_t i = 0; i < f.entries.len; i++) {
        if (f.entries.at[i].head.tag != TAG_UNMODELLED)
            continue;
        line.len = 0;
        str_add(&line, "%.*s: called, and not modelled", (int)f.entries.at[i].head.bytes,
                (const char *)f.entries.at[i].data);
        vec_push(&c->out->unseen, keep(c, &line));
    }
    runfile_close(&f);
}

static void tell_command(struct cascade *c)
{
    AUTO(str) struct str text = {0};
    for (char *const *a = c->o->argv; *a; a++)
        str_add(&text, "%s%s", a == c->o->argv ? "" : " ", *a);
    c->out->program = keep(c, &text);
    text.len = 0;
    run_kind(&text, &c->recorded);
    c->out->outcome = keep(c, &text);
}

/* ---- a run that failed ----------------------------------------------------------------- */

static void tell_failure(struct cascade *c, const struct run_result *r, const char *directory,
                         const char *who)
{
    AUTO(str) struct str kind = {0}, text = {0};
    struct told f = {.pattern = "failure",
                     .is_confirmed = true,
                     .harm = word_text(OUTCOME_FIRST, r->outcome),
                     .why = "",
                     .passes = "",
                     .source = "",
                     .doubt = "",
                     .witness = "",
                     .with = ""};
    run_kind(&kind, r);
    str_add(&text, "failure-%08x", (uint32_t)hash_bytes(kind.at, kind.len));
    f.id = keep(c, &text);
    text.len = 0;
    str_add(&text, "%s: %s", who, kind.at);
    f.message = keep(c, &text);
    text.len = 0;
    str_bytes(&text, r->text.at ? r->text.at : "", strcspn(r->text.at ? r->text.at : "", "\n"));
    f.ends = keep(c, &text);
    text.len = 0;
    str_add(&text, "heddle replay %s", directory);
    f.replay = keep(c, &text);
    vec_push(&c->out->findings, f);
}

/* ---- predict --------------------------------------------------------------------------- */

/* The findings' witnesses, in one file each. */
static int save_witnesses(struct cascade *c, struct findings *found, struct predictor *p,
                          struct trace *t, struct err *err)
{
    AUTO(witness_writer) struct witness_writer *writer = witness_writer_new(t, err);
    AUTO(str) struct str path = {0};
    path_in(&path, &c->home, "witnesses");
    if (!writer || directory_make(path.at, err) < 0)
        return -1;
    for (uint32_t i = 0; i < found->predicted.len; i++) {
        AUTO(witness) struct witness w = {0};
        CHECK(predict(p, &found->predicted.at[i].query, &w) == ANSWER_YES);
        witness_writer_add(writer, &w, found->told.findings.at[i].pattern, c->o->argv);
    }
    if (witness_writer_finish(writer, err) < 0)
        return -1;
    for (uint32_t i = 0; i < found->predicted.len; i++) {
        struct told *f = &found->told.findings.at[i];
        path.len = 0;
        str_add(&path, "%s/witnesses/%s.witness", c->home.at, f->id);
        if (witness_writer_save(writer, i, path.at, err) < 0)
            return -1;
        f->witness = arena_text(&found->told.mem, path.at, path.len);
    }
    return 0;
}

/* The order that the recorded run had, which ended well: the nearest that passes. */
static void tell_passing(struct told *f, const struct predicted *x, struct arena *mem)
{
    const uint64_t *number = x->about_count ? x->about : x->query.number;
    uint32_t count = x->about_count ? x->about_count : x->query.count;
    AUTO(str) struct str text = {0};
    if (count != f->steps.len)
        return;
    uint64_t last = 0;
    for (uint32_t done = 0; done < count; done++) {
        uint32_t next = NONE;
        for (uint32_t i = 0; i < count; i++)
            if ((done == 0 || number[i] > last) && (next == NONE || number[i] < number[next]))
                next = i;
        if (next == NONE)
            return;
        last = number[next];
        const struct told_step *s = &f->steps.at[next];
        const char *slash = strrchr(s->place.file, '/');
        str_add(&text, "%s%s of %s at %s:%u", done ? ", then " : "as recorded: ", s->action,
                f->threads.at[s->thread].name, slash ? slash + 1 : s->place.file,
                s->place.line);
    }
    f->passes = arena_text(mem, text.at ? text.at : "", text.len);
}

/* Everything found goes to the list, which takes over what it lives in. */
static void take_findings(struct cascade *c, struct findings *found)
{
    c->out->mem = found->told.mem;
    c->out->events = found->told.events;
    c->out->threads = found->told.threads;
    for (uint32_t i = 0; i < found->told.findings.len; i++)
        vec_push(&c->out->findings, found->told.findings.at[i]);
    for (uint32_t i = 0; i < found->told.accounts.len; i++)
        vec_push(&c->out->accounts, found->told.accounts.at[i]);
    for (uint32_t i = 0; i < found->told.unseen.len; i++)
        vec_push(&c->out->unseen, found->told.unseen.at[i]);
    vec_done(&found->told.findings);
    vec_done(&found->told.accounts);
    vec_done(&found->told.unseen);
    vec_done(&found->predicted);
}

static int predict_run(struct cascade *c, struct err *err)
{
    AUTO(str) struct str path = {0};
    AUTO(trace) struct trace t = {0};
    path_in(&path, &c->run, "trace");
    if (trace_open(&t, path.at, err) < 0)
        return -1;
    progress_begin("predicting");
    AUTO(model) struct model *m = model_build(&t, &(struct model_opts){0}, err);
    enum mode mode = t.head.flags & TRACE_BRANCHES ? MODE_SOUND : MODE_CLASSIC;
    AUTO(predictor) struct predictor *p = m ? predictor_new(m, mode, err) : NULL;
    if (!p) {
        progress_end();
        return err_in(err, "%s", path.at);
    }
    struct findings found = {0};
    predict_findings(p, &found);
    for (uint32_t i = 0; run_ended_well(&c->recorded) && i < found.predicted.len; i++)
        tell_passing(&found.told.findings.at[i], &found.predicted.at[i], &found.told.mem);
    int result = save_witnesses(c, &found, p, &t, err);
    progress_end();
    take_findings(c, &found);
    unseen_find(c->out, c->o->argv[0], &t);
    return result;
}

/* ---- confirm --------------------------------------------------------------------------- */

static struct account *account_of(struct told_list *l, const char *pattern)
{
    for (uint32_t i = 0; i < l->accounts.len; i++)
        if (strcmp(l->accounts.at[i].pattern, pattern) == 0)
            return &l->accounts.at[i];
    return NULL;
}

static void tell_replay(struct cascade *c, struct told *f)
{
    AUTO(str) struct str text = {0};
    str_add(&text, "heddle replay %s", f->witness);
    f->replay = keep(c, &text);
}

static int confirm_one(struct cascade *c, struct told *f, const struct confirm_opts *o,
                       struct err *err)
{
    AUTO(str) struct str best = {0}, path = {0};
    AUTO(witness_file) struct witness_file w = {0};
    if (witness_file_open(&w, f->witness, err) < 0)
        return -1;
    if (c->copy && run_copy_reset(c->copy, err) < 0)
        return -1;
    if (confirm(f, &w, o, &c->out->mem, &best, err) < 0)
        return -1;
    tell_replay(c, f);
    if (!f->is_confirmed)
        return 0;
    struct account *a = account_of(c->out, f->pattern);
    if (a)
        a->confirmed++;
    path_in(&path, &best, "trace");
    return explain_run(f, &c->out->mem, path.at, &w, err);
}

static struct told *find_id(struct told_list *l, const char *id)
{
    for (uint32_t i = 0; i < l->findings.len; i++)
        if (strcmp(l->findings.at[i].id, id) == 0)
            return &l->findings.at[i];
    return NULL;
}

/* What comes with a race is one with it, if that was confirmed and does as much harm. */
static void merge(struct told_list *l)
{
    for (uint32_t i = 0; i < l->findings.len; i++) {
        struct told *f = &l->findings.at[i], *race = find_id(l, f->with);
        if (!race)
            continue;
        bool is_worse = told_harm(f) > told_harm(race);
        if (!race->is_confirmed || is_worse)
            f->with = "";
        else
            race->alike++;
    }
}

static int confirm_all(struct cascade *c, struct err *err)
{
    AUTO(str) struct str store = {0};
    path_in(&store, &c->home, "confirm");
    if (directory_make(store.at, err) < 0)
        return -1;
    if (!c->o->in_place && run_copy_open(&c->copy, ".", err) < 0)
        return -1;
    struct confirm_opts o = {.argv = c->o->argv,
                             .recorded = c->run.at,
                             .expected = &c->recorded,
                             .store = store.at,
                             .run = c->o->run};
    o.run.policy = NULL;
    o.run.directory = c->copy ? run_copy_path(c->copy) : NULL;
    progress_begin("confirming");
    int result = 0;
    for (uint32_t i = 0; result == 0 && i < c->out->findings.len && !run_signal(); i++) {
        progress_count(i, "findings");
        if (*c->out->findings.at[i].witness)
            result = confirm_one(c, &c->out->findings.at[i], &o, err);
    }
    progress_end();
    merge(c->out);
    return result;
}

/* ---- explore --------------------------------------------------------------------------- */

/* Has a confirmed finding come to the same end? */
static bool is_known(const struct cascade *c, const struct run_result *r)
{
    const char *harm = word_text(OUTCOME_FIRST, r->outcome);
    for (uint32_t i = 0; i < c->out->findings.len; i++)
        if (c->out->findings.at[i].is_confirmed &&
            strcmp(c->out->findings.at[i].harm, harm) == 0)
            return true;
    return false;
}

static int explore(struct cascade *c, struct err *err)
{
    struct run_table table = {0};
    struct run_opts run = c->o->run;
    run.policy = "pos"; /* short programs have few switches: every order counts the same */
    struct run_many_opts many = {.pool = {.jobs = c->o->jobs,
                                          .in_place = c->o->in_place,
                                          .before_each = c->o->before_each},
                                 .runs = c->o->explore,
                                 .keep = 1};
    if (c->o->explore == 0 || run_signal())
        return 0;
    progress_begin("exploring");
    int result = run_many(&table, c->o->argv, &run, &many, err);
    progress_end();
    for (uint32_t i = 0; result == 0 && i < table.rows.len; i++) {
        const struct run_row *r = &table.rows.at[i];
        if (run_is_worse(&r->first, &c->recorded) && !is_known(c, &r->first))
            tell_failure(c, &r->first, r->directory.at, "a run with another schedule failed");
    }
    run_table_done(&table);
    return result;
}

/* ---- all of it ------------------------------------------------------------------------- */

static int stages(struct cascade *c, struct err *err)
{
    if (record(c, err) < 0)
        return -1;
    find_home(c);
    if (predict_run(c, err) < 0)
        return -1;
    tell_command(c);
    note_unmodelled(c);
    if (confirm_all(c, err) < 0)
        return -1;
    if (!run_ended_well(&c->recorded))
        tell_failure(c, &c->recorded, c->run.at, "the recorded run failed");
    return explore(c, err);
}

static int save(struct cascade *c, struct err *err)
{
    AUTO(str) struct str path = {0}, text = {0};
    told_list_sort(c->out);
    told_list_print(c->out, &text);
    path_in(&path, &c->home, "findings.json");
    return file_write(path.at, text.at, text.len, err);
}

int check(struct told_list *out, const struct check_opts *opts, struct err *err)
{
    struct cascade c = {.o = opts, .out = out};
    out->program = out->outcome = "";
    int result = stages(&c, err);
    if (result == 0)
        result = save(&c, err);
    if (c.copy)
        run_copy_close(c.copy);
    run_result_done(&c.recorded);
    str_done(&c.home);
    str_done(&c.run);
    return result;
}

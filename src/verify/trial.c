/* SPDX-License-Identifier: Apache-2.0
 *
 * trial: runs of the program after. The schedule of a failing one is written down as a witness
 * file and followed once more, to the letter; if that does not lead to the same end, the run
 * itself is replayed. One that fails only once says more about the machine than about the
 * program: it decides nothing. */
#include "verify/judge.h"

#include <string.h>

void trial_path(const struct judge *j, uint32_t number, struct str *out)
{
    str_add(out, "%s/%u", j->o->store, number);
}

int trial_run(struct judge *j, const struct witness_file *w, const struct run_greedy *greedy,
              struct trial *out, struct err *err)
{
    struct trial t = {0};
    struct run_opts run = j->o->run;
    run.policy = NULL;
    run.server = j->server;
    run.in = j->in;
    trial_path(j, ++j->made, &t.directory);
    run_remove(t.directory.at);
    if (run_make_directory(t.directory.at, err) < 0)
        return -1;
    j->out->runs++;
    int result = w ? run_greedily(&t.run, w, greedy, j->o->after, t.directory.at, &run, err)
                   : run_target(&t.run.result, j->o->after, t.directory.at, &run, err);
    if (result < 0) {
        str_done(&t.directory);
        return -1;
    }
    *out = t;
    return 0;
}

void trial_done(struct trial *t)
{
    run_guided_done(&t->run);
    str_done(&t->directory);
}

bool is_failure(const struct run_result *r)
{
    return run_failed(r) && r->outcome < WORD_VALUE(OUTCOME, DIVERGED);
}

bool is_hanging(const struct run_result *r)
{
    return r->outcome == WORD_VALUE(OUTCOME, HANG);
}

/* The same in both programs: lines move with a change, and the file may have another name. What
 * was asserted is in the text behind both. */
const char *failure_name(struct judge *j, const struct run_result *r)
{
    AUTO(str) struct str kind = {0};
    struct text asserted = run_assertion(r);
    run_kind(&kind, r);
    if (asserted.len == 0)
        return judge_text(j, "%s", kind.at);
    return judge_text(j, "assert%.*s", TEXT_ARG(asserted));
}

bool is_apart(const struct judge *j, const struct run_result *r)
{
    return harm_in(j->o->apart, harm_of(r->outcome));
}

bool is_known_failure(struct judge *j, const struct run_result *r)
{
    const char *name = failure_name(j, r);
    if (is_apart(j, r))
        return true;
    for (uint32_t i = 0; i < j->kinds.len; i++)
        if (strcmp(j->kinds.at[i], name) == 0)
            return true;
    return false;
}

int witness_of_run(struct witness_writer **out, struct trace *t, const uint64_t *numbers,
                   uint32_t count, const char *pattern, char *const *argv, struct err *err)
{
    struct witness_writer *writer = witness_writer_new(t, err);
    struct witness w = {.mode = MODE_SYNC, .prefix = UINT64_MAX};
    if (!writer)
        return -1;
    CHECK(count <= QUERY_MAX);
    w.query = (struct query){.kind = QUERY_ORDER, .count = count};
    for (uint32_t i = 0; i < count; i++)
        w.query.number[i] = numbers[i];
    witness_writer_add(writer, &w, pattern, argv);
    if (witness_writer_finish(writer, err) < 0) {
        witness_writer_free(writer);
        return -1;
    }
    *out = writer;
    return 0;
}

/* Saves the run's schedule and follows it. 1: it does not lead there. */
static int save_witness(struct judge *j, const struct run_result *r, const char *directory,
                        const uint64_t *numbers, uint32_t count, struct err *err)
{
    AUTO(str) struct str path = {0}, kind = {0}, again = {0};
    AUTO(trace) struct trace t = {0};
    AUTO(witness_writer) struct witness_writer *w = NULL;
    struct trial check;
    str_add(&path, "%s/trace", directory);
    if (trace_open(&t, path.at, err) < 0 ||
        witness_of_run(&w, &t, numbers, count, count ? "atomicity" : "failure", j->o->after,
                       err) < 0)
        return -1;
    /* A failing access counts only once its thread comes to its next one, which it never does:
     * it is enough to stand before it. */
    struct witness_file *file = witness_writer_get(w, 0);
    struct witness_line *last = file->lines.len ? &file->lines.at[file->lines.len - 1] : NULL;
    if (last && (last->kind == EV_READ || last->kind == EV_WRITE))
        last->how = WITNESS_AT;
    uint32_t runs = j->out->runs;
    if (trial_run(j, witness_writer_get(w, 0), NULL, &check, err) < 0)
        return -1;
    j->out->runs = runs; /* it decides nothing */
    run_kind(&kind, r);
    run_kind(&again, &check.run.result);
    bool is_same = strcmp(kind.at, again.at) == 0;
    trial_done(&check);
    if (!is_same)
        return 1;
    path.len = 0;
    str_add(&path, "%s/broken.witness", j->o->store);
    j->out->witness = judge_text(j, "%s", path.at);
    return witness_writer_save(w, 0, path.at, err);
}

static void leave_open(struct judge *j, const char *kind, const char *directory)
{
    j->out->left++;
    j->is_odd = true;
    vec_push(&j->out->lefts,
             (struct verify_item){
                 "a run of the program after",
                 judge_text(j, "ended as %s, but not when it was replayed (heddle replay %s)",
                            kind, directory),
                 1});
}

void judge_broken(struct judge *j, const struct run_result *r, const char *directory,
                  enum verify_found found_by, const uint64_t *numbers, uint32_t count)
{
    CHECK(!j->is_decided && (count == 0 || numbers));
    CHECK(is_failure(r) || j->is_finding);
    AUTO(str) struct str kind = {0}, waits = {0};
    run_kind(&kind, r);
    run_waits_say(&waits, r);
    struct err ignored; /* what cannot be saved may still be replayed */
    int saved = is_hanging(r) ? 1 : save_witness(j, r, directory, numbers, count, &ignored);
    bool is_again = saved == 0 || run_ends_again(directory, r, &j->o->run, j->o->in_place);
    if (!is_again) {
        leave_open(j, kind.at, directory);
        return;
    }
    j->is_decided = true;
    j->out->word = VERIFY_BROKEN;
    j->out->outcome = judge_text(j, "%s", kind.at);
    j->out->harm = harm_of(r->outcome);
    j->out->details = judge_text(j, "%s", r->text.at ? r->text.at : "");
    j->out->waits = judge_text(j, "%s", waits.len ? waits.at : "");
    j->out->found_by = found_by;
    j->out->run = judge_text(j, "%s", directory);
    j->out->replay = judge_text(j, "heddle replay %s", directory);
    if (saved == 0)
        j->out->replay = judge_text(j, "heddle replay %s", j->out->witness);
    for (uint32_t i = 0; i < count; i++)
        vec_push(&j->out->steps, numbers[i]);
}

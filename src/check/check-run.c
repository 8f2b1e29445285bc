/* SPDX-License-Identifier: Apache-2.0
 *
 * check-run: see check-run.h. One function per stage; each leaves its files behind, so that any
 * stage can be looked at or done again alone. */
#include "check/check-run.h"

#include "base/log.h"
#include "base/stop.h"
#include "check/failure.h"
#include "check/memory-bound.h"
#include "check/misuse-finding.h"
#include "check/unseen.h"
#include "confirm/confirm.h"
#include "explain/explain.h"
#include "predict/predict.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    STEPS_LEAST = 5000000,
    STEPS_PER_EVENT = 200,
    STEPS_FIRST = 200000,
    TIMES_RECORDED = 20,
};

void subject_done(struct subject *s)
{
    run_result_done(&s->recorded);
    str_done(&s->path);
}

static void path_in(struct str *out, const char *directory, const char *name)
{
    out->len = 0;
    str_add(out, "%s/%s", directory, name);
}

/* What was typed for the recorded run is typed once, and what another program gave a child is
 * given once: what it has read then, if anything. */
const char *subject_stdin(const struct subject *s, char *out)
{
    AUTO(str) struct str path = {0};
    if (!s->is_child && (s->run.input || !isatty(STDIN_FILENO)))
        return s->run.input;
    path_in(&path, s->path.at, "stdin");
    return realpath(path.at, out) ? out : "/dev/null";
}

const char *subject_peers(const struct subject *s, char *out)
{
    AUTO(str) struct str path = {0};
    if (s->run.peers)
        return s->run.peers;
    path_in(&path, (s->first ? s->first : s)->path.at, "peers");
    return realpath(path.at, out);
}

/* Where inline assembly is: "inline assembly at FILE:LINE:COLUMN". NULL: it is about something
 * else. */
static const char *assembly_place(const struct run_doubt *d)
{
    static const char begin[] = "inline assembly at ";
    return d->why == DOUBT_UNMODELLED_CALL && d->detail.len > sizeof begin &&
                   strncmp(d->detail.at, begin, sizeof begin - 1) == 0
               ? d->detail.at + sizeof begin - 1
               : NULL;
}

/* All of it in one line: the first places, and how many there are. */
static void note_assembly(const struct subject *s, struct finding_list *out)
{
    enum { PLACES_MAX = 4 };
    AUTO(str) struct str line = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->recorded.doubts.len; i++) {
        const char *place = assembly_place(&s->recorded.doubts.at[i]);
        if (place && count++ < PLACES_MAX)
            str_add(&line, "%s%s",
                    count > 1 ? ", " : "inline assembly that touches memory, at ", place);
    }
    if (count > PLACES_MAX)
        str_add(&line, " and %u more places", count - PLACES_MAX);
    if (count > 0)
        vec_push(&out->unseen, str_keep(&out->mem, &line));
}

/* Because of which the recorded run may not show everything. */
static void note_doubts(const struct subject *s, struct finding_list *out)
{
    AUTO(str) struct str line = {0};
    note_assembly(s, out);
    for (uint32_t i = 0; i < s->recorded.doubts.len; i++) {
        const struct run_doubt *d = &s->recorded.doubts.at[i];
        if (d->why == DOUBT_CLIENT || assembly_place(d)) /* findings say so; is said */
            continue;
        line.len = 0;
        run_doubt_say(&line, &s->recorded.doubts.at[i]);
        vec_push(&out->unseen, str_keep(&out->mem, &line));
    }
}

/* ---- a run that failed ----------------------------------------------------------------- */

static void tell_fix(struct finding_list *l, struct finding *f)
{
    AUTO(str) struct str text = {0};
    str_add(&text, "heddle fix %s", f->id);
    f->fix = str_keep(&l->mem, &text);
}

void subject_tell_failure(const struct subject *s, struct finding_list *out)
{
    AUTO(str) struct str directory = {0};
    run_failed_at(&directory, s->path.at, &s->recorded);
    struct failure f = {.result = &s->recorded,
                        .directory = directory.at,
                        .who = s->recorded.child.len
                                   ? "a child process of the recorded run failed"
                                   : "the recorded run failed",
                        .run = &s->run};
    if (!run_ended_well(&s->recorded) && run_judges_program(&s->recorded))
        failure_tell(out, &f);
}

/* ---- predict --------------------------------------------------------------------------- */

/* Who is told to stop has no time to make all of them: what has no witness is left out. */
static void make_witnesses(const struct subject *s, struct findings *found, struct predictor *p,
                           struct witness_writer *writer)
{
    uint32_t kept = 0;
    predict_stop_when(p, stop_is_late);
    for (uint32_t i = 0; i < found->predicted.len; i++) {
        AUTO(witness) struct witness w = {0};
        struct finding *f = &found->list.findings.at[i];
        if (predict(p, &found->predicted.at[i].query, &w) != ANSWER_YES) {
            CHECK(stop_is_late());
            finding_done(f);
            continue;
        }
        witness_writer_add(writer, &w, pattern_text(f->pattern), s->argv);
        found->list.findings.at[kept] = *f;
        found->predicted.at[kept++] = found->predicted.at[i];
    }
    found->list.findings.len = found->predicted.len = kept;
}

/* The findings' witnesses, in one file each. */
static int save_witnesses(const struct subject *s, struct findings *found, struct predictor *p,
                          struct trace *t, const struct finding_list *known, struct err *err)
{
    AUTO(witness_writer) struct witness_writer *writer = witness_writer_new(t, err);
    AUTO(str) struct str path = {0};
    path_in(&path, s->home, "witnesses");
    if (!writer || directory_make(path.at, err) < 0)
        return -1;
    witness_writer_process(writer, s->run.process);
    make_witnesses(s, found, p, writer);
    if (witness_writer_finish(writer, err) < 0)
        return -1;
    for (uint32_t i = 0; i < found->predicted.len; i++) {
        struct finding *f = &found->list.findings.at[i];
        path.len = 0;
        str_add(&path, "%s/witnesses/%s", s->home, f->id);
        if (finding_find(known, f->id)) /* that of another run stays */
            str_add(&path, "-%llu", (unsigned long long)known->runs + 1 + s->further);
        str_add(&path, ".witness");
        if (witness_writer_save(writer, i, path.at, err) < 0)
            return -1;
        f->witness = arena_text(&found->list.mem, path.at, path.len);
    }
    return 0;
}

/* A further run says nothing new about what is confirmed already. */
static void leave_settled(struct findings *found, const struct finding_list *known)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < found->predicted.len; i++) {
        const struct finding *old = finding_find(known, found->list.findings.at[i].id);
        if (old && old->is_confirmed) {
            finding_done(&found->list.findings.at[i]);
            continue;
        }
        found->list.findings.at[kept] = found->list.findings.at[i];
        found->predicted.at[kept++] = found->predicted.at[i];
    }
    found->list.findings.len = found->predicted.len = kept;
}

/* What a run can show by itself, and nobody knows yet. A few, or a program with many threads
 * would be followed for ever. */
static void leave_guesses(struct findings *found, const struct finding_list *known,
                          bool is_deaf)
{
    enum { GUESSES_MAX = 6, DEAF_MAX = 16 };
    uint32_t kept = 0, max = is_deaf ? DEAF_MAX : GUESSES_MAX;
    for (uint32_t i = 0; i < found->predicted.len; i++) {
        struct finding *f = &found->list.findings.at[i];
        bool is_one = kept < max && !finding_find(known, f->id);
        if (!is_one || (!is_deaf && !pattern_is(f->pattern, TRAIT_SHOWS))) {
            finding_done(f);
            continue;
        }
        found->list.findings.at[kept] = *f;
        found->predicted.at[kept++] = found->predicted.at[i];
    }
    found->list.findings.len = found->predicted.len = kept;
}

/* The order that the recorded run had, which ended well: the nearest that passes. */
static void tell_passing(struct finding *f, struct arena *mem)
{
    AUTO(str) struct str text = {0};
    uint64_t last = 0;
    for (uint32_t done = 0; done < f->steps.len; done++) {
        uint32_t next = NONE;
        for (uint32_t i = 0; i < f->steps.len; i++) {
            uint64_t event = f->steps.at[i].event;
            if ((done == 0 || event > last) &&
                (next == NONE || event < f->steps.at[next].event))
                next = i;
        }
        if (next == NONE)
            return;
        last = f->steps.at[next].event;
        const struct finding_step *s = &f->steps.at[next];
        const char *slash = strrchr(s->place.file, '/');
        str_add(&text, "%s%s of %s at %s:%u",
                done ? ", then " : "as recorded: ", action_text(s->action),
                f->threads.at[s->thread].name, slash ? slash + 1 : s->place.file,
                s->place.line);
    }
    f->passes = arena_text(mem, text.at ? text.at : "", text.len);
}

/* Searches that ended with time left, and those that did not. */
static struct {
    atomic_uint left;
    uint32_t all;
} searches;

static void count_search(uint32_t done, uint32_t all)
{
    (void)done;
    searches.all = all;
    searches.left += run_signal() != 0;
}

/* A thread alone, which no signal interrupts, does the same in every schedule. */
static bool has_one_order(struct trace *t)
{
    struct ev e;
    struct err ignored;
    int item;
    if (!(t->head.flags & TRACE_CLOSED))
        return false;
    struct trace_cursor *c = mem_get(sizeof *c);
    cursor_init(c, t);
    c->values = false;
    while ((item = trace_next_bare(c, &e, &ignored)) > ITEM_END)
        if (c->thread_count > 1 || (item == ITEM_EVENT && e.kind == EV_HANDLER_ENTER) ||
            run_signal())
            break;
    free(c);
    return item == ITEM_END;
}

/* Nothing can be predicted from it. */
static void predict_nothing(struct finding_list *out, const struct trace *t)
{
    out->events = t->head.event_count;
    out->threads = 1;
    for (uint32_t i = 0; patterns[i]; i++)
        account_get(out, patterns[i]->id);
}

/* What the run shows besides what is predicted from it. */
static void tell_run(struct subject *s, struct trace *t, struct finding_list *out,
                     const struct finding_list *known)
{
    s->events = out->events;
    s->hears_outside = t->hears_outside;
    if (!s->is_guessed && !s->is_deaf)
        misuse_tell(out, t,
                    &(struct misuse_run){.directory = s->path.at,
                                         .known = known,
                                         .is_doubtful = run_unjudged(&s->recorded) != NULL});
    note_doubts(s, out);
}

static int predict_from(struct subject *s, struct trace *t, struct finding_list *out,
                        const struct finding_list *known, struct err *err)
{
    AUTO(str) struct str path = {0};
    AUTO(memory_plan) struct memory_plan plan = {0};
    struct model_opts how = {0};
    path_in(&path, s->path.at, "trace");
    memory_bound(&plan, t, path.at, s->memory_mb, &how);
    t->forgets = s->is_deaf;
    AUTO(model) struct model *m = model_build(t, &how, err);
    if (!m && run_signal()) {
        undone_add(
            out, (struct undone){
                     .stage = "predicting", .what = "runs", .left = 1, .total = 1, .next = ""});
        return 0;
    }
    enum mode mode = t->head.flags & TRACE_BRANCHES ? MODE_SOUND : MODE_CLASSIC;
    if (s->is_guessed)
        mode = MODE_SYNC;
    AUTO(predictor) struct predictor *p = m ? predictor_new(m, mode, err) : NULL;
    if (!p)
        return err_in(err, "%s/trace", s->path.at);
    predict_jobs(p, 0);
    predict_stop_when(p, run_signal);
    predict_watch(p, count_search);
    searches.left = 0;
    predict_declared(p,
                     (struct predict_guards){s->declared->guards.at, s->declared->guards.len});
    AUTO(findings) struct findings found = {0};
    predict_findings(p, &found);
    if (searches.left > 0)
        undone_add(&found.list, (struct undone){.stage = "predicting",
                                                .what = "searches to their end",
                                                .left = searches.left,
                                                .total = searches.all,
                                                .next = ""});
    if (s->is_guessed || s->is_deaf)
        leave_guesses(&found, known, s->is_deaf);
    else if (s->first)
        leave_settled(&found, known);
    for (uint32_t i = 0; run_ended_well(&s->recorded) && i < found.predicted.len; i++)
        tell_passing(&found.list.findings.at[i], &found.list.mem);
    if (save_witnesses(s, &found, p, t, known, err) < 0)
        return -1;
    *out = found.list;
    found.list = (struct finding_list){0};
    tell_run(s, t, out, known);
    if (memory_has_cut(t, m->trace_events)) {
        AUTO(str) struct str line = {0};
        memory_say(&line, t, &plan, m->thread_count);
        vec_push(&out->unseen, str_keep(&out->mem, &line));
    }
    return 0;
}

int subject_predict(struct subject *s, struct finding_list *out,
                    const struct finding_list *known, struct err *err)
{
    AUTO(str) struct str path = {0};
    AUTO(trace) struct trace t = {0};
    path_in(&path, s->path.at, "trace");
    if (run_signal())
        return 0;
    if (trace_open(&t, path.at, err) < 0)
        return -1;
    s->has_one_order = has_one_order(&t);
    if (s->has_one_order) {
        predict_nothing(out, &t);
        tell_run(s, &t, out, known);
    } else if (predict_from(s, &t, out, known, err) < 0) {
        return -1;
    }
    if (!run_signal())
        unseen_find(out, s->argv[0], &t);
    return 0;
}

int subject_know(struct subject *s, struct finding_list *out, const char *known,
                 struct err *err)
{
    AUTO(str) struct str path = {0};
    AUTO(trace) struct trace t = {0};
    path_in(&path, s->path.at, "trace");
    if (trace_open(&t, path.at, err) < 0 || finding_list_read(out, known, err) < 0)
        return -1;
    s->has_one_order = has_one_order(&t);
    s->hears_outside = t.hears_outside;
    s->events = out->events = t.head.event_count;
    return 0;
}

/* Its witnesses go the way of all others. */
int subject_reason(struct subject *s, struct finding_list *out,
                   const struct finding_list *known, const struct check_opts *opts,
                   struct err *err)
{
    AUTO(str) struct str witnesses = {0};
    bool is_asked = opts->symbolic.when == SYMBOLIC_ALWAYS + 1;
    if (run_signal() || (s->has_one_order && !is_asked)) /* no other order has other values */
        return 0;
    path_in(&witnesses, s->home, "witnesses");
    struct stage_symbolic stage = {.run = s->path.at,
                                   .witness_dir = witnesses.at,
                                   .known = known,
                                   .words = &opts->symbolic,
                                   .in_place = opts->in_place};
    return stage_symbolic(out, &stage, err);
}

/* ---- confirm --------------------------------------------------------------------------- */

static void tell_replay(struct finding_list *l, struct finding *f)
{
    AUTO(str) struct str text = {0};
    str_add(&text, "heddle replay %s", f->witness);
    f->replay = str_keep(&l->mem, &text);
}

/* A check that fails ends the run: a run that followed its witness and went on as the recorded
 * one did has not confirmed it. */
static void doubt_checks(struct finding *f)
{
    bool is_unseen = pattern_is(f->pattern, TRAIT_UNSEEN);
    bool went_on =
        f->is_confirmed && pattern_is(f->pattern, TRAIT_ENDS_RUN) && !harm_ends(f->harm);
    if (!is_unseen && !went_on)
        return;
    f->is_confirmed = false;
    f->harm = HARM_NONE;
    f->doubt = is_unseen ? "no run can show it: threads that take turns keep the two in order"
                         : "a run followed the schedule, and what was to fail did not";
}

/* If following a violation did no harm, one that is known to show other values may. */
static int confirm_second(struct finding *f, struct witness_file *w,
                          const struct confirm_opts *o, struct arena *mem, struct str *best,
                          struct err *err)
{
    AUTO(witness_file) struct witness_file other = {0};
    AUTO(str) struct str directory = {0}, name = {0};
    struct finding again = *f;
    if (!*f->second || harm_ends(f->harm))
        return 0;
    str_add(&name, "%s-values", f->id); /* its runs lie beside the others */
    again.id = name.at;
    again.is_confirmed = false;
    again.harm = HARM_NONE;
    if (witness_file_open(&other, f->second, err) < 0 ||
        confirm(&again, &other, o, mem, &directory, err) < 0)
        return -1;
    bool better = again.is_confirmed && (!f->is_confirmed || again.harm > f->harm);
    if (!better)
        return 0;
    again.id = f->id;
    *f = again;
    f->witness = f->second;
    struct str old_best = *best;
    struct witness_file old = *w;
    *best = directory;
    directory = old_best;
    *w = other;
    other = old;
    return 0;
}

/* `heddle trace` finds the run that followed a witness by the witness's name. */
static void link_run(const char *witness, const char *run)
{
    AUTO(str) struct str link = {0}, to = {0};
    const char *slash = strrchr(run, '/');
    witness_run(&link, witness);
    str_add(&to, "../confirm/%s", slash ? slash + 1 : run);
    unlink(link.at);
    if (symlink(to.at, link.at) < 0)
        return; /* one that cannot be made is no loss to this command */
}

static int confirm_one(struct finding_list *l, struct finding *f, const struct confirm_opts *o,
                       struct err *err)
{
    AUTO(str) struct str best = {0}, path = {0};
    AUTO(witness_file) struct witness_file w = {0};
    if (witness_file_open(&w, f->witness, err) < 0 ||
        confirm(f, &w, o, &l->mem, &best, err) < 0 ||
        confirm_second(f, &w, o, &l->mem, &best, err) < 0)
        return -1;
    tell_replay(l, f);
    doubt_checks(f);
    if (!f->is_confirmed)
        return 0;
    if (!*f->why) /* a run has shown the order */
        f->why = pattern_infos[f->pattern].why;
    tell_fix(l, f);
    struct account *a = account_find(l, f->pattern);
    if (a)
        a->confirmed++;
    link_run(f->witness, best.at);
    path_in(&path, best.at, "trace");
    if (explain_run(f, &l->mem, path.at, &w, err) < 0)
        return -1;
    if (*f->only)
        finding_rests_on(f, &l->mem, f->only, f->is_note);
    return 0;
}

/* What comes with a race is one with it, if that was confirmed and does as much harm. */
static void merge(struct finding_list *l)
{
    for (uint32_t i = 0; i < l->findings.len; i++) {
        struct finding *f = &l->findings.at[i], *race = finding_find(l, f->with);
        if (!race)
            continue;
        bool is_worse = f->harm > race->harm;
        if (!race->is_confirmed || is_worse)
            f->with = "";
        else
            race->alike++;
    }
}

/* What was confirmed from another run need not be again. */
static bool is_settled(const struct finding_list *known, const struct finding *f)
{
    const struct finding *old = finding_find(known, f->id);
    return !*f->witness || (old && old->is_confirmed);
}

typedef VEC(uint32_t) indices; /* of findings */

/* One of each pattern, then the next of each: if the time does not suffice for all, no pattern
 * has kept the others waiting. What is told with another one can wait longest. */
static void best_first(const struct finding_list *l, indices *out)
{
    uint32_t rank[PATTERN_COUNT] = {0}, left = l->findings.len;
    VEC(uint32_t) ranks = {0};
    for (uint32_t i = 0; i < l->findings.len; i++) {
        const struct finding *f = &l->findings.at[i];
        vec_push(&ranks, *f->with ? NONE : rank[f->pattern]++);
    }
    for (uint32_t r = 0; out->len < left; r = r < l->findings.len ? r + 1 : NONE)
        for (uint32_t i = 0; i < l->findings.len; i++)
            if (ranks.at[i] == r)
                vec_push(out, i);
    vec_done(&ranks);
}

static void tell_unfollowed(struct finding_list *l, const struct finding_list *known,
                            const indices *order, uint32_t first)
{
    struct undone u = {
        .stage = "confirming", .what = "findings", .total = order->len, .next = ""};
    for (uint32_t i = first; i < order->len; i++) {
        struct finding *f = &l->findings.at[order->at[i]];
        if (f->is_confirmed || is_settled(known, f))
            continue;
        u.next = u.left++ ? u.next : f->id;
        if (!*f->doubt)
            f->doubt = "not followed to the end: stopped early";
    }
    if (u.left > 0)
        undone_add(l, u);
}

static uint32_t shown_count(const struct finding_list *l)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->findings.len; i++)
        count += finding_is_shown(&l->findings.at[i]);
    return count;
}

static int follow_all(struct finding_list *l, const struct finding_list *known,
                      const struct confirm_opts *o, struct err *err)
{
    int result = 0;
    indices order = {0};
    uint32_t i = 0;
    best_first(l, &order);
    for (; result == 0 && i < order.len && !run_signal(); i++) {
        struct finding *f = &l->findings.at[order.at[i]];
        progress_of(i, order.len, "findings");
        progress_found(shown_count(known) + shown_count(l));
        if (!is_settled(known, f))
            result = confirm_one(l, f, o, err);
    }
    if (run_signal())
        tell_unfollowed(l, known, &order, i > 0 ? i - 1 : 0);
    vec_done(&order);
    return result;
}

/* Beside a witness: the recorded run, for `heddle replay WITNESS`. One that cannot be made is
 * no loss: that replay has our standard input then. */
static void link_recorded(const char *witness, const char *run)
{
    AUTO(str) struct str link = {0};
    char absolute[PATH_MAX];
    if (!witness || !realpath(run, absolute))
        return;
    witness_recorded(&link, witness);
    unlink(link.at);
    if (symlink(absolute, link.at) < 0)
        return;
}

void subject_tell_process(struct finding_list *l, uint32_t first, const struct run_recorded *r)
{
    for (uint32_t i = first; r->process && i < l->findings.len; i++) {
        AUTO(str) struct str text = {0};
        struct finding *f = &l->findings.at[i];
        size_t head = f->rest ? strlen(f->message) - strlen(f->rest) : 0;
        str_add(&text, "%s, in the child process made at %s", f->message,
                r->made ? r->made : "?");
        f->message = str_keep(&l->mem, &text);
        f->rest = f->rest ? f->message + head : NULL;
    }
}

int subject_confirm(struct subject *s, struct finding_list *l, const struct finding_list *known,
                    bool in_place, struct err *err)
{
    AUTO(str) struct str store = {0};
    char input[PATH_MAX], peers[PATH_MAX];
    struct run_world *in = NULL;
    if (l->findings.len == 0)
        return 0;
    path_in(&store, s->home, "confirm");
    if (directory_make(store.at, err) < 0 ||
        (!in_place && run_world_open(&in, s->work ? s->work : ".", err) < 0))
        return -1;
    const struct subject *usual = s->first ? s->first : s;
    struct confirm_opts o = {.argv = s->argv,
                             .recorded = usual->family ? usual->family : usual->path.at,
                             .predicted = s->path.at,
                             .expected = &usual->recorded,
                             .store = store.at,
                             .run = s->run,
                             .is_guess = s->is_guessed,
                             .unseen = s->unseen,
                             .unseen_max = UNSEEN_MAX,
                             .output = s->output};
    o.run.policy = NULL;
    o.run.input = subject_stdin(s, input);
    if (!o.run.steps_max) /* a witness that is never at its end is given up by then */
        o.run.steps_max = STEPS_LEAST + STEPS_PER_EVENT * l->events;
    if (usual->recorded.steps > 0)
        o.steps_first = STEPS_FIRST + TIMES_RECORDED * usual->recorded.steps;
    o.run.peers = subject_peers(s, peers);
    for (uint32_t i = 0; i < l->findings.len; i++)
        link_recorded(l->findings.at[i].witness, usual->path.at);
    o.run.directory = s->work;
    o.run.in = in;
    int result = follow_all(l, known, &o, err);
    run_world_close(in);
    for (uint32_t i = 0; i < l->findings.len; i++)
        declared_tell(s->declared, &l->findings.at[i], &l->mem);
    merge(l);
    return result;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * check: see check.h. Which runs there are to be, one after the other through the stages, and
 * one list of what they gave. A program that is not ours but starts some that are (ctest, make)
 * is one run whose children are checked; so are the children that one of ours forks. */
#include "check/check.h"

#include "base/log.h"
#include "base/stop.h"
#include "check/check-run.h"
#include "check/story.h"
#include "check/where.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* That a thread may compute without a step in runs after the recorded one, and ten times what
 * that one took: more, and it waits for what is not seen. */
enum { STALL_MS = 400 };

/* Of the children that a run forks, each is a run to look into. */
enum { CHILDREN_MAX = 32 };

/* What a stage may use, in percent of the time that is left for it and those after it. What it
 * leaves is theirs. Recording has to come to an end for the others to have something. */
enum {
    RECORD_SHARE = 40,
    PREDICT_SHARE = 40,
    VALUES_SHARE = 25,
    CONFIRM_SHARE = 65,
    PARENT_SHARE = 50,
    CHILDREN_SHARE = 80,
    WHERE_SHARE = 50,
};

struct cascade {
    const struct check_opts *o;
    struct finding_list *out;
    struct check_stat *stat;
    struct str home; /* PROGRAM.heddle */
    struct arena mem;
};

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- words ----------------------------------------------------------------------------- */

/* One word of a line as a shell would cut it: quotes keep blanks. */
static const char *next_word(const char *at, struct str *out)
{
    char quote = 0;
    out->len = 0;
    str_add(out, "%s", "");
    for (; *at && (quote || (*at != ' ' && *at != '\t')); at++) {
        if (quote ? *at == quote : *at == '\'' || *at == '"')
            quote = quote ? 0 : *at;
        else
            str_char(out, *at);
    }
    return at + strspn(at, " \t");
}

static char *const *split_line(struct arena *mem, char *program, const char *line)
{
    AUTO(str) struct str word = {0};
    uint32_t count = 1;
    char **argv = ARENA_NEW(mem, char *, strlen(line) + 3);
    argv[0] = program;
    for (const char *at = line + strspn(line, " \t"); *at;) {
        at = next_word(at, &word);
        argv[count++] = arena_text(mem, word.at, word.len);
    }
    return argv;
}

/* ---- merging --------------------------------------------------------------------------- */

static bool has_text(const char *const *at, uint32_t len, const char *text)
{
    for (uint32_t i = 0; i < len; i++)
        if (strcmp(at[i], text) == 0)
            return true;
    return false;
}

/* What no run has recorded an access of. */
static void merge_idle(struct finding_list *l, const struct finding_list *from)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; l->runs > 0 && i < l->idle.len; i++)
        if (has_text(from->idle.at, from->idle.len, l->idle.at[i]))
            l->idle.at[kept++] = l->idle.at[i];
    if (l->runs > 0)
        l->idle.len = kept;
    for (uint32_t i = 0; l->runs == 0 && i < from->idle.len; i++)
        vec_push(&l->idle, from->idle.at[i]);
}

/* Takes over everything, and what it lives in. */
static void merge_list(struct finding_list *l, struct finding_list *from)
{
    arena_adopt(&l->mem, &from->mem);
    for (uint32_t i = 0; i < from->findings.len; i++)
        finding_merge(l, &from->findings.at[i]);
    for (uint32_t i = 0; i < from->accounts.len; i++)
        account_add(l, &from->accounts.at[i]);
    for (uint32_t i = 0; i < from->undone.len; i++)
        undone_add(l, from->undone.at[i]);
    for (uint32_t i = 0; i < from->unseen.len; i++)
        unseen_add(l, from->unseen.at[i]);
    merge_idle(l, from);
    l->events += from->events;
    l->threads = l->threads > from->threads ? l->threads : from->threads;
    l->runs++;
    from->findings.len = 0;
    finding_list_done(from);
}

/* ---- one run --------------------------------------------------------------------------- */

/* The recorded run stopped where the program called something that is not modelled. */
static void tell_refused(struct cascade *c, const struct subject *s, struct finding_list *own)
{
    AUTO(str) struct str line = {0};
    const char *text = s->recorded.text.at ? s->recorded.text.at : "";
    c->stat->refused = arena_text(&c->out->mem, text, strcspn(text, "\n"));
    str_add(&line, "the rest of the run: %s", c->stat->refused);
    vec_push(&own->unseen, arena_text(&own->mem, line.at, line.len));
}

/* What was cut short is no failure. */
static int end_part(struct stop_part part, int result)
{
    return stop_part_end(part) || stop_came() ? 0 : result;
}

static int analyse(struct cascade *c, struct subject *s, struct err *err)
{
    AUTO(finding_list) struct finding_list own = {0};
    AUTO(declared) struct declared declared = {0};
    uint64_t start = now_ms();
    declared_read(&declared, s->argv[0]);
    s->declared = &declared;
    progress_begin("predicting");
    struct stop_part part = stop_part_begin(PREDICT_SHARE);
    const char *known = s->run.process ? NULL : c->o->known;
    int result =
        known ? subject_know(s, &own, known, err) : subject_predict(s, &own, c->out, err);
    result = end_part(part, result);
    progress_end();
    c->stat->predict_ms += now_ms() - start;
    start = now_ms();
    part = stop_part_begin(VALUES_SHARE);
    if (result == 0 && !known)
        result = subject_reason(s, &own, c->out, c->o, err);
    result = end_part(part, result);
    c->stat->symbolic_ms += now_ms() - start;
    start = now_ms();
    progress_begin("confirming");
    part = stop_part_begin(CONFIRM_SHARE);
    if (result == 0 && (!c->o->no_confirm || s->run.process))
        result = subject_confirm(s, &own, c->out, c->o->in_place, err);
    result = end_part(part, result);
    progress_end();
    c->stat->confirm_ms += now_ms() - start;
    if (!run_judges_program(&s->recorded) && !s->is_cut)
        tell_refused(c, s, &own);
    bool is_own = !s->run.process; /* what a child's failure means is up to its parent */
    if (is_own && !s->is_cut)
        subject_tell_failure(s, &own);
    s->declared = NULL;
    merge_list(c->out, &own);
    return result;
}

static int explore(struct cascade *c, struct subject *s, struct err *err)
{
    AUTO(declared) struct declared declared = {0};
    const struct finding_list none = {0};
    uint64_t start = now_ms();
    declared_read(&declared, s->argv[0]);
    s->declared = &declared;
    progress_begin("exploring");
    struct stop_part part = stop_part_begin(100);
    int result = end_part(part, subject_explore(s, c->out, &none, c->o, err));
    progress_end();
    s->declared = NULL;
    c->stat->explore_ms += now_ms() - start;
    return result;
}

/* "runs/3" below the home becomes the home. */
static void find_home(struct cascade *c, const struct str *run)
{
    c->home.len = 0;
    str_bytes(&c->home, run->at, run->len);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(c->home.at, '/');
        c->home.len = (size_t)(slash - c->home.at);
        c->home.at[c->home.len] = 0;
    }
}

/* In a world of its own, but for the network: who is to talk to it is outside, unless we start
 * or play him. It leaves nothing behind, and what runs later starts from where it started.
 * Where there can only be a copy of the directory, what is not ours (make, ctest) works in the
 * directory itself: it knows where it is. */
static int run_once(const struct cascade *c, struct subject *s, bool is_outside,
                    struct err *err)
{
    struct run_opts own = s->run;
    bool is_able = run_worlds(NULL) || !own.family;
    if (!c->o->in_place && is_able) {
        if (run_world_open(&own.in, ".", err) < 0)
            return -1;
        run_world_network(own.in, is_outside && !own.client && !own.peers);
    }
    int result = run_target(&s->recorded, s->argv, s->path.at, &own, err);
    run_world_close(own.in);
    return result;
}

static int run_again_here(const struct cascade *c, struct subject *s, struct err *err)
{
    run_result_done(&s->recorded);
    s->recorded = (struct run_result){0};
    run_clear(s->path.at);
    return run_once(c, s, false, err);
}

static bool has_doubt(const struct run_result *r, enum doubt why)
{
    for (uint32_t i = 0; i < r->doubts.len; i++)
        if (r->doubts.at[i].why == why)
            return true;
    return false;
}

/* An address that somebody else has outside is free in a network of its own. What overlays
 * cannot do, copies can. */
static int run_here(const struct cascade *c, struct subject *s, struct err *err)
{
    int result = run_once(c, s, true, err);
    bool is_able = !c->o->in_place && run_worlds(NULL) && !run_signal();
    if (result == 0 && is_able && has_doubt(&s->recorded, DOUBT_NOT_RESET))
        result = run_again_here(c, s, err);
    if (result == 0 && is_able && has_doubt(&s->recorded, DOUBT_OVERLAY)) {
        run_worlds_forbid("overlays do not behave as this program needs");
        result = run_again_here(c, s, err);
    }
    return result;
}

/* A client that does not come to its end says nothing about the program. */
static int look_at_client(const struct subject *s, struct err *err)
{
    const struct run_result *r = &s->recorded;
    const char *first = r->text.at ? r->text.at : "";
    if (!s->run.client || run_signal())
        return 0;
    if (r->is_late && !s->has_share)
        return err_set(err,
                       "--client: '%s' had not ended when the time limit of the recorded "
                       "run struck (--timeout)",
                       s->run.client);
    if (run_is_clients(r) && r->code > 128)
        return err_set(err, "--client: '%s' crashed in the recorded run: %.*s", s->run.client,
                       (int)strcspn(first, "\n"), first);
    return 0;
}

/* Who stopped a server that does not end by itself found no bug. */
static void forgive_end(struct run_result *r)
{
    if (!run_was_asked_to_end(r) || run_signal())
        return;
    r->outcome = WORD_VALUE(OUTCOME, EXIT);
    r->code = 0;
}

/* A run that is to end sooner than its own limit says; gives that limit. */
static uint32_t limit_recording(struct subject *s)
{
    uint32_t own = s->run.timeout_s;
    uint64_t left = stop_left_ms(), share = left / 100 * RECORD_SHARE / 1000;
    if (left == UINT64_MAX || share >= (own ? own : RUN_TIMEOUT_S))
        return own;
    s->run.timeout_s = share > 0 ? (uint32_t)share : 1;
    s->has_share = true;
    return own;
}

/* Nothing follows for the program from the end of a run that was not given its time. */
static void look_at_end(struct cascade *c, struct subject *s)
{
    const struct run_result *r = &s->recorded;
    bool is_large = has_doubt(r, DOUBT_MEMORY);
    bool is_stopped = stop_came() && (r->outcome == WORD_VALUE(OUTCOME, CUT) ||
                                      run_was_asked_to_end(r)); /* as we were */
    s->is_cut = is_large || is_stopped || (s->has_share && r->is_late);
    if (!s->is_cut)
        return;
    if (!is_stopped)
        stop_cut(is_large ? STOP_MEMORY : STOP_TIME);
    undone_add(c->out, (struct undone){.stage = "recording",
                                       .what = "runs to their end",
                                       .left = 1,
                                       .total = 1,
                                       .next = ""});
}

static int record(struct cascade *c, struct subject *s, struct err *err)
{
    uint32_t number = 0;
    uint64_t start = now_ms(), before = stop_spent_ms();
    progress_begin("recording");
    run_share_stdin();
    uint32_t limit_s = limit_recording(s);
    int result = run_directory(&s->path, s->argv[0], &number, err);
    if (result == 0)
        result = run_here(c, s, err);
    if (result == 0)
        result = look_at_client(s, err);
    forgive_end(&s->recorded);
    look_at_end(c, s);
    s->run.alone = !s->run.client && has_doubt(&s->recorded, DOUBT_UNPLAYED);
    progress_end();
    if (result == 0)
        result = run_link_last(s->path.at, err);
    if (result == 0)
        find_home(c, &s->path);
    s->home = c->home.at;
    uint64_t took_ms = now_ms() - start;
    c->stat->record_ms += took_ms;
    s->run.timeout_s = limit_s;
    stop_after_run(stop_spent_ms() - before);
    s->run.stall_ms = STALL_MS + 10 * (uint32_t)(took_ms < 60000 ? took_ms : 60000);
    return result;
}

/* What the report says was run. */
static void tell_command(struct cascade *c, const struct subject *s)
{
    AUTO(str) struct str text = {0};
    for (char *const *a = s->argv; *a; a++)
        str_add(&text, "%s%s", a == s->argv ? "" : " ", *a);
    c->out->program = arena_text(&c->out->mem, text.at, text.len);
    text.len = 0;
    run_kind(&text, &s->recorded);
    c->out->outcome = arena_text(&c->out->mem, text.at, text.len);
}

/* ---- children -------------------------------------------------------------------------- */

/* What a child needs to run as it did: its directory and its variables. */
struct stay {
    char *from, *home; /* owned: where we were; the home, from the root if that is elsewhere */
    char **variables;
};

extern char **environ;

static void stay_begin(struct stay *s, const struct cascade *c, const struct run_recorded *r)
{
    *s = (struct stay){.from = realpath(".", NULL), .variables = environ};
    bool is_elsewhere = s->from && r->directory && strcmp(s->from, r->directory) != 0;
    s->home = is_elsewhere ? realpath(c->home.at, NULL) : strdup(c->home.at);
    CHECK(s->from && s->home);
    environ = r->env.at;
    if (is_elsewhere && chdir(r->directory) < 0)
        CHECK(chdir(s->from) == 0); /* it is gone: what needs it will say so */
}

static void stay_end(struct stay *s)
{
    environ = s->variables;
    CHECK(chdir(s->from) == 0);
    free(s->from);
    free(s->home);
}

/* The command works where the child did. */
static void tell_where(struct finding_list *l, uint32_t first, const char *from,
                       const char *directory)
{
    for (uint32_t i = first; strcmp(from, directory) != 0 && i < l->findings.len; i++) {
        AUTO(str) struct str text = {0};
        struct finding *f = &l->findings.at[i];
        if (!*f->replay)
            continue;
        str_add(&text, "cd %s && %s", directory, f->replay);
        f->replay = arena_text(&l->mem, text.at, text.len);
    }
}

/* It is another program by now. */
static void tell_lost(struct finding_list *l, const struct run_recorded *r)
{
    AUTO(str) struct str text = {0};
    for (uint32_t i = 0; i < r->outcome.doubts.len; i++) {
        if (text.len)
            str_add(&text, "; ");
        run_doubt_say(&text, &r->outcome.doubts.at[i]);
    }
    unseen_add(l, text.at);
}

/* family: the run of one of ours that forked it, or NULL. */
static int analyse_child(struct cascade *c, const struct run_recorded *r,
                         const struct subject *family, struct err *err)
{
    struct stay stay;
    uint32_t first = c->out->findings.len, unseen = 0;
    enum confirm_output output = OUTPUT_UNKNOWN;
    if (!r->has_outcome && r->outcome.doubts.len > 0) {
        tell_lost(c->out, r);
        return 0;
    }
    stay_begin(&stay, c, r);
    struct subject s = {.argv = r->argv.at,
                        .run = c->o->run,
                        .home = stay.home,
                        .work = r->directory,
                        .recorded = r->outcome,
                        .memory_mb = c->o->memory_mb,
                        .unseen = &unseen,
                        .output = &output,
                        .is_child = !family,
                        .family = family ? family->path.at : NULL};
    s.run.family = false;
    s.run.input = family ? family->run.input : "/dev/null";
    s.run.process = r->process;
    s.run.judges_all = family && run_ended_well(&family->recorded);
    str_add(&s.path, "%s", r->path.at);
    int result = analyse(c, &s, err);
    if (result == 0 && !r->process) /* in other runs of a program its children go along */
        result = explore(c, &s, err);
    str_done(&s.path); /* the outcome is the child's own */
    subject_tell_process(c->out, first, r);
    tell_where(c->out, first, stay.from, r->directory ? r->directory : stay.from);
    stay_end(&stay);
    return result;
}

/* Each gets as much time as those after it. */
static int analyse_children(struct cascade *c, const run_children *children,
                            const struct subject *family, struct err *err)
{
    uint32_t i = 0;
    int result = 0;
    for (; result == 0 && i < children->len && !run_signal(); i++) {
        struct stop_part part = stop_part_begin(100 / (children->len - i));
        result = analyse_child(c, &children->at[i], family, err);
        stop_part_end(part);
    }
    if (i < children->len && result == 0)
        undone_add(c->out, (struct undone){.stage = "analysing",
                                           .what = "child processes",
                                           .left = children->len - i,
                                           .total = children->len,
                                           .next = children->at[i].argv.at[0]});
    return result;
}

static int analyse_family(struct cascade *c, const struct subject *s, struct err *err)
{
    run_children children = {0};
    int result = 0;
    run_children_read(&children, s->path.at);
    if (children.len == 0) {
        run_remove_tree(s->path.at);
        result = err_set(err,
                         "%s: not built with Heddle, and nothing that it started was; build "
                         "with CC=\"heddle cc\" CXX=\"heddle c++\"",
                         s->argv[0]);
    }
    result = result == 0 ? analyse_children(c, &children, NULL, err) : result;
    run_children_done(&children);
    return result;
}

/* One of ours, and the children that it forked. */
static int analyse_own(struct cascade *c, struct subject *s, struct err *err)
{
    run_children children = {0};
    run_children_read(&children, s->path.at);
    struct stop_part part = stop_part_begin(children.len > 0 ? PARENT_SHARE : 100);
    int result = analyse(c, s, err);
    stop_part_end(part);
    part = stop_part_begin(CHILDREN_SHARE);
    if (result == 0)
        result = analyse_children(c, &children, s, err);
    stop_part_end(part);
    run_children_done(&children);
    return result == 0 ? explore(c, s, err) : result;
}

/* ---- all of it ------------------------------------------------------------------------- */

/* left: so many runs are to share the time, this one and those after it. */
static int check_one(struct cascade *c, char *const *argv, const char *input, uint64_t number,
                     uint64_t left, struct err *err)
{
    uint32_t unseen = 0;
    enum confirm_output output = OUTPUT_UNKNOWN;
    struct subject s = {.argv = argv,
                        .run = c->o->run,
                        .memory_mb = c->o->memory_mb,
                        .unseen = &unseen,
                        .output = &output};
    s.run.children_max = CHILDREN_MAX;
    s.run.input = input;
    s.run.policy = number > 0 ? "random" : c->o->run.policy;
    s.run.seed = c->o->run.seed + number;
    s.run.family = !run_is_ours(argv[0]);
    if (!c->o->in_place)
        run_begins_before_last(argv);
    int result = record(c, &s, err);
    if (result == 0 && c->out->runs == 0)
        tell_command(c, &s);
    struct stop_part part = stop_part_begin(left < 100 ? 100 / (unsigned)left : 1);
    if (result == 0)
        result = s.run.family ? analyse_family(c, &s, err) : analyse_own(c, &s, err);
    stop_part_end(part);
    subject_done(&s);
    return result;
}

static int check_all(struct cascade *c, struct err *err)
{
    const struct check_opts *o = c->o;
    uint64_t inputs = o->inputs.len ? o->inputs.len : 1,
             lines = o->arguments.len ? o->arguments.len : 1;
    uint64_t repeats = o->runs ? o->runs : 1;
    uint64_t all = lines * inputs * repeats, i = 0;
    for (; i < all && !run_signal(); i++) {
        uint64_t line = i / (inputs * repeats), input = i / repeats % inputs;
        char *const *argv =
            o->arguments.len ? split_line(&c->mem, o->argv[0], o->arguments.at[line]) : o->argv;
        const char *file = o->inputs.len ? o->inputs.at[input] : o->run.input;
        if (check_one(c, argv, file, i % repeats, all - i, err) < 0)
            return -1;
    }
    if (i < all)
        undone_add(c->out,
                   (struct undone){.stage = "recording",
                                   .what = "runs",
                                   .left = all - i,
                                   .total = all,
                                   .next = o->arguments.len
                                               ? o->arguments.at[i / (inputs * repeats)]
                                           : o->inputs.len ? o->inputs.at[i / repeats % inputs]
                                                           : ""});
    return 0;
}

/* Not everything has to be told for what is told to be worth saving. */
static void tell_stacks(struct cascade *c)
{
    uint64_t start = now_ms();
    struct stop_part part = stop_part_begin(WHERE_SHARE);
    where_tell(c->out, c->o);
    stop_part_end(part);
    c->stat->stacks_ms += now_ms() - start;
}

static int save(struct cascade *c, struct err *err)
{
    AUTO(str) struct str path = {0}, text = {0};
    finding_list_sort(c->out);
    stories_tell(c->out);
    finding_list_print(c->out, &text);
    str_add(&path, "%s/findings.json", c->home.at);
    return file_write(path.at, text.at, text.len, err);
}

int check(struct finding_list *out, struct check_stat *stat, const struct check_opts *opts,
          struct err *err)
{
    struct cascade c = {.o = opts, .out = out, .stat = stat};
    out->program = opts->argv[0];
    out->outcome = "";
    int result = check_all(&c, err);
    finding_list_stop(out);
    if (result == 0)
        tell_stacks(&c);
    if (result == 0 && out->runs > 0)
        result = save(&c, err);
    str_done(&c.home);
    arena_done(&c.mem);
    return result;
}

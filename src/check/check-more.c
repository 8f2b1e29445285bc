/* SPDX-License-Identifier: Apache-2.0
 *
 * check-more: other schedules of a program whose usual run has been looked into. What the
 * values of that run exclude is tried all the same where a run can prove it: threads may do as
 * much with other values. A few schedules are recorded and predicted from, if the run is short:
 * what the usual run cannot tell because its threads went other ways, the next one often can.
 * Then many are run only for their ends; one that fails is predicted from too, so that its
 * failure has a cause and a witness, and is told as a failure only if that gives nothing. */
#include "check/check-run.h"

#include "base/log.h"
#include "check/failure.h"
#include "check/freed-finding.h"
#include "check/weak-tell.h"
#include "explore/explore.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* How many schedules a program gets that the user has named no number for: the shorter its
 * run, the more. */
static const struct effort {
    uint64_t events; /* of the usual run, at most */
    uint32_t predicted, run;
} efforts[] = {
    {2000, 15, 100}, {3000, 7, 60},  {10000, 4, 40},     {50000, 2, 20},
    {200000, 0, 20}, {500000, 0, 6}, {UINT64_MAX, 0, 2},
};

enum {
    LONG_RUN_MS = 300,
    RUNS_OF_LONG = 20,
    TURNS_RUNS = 10,
    DEAF_RUNS = 4,
    AIMED_MAX = 4, /* findings that runs are aimed at, and how many at each */
    AIMED_RUNS = 4,
    LOCK_FREE_RUNS = 12,
    LOCK_FREE_PLACES = 64, /* of atomic accesses that threads are held back at */
};

/* What the run that was recorded first shows of races; below. */
struct weak_base;

struct more {
    const struct subject *s;
    struct finding_list *out;
    const struct finding_list *known;
    const struct check_opts *o;
    struct effort effort;
    uint32_t looked_into;
    bool said_unseen;
    uint32_t recorded;     /* of the runs that are predicted from */
    enum weak_mode weak;   /* of the runs that are made now */
    uint64_t tried, alike; /* runs of other schedules; those that ended like the recorded one */
    struct weak_base *base; /* NULL: no weak runs are looked into for races */
};

/* ---- what to try ----------------------------------------------------------------------- */

static struct effort choose_effort(const struct check_opts *o, uint64_t events)
{
    uint32_t i = 0;
    while (events > efforts[i].events)
        i++;
    struct effort e = efforts[i];
    if (o->explore != CHECK_EXPLORE_AUTO) {
        e.run = o->explore < UINT32_MAX ? (uint32_t)o->explore : UINT32_MAX;
        e.predicted = e.predicted < e.run ? e.predicted : e.run;
    }
    return e;
}

/* Has a confirmed finding come to the same end? */
static bool is_known(const struct finding_list *l, const struct run_result *r)
{
    for (uint32_t i = 0; i < l->findings.len; i++)
        if (l->findings.at[i].is_confirmed && l->findings.at[i].harm == harm_of(r->outcome))
            return true;
    return false;
}

/* ---- one of them ----------------------------------------------------------------------- */

/* Do its threads wait for locks and nothing else? */
static bool is_of_locks(const struct finding *f)
{
    for (uint32_t i = 0; i < f->steps.len; i++)
        if (f->steps.at[i].action != ACTION_ACQUIRE && f->steps.at[i].action != ACTION_REQUEST)
            return false;
    return f->pattern == PATTERN_DEADLOCK && f->steps.len > 1;
}

/* A circle of locks that nothing but values excludes, and that no run has shown, is worth
 * knowing: who changes the program may not know what keeps the threads apart. */
static bool take_lock_order(struct more *m, struct finding *f)
{
    if (!is_of_locks(f) || finding_find(m->out, f->id) || run_signal())
        return false;
    finding_rests_on(f, &m->out->mem, "lock order, excluded by the recorded values", true);
    vec_push(&m->out->findings, *f);
    return true;
}

/* What is confirmed goes to the list; the rest would be an account of another run. */
static void take_confirmed(struct more *m, struct finding_list *from, bool guess)
{
    arena_adopt(&m->out->mem, &from->mem);
    for (uint32_t i = 0; i < from->findings.len; i++) {
        struct finding *f = &from->findings.at[i];
        const struct finding *plainer = *f->with ? finding_find(m->out, f->with) : NULL;
        if (plainer && (!plainer->is_confirmed || f->harm > plainer->harm))
            f->with = "";
        if (f->is_confirmed)
            finding_merge(m->out, f);
        else if (!guess || !take_lock_order(m, f))
            finding_done(f);
    }
    from->findings.len = 0;
}

/* How to predict: as usual, or guess what only a run can show. */
enum look { LOOK_USUAL, LOOK_GUESS, LOOK_DEAF };

/* Predicts from the run in this directory and follows what is new. child: whose it is, or
 * NULL */
static int look_into(struct more *m, const char *directory, const struct run_result *ended,
                     const struct run_recorded *child, enum look how, struct err *err)
{
    AUTO(finding_list) struct finding_list own = {0};
    struct subject again = *m->s;
    again.path = (struct str){0};
    again.recorded = *ended; /* borrowed */
    again.first = m->s;
    again.further = ++m->looked_into;
    again.is_guessed = how == LOOK_GUESS;
    again.is_deaf = how == LOOK_DEAF;
    str_add(&again.path, "%s", directory);
    if (child) {
        again.run.process = child->process;
        again.run.judges_all = run_ended_well(&m->s->recorded);
    }
    int result = subject_predict(&again, &own, m->out, err);
    if (result == 0)
        result = subject_confirm(&again, &own, m->known, m->o->in_place, err);
    if (child)
        subject_tell_process(&own, 0, child);
    if (result == 0)
        take_confirmed(m, &own, how == LOOK_GUESS);
    str_done(&again.path);
    return result;
}

/* The program and the children that it forked. */
static int look_into_family(struct more *m, const char *directory, const struct run_result *r,
                            struct err *err)
{
    run_children children = {0};
    int result = look_into(m, directory, r, NULL, LOOK_USUAL, err);
    run_children_read(&children, directory);
    for (uint32_t i = 0; result == 0 && i < children.len && !run_signal(); i++)
        result = look_into(m, children.at[i].path.at, &children.at[i].outcome, &children.at[i],
                           LOOK_USUAL, err);
    run_children_done(&children);
    return result;
}

static int look_into_further(struct more *m, uint32_t number, const char *directory,
                             const struct run_result *r, struct err *err)
{
    int result = look_into_family(m, directory, r, err);
    if (result == 0 && m->s->hears_outside && number < DEAF_RUNS && !run_signal())
        result = look_into(m, directory, r, NULL, LOOK_DEAF, err);
    return result;
}

/* Where a crash comes from says more than that it is one. */
static bool is_new_failure(const struct more *m, const char *directory,
                           const struct run_result *r)
{
    if (!run_is_worse(r, &m->s->recorded) || run_is_own_alarm(r))
        return false;
    struct freed_seen freed = freed_look(directory, r);
    enum harm harm = harm_of(r->outcome);
    if (freed.is_seen)
        return !freed_is_known(m->out, &freed, harm) && !freed_is_known(m->known, &freed, harm);
    return !is_known(m->out, r) && !is_known(m->known, r);
}

/* Where runs lie that nobody keeps. */
static int further_make(struct str *out, const struct subject *s, const char *name,
                        struct err *err)
{
    str_add(out, "%s/further", s->home);
    if (directory_make(out->at, err) < 0)
        return -1;
    str_add(out, "/%s", name);
    run_remove(out->at);
    return run_make_directory(out->at, err);
}

/* How it was run: with the same seed the processes of a family take the same turns, which the
 * schedule of one of them does not say. */
struct tried {
    const char *policy;
    uint64_t seed;
};

static bool has_children(const char *run)
{
    AUTO(str) struct str path = {0};
    str_add(&path, "%s/child-1", run);
    return access(path.at, F_OK) == 0;
}

/* Alone, from its schedule: does it come to the same end? With a live client that takes its log
 * as well. */
static int comes_again(const struct more *m, const char *directory, const struct run_result *r,
                       const struct tried *tried, bool *out, struct err *err)
{
    AUTO(str) struct str schedule = {0}, place = {0}, was = {0}, is = {0};
    struct run_result again = {0};
    struct run_world *in = NULL;
    struct run_opts run = m->s->run;
    char input[PATH_MAX], peers[PATH_MAX], absolute[PATH_MAX];
    if (run_has_client(&run)) {
        *out = run_ends_again(directory, r, &run, m->o->in_place);
        return 0;
    }
    str_add(&schedule, "%s/schedule", directory);
    run.input = subject_stdin(m->s, input);
    run.peers = subject_peers(m->s, peers);
    run.policy = tried->policy;
    run.seed = tried->seed;
    run.weak = m->weak;
    if (!has_children(directory))
        run.schedule = realpath(schedule.at, absolute);
    run.no_trace = true;
    if (further_make(&place, m->s, "again", err) < 0 ||
        (!m->o->in_place && run_world_open(&in, m->s->work ? m->s->work : ".", err) < 0))
        return -1;
    run.directory = m->s->work;
    run.in = in;
    int result = run_target(&again, m->s->argv, place.at, &run, err);
    run_world_close(in);
    run_kind(&was, r);
    if (result == 0)
        run_kind(&is, &again);
    *out = result == 0 && strcmp(was.at, is.at) == 0;
    run_result_done(&again);
    run_remove(place.at);
    return result;
}

static void note_once(struct more *m, const struct run_result *r)
{
    AUTO(str) struct str text = {0};
    run_kind(&text, r);
    str_add(&text,
            ": a run with another schedule ended like this, but not when it was repeated");
    vec_push(&m->out->unseen, arena_text(&m->out->mem, text.at, text.len));
}

/* A failure that nothing accounts for yet; it came in `count` of `runs`. */
static int look_into_failure(struct more *m, const char *run, const struct run_result *r,
                             const struct tried *tried, uint64_t count, uint64_t runs,
                             struct err *err)
{
    AUTO(str) struct str place = {0}, who = {0};
    if (run_has_client(&m->s->run))
        str_add(&who, "with a live client; %llu of %llu runs: ", (unsigned long long)count,
                (unsigned long long)runs);
    str_add(&who, "a run with another schedule failed");
    run_failed_at(&place, run, r);
    const char *directory = place.at;
    struct failure f = {.result = r,
                        .directory = directory,
                        .who = who.at,
                        .shrink =
                            !run_is_clients(r), /* nobody plays what the client thinks of it */
                        .in_place = m->o->in_place,
                        .run = &m->s->run};
    bool again = false;
    if (!is_new_failure(m, directory, r))
        return 0;
    if (comes_again(m, run, r, tried, &again, err) < 0)
        return -1;
    if (!again && run_signal()) {
        undone_add(m->out, (struct undone){.stage = "exploring",
                                           .what = "failures to repeat",
                                           .left = 1,
                                           .total = 1,
                                           .next = run});
        return 0;
    }
    if (!again) {
        note_once(m, r);
        return 0;
    }
    /* prediction takes turns: of a weak run it knows nothing */
    if (m->weak == WEAK_OFF && look_into_family(m, run, r, err) < 0)
        return -1;
    if (is_new_failure(m, directory, r))
        failure_tell(m->out, &f);
    return 0;
}

/* ---- all of them ----------------------------------------------------------------------- */

/* Processor time of all that we have run so far; a live client takes its own time. */
static uint64_t spent_ms(const struct more *m)
{
    struct rusage u;
    struct timespec t;
    if (run_has_client(&m->s->run)) {
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
    }
    getrusage(RUSAGE_CHILDREN, &u);
    return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
           (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000;
}

/* A run with few events may still be long: it computes. */
static void hold_back(struct more *m, uint64_t took_ms)
{
    if (took_ms <= LONG_RUN_MS || m->o->explore != CHECK_EXPLORE_AUTO)
        return;
    m->effort.predicted = 0;
    m->effort.run = m->effort.run < RUNS_OF_LONG ? m->effort.run : RUNS_OF_LONG;
}

/* One that fails is worth a place among the runs. */
static int keep_run(const struct more *m, struct str *directory, struct err *err)
{
    AUTO(str) struct str place = {0}, runs = {0};
    uint32_t number = 0;
    str_add(&runs, "%s/runs", m->s->home);
    if (run_next(&place, runs.at, &number, err) < 0)
        return -1;
    run_remove(place.at); /* it takes the place of it */
    if (run_rename(directory->at, place.at, err) < 0)
        return -1;
    directory->len = 0;
    str_add(directory, "%s", place.at);
    return 0;
}

/* Once is enough for people to know. */
static void note_unseen(struct more *m, const struct run_result *r, uint32_t count)
{
    AUTO(str) struct str text = {0};
    if (!run_spins_unseen(r))
        return;
    if (!m->said_unseen) {
        str_add(&text, "other schedules: ");
        run_doubt_say(&text, run_unjudged(r));
        vec_push(&m->out->unseen, arena_text(&m->out->mem, text.at, text.len));
    }
    m->said_unseen = true;
    *m->s->unseen += count;
}

/* A run of another schedule, to be predicted from. */
static int record_further(struct more *m, uint32_t number, const struct run_opts *how,
                          struct run_world *in, struct err *err)
{
    AUTO(str) struct str directory = {0}, name = {0};
    struct run_result r = {0};
    struct run_opts run = *how;
    char input[PATH_MAX], peers[PATH_MAX];
    run.input = subject_stdin(m->s, input);
    run.peers = subject_peers(m->s, peers);
    run.directory = m->s->work;
    run.in = in;
    str_add(&name, "%u", number + 1);
    if (further_make(&directory, m->s, name.at, err) < 0)
        return -1;
    uint64_t before = spent_ms(m);
    if (run_target(&r, m->s->argv, directory.at, &run, err) < 0)
        return -1;
    note_unseen(m, &r, 1);
    hold_back(m, spent_ms(m) - before);
    int result = 0;
    if (!run_signal() && is_new_failure(m, directory.at, &r))
        result = keep_run(m, &directory, err) < 0
                     ? -1
                     : look_into_failure(m, directory.at, &r,
                                         &(struct tried){run.policy, run.seed}, 1, 1, err);
    else if (!run_signal())
        result = look_into_further(m, number, directory.at, &r, err);
    run_result_done(&r);
    return result;
}

static bool goes_on(const struct more *m)
{
    return !run_signal() && *m->s->unseen < UNSEEN_MAX;
}

/* Two accesses that only relaxed atomics keep in order, in what was seen so far: a schedule in
 * which nothing does may exist, and is looked for by holding threads back right there. */
static int aim_at(struct more *m, const char *text, uint32_t number, uint32_t runs,
                  struct run_world *in, struct err *err)
{
    AUTO(str) struct str told = {0}, targets = {0};
    struct run_opts run = m->s->run;
    str_add(&told, "%s/targets.txt", m->s->home);
    str_add(&targets, "%s/targets", m->s->home);
    if (file_write(told.at, text, strlen(text), err) < 0 ||
        run_targets(told.at, targets.at, err) < 0)
        return -1;
    run.policy = "targeted";
    run.targets = targets.at;
    int result = 0;
    for (uint32_t i = 0; result == 0 && i < runs && goes_on(m); i++, run.seed++)
        result = record_further(m, number + i, &run, in, err);
    return result;
}

static int record_aimed(struct more *m, struct run_world *in, struct err *err)
{
    int result = 0;
    uint32_t len = m->out->findings.len;
    for (uint32_t i = 0, aimed = 0; result == 0 && aimed < AIMED_MAX && i < len; i++) {
        AUTO(str) struct str text = {0};
        const struct finding *f = &m->out->findings.at[i];
        if (f->pattern != PATTERN_WEAK_RACE || f->is_confirmed)
            continue;
        for (uint32_t k = 0; k < f->sites.len; k++)
            str_add(&text, "%s:%u\n", f->sites.at[k].file, f->sites.at[k].line);
        result =
            aim_at(m, text.at, m->effort.predicted + aimed++ * AIMED_RUNS, AIMED_RUNS, in, err);
    }
    return result;
}

/* Appends the places of atomic accesses; true if a compare-exchange is among them. */
static bool find_atomics(struct str *out, const char *path)
{
    AUTO(trace) struct trace t = {0};
    struct err ignored;
    struct ev e;
    struct map met = {0};
    int item;
    uint32_t count = 0;
    bool tries = false;
    if (trace_open_in(&t, path, &ignored) < 0)
        return false;
    struct trace_cursor *c = mem_get(sizeof *c);
    cursor_init(c, &t);
    while ((item = trace_next_bare(c, &e, &ignored)) > ITEM_END) {
        if (item != ITEM_EVENT || e.kind < EV_ATOMIC_LOAD || e.kind > EV_CAS)
            continue;
        tries |= e.kind == EV_CAS;
        uint32_t *seen = map_at(&met, e.site);
        const struct def_site *s = &t.sites.at[e.site];
        if (*seen == NONE && s->line > 0 && count++ < LOCK_FREE_PLACES)
            str_add(out, "%.*s:%u\n", (int)s->file.len, s->file.at, s->line);
        *seen = 1;
    }
    free(c);
    map_done(&met);
    return tries;
}

/* Who comes between a look and the compare-exchange behind it makes that fail: only then some
 * threads go the ways on which they use what others have taken away. */
static int record_lock_free(struct more *m, struct run_world *in, struct err *err)
{
    AUTO(str) struct str places = {0};
    if (!find_atomics(&places, m->s->path.at) || places.len == 0)
        return 0;
    return aim_at(m, places.at, m->effort.predicted + AIMED_MAX * AIMED_RUNS, LOCK_FREE_RUNS,
                  in, err);
}

static int record_several(struct more *m, struct err *err)
{
    struct portfolio hows = portfolio_of(PORTFOLIO_FURTHER);
    struct run_world *in = NULL;
    int result = 0;
    if (m->effort.predicted == 0)
        return 0;
    if (!m->o->in_place && run_world_open(&in, m->s->work ? m->s->work : ".", err) < 0)
        return -1;
    for (uint32_t i = 0; result == 0 && i < m->effort.predicted && goes_on(m);
         i++, m->recorded++) {
        struct run_opts run = m->s->run;
        run.policy = hows.at[i % hows.len].policy;
        run.seed += hows.at[i % hows.len].seed;
        result = record_further(m, i, &run, in, err);
    }
    if (result == 0 && m->effort.predicted > 0)
        result = record_aimed(m, in, err);
    if (result == 0 && m->effort.predicted >= LOCK_FREE_RUNS)
        result = record_lock_free(m, in, err);
    run_world_close(in);
    return result;
}

/* ---- weak behaviour of atomics --------------------------------------------------------- */

enum {
    WEAK_RUNS = 20,   /* recorded, for races */
    WEAK_PER_RUN = 4, /* others, for each usual one */
    RACING_MAX =
        16, /* of the others, how many that noticed a race are made again and looked into */
};

/* The run as it was first, to which what else races is compared. */
struct weak_base {
    struct relaxed_graph graph;
    relaxed_races races;
    struct map told; /* hash of what a run said of its race -> 1: looked into */
};

/* A run as it may be on a machine that is not sequentially consistent: what races in it? */
static int record_weak(struct more *m, const struct tried *how, struct run_world *in,
                       struct err *err)
{
    const struct weak_base *base = m->base;
    AUTO(str) struct str directory = {0}, name = {0};
    struct run_result r = {0};
    struct run_opts run = m->s->run;
    char input[PATH_MAX], peers[PATH_MAX];
    run.policy = how->policy;
    run.seed = how->seed;
    run.weak = m->weak;
    run.input = subject_stdin(m->s, input);
    run.peers = subject_peers(m->s, peers);
    run.directory = m->s->work;
    run.in = in;
    str_add(&name, "weak-%s-%" PRIu64, how->policy, how->seed);
    if (further_make(&directory, m->s, name.at, err) < 0 ||
        run_target(&r, m->s->argv, directory.at, &run, err) < 0)
        return -1;
    int result = 0;
    bool wanted = !run_signal() && run_judges_program(&r) &&
                  weak_has_races(directory.at, &base->graph, &base->races);
    if (wanted)
        result = keep_run(m, &directory, err);
    if (wanted && result == 0)
        weak_races_tell(m->out, directory.at, &base->races, &base->graph);
    else
        run_remove(directory.at);
    run_result_done(&r);
    return result;
}

/* Runs that have noticed a race that none before them told of. */
static int look_into_racing(struct more *m, const char *policy, uint64_t seed,
                            const struct run_table *table, struct err *err)
{
    struct run_world *in = NULL;
    int result = 0;
    if (!m->base || table->racing.len == 0)
        return 0;
    if (!m->o->in_place && run_world_open(&in, m->s->work ? m->s->work : ".", err) < 0)
        return -1;
    for (uint32_t i = 0; result == 0 && i < table->racing.len && !run_signal(); i++) {
        const struct run_racing *r = &table->racing.at[i];
        uint32_t *known = map_at(&m->base->told, hash_bytes(r->told.at, r->told.len));
        if (*known != NONE || m->base->told.len > RACING_MAX)
            continue;
        *known = 1;
        result = record_weak(m, &(struct tried){policy, seed + r->id}, in, err);
    }
    run_world_close(in);
    return result;
}

/* ---- many runs --------------------------------------------------------------------------- */

static void count_run(uint64_t done, uint64_t failed)
{
    (void)failed;
    progress_done(done);
}

static void count_alike(struct more *m, const struct run_table *table)
{
    AUTO(str) struct str recorded = {0};
    run_kind(&recorded, &m->s->recorded);
    m->tried += table->runs;
    for (uint32_t i = 0; i < table->rows.len; i++)
        if (strcmp(table->rows.at[i].kind.at, recorded.at) == 0)
            m->alike += table->rows.at[i].count;
}

static int explore_by(struct more *m, const char *policy, uint64_t runs, struct err *err)
{
    AUTO(str) struct str store = {0}, last = {0};
    struct run_table table = {0};
    struct run_opts run = m->s->run;
    char input[PATH_MAX], recorded[PATH_MAX], peers[PATH_MAX];
    str_add(&store, "%s/runs", m->s->home);
    str_add(&last, "%s/last", store.at);
    bool has_last = realpath(last.at, recorded) != NULL;
    run.policy = policy;
    run.weak = m->weak;
    run.input = subject_stdin(m->s, input);
    run.peers = subject_peers(m->s, peers);
    struct run_many_opts many = {.pool = {.jobs = m->o->jobs,
                                          .in_place = m->o->in_place,
                                          .before_each = m->o->before_each,
                                          .store = store.at},
                                 .runs = runs,
                                 .progress = count_run,
                                 .unseen_max = UNSEEN_MAX,
                                 .keep = 1};
    bool is_wanted = runs > 0 && goes_on(m);
    progress_of(0, runs, "runs");
    int result = is_wanted ? run_many(&table, m->s->argv, &run, &many, err) : 0;
    if (result == 0 && has_last) /* what the next command means by it is the recorded one */
        result = run_link_last(recorded, err);
    count_alike(m, &table);
    for (uint32_t i = 0; result == 0 && i < table.rows.len; i++)
        note_unseen(m, &table.rows.at[i].first, (uint32_t)table.rows.at[i].count);
    for (uint32_t i = 0; result == 0 && i < table.rows.len && !run_signal(); i++)
        result = look_into_failure(m, table.rows.at[i].directory.at, &table.rows.at[i].first,
                                   &(struct tried){policy, run.seed + table.rows.at[i].id},
                                   table.rows.at[i].count, table.runs, err);
    if (result == 0)
        result = look_into_racing(m, policy, run.seed, &table, err);
    run_table_done(&table);
    return result;
}

static int record_weak_runs(struct more *m, struct err *err)
{
    struct run_world *in = NULL;
    int result = 0;
    if (!m->o->in_place && run_world_open(&in, m->s->work ? m->s->work : ".", err) < 0)
        return -1;
    for (uint32_t i = 0; result == 0 && i < WEAK_RUNS && !run_signal(); i++)
        result = record_weak(m, &(struct tried){i % 2 ? "pos" : "random", m->s->run.seed + i},
                             in, err);
    run_world_close(in);
    return result;
}

static int run_weak(struct more *m, struct err *err)
{
    struct portfolio hows = portfolio_of(PORTFOLIO_EXPLORE);
    int result = m->base ? record_weak_runs(m, err) : 0;
    for (uint32_t i = 0; result == 0 && i < hows.len; i++)
        result = explore_by(m, hows.at[i].policy, WEAK_PER_RUN * m->effort.run / hows.len, err);
    return result;
}

/* Part of the runs, where the program asks for it: others lose nothing. */
static int explore_weak(struct more *m, struct err *err)
{
    struct weak_base base = {0};
    struct err ignored;
    bool wanted =
        m->o->weak != WEAK_OFF && (!m->o->weak_if_used || relaxed_has_weaker(m->s->path.at));
    if (!wanted || m->effort.run == 0 || run_signal())
        return 0;
    m->weak = m->o->weak;
    uint64_t tried = m->tried, alike = m->alike;
    if (!run_has_client(&m->s->run) && !m->s->is_child &&
        relaxed_graph_read(&base.graph, m->s->path.at, &ignored) == 0) {
        m->base = &base;
        relaxed_find_races(&base.graph, &base.races);
        weak_races_tell(m->out, m->s->path.at, NULL, NULL);
    }
    int result = run_weak(m, err);
    if (m->base) {
        vec_done(&base.races);
        map_done(&base.told);
        relaxed_graph_done(&base.graph);
    }
    m->base = NULL;
    weak_doubt(m->out, m->s->argv[0]);
    m->weak = WEAK_OFF;
    m->tried = tried;
    m->alike = alike;
    return result;
}

/* ---- children -------------------------------------------------------------------------- */

/* Who started it may have given it input, files and other processes that are gone by now: does
 * it come to the same end without them? */
static bool runs_alone(const struct subject *s, const struct check_opts *o)
{
    AUTO(str) struct str directory = {0}, wanted = {0}, got = {0};
    struct run_result r = {0};
    struct run_world *in = NULL;
    struct run_opts run = s->run;
    struct err ignored;
    if (further_make(&directory, s, "alone", &ignored) < 0 ||
        (!o->in_place && run_world_open(&in, s->work ? s->work : ".", &ignored) < 0))
        return false;
    run.directory = s->work;
    run.in = in;
    bool same = run_target(&r, s->argv, directory.at, &run, &ignored) == 0;
    run_kind(&wanted, &s->recorded);
    if (same)
        run_kind(&got, &r);
    same = same && strcmp(wanted.at, got.at) == 0;
    run_result_done(&r);
    run_remove(directory.at);
    run_world_close(in);
    return same;
}

static void note_unexplored(const struct subject *s, struct finding_list *out)
{
    AUTO(str) struct str text = {0};
    str_add(&text,
            "other schedules of %s, which another program started: alone it does not come to "
            "the same end; to try them: heddle check --",
            s->argv[0]);
    for (char *const *a = s->argv; *a; a++)
        str_add(&text, " %s", *a);
    vec_push(&out->unseen, arena_text(&out->mem, text.at, text.len));
}

/* ---- failures that need no schedule ---------------------------------------------------- */

/* Whatever the schedule, where each thread runs until it waits or ends, and where each new one
 * does so at once, as a function would: then no second thread is needed. Threads that wait for
 * each other are always about who comes first. */
static int try_in_turns(struct more *m, struct err *err)
{
    const struct run_result *r = &m->s->recorded;
    if (run_ended_well(r) || !run_judges_program(r) || r->waits.len > 0 || m->alike < m->tried)
        return 0;
    if (explore_by(m, "turns", TURNS_RUNS, err) < 0)
        return -1;
    uint64_t before = m->tried;
    if (m->alike == m->tried && explore_by(m, "calls", TURNS_RUNS, err) < 0)
        return -1;
    if (m->tried > before && m->alike == m->tried)
        failure_tell_plain(m->out, r, m->tried);
    return 0;
}

static void tell_untried(const struct more *m)
{
    uint64_t total = (uint64_t)m->effort.predicted + m->effort.run;
    uint64_t done = m->recorded + m->tried;
    if (done < total)
        undone_add(m->out, (struct undone){.stage = "exploring",
                                           .what = "runs with other schedules",
                                           .left = total - done,
                                           .total = total,
                                           .next = ""});
}

/* In short programs every order counts the same for pos, but a thread that yields is never
 * preferred by it: half of the runs go by chance alone. */
int subject_explore(const struct subject *s, struct finding_list *out,
                    const struct finding_list *known, const struct check_opts *opts,
                    struct err *err)
{
    struct more m = {.s = s,
                     .out = out,
                     .known = known,
                     .o = opts,
                     .effort = choose_effort(opts, s->events)};
    bool is_alone = s->has_one_order && !s->hears_outside && !has_children(s->path.at) &&
                    run_ended_well(&s->recorded);
    if (m.effort.run == 0 || (is_alone && opts->explore == CHECK_EXPLORE_AUTO))
        return 0;
    if (s->is_cut || run_signal()) {
        tell_untried(&m);
        return 0;
    }
    if (s->is_child && !runs_alone(s, opts)) {
        if (run_signal())
            tell_untried(&m);
        else
            note_unexplored(s, out);
        return 0;
    }
    if ((m.effort.predicted > 0 &&
         look_into(&m, s->path.at, &s->recorded, NULL, LOOK_GUESS, err) < 0) ||
        (s->hears_outside &&
         look_into(&m, s->path.at, &s->recorded, NULL, LOOK_DEAF, err) < 0) ||
        record_several(&m, err) < 0)
        return -1;
    struct portfolio hows = portfolio_of(PORTFOLIO_EXPLORE);
    for (uint32_t i = 0; i < hows.len; i++)
        if (explore_by(&m, hows.at[i].policy, (m.effort.run + hows.len - 1 - i) / hows.len,
                       err) < 0)
            return -1;
    int result = try_in_turns(&m, err);
    if (result == 0)
        result = explore_weak(&m, err);
    if (run_signal())
        tell_untried(&m);
    return result;
}

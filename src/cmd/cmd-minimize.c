/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-minimize: `heddle minimize RUN`: the failing run again with as few switches as possible,
 * and for each that is left, why. */
#include "check/check.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "base/log.h"
#include "explain/explain.h"
#include "run/run.h"

#include <string.h>

enum { RUNS_DEFAULT = 5000 };

struct minimize_opts {
    const char *oracle, *expect, *output;
    uint64_t timeout_s, runs;
    bool in_place;
};

#define AT(field) .offset = offsetof(struct minimize_opts, field)

static const struct option_row rows[] = {
    {.type = OPTION_TEXT,
     .letter = 'o',
     .name = "output",
     .value = "DIR",
     .help = "save the smaller run here (beside RUN)",
     AT(output)},
    {.type = OPTION_COUNT,
     .name = "runs",
     .value = "N",
     .help = "try at most N runs (5000)",
     AT(runs)},
    {.type = OPTION_TEXT,
     .name = "oracle",
     .value = "CMD",
     .help = "the check that RUN failed",
     AT(oracle)},
    {.type = OPTION_TEXT,
     .name = "expect",
     .value = "FILE",
     .help = "the output that RUN did not have",
     AT(expect)},
    {.type = OPTION_NUMBER,
     .name = "timeout",
     .value = "S",
     .help = "seconds that a run may take (60)",
     AT(timeout_s)},
    {.type = OPTION_FLAG,
     .name = "in-place",
     .help = "no private copy of the directory",
     AT(in_place)},
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle minimize",
    .usage = (const char *const[]){"RUN [options]", NULL},
    .about = "Makes the schedule of a failing run as simple as it can be: leaves out switches\n"
             "between threads while the program still fails in the same way, and says of each\n"
             "that is left what it brings about.\n",
    .rows = rows,
    .more = "Exit code: 0 if the smaller run was saved, 3 if the run did not fail again, 2 if\n"
            "it did not fail at all, 4 if it could not be run.\n",
    .examples =
        (const struct option_example[]){
            {"heddle minimize bank.heddle/runs/2", "why does this one fail?"},
            {NULL, NULL},
        },
};

extern char **environ;

static void progress(uint64_t runs, uint32_t switches)
{
    (void)switches;
    progress_count(runs, "runs");
}

static uint64_t count_switches(const struct runfile *schedule)
{
    uint64_t count = 0;
    uint32_t running = 0;
    for (uint32_t i = 1; i < schedule->choices.len; i++) {
        const struct choice *c = &schedule->choices.at[i];
        if (choice_is_weak(c))
            continue;
        count += c->thr != running;
        running = c->thr;
    }
    return count;
}

/* The how many-th stale read or early store of the run; of many the first ones are known. */
static void print_weak(struct str *out, const struct finding *f, uint32_t number)
{
    if (number < f->weak.len)
        str_add(out, "T%u at %s:%u %s\n", f->weak.at[number].thread,
                base_name(f->weak.at[number].place.file), f->weak.at[number].place.line,
                f->weak.at[number].text);
    else
        str_add(out, "an atomic access takes an older store, or an earlier place\n");
}

static void print_switches(struct str *out, const run_nudges *set, const struct reasons *why,
                           const char *place)
{
    AUTO(finding_list) struct finding_list l = {0};
    struct finding f = finding_new(PATTERN_FAILURE);
    uint32_t weak = 0;
    weak_tell(&l, &f, place);
    for (uint32_t i = 0; i < set->len; i++) {
        const struct run_nudge *n = &set->at[i];
        if (n->why == WORD_VALUE(SWITCH, WEAK)) {
            str_add(out, "%u. weak: ", i + 1);
            print_weak(out, &f, weak++);
            continue;
        }
        str_add(out, "%u. T%u -> T%u: ", i + 1, n->from, n->to);
        struct reason reason = reason_of(why, n);
        reason_say(out, why, &reason);
        str_char(out, '\n');
    }
    finding_done(&f);
}

static int report(const struct run_recorded *rec, const run_nudges *set, uint64_t runs,
                  bool spent, const char *place, const char *shown, struct err *err)
{
    AUTO(str) struct str out = {0};
    AUTO(str) struct str kind = {0};
    struct reasons *why;
    if (reasons_open(&why, place, err) < 0)
        return cmd_fail(EXIT_WORLD, err);
    run_kind(&kind, &rec->outcome);
    str_add(&out, "%s: needs %u of %llu switches (%llu runs%s)\n", kind.at, set->len,
            (unsigned long long)count_switches(&rec->schedule), (unsigned long long)runs,
            spent ? ", all that were allowed: maybe fewer" : "");
    if (set->len == 0)
        str_add(&out,
                "it fails in the ordinary order, without any switch that is not forced\n");
    print_switches(&out, set, why, place);
    str_add(&out, "replay: heddle replay %s\n", shown);
    reasons_close(why);
    return cmd_print(&out);
}

/* place: where the smaller run goes, from the root; shown: the same in the words of the user */
static int minimize(struct run_again *a, const struct minimize_opts *o, const char *place,
                    const char *shown, struct err *err)
{
    struct run_minimize_opts opts = {
        .run = {.oracle = o->oracle, .expect = o->expect, .timeout_s = (uint32_t)o->timeout_s},
        .runs = o->runs ? o->runs : RUNS_DEFAULT,
        .progress = progress};
    char *const *argv = a->recorded->argv.at;
    run_nudges set = {0};
    uint64_t runs = 0;
    if (run_is_ours(argv[0]) && run_server_open(&opts.run.server, argv, false, err) < 0)
        return cmd_fail(EXIT_WORLD, err);
    progress_begin("minimizing");
    int failed = run_minimize(a, &opts, &set, &runs, err);
    progress_end();
    int code;
    if (failed > 0) {
        cmd_note("minimize: with the same switches the run did not fail again%s",
                 o->oracle || o->expect ? "" : "; does it need --oracle or --expect?");
        code = EXIT_UNDECIDED;
    } else if (failed || run_record_nudged(a, &set, &opts.run, place, err) < 0) {
        code = cmd_fail(EXIT_WORLD, err);
    } else {
        code = report(a->recorded, &set, runs, runs >= opts.runs, place, shown, err);
    }
    run_server_close(opts.run.server);
    vec_done(&set);
    return cmd_stopped(code);
}

/* ---- the command ------------------------------------------------------------------------ */

/* Where the smaller run goes: beside the one it came from, unless the user knows better. */
static int find_place(struct str *out, const char *run, const char *wanted, struct err *err)
{
    const char *slash = strrchr(run, '/');
    AUTO(str) struct str parent = {0};
    uint32_t number = 0;
    if (wanted) {
        str_add(out, "%s", wanted);
        return run_make_directory(wanted, err);
    }
    str_add(&parent, "%.*s", slash ? (int)(slash - run) : 1, slash ? run : ".");
    return run_next(out, parent.at, &number, err);
}

static int start(const struct run_recorded *rec, const char *run, struct minimize_opts *o,
                 struct err *err)
{
    AUTO(str) struct str shown = {0};
    struct run_again again;
    if (!rec->has_outcome || run_ended_well(&rec->outcome)) {
        cmd_note("%s did not fail: there is nothing to minimize", run);
        return EXIT_USAGE;
    }
    if (find_place(&shown, run, o->output, err) < 0)
        return cmd_fail(EXIT_WORLD, err);
    char *place = realpath(shown.at, NULL);
    char *expect = o->expect ? realpath(o->expect, NULL) : NULL;
    int code;
    o->expect = expect ? expect : o->expect;
    if (run_again_open(&again, rec, o->in_place, err) < 0) {
        code = cmd_fail(EXIT_WORLD, err);
    } else {
        run_catch_signals();
        code = minimize(&again, o, place, shown.at, err);
        run_again_close(&again);
    }
    if (code != EXIT_GOOD)
        run_remove(place);
    free(place);
    free(expect);
    return code;
}

static int run(int argc, char **argv)
{
    struct minimize_opts o = {0};
    struct run_recorded rec;
    struct err err;
    int words;
    int done = cmd_parse(&table, &o, argc, argv, &words);
    if (done != GO_ON)
        return done;
    if (words != 1) {
        cmd_note("minimize: say which run, as prog.heddle/runs/last; see 'heddle minimize "
                 "--help'");
        return EXIT_USAGE;
    }
    if (run_recorded_read(&rec, argv[0], &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    environ = rec.env.at;
    int code = start(&rec, argv[0], &o, &err);
    environ = NULL;
    run_recorded_done(&rec);
    return code;
}

const struct command cmd_minimize = {
    .name = "minimize",
    .help = "make a failing run as simple as possible",
    .table = &table,
    .run = run,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-run: `heddle run`: one run of a program under the scheduler, or many, each with another
 * schedule. One run looks like the program itself: its output, its exit code. Many runs are
 * told as a table of how they ended, with one of each kept. */
#include "cmd/client-options.h"
#include "cmd/cmd.h"
#include "cmd/cmd-replay.h"
#include "cmd/delay.h"
#include "cmd/follow.h"
#include "cmd/options.h"
#include "cmd/policy-option.h"
#include "cmd/weak-options.h"
#include "explore/explore.h"
#include "base/json.h"
#include "base/log.h"
#include "run/run.h"

#include <stdlib.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

enum { EXHAUSTIVE_RUNS = 1000000, KEEP_DEFAULT = 10 };

struct run_cmd_opts {
    bool spurious;
    const char *policy, *schedule, *targets, *oracle, *expect, *before_each;
    uint64_t seed, runs, jobs, timeout_s, steps, keep;
    unsigned until; /* 1: the first failure */
    const char *after;
    uint64_t budget_mib, disk_mib, passes, signal;
    bool in_place, no_values, calls, outputs;
    struct delay_opts delay;
    struct client_opts client;
    struct follow_opts follow;
    struct weak_opts weak;
};

enum { BUDGET_DEFAULT_MIB = 64 };

#define AT(field) .offset = offsetof(struct run_cmd_opts, field)

static const struct option_row rows[] = {
    {.type = OPTION_TEXT,
     .name = "policy",
     .value = "P",
     .help = "who runs next (fifo); see below",
     AT(policy)},
    {.type = OPTION_TEXT,
     .name = "targets",
     .value = "FILE",
     .help = "sites for the policy targeted, one a line",
     AT(targets)},
    {.type = OPTION_FLAG,
     .name = "spurious",
     .help = "spurious wake-ups (random, pos, targeted)",
     AT(spurious)},
    {.type = OPTION_NUMBER,
     .name = "seed",
     .value = "N",
     .help = "seed of the policy",
     AT(seed)},
    {.type = OPTION_TEXT,
     .name = "schedule",
     .value = "FILE",
     .help = "follow this schedule of an earlier run, or a witness",
     AT(schedule)},
    {.type = OPTION_COUNT,
     .name = "runs",
     .value = "N",
     .help = "run N times, with seeds that count up",
     AT(runs)},
    {.type = OPTION_COUNT,
     .name = "jobs",
     .value = "J",
     .help = "runs at a time (one per processor)",
     AT(jobs)},
    {.type = OPTION_CHOICE,
     .name = "until",
     .value = "WHAT",
     .help = "stop at the first run that fails (fail)",
     .choices = (const char *const[]){"fail", NULL},
     AT(until)},
    WEAK_ROWS(struct run_cmd_opts, weak),
    DELAY_ROWS(struct run_cmd_opts, delay),
    CLIENT_ROWS(struct run_cmd_opts, client),
    {.type = OPTION_NUMBER,
     .name = "timeout",
     .value = "S",
     .help = "seconds that a run may take (60)",
     AT(timeout_s)},
    {.type = OPTION_NUMBER,
     .name = "steps",
     .value = "N",
     .help = "operations that a run may take",
     AT(steps)},
    {.type = OPTION_TEXT,
     .name = "oracle",
     .value = "CMD",
     .help = "a run whose output CMD refuses has failed",
     AT(oracle)},
    {.type = OPTION_TEXT,
     .name = "expect",
     .value = "FILE",
     .help = "a run that prints something else has failed",
     AT(expect)},
    {.type = OPTION_NUMBER,
     .name = "keep",
     .value = "N",
     .help = "failing runs to keep of each outcome (10)",
     AT(keep)},
    {.type = OPTION_FLAG,
     .name = "outputs",
     .help = "with --runs: each distinct output, as JSON lines",
     AT(outputs)},
    FOLLOW_ROWS(struct run_cmd_opts, follow),
    {.type = OPTION_FLAG,
     .name = "in-place",
     .help = "with --runs: no private copy of the directory",
     AT(in_place)},
    {.type = OPTION_TEXT,
     .name = "before-each",
     .value = "CMD",
     .help = "with --runs: run by sh -c before each of them",
     AT(before_each)},
    {.type = OPTION_NUMBER,
     .name = "budget",
     .value = "MIB",
     .help = "size of a trace with everything in it (64)",
     AT(budget_mib)},
    {.type = OPTION_NUMBER,
     .name = "disk",
     .value = "MIB",
     .help = "beyond it a trace holds no more accesses (4096)",
     AT(disk_mib)},
    {.type = OPTION_NUMBER,
     .name = "passes",
     .value = "N",
     .help = "1 or 2 runs per recording; else 2 beyond the budget",
     AT(passes)},
    {.type = OPTION_TEXT,
     .name = "after",
     .value = "N|TIME",
     .help = "record only after N steps, or after 500ms, 2s, 1h",
     AT(after)},
    {.type = OPTION_NUMBER,
     .name = "signal",
     .value = "N",
     .help = "record nothing; signal N starts and stops recording",
     AT(signal)},
    {.type = OPTION_FLAG,
     .name = "no-values",
     .help = "record hashes of values only",
     AT(no_values)},
    {.type = OPTION_FLAG,
     .name = "calls",
     .help = "record where functions are entered and left",
     AT(calls)},
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle run",
    .usage = (const char *const[]){"[options] -- PROGRAM [ARGUMENT ...]", NULL},
    .about = "Runs a program that was built with `heddle cc` or `heddle c++`, one thread at a\n"
             "time, and records the run in PROGRAM.heddle/runs.\n",
    .rows = rows,
    .more =
        "Policies: fifo (a thread runs until it has to wait), random, pct:D (priorities that\n"
        "change D - 1 times), pos (random priorities for what comes next), rr (a turn\n"
        "each), targeted (switches at the sites of --targets), exhaustive (all schedules\n"
        "up to equivalence, in as many runs as that takes; exhaustive:2: those with at most\n"
        "two preemptions).\n"
        "\n"
        "CMD is run by sh -c with what the program printed as its standard input and\n"
        "HEDDLE_EXIT set to its exit code; it refuses by exiting with anything but 0.\n"
        "\n"
        "Each of many runs works in a private copy of the current directory (without\n"
        ".git and *.heddle) unless --in-place is given, and all get the same\n"
        "standard input, unless that is a terminal. Kept are the first run of each\n"
        "outcome and some failing ones; they do not depend on --jobs. These are run\n"
        "once more, with the same seed, to be recorded (with --in-place all runs are\n"
        "recorded at once).\n"
        "\n"
        "--outputs prints, behind the table, what the runs printed on their standard\n"
        "output: {\"output\": \"...\", \"count\": N} for each distinct text, N the number of\n"
        "runs, in the order in which they came up.\n"
        "\n"
        "Exit code: the program's own (128 + N for signal N); 1 for deadlock, livelock,\n"
        "hang and oracle; 3 if a schedule could not be followed; 4 if the program calls\n"
        "what is not supported or cannot be run. With --runs: 1 if any run ended worse\n"
        "than exit 0, else 0.\n",
    .examples =
        (const struct option_example[]){
            {"heddle run -- ./bank 3", "one run, as ordinary as possible"},
            {"heddle run --policy random --runs 1000 --until fail -- ./bank 3",
             "look for a schedule in which it fails"},
            {"heddle run --policy exhaustive -- ./bank 3",
             "all schedules up to equivalence, for a small program"},
            {NULL, NULL},
        },
};

static bool has_trace(const char *directory)
{
    AUTO(str) struct str path = {0};
    struct stat st;
    str_add(&path, "%s/trace", directory);
    return stat(path.at, &st) == 0;
}

/* "100": steps; "20ms": time of the program's own clock. */
static int add_after(struct str *out, const char *text, struct err *err)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"us", 1000},
                 {"ms", 1000000},
                 {"s", 1000000000},
                 {"m", 60000000000},
                 {"h", 3600000000000}};
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    if (end != text && *end == 0) {
        str_add(out, ":after=%llu", n);
        return 0;
    }
    for (size_t i = 0; end != text && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0 && n < UINT64_MAX / units[i].ns) {
            str_add(out, ":aftertime=%llu", n * units[i].ns);
            return 0;
        }
    return err_set(err, "run: --after takes a number of steps or a time like 500ms, not '%s'",
                   text);
}

/* What is recorded is part of the run: a replay has the same environment and records the
 * same. */
static int set_recording(const struct run_cmd_opts *o, struct run_opts *opts, struct err *err)
{
    AUTO(str) struct str text = {0};
    if (o->budget_mib > UINT64_MAX >> 20 || o->disk_mib > UINT64_MAX >> 20)
        return err_set(err, "run: --budget or --disk is too large");
    if (o->passes > 2)
        return err_set(err, "run: --passes is neither 1 nor 2");
    opts->passes = (unsigned)o->passes;
    if (o->runs == 0)
        opts->budget_bytes = o->budget_mib ? o->budget_mib << 20 : 1;
    if (o->passes == 1) { /* its replays too */
        str_add(&text, ":budget=%llu", (unsigned long long)opts->budget_bytes);
        opts->budget_bytes = 0;
    }
    if (o->after && add_after(&text, o->after, err) < 0)
        return -1;
    if (o->signal > 64)
        return err_set(err, "run: --signal takes a number from 1 to 64");
    if (o->signal)
        str_add(&text, ":signal=%llu", (unsigned long long)o->signal);
    if (o->disk_mib)
        str_add(&text, ":bytes=%llu", (unsigned long long)o->disk_mib << 20);
    if (o->no_values)
        str_add(&text, ":values=0");
    if (o->calls)
        str_add(&text, ":calls=1");
    if (text.len > 0)
        setenv("HEDDLE_RECORD", text.at + 1, 1);
    return 0;
}

/* Killed before its first event, stopped for want of room, which it has said itself, or none of
 * ours. */
static int nothing_recorded(const char *program, const struct run_result *r)
{
    bool has_exited = r->outcome == WORD_VALUE(OUTCOME, EXIT);
    if (has_exited && r->code != EXIT_WORLD)
        return cmd_not_ours(program);
    if (!has_exited)
        cmd_note("%s: nothing was recorded: %.*s", program, (int)strcspn(r->text.at, "\n"),
                 r->text.at);
    return run_exit_code(r);
}

static const char *how_ended(const struct run_recorded *r, struct str *out)
{
    for (uint32_t i = 0; !r->has_outcome && i < r->outcome.doubts.len; i++)
        if (r->outcome.doubts.at[i].why == DOUBT_CHILD_NOT_FOLLOWED)
            return "became another program";
    if (!r->has_outcome)
        return "was killed";
    run_kind(out, &r->outcome);
    return out->at;
}

/* By itself or by somebody else: what that means is for its parent to say. */
static bool ends_plainly(const struct run_recorded *r)
{
    return r->has_outcome ? r->outcome.outcome == WORD_VALUE(OUTCOME, EXIT) ||
                                r->outcome.outcome == WORD_VALUE(OUTCOME, CUT)
                          : r->outcome.doubts.len == 0;
}

/* The forked children: how those ended that did not end well, and how many there are. */
static void tell_forked(const char *directory)
{
    enum { TOLD_MAX = 10 };
    char absolute[PATH_MAX];
    run_children all = {0};
    uint32_t told = 0;
    if (realpath(directory, absolute))
        run_children_read(&all, directory);
    for (uint32_t i = 0; i < all.len && told < TOLD_MAX; i++) {
        const struct run_recorded *r = &all.at[i];
        AUTO(str) struct str kind = {0};
        if (ends_plainly(r))
            continue;
        cmd_note("the child made at %s: %s; replay: heddle replay %s%s",
                 r->made ? r->made : "?", how_ended(r, &kind), directory,
                 r->path.at + strlen(absolute));
        told++;
    }
    if (all.len > 0)
        cmd_note("%u forked child%s recorded, in %s/child-*", all.len,
                 all.len == 1 ? " was" : "ren were", directory);
    run_children_done(&all);
}

/* The programs of ours that another one has started. */
static void tell_children(const run_children *children, const char *directory)
{
    for (uint32_t i = 0; i < children->len; i++) {
        const struct run_recorded *r = &children->at[i];
        AUTO(str) struct str kind = {0};
        const char *name = strrchr(r->path.at, '/');
        if (r->has_outcome)
            run_kind(&kind, &r->outcome);
        cmd_note("%s%s: %s; replay: heddle replay %s%s", r->argv.at[0],
                 r->argv.len > 2 ? " ..." : "",
                 r->has_outcome ? kind.at : "ended before it could say how", directory, name);
    }
}

static int run_family(char **argv, const struct run_result *r, const char *dir, struct err *err)
{
    run_children children = {0};
    int code = run_exit_code(r);
    run_children_read(&children, dir);
    if (children.len == 0) {
        run_remove_tree(dir);
        cmd_note("%s: not built with Heddle, and nothing that it started was; build with "
                 "CC=\"heddle cc\" CXX=\"heddle c++\"",
                 argv[0]);
        code = EXIT_WORLD;
    } else {
        tell_children(&children, dir);
        if (run_link_last(dir, err) < 0)
            code = cmd_fail(EXIT_WORLD, err);
    }
    run_children_done(&children);
    return code;
}

/* Calls that are not modelled are listed in one line. */
static void note_doubts(const struct run_result *r)
{
    AUTO(str) struct str calls = {0}, line = {0};
    for (uint32_t i = 0; i < r->doubts.len; i++) {
        const struct run_doubt *d = &r->doubts.at[i];
        if (d->why == DOUBT_UNMODELLED_CALL) {
            str_add(&calls, "%s%s", calls.len ? ", " : "", d->detail.at);
            continue;
        }
        line.len = 0;
        run_doubt_say(&line, d);
        cmd_note("%s", line.at);
    }
    if (calls.len)
        cmd_note("not modelled: %s", calls.at);
}

static int run_one(char **argv, const struct run_opts *opts, struct err *err)
{
    AUTO(str) struct str dir = {0};
    uint32_t number = 0;
    struct run_result r = {0};
    if (run_directory(&dir, argv[0], &number, err) < 0)
        return cmd_fail(EXIT_WORLD, err);
    struct run_opts own = *opts;
    own.keep_before = true;
    if (run_passes(&r, argv, dir.at, &own, err) < 0) {
        run_remove(dir.at);
        return cmd_fail(EXIT_WORLD, err);
    }
    int code = run_exit_code(&r);
    if (opts->family) {
        code = run_family(argv, &r, dir.at, err);
    } else if (!has_trace(dir.at)) {
        run_remove(dir.at);
        code = nothing_recorded(argv[0], &r);
    } else {
        if (r.outcome != WORD_VALUE(OUTCOME, EXIT) && !r.heard)
            fprintf(stderr, "heddle: %sreplay: heddle replay %s\n", r.text.at, dir.at);
        note_doubts(&r);
        tell_forked(dir.at);
        if (run_link_last(dir.at, err) < 0)
            code = cmd_fail(EXIT_WORLD, err);
    }
    run_result_done(&r);
    return code;
}

/* ---- many runs --------------------------------------------------------------------------- */

static void print_table(const struct run_table *t, uint64_t seed, struct str *out)
{
    str_add(out, "%-24s %8s %10s  %s\n", "outcome", "runs", "first seed", "one of them");
    for (uint32_t i = 0; i < t->rows.len; i++) {
        const struct run_row *r = &t->rows.at[i];
        str_add(out, "%-24s %8llu %10llu  heddle replay %s\n", r->kind.at,
                (unsigned long long)r->count, (unsigned long long)(seed + r->id),
                r->directory.at);
    }
}

/* What stands behind the weak behaviour that they showed, of the first one that has it. */
static void print_weak(const struct run_table *t, struct str *out)
{
    for (uint32_t i = 0; i < t->weak.len; i++)
        str_add(out, "%llu of the runs: %s: %s\n", (unsigned long long)t->weak.at[i].runs,
                t->weak.at[i].detail.at, doubt_sentence(t->weak.at[i].why));
}

/* What the runs printed, a line of JSON each. */
static void print_outputs(const struct run_table *t, struct str *out)
{
    for (uint32_t i = 0; i < t->outputs.all.len; i++) {
        const struct run_output *o = &t->outputs.all.at[i];
        struct json j = {.out = out};
        str_add(out, "{\"output\": ");
        json_text(&j, o->text.len ? str_text(&o->text) : TEXT(""));
        str_add(out, ", \"count\": %llu}\n", (unsigned long long)o->count);
    }
    if (t->unread)
        cmd_note("what %llu runs printed is not known", (unsigned long long)t->unread);
}

static void progress(uint64_t done, uint64_t failed)
{
    (void)failed;
    progress_count(done, "runs");
}

/* With one world for all of them, one at a time is what cannot go wrong. */
static uint32_t jobs_of(const struct run_cmd_opts *o)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t jobs = o->jobs                         ? o->jobs
                    : o->in_place || o->before_each ? 1
                    : cpus > 0                      ? (uint64_t)cpus
                                                    : 1;
    return jobs < RUN_JOBS_MAX ? (uint32_t)jobs : RUN_JOBS_MAX;
}

static bool is_policy(const struct run_cmd_opts *o, const char *name)
{
    return o->policy && strcmp(o->policy, name) == 0;
}

static bool is_exhaustive(const struct run_cmd_opts *o)
{
    return o->policy && strncmp(o->policy, "exhaustive", strlen("exhaustive")) == 0;
}

/* exhaustive:2 has at most two preemptions. */
static int bound_of(const char *policy)
{
    const char *colon = strchr(policy, ':');
    return !colon                       ? EXPLORE_UNBOUNDED
           : strcmp(colon, ":all") == 0 ? EXPLORE_EVERY
                                        : (int)strtoul(colon + 1, NULL, 10);
}

static void print_count(const struct explore_count *c, struct str *out)
{
    if (c->has_bound && !c->complete)
        str_add(out, "complete with up to %u preemptions: %llu schedules up to equivalence\n",
                c->bound, (unsigned long long)c->bound_runs);
    str_add(out, "%s: %llu schedules up to equivalence in %llu runs\n",
            c->complete ? "complete" : "not complete", (unsigned long long)c->classes,
            (unsigned long long)c->runs);
    if (c->lost)
        str_add(out, "%llu runs did something else than the same choices led to before\n",
                (unsigned long long)c->lost);
    if (c->deep)
        str_add(out, "some runs have too many steps\n");
    if (c->leaves_out)
        str_add(out, "not all weak behaviour that is allowed was offered (docs/weak.md)\n");
}

static int run_more(char **argv, struct run_opts *opts, const struct run_cmd_opts *o,
                    struct err *err)
{
    struct run_many_opts many = {
        .pool = {.jobs = jobs_of(o), .in_place = o->in_place, .before_each = o->before_each},
        .runs = o->runs,
        .until_fail = o->until != 0,
        .keep = (uint32_t)(o->keep ? o->keep : KEEP_DEFAULT),
        /* exhaustive looks at the trace of each; in place one run more would be seen */
        .record_kept = !is_exhaustive(o) && !o->in_place,
        .outputs = o->outputs,
        .progress = progress};
    struct run_table t = {0};
    AUTO(str) struct str out = {0};
    if (!run_is_ours(argv[0]))
        return cmd_not_ours(argv[0]);
    cmd_begins_before(argv, o->in_place);
    opts->show_output = false;
    if (!opts->policy)
        opts->policy = "random";
    progress_begin("running");
    struct explore_count count = {0};
    int failed = is_exhaustive(o)
                     ? explore_program(&t, &count, argv, opts, &many, bound_of(o->policy), err)
                     : run_many(&t, argv, opts, &many, err);
    progress_end();
    if (t.rows.len > 0)
        print_table(&t, o->seed, &out);
    if (is_exhaustive(o))
        print_count(&count, &out);
    print_weak(&t, &out);
    print_outputs(&t, &out);
    int code = t.rows.len > 0 ? cmd_print(&out) : EXIT_GOOD;
    if (failed)
        code = cmd_fail(EXIT_WORLD, err);
    else if (run_signal())
        code = cmd_stopped(code);
    else if (code == EXIT_GOOD && t.failed)
        code = EXIT_BAD;
    run_table_done(&t);
    return code;
}

/* What only some policies need. */
static int set_policy(const struct run_cmd_opts *o, const char *program, struct run_opts *opts,
                      struct str *targets, struct err *err)
{
    char absolute[4096];
    if (o->policy && policy_check("run", o->policy, err) < 0)
        return -1;
    if ((is_policy(o, "guided") || is_policy(o, "replay")) && !o->schedule)
        return err_set(err, "run: --policy %s needs --schedule FILE", o->policy);
    if (o->until && !o->runs && !is_exhaustive(o))
        return err_set(err, "run: --until needs --runs N: how many runs at most");
    if (o->jobs && !o->runs && !is_exhaustive(o))
        return err_set(err, "run: --jobs needs --runs N: one run is one job");
    if (o->outputs && !o->runs && !is_exhaustive(o))
        return err_set(err, "run: --outputs needs --runs N, or --policy exhaustive");
    if (is_exhaustive(o) && o->client.command)
        return err_set(err, "run: --policy exhaustive needs runs that repeat themselves, which "
                            "a live client (--client) does not");
    if (is_policy(o, "targeted") != (o->targets != NULL))
        return err_set(err, "run: --policy targeted and --targets FILE go together");
    if (!o->targets)
        return 0;
    if (run_store(targets, program, err) < 0 || !realpath(targets->at, absolute))
        return -1;
    targets->len = 0;
    str_add(targets, "%s/../targets", absolute);
    opts->targets = targets->at;
    return run_targets(o->targets, targets->at, err);
}

static int run(int argc, char **argv)
{
    struct run_cmd_opts o = {.budget_mib = BUDGET_DEFAULT_MIB};
    struct err err;
    int own = cmd_own_words(argc, argv), words;
    int done = cmd_parse(&table, &o, own, argv, &words);
    if (done != GO_ON)
        return done;
    char **target = own < argc ? argv + own + 1 : argv;
    int count = own < argc ? argc - own - 1 : words;
    if (count == 0 || (own < argc && words > 0)) {
        cmd_note(
            "run: say `--` and then the program and its arguments; see 'heddle run --help'");
        return EXIT_USAGE;
    }
    target[count] = NULL;
    struct run_opts opts = {.policy = o.policy,
                            .seed = o.seed,
                            .schedule = o.schedule,
                            .spurious = o.spurious,
                            .steps_max = o.steps,
                            .timeout_s = (uint32_t)o.timeout_s,
                            .oracle = o.oracle,
                            .expect = o.expect,
                            .show_output = true};
    AUTO(str) struct str targets = {0};
    delay_set(&opts, &o.delay);
    if (client_set(&opts, &o.client, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    follow_set(&opts, &o.follow);
    if (weak_set(&opts, &o.weak, &err) < 0 || set_recording(&o, &opts, &err) < 0 ||
        set_policy(&o, target[0], &opts, &targets, &err) < 0)
        return cmd_fail(EXIT_USAGE, &err);
    opts.family = !run_is_ours(target[0]);
    if (opts.family)
        opts.passes = 1; /* a second one would start everything again */
    run_catch_signals();
    if (o.schedule && is_witness(o.schedule))
        return replay_witness(o.schedule, target, true, &opts, &err);
    if (run_check_files(&opts, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    if (is_exhaustive(&o) && o.runs == 0)
        o.runs = EXHAUSTIVE_RUNS;
    return o.runs > 0 ? run_more(target, &opts, &o, &err) : run_one(target, &opts, &err);
}

const struct command cmd_run = {
    .name = "run",
    .help = "run a program under the scheduler and record it",
    .table = &table,
    .run = run,
};

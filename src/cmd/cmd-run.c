/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-run: `heddle run`: one run of a program under the scheduler, or many, each with another
 * schedule. One run looks like the program itself: its output, its exit code. Many runs are
 * told as a table of how they ended, with one of each kept. */
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "base/log.h"
#include "run/run.h"

#include <string.h>
#include <sys/stat.h>

struct run_cmd_opts {
    const char *policy, *schedule, *oracle, *expect;
    uint64_t seed, runs, timeout_s, steps;
    unsigned until; /* 1: the first failure */
};

#define AT(field) .offset = offsetof(struct run_cmd_opts, field)

static const struct option_row rows[] = {
    {.type = OPTION_TEXT,
     .name = "policy",
     .value = "P",
     .help = "who runs next: fifo, random, pct:D, rr",
     AT(policy)},
    {.type = OPTION_NUMBER, .name = "seed", .value = "N", .help = "of the policy", AT(seed)},
    {.type = OPTION_TEXT,
     .name = "schedule",
     .value = "FILE",
     .help = "follow this schedule of an earlier run",
     AT(schedule)},
    {.type = OPTION_NUMBER,
     .name = "runs",
     .value = "N",
     .help = "run N times, with seeds that count up",
     AT(runs)},
    {.type = OPTION_CHOICE,
     .name = "until",
     .value = "WHAT",
     .help = "stop at the first run that fails (fail)",
     .choices = (const char *const[]){"fail", NULL},
     AT(until)},
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
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle run",
    .usage = (const char *const[]){"[options] -- PROGRAM [ARGUMENT ...]", NULL},
    .about = "Runs a program that was built with `heddle cc` or `heddle c++`, one thread at a\n"
             "time, and records the run in PROGRAM.heddle/runs.\n",
    .rows = rows,
    .more = "CMD is run by sh -c with what the program printed as its standard input and\n"
            "HEDDLE_EXIT set to its exit code; it refuses by exiting with anything but 0.\n"
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
            {NULL, NULL},
        },
};

static int help(void)
{
    AUTO(str) struct str text = {0};
    options_help(&table, &text);
    return cmd_print(&text);
}

static const char *outcome_word(const struct run_result *r)
{
    return word_text(OUTCOME_FIRST, r->outcome);
}

/* "exit 0", "deadlock": what makes two outcomes the same kind. */
static void outcome_kind(struct str *out, const struct run_result *r)
{
    str_add(out, "%s", outcome_word(r));
    if (r->outcome == WORD_VALUE(OUTCOME, EXIT) || r->outcome == WORD_VALUE(OUTCOME, CRASH))
        str_add(out, " %d", r->code);
}

static bool has_trace(const char *directory)
{
    AUTO(str) struct str path = {0};
    struct stat st;
    str_add(&path, "%s/trace", directory);
    return stat(path.at, &st) == 0;
}

static int not_ours(const char *program)
{
    cmd_note("%s: not built with Heddle; build it with CC=\"heddle cc\" CXX=\"heddle c++\"",
             program);
    return EXIT_WORLD;
}

static int run_one(char **argv, const struct run_opts *opts, struct err *err)
{
    AUTO(str) struct str dir = {0};
    uint32_t number = 0;
    struct run_result r = {0};
    if (run_directory(&dir, argv[0], &number, err) < 0)
        return cmd_fail(EXIT_WORLD, err);
    if (run_target(&r, argv, dir.at, opts, err) < 0) {
        run_remove(dir.at);
        return cmd_fail(EXIT_WORLD, err);
    }
    int code = run_exit_code(&r);
    if (!has_trace(dir.at)) {
        run_remove(dir.at);
        code = not_ours(argv[0]);
    } else {
        if (r.outcome != WORD_VALUE(OUTCOME, EXIT))
            fprintf(stderr, "heddle: %sreplay: heddle replay %s\n", r.text.at, dir.at);
        if (run_link_last(dir.at, err) < 0)
            code = cmd_fail(EXIT_WORLD, err);
    }
    run_result_done(&r);
    return code;
}

/* ---- many runs --------------------------------------------------------------------------- */

/* One row of the table: how many runs ended like this, and one that is kept. */
struct tally {
    struct str kind, dir;
    struct run_result first;
    uint64_t count, seed;
};

struct exploration {
    VEC(struct tally) tallies;
    uint64_t done, failed;
};

static struct tally *tally_of(struct exploration *x, const struct run_result *r)
{
    AUTO(str) struct str kind = {0};
    outcome_kind(&kind, r);
    for (uint32_t i = 0; i < x->tallies.len; i++)
        if (strcmp(x->tallies.at[i].kind.at, kind.at) == 0)
            return &x->tallies.at[i];
    vec_push(&x->tallies, (struct tally){.kind = kind});
    kind = (struct str){0};
    return &x->tallies.at[x->tallies.len - 1];
}

static void print_table(const struct exploration *x, struct str *out)
{
    str_add(out, "%-24s %8s %10s  %s\n", "outcome", "runs", "first seed", "one of them");
    for (uint32_t i = 0; i < x->tallies.len; i++) {
        const struct tally *t = &x->tallies.at[i];
        str_add(out, "%-24s %8llu %10llu  heddle replay %s\n", t->kind.at,
                (unsigned long long)t->count, (unsigned long long)t->seed, t->dir.at);
    }
}

/* From bad to good: what matters comes first. */
static int by_harm(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;
    if (run_is_worse(&x->first, &y->first))
        return -1;
    if (run_is_worse(&y->first, &x->first))
        return 1;
    return strcmp(x->kind.at, y->kind.at);
}

/* One more run; keeps its directory if nothing has ended like it. */
static int explore_one(struct exploration *x, char **argv, const struct run_opts *opts,
                       uint32_t *number, struct err *err)
{
    AUTO(str) struct str dir = {0};
    struct run_result r = {0};
    if (run_directory(&dir, argv[0], number, err) < 0)
        return -1;
    if (run_target(&r, argv, dir.at, opts, err) < 0)
        return -1;
    if (!has_trace(dir.at)) {
        run_remove(dir.at);
        run_result_done(&r);
        return err_set(err, "%s: not built with Heddle; build it with CC=\"heddle cc\"",
                       argv[0]);
    }
    struct tally *t = tally_of(x, &r);
    bool good = r.outcome == WORD_VALUE(OUTCOME, EXIT) && r.code == 0;
    x->done++;
    x->failed += !good;
    if (t->count++ == 0) {
        t->dir = dir;
        t->first = r;
        t->seed = opts->seed;
        dir = (struct str){0};
        return run_link_last(t->dir.at, err);
    }
    run_remove(dir.at);
    run_result_done(&r);
    return 0;
}

static void exploration_done(struct exploration *x)
{
    for (uint32_t i = 0; i < x->tallies.len; i++) {
        str_done(&x->tallies.at[i].kind);
        str_done(&x->tallies.at[i].dir);
        run_result_done(&x->tallies.at[i].first);
    }
    vec_done(&x->tallies);
}

static int run_many(char **argv, struct run_opts *opts, const struct run_cmd_opts *o,
                    struct err *err)
{
    struct exploration x = {0};
    uint32_t number = 0;
    int failed = 0;
    opts->show_output = false;
    if (!opts->policy)
        opts->policy = "random";
    if (run_is_ours(argv[0]))
        failed = run_server_open(&opts->server, argv, err);
    for (uint64_t i = 0; i < o->runs && !failed && !(o->until && x.failed); i++) {
        opts->seed = o->seed + i;
        failed = explore_one(&x, argv, opts, &number, err);
    }
    run_server_close(opts->server);
    AUTO(str) struct str out = {0};
    if (x.tallies.len > 0) {
        qsort(x.tallies.at, x.tallies.len, sizeof *x.tallies.at, by_harm);
        print_table(&x, &out);
    }
    int code = x.tallies.len > 0 ? cmd_print(&out) : EXIT_GOOD;
    if (failed)
        code = cmd_fail(EXIT_WORLD, err);
    else if (code == EXIT_GOOD && x.failed)
        code = EXIT_BAD;
    exploration_done(&x);
    return code;
}

/* Options stand before "--", or before the first word that is no option. */
static int split(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return i;
    return argc;
}

static int run(int argc, char **argv)
{
    struct run_cmd_opts o = {0};
    struct err err;
    int own = split(argc, argv), words;
    int state = options_parse(&table, 0, &o, own, argv, &words, &err);
    if (state < 0)
        return cmd_fail(EXIT_USAGE, &err);
    if (state == OPTIONS_WANT_HELP)
        return help();
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
                            .steps_max = o.steps,
                            .timeout_s = (uint32_t)o.timeout_s,
                            .oracle = o.oracle,
                            .expect = o.expect,
                            .show_output = true};
    return o.runs > 0 ? run_many(target, &opts, &o, &err) : run_one(target, &opts, &err);
}

const struct command cmd_run = {
    .name = "run",
    .help = "run a program under the scheduler and record it",
    .run = run,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-campaign: `heddle campaign`: much work for many machines. */
#include "cmd/cmd-campaign.h"

#include "base/jobs.h"
#include "cmd/cmd.h"
#include "run/run.h"

#include <string.h>

enum {
    FOR_NEW = 1 << 0,
    FOR_UNITS = 1 << 1,
    FOR_RUN = 1 << 3,
    FOR_RESUME = 1 << 6,
    FOR_REPORT = 1 << 8,
};

#define AT(field) .offset = offsetof(struct campaign_opts, field)

static const struct option_row rows[] = {
    {.type = OPTION_TEXTS,
     .name = "tests",
     .value = "WHAT",
     .help = "ctest, meson (:DIR) or a command; again: more",
     .verbs = FOR_NEW,
     AT(tests)},
    {.type = OPTION_TEXT,
     .name = "tests-from",
     .value = "FILE",
     .help = "a command on each line",
     .verbs = FOR_NEW,
     AT(tests_from)},
    {.type = OPTION_TEXTS,
     .name = "inputs",
     .value = "FILE",
     .help = "standard input of the commands; again: each with all",
     .verbs = FOR_NEW,
     AT(inputs)},
    {.type = OPTION_TEXT,
     .name = "policies",
     .value = "LIST",
     .help = "who runs next (fifo,random,pos,pct:2,pct:3)",
     .verbs = FOR_NEW,
     AT(policies)},
    {.type = OPTION_NUMBER,
     .name = "runs",
     .value = "N",
     .help = "with other schedules, for each test at most (200)",
     .verbs = FOR_NEW,
     AT(runs)},
    {.type = OPTION_COUNT,
     .name = "time",
     .value = "S",
     .help = "seconds until no unit begins any more (any)",
     .verbs = FOR_NEW,
     AT(time_s)},
    {.type = OPTION_COUNT,
     .name = "timeout",
     .value = "S",
     .help = "seconds that a run may take (60)",
     .verbs = FOR_NEW,
     AT(timeout_s)},
    {.type = OPTION_TEXTS,
     .name = "patch",
     .value = "FILE",
     .help = "judge this patch with every test; again: more",
     .verbs = FOR_NEW,
     AT(patches)},
    {.type = OPTION_TEXTS,
     .name = "mutants",
     .value = "SOURCE",
     .help = "take its locks out one after the other; again: more",
     .verbs = FOR_NEW,
     AT(mutants)},
    {.type = OPTION_TEXTS,
     .name = "trace",
     .value = "FILE",
     .help = "predict from this trace, as heddle predict; again: more",
     .verbs = FOR_NEW,
     AT(traces)},
    {.type = OPTION_COUNT,
     .name = "chunks",
     .value = "N",
     .help = "units for each trace, which find the same as one (4)",
     .verbs = FOR_NEW,
     AT(chunks)},
    {.type = OPTION_COUNT,
     .name = "memory",
     .value = "MB",
     .help = "that a unit of a trace holds (half of its host's)",
     .verbs = FOR_NEW,
     AT(memory_mb)},
    {.type = OPTION_COUNT,
     .name = "check-time",
     .value = "S",
     .help = "seconds of the processor for the check in a unit (240)",
     .verbs = FOR_NEW,
     AT(check_s)},
    {.type = OPTION_FLAG,
     .name = "missing",
     .help = "only those without a result",
     .verbs = FOR_UNITS,
     AT(missing)},
    {.type = OPTION_CHOICE,
     .name = "on",
     .value = "ENGINE",
     .help = "who does the units: local or slurm",
     .verbs = FOR_RUN | FOR_RESUME,
     .choices = (const char *const[]){"local", "slurm", NULL},
     AT(engine)},
    {.type = OPTION_COUNT,
     .name = "jobs",
     .value = "J",
     .help = "local: units at a time (one per processor)",
     .verbs = FOR_RUN | FOR_RESUME,
     AT(jobs)},
    {.type = OPTION_TEXT,
     .name = "slurm",
     .value = "WORDS",
     .help = "slurm: the partition, and options of sbatch",
     .verbs = FOR_RUN | FOR_RESUME,
     AT(slurm)},
    {.type = OPTION_COUNT,
     .name = "throttle",
     .value = "N",
     .help = "slurm: units of an array at a time (any)",
     .verbs = FOR_RUN | FOR_RESUME,
     AT(throttle)},
    {.type = OPTION_FLAG,
     .name = "dry-run",
     .help = "slurm: say what would be submitted",
     .verbs = FOR_RUN | FOR_RESUME,
     AT(dry_run)},
    {.type = OPTION_FLAG,
     .name = "go-on",
     .help = "slurm: in the job behind a round: merge, submit more",
     .verbs = FOR_RUN,
     AT(go_on)},
    {.type = OPTION_FLAG,
     .name = "json",
     .group = "format",
     .help = "for programs (docs/campaign.md)",
     .verbs = FOR_REPORT,
     AT(format.json)},
    {.type = OPTION_FLAG,
     .name = "sarif",
     .group = "format",
     .help = "SARIF 2.1.0, for editors and code scanning",
     .verbs = FOR_REPORT,
     AT(format.sarif)},
    {.type = OPTION_FLAG,
     .name = "junit",
     .group = "format",
     .help = "JUnit XML, for CI systems",
     .verbs = FOR_REPORT,
     AT(format.junit)},
    {.type = OPTION_TEXT,
     .name = "html",
     .value = "FILE",
     .help = "write one self-contained page as well",
     .verbs = FOR_REPORT,
     AT(format.html)},
    {.type = OPTION_FLAG,
     .name = "all",
     .help = "also what did no harm or could not be confirmed",
     .verbs = FOR_REPORT,
     AT(format.all)},
    {.type = OPTION_FLAG,
     .name = "hosts",
     .help = "which host did how many units, instead",
     .verbs = FOR_REPORT,
     AT(hosts)},
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const char *const verb_words[] = {"new",  "units",  "unit",   "run",    "merge",
                                         "stop", "resume", "status", "report", NULL};
enum verb {
    VERB_NEW,
    VERB_UNITS,
    VERB_UNIT,
    VERB_RUN,
    VERB_MERGE,
    VERB_STOP,
    VERB_RESUME,
    VERB_STATUS,
    VERB_REPORT,
    VERBS
};

static const struct option_table table = {
    .command = "heddle campaign",
    .usage =
        (const char *const[]){"new DIR [options] [-- PROGRAM [ARGUMENT ...]]",
                              "units DIR [--missing]", "unit DIR K",
                              "run DIR [--on local|slurm] [options]", "merge DIR", "status DIR",
                              "stop DIR", "resume DIR [options]", "report DIR [options]", NULL},
    .about = "Checks many tests under many schedules, on one machine or on many that share\n"
             "a directory. new plans units of work in DIR; run does them, here or by Slurm;\n"
             "units prints a command for each, for any other engine, and merge plans what\n"
             "their results call for. A unit is one process with one file as its outcome.\n",
    .verbs = verb_words,
    .rows = rows,
    .more = "The report is the same whoever did the units, unless --time cut it short.\n"
            "\n"
            "Exit code of report: 1 if a confirmed bug is shown, else 0. Of the others: 0;\n"
            "3 if something is left to be done; 2 usage; 4 if something cannot be read,\n"
            "written or run.\n",
    .examples =
        (const struct option_example[]){
            {"heddle campaign new night --runs 40 -- ./bank 3", "plan it"},
            {"heddle campaign run night --on local", "do it here"},
            {"heddle campaign report night", "what came of it"},
            {NULL, NULL},
        },
};

/* ---- verbs ------------------------------------------------------------------------------ */

static int print_units(const struct campaign_opts *o, const struct campaign *c)
{
    AUTO(arena) struct arena mem = {0};
    AUTO(str) struct str out = {0};
    campaign_units units = {0};
    struct err err;
    if (campaign_read_units(c, campaign_last(c), &mem, &units, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    for (uint32_t i = 0; i < units.len; i++) {
        if (o->missing && campaign_has_result(c, units.at[i].number))
            continue;
        str_add(&out, "heddle campaign unit ");
        str_shell(&out, c->directory);
        str_add(&out, " %llu # ", (unsigned long long)units.at[i].number);
        campaign_describe(&out, c, &units.at[i]);
        str_char(&out, '\n');
    }
    campaign_units_done(&units);
    return cmd_print(&out);
}

static int do_unit(const struct campaign *c, const char *word)
{
    struct err err;
    uint64_t unit;
    if (!word || !text_number(text_of(word), &unit)) {
        cmd_note("campaign: say which unit: heddle campaign unit DIR K");
        return EXIT_USAGE;
    }
    run_catch_signals();
    return campaign_do(c, unit, &err) == UNIT_DONE ? EXIT_GOOD : cmd_fail(EXIT_WORLD, &err);
}

static void say_line(const char *line)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s", line);
}

static int run_local(const struct campaign_opts *o, struct campaign *c)
{
    struct err err;
    uint32_t jobs = o->jobs ? (uint32_t)o->jobs : jobs_cores();
    int result = campaign_run_local(c, jobs, say_line, &err);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (result < 0)
        return cmd_fail(EXIT_WORLD, &err);
    if (result == 0)
        return campaign_print_status(c);
    cmd_note("campaign: not at its end; heddle campaign resume %s goes on", c->directory);
    return cmd_stopped(EXIT_UNDECIDED);
}

static int run_slurm(const struct campaign_opts *o, struct campaign *c)
{
    AUTO(str) struct str said = {0};
    struct err err;
    struct campaign_slurm opts = {
        .options = o->slurm, .throttle = o->throttle, .dry_run = o->dry_run};
    int result = o->go_on ? campaign_go_on_slurm(c, &said, &err)
                          : campaign_run_slurm(c, &opts, &said, &err);
    int code = said.len ? cmd_print(&said) : EXIT_GOOD;
    return result < 0 ? cmd_fail(EXIT_WORLD, &err) : code;
}

static int run_engine(const struct campaign_opts *o, struct campaign *c)
{
    return o->engine == ON_SLURM ? run_slurm(o, c) : run_local(o, c);
}

static int merge(struct campaign *c)
{
    struct err err;
    AUTO(str) struct str out = {0};
    int result = campaign_step(c, campaign_is_late(c), &err);
    if (result < 0)
        return cmd_fail(EXIT_WORLD, &err);
    if (result > 0)
        str_add(&out, "the campaign is over\n");
    else
        str_add(&out, "round %u: %llu units\n", campaign_last(c)->number,
                (unsigned long long)campaign_last(c)->count);
    return cmd_print(&out);
}

static int stop(const struct campaign *c)
{
    struct err err;
    if (campaign_stop(c, &err) < 0 || campaign_cancel_slurm(c, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    return EXIT_GOOD;
}

static int resume(const struct campaign_opts *o, struct campaign *c)
{
    struct err err;
    if (campaign_resume(c, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    return run_engine(o, c);
}

static int run_verb(enum verb verb, const struct campaign_opts *o, int count, char **words)
{
    AUTO(campaign) struct campaign c = {0};
    struct err err;
    if (campaign_open(&c, words[0], &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    switch (verb) {
    case VERB_UNITS:
        return print_units(o, &c);
    case VERB_UNIT:
        return do_unit(&c, count > 1 ? words[1] : NULL);
    case VERB_RUN:
        return run_engine(o, &c);
    case VERB_MERGE:
        return merge(&c);
    case VERB_STOP:
        return stop(&c);
    case VERB_RESUME:
        return resume(o, &c);
    case VERB_STATUS:
        return campaign_print_status(&c);
    default:
        return campaign_print_report(o, &c);
    }
}

/* ---- the command ------------------------------------------------------------------------ */

static int no_verb(const char *word)
{
    const char *nearest = word ? word_nearest(word, table.verbs) : NULL;
    AUTO(str) struct str text = {0};
    options_usage(&table, &text);
    fputs(text.at, stderr);
    if (nearest)
        cmd_note("campaign: no verb '%s', did you mean %s?", word, nearest);
    else
        cmd_note("campaign: say what to do; see '%s --help'", table.command);
    return EXIT_USAGE;
}

static void opts_done(struct campaign_opts *o)
{
    vec_done(&o->tests);
    vec_done(&o->inputs);
    vec_done(&o->patches);
    vec_done(&o->mutants);
    vec_done(&o->traces);
}

static int with_verb(enum verb verb, int argc, char **argv)
{
    struct campaign_opts o = {.runs = UINT64_MAX};
    struct err err;
    int own = cmd_own_words(argc, argv), count, code;
    char **rest = own < argc ? argv + own + 1 : argv + argc;
    int state = options_parse(&table, 1u << verb, &o, own, argv, &count, &err);
    int most = verb == VERB_UNIT ? 2 : 1;
    if (state == OPTIONS_WANT_HELP)
        code = cmd_help(&table);
    else if (state < 0)
        code = cmd_fail(EXIT_USAGE, &err);
    else if (count == 0) {
        cmd_note("campaign: which one? say DIR; see '%s --help'", table.command);
        code = EXIT_USAGE;
    } else if (count > most)
        code = cmd_too_much(argv[most], table.command);
    else if (*rest && verb != VERB_NEW)
        code = cmd_too_much(*rest, table.command);
    else
        code = verb == VERB_NEW ? campaign_plan_new(&o, argv[0], rest)
                                : run_verb(verb, &o, count, argv);
    opts_done(&o);
    return code;
}

static int run(int argc, char **argv)
{
    if (argc == 0)
        return no_verb(NULL);
    for (unsigned i = 0; i < VERBS; i++)
        if (strcmp(argv[0], verb_words[i]) == 0)
            return with_verb(i, argc - 1, argv + 1);
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)
        return cmd_help(&table);
    return no_verb(argv[0]);
}

const struct command cmd_campaign = {.name = "campaign",
                                     .help = "check many tests, on many machines",
                                     .table = &table,
                                     .run = run};

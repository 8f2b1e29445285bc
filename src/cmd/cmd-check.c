/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-check: `heddle check`: from a program, or its source files, to confirmed findings in one
 * command. */
#include "build/build.h"
#include "check/check.h"
#include "cmd/client-options.h"
#include "cmd/cmd-report.h"
#include "cmd/cmd-predict.h"
#include "cmd/cmd.h"
#include "cmd/delay.h"
#include "cmd/each-test.h"
#include "cmd/follow.h"
#include "cmd/options.h"
#include "cmd/policy-option.h"
#include "cmd/symbolic-rows.h"
#include "cmd/time-option.h"
#include "cmd/watch.h"
#include "cmd/weak-options.h"
#include "base/self.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

struct check_cmd_opts {
    struct format_opts format;
    const char *oracle, *expect, *before_each, *suppressions, *baseline, *policy, *known;
    option_texts inputs, arguments, own;
    uint64_t seed, timeout_s, jobs, explore, runs, memory_mb, time_s;
    bool in_place, strict, no_explore, no_confirm, stats, each_test, watch;
    unsigned volatiles; /* as the choices of --volatile count, from 1 */
    struct symbolic_words symbolic;
    struct delay_opts delay;
    struct client_opts client;
    struct follow_opts follow;
    struct weak_opts weak;
};

#define AT(field) .offset = offsetof(struct check_cmd_opts, field)

static const struct option_row rows[] = {
    FORMAT_ROWS(struct check_cmd_opts),
    {.type = OPTION_TEXTS,
     .name = "input",
     .value = "FILE",
     .help = "standard input of the run; again: another run",
     AT(inputs)},
    {.type = OPTION_TEXTS,
     .name = "args",
     .value = "LINE",
     .help = "a run with these arguments; again: another run",
     AT(arguments)},
    {.type = OPTION_COUNT,
     .name = "runs",
     .value = "N",
     .help = "record so many of each, the others at random (1)",
     AT(runs)},
    {.type = OPTION_TEXT,
     .name = "policy",
     .value = "P",
     .help = "who runs next in the first run (fifo)",
     AT(policy)},
    {.type = OPTION_FLAG,
     .name = "no-confirm",
     .help = "predict only: no witness is followed",
     AT(no_confirm)},
    {.type = OPTION_TEXT,
     .name = "known",
     .value = "FILE",
     .help = "follow these findings instead of predicting",
     AT(known)},
    {.type = OPTION_NUMBER,
     .name = "explore",
     .group = "explore",
     .value = "N",
     .help = "runs with other schedules besides (by its length)",
     AT(explore)},
    {.type = OPTION_FLAG,
     .name = "no-explore",
     .group = "explore",
     .help = "none of those",
     AT(no_explore)},
    EXPLORE_ROWS(struct check_cmd_opts),
    DELAY_ROWS(struct check_cmd_opts, delay),
    CLIENT_ROWS(struct check_cmd_opts, client),
    FOLLOW_ROWS(struct check_cmd_opts, follow),
    WEAK_ROWS(struct check_cmd_opts, weak),
    {.type = OPTION_TEXT,
     .name = "suppressions",
     .value = "FILE",
     .help = "do not show what it lists, in TSan's format",
     AT(suppressions)},
    {.type = OPTION_TEXT,
     .name = "baseline",
     .value = "FILE",
     .help = "do not show findings whose ids it lists",
     AT(baseline)},
    {.type = OPTION_TEXTS,
     .name = "own",
     .value = "PATH",
     .help = "report in files below it; again: another (no headers' wrappers)",
     AT(own)},
    {.type = OPTION_CHOICE,
     .name = "volatile",
     .value = "WHAT",
     .help = "races of volatile accesses: race, ok (not shown)",
     .choices = (const char *const[]){"race", "ok", NULL},
     AT(volatiles)},
    SYMBOLIC_ROWS(struct check_cmd_opts, symbolic),
    TIME_ROW(struct check_cmd_opts, time_s, "(30 runs', 20 to 600)"),
    MEMORY_ROW(struct check_cmd_opts, memory_mb, "for the command, and each run"),
    {.type = OPTION_FLAG,
     .name = "each-test",
     .help = "a GoogleTest or Catch2 program: each test by itself",
     AT(each_test)},
    {.type = OPTION_FLAG,
     .name = "watch",
     .help = "again whenever the program was built anew",
     AT(watch)},
    {.type = OPTION_FLAG,
     .name = "strict",
     .help = "exit with 3 if something could not be decided",
     AT(strict)},
    {.type = OPTION_FLAG,
     .name = "stats",
     .help = "say how long each stage took, and the memory used",
     AT(stats)},
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle check",
    .usage = (const char *const[]){"[options] -- PROGRAM [ARGUMENT ...]",
                                   "[options] SOURCE ... -- [ARGUMENT ...]", NULL},
    .about = "Records one run of a program, predicts what other schedules could show, follows\n"
             "every witness on the real program and reports what is real. The program was\n"
             "built with `heddle cc` or `heddle c++`, or is built from the sources first, as\n"
             "compile_commands.json says where there is one above them or in build/ there.\n",
    .rows = rows,
    .more =
        "The findings stay in PROGRAM.heddle: heddle report, list and show print them again.\n"
        "\n"
        "Exit code: 1 if a confirmed bug is shown, else 0; 2 usage; 3 as said above; 4 if\n"
        "the program cannot be built, run or analysed.\n",
    .examples =
        (const struct option_example[]){
            {"heddle check examples/bank.c -- 3", "build it and check it"},
            {NULL, NULL},
        },
};

/* ---- building -------------------------------------------------------------------------- */

/* "bank.c" becomes bank.heddle/bank, whose name is out. */
static int build(struct str *out, char **sources, int count, struct err *err)
{
    const char *slash = strrchr(sources[0], '/'), *base = slash ? slash + 1 : sources[0];
    int len = (int)(strrchr(base, '.') - base);
    AUTO(str) struct str home = {0};
    str_add(&home, "%.*s.heddle", len, base);
    str_add(out, "%s/%.*s", home.at, len, base);
    if (directory_make(home.at, err) < 0)
        return -1;
    return build_sources(sources, (uint32_t)count, out->at, err);
}

/* ---- what is not wanted ---------------------------------------------------------------- */

static void drop(struct finding_list *l, uint32_t i)
{
    l->unwanted += finding_is_shown(&l->findings.at[i]);
    finding_done(&l->findings.at[i]);
    memmove(&l->findings.at[i], &l->findings.at[i + 1],
            (l->findings.len - i - 1) * sizeof *l->findings.at);
    l->findings.len--;
}

static int suppress(struct finding_list *l, const char *path, struct err *err)
{
    AUTO(suppressions) struct suppressions s = {0};
    if (suppressions_read(&s, path, err) < 0)
        return -1;
    for (uint32_t i = l->findings.len; i-- > 0;)
        if (suppressions_match(&s, &l->findings.at[i]))
            drop(l, i);
    for (uint32_t i = 0; i < s.at.len; i++)
        if (s.at.at[i].hits == 0)
            cmd_note("%s:%u: %s:%s matched nothing", path, s.at.at[i].line, s.at.at[i].type,
                     s.at.at[i].pattern);
    return 0;
}

static int leave_known(struct finding_list *l, const char *path, struct err *err)
{
    AUTO(baseline) struct baseline b = {0};
    if (baseline_read(&b, path, err) < 0)
        return -1;
    for (uint32_t i = l->findings.len; i-- > 0;)
        if (baseline_has(&b, l->findings.at[i].id))
            drop(l, i);
    return 0;
}

enum { VOLATILE_RACE = 1, VOLATILE_OK };

static void leave_volatile(struct finding_list *l)
{
    for (uint32_t i = l->findings.len; i-- > 0;)
        if (l->findings.at[i].is_volatile)
            drop(l, i);
}

static int leave_unwanted(struct finding_list *l, const struct check_cmd_opts *o,
                          struct err *err)
{
    if ((o->suppressions && suppress(l, o->suppressions, err) < 0) ||
        (o->baseline && leave_known(l, o->baseline, err) < 0))
        return -1;
    if (o->volatiles == VOLATILE_OK)
        leave_volatile(l);
    return 0;
}

/* ---- the command ----------------------------------------------------------------------- */

static bool is_undecided(const struct finding_list *l)
{
    for (uint32_t i = 0; i < l->accounts.len; i++)
        if (l->accounts.at[i].unknown > 0)
            return true;
    return l->unseen.len > 0 || l->stopped_early;
}

static uint64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void note_stats(const struct finding_list *l, const struct check_stat *s,
                       uint64_t report_us)
{
    struct rusage own, children;
    AUTO(str) struct str funnel = {0};
    print_funnel(l, true, &funnel);
    fputs(funnel.at, stderr);
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    cmd_note("recording %llu ms, predicting %llu ms, values %llu ms, confirming %llu ms, "
             "exploring %llu ms, stacks %llu ms, report %llu.%llu ms; memory "
             "at most %ld MB, of the program's runs %ld MB",
             (unsigned long long)s->record_ms, (unsigned long long)s->predict_ms,
             (unsigned long long)s->symbolic_ms, (unsigned long long)s->confirm_ms,
             (unsigned long long)s->explore_ms, (unsigned long long)s->stacks_ms,
             (unsigned long long)report_us / 1000, (unsigned long long)report_us / 100 % 10,
             own.ru_maxrss / 1024, children.ru_maxrss / 1024);
    cmd_note("%llu.%llu s of %llu s were spent (--time)",
             (unsigned long long)stop_spent_ms() / 1000,
             (unsigned long long)stop_spent_ms() / 100 % 10,
             (unsigned long long)stop_budget_ms() / 1000);
}

static int check_program(const struct check_cmd_opts *o, char **argv)
{
    AUTO(finding_list) struct finding_list l = {0};
    struct check_stat stat = {0};
    struct err err;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct check_opts opts = {.argv = argv,
                              .runs = o->runs,
                              .before_each = o->before_each,
                              .explore = o->no_explore ? 0 : o->explore,
                              .jobs =
                                  o->jobs ? (uint32_t)o->jobs : (uint32_t)(cpus > 0 ? cpus : 1),
                              .in_place = o->in_place,
                              .no_confirm = o->no_confirm,
                              .known = o->known,
                              .memory_mb = o->memory_mb,
                              .symbolic = o->symbolic,
                              .run = {.policy = o->policy,
                                      .seed = o->seed,
                                      .timeout_s = (uint32_t)o->timeout_s,
                                      .oracle = o->oracle,
                                      .expect = o->expect}};
    for (uint32_t i = 0; i < o->inputs.len; i++)
        vec_push(&opts.inputs, o->inputs.at[i]);
    for (uint32_t i = 0; i < o->arguments.len; i++)
        vec_push(&opts.arguments, o->arguments.at[i]);
    for (uint32_t i = 0; i < o->own.len; i++)
        vec_push(&opts.own, o->own.at[i]);
    delay_set(&opts.run, &o->delay);
    if (client_set(&opts.run, &o->client, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    follow_set(&opts.run, &o->follow);
    if (weak_set(&opts.run, &o->weak, &err) < 0)
        return cmd_fail(EXIT_USAGE, &err);
    opts.weak = o->weak.mode ? opts.run.weak : WEAK_C11;
    opts.weak_if_used = !o->weak.mode;
    opts.run.weak = WEAK_OFF; /* what is predicted from takes turns */
    cmd_begins_before(argv, o->in_place);
    time_begin(o->time_s);
    int result = check(&l, &stat, &opts, &err);
    vec_done(&opts.inputs);
    vec_done(&opts.arguments);
    vec_done(&opts.own);
    if (result < 0)
        return cmd_fail(EXIT_WORLD, &err);
    if (leave_unwanted(&l, o, &err) < 0)
        return cmd_fail(EXIT_USAGE, &err);
    uint64_t start = now_us();
    int code = report_print(&l, &o->format);
    if (o->stats)
        note_stats(&l, &stat, now_us() - start);
    if (stat.refused) {
        cmd_note("%s: Heddle cannot run the program further than that; only what came before "
                 "was looked at",
                 stat.refused);
        return code == EXIT_GOOD ? EXIT_WORLD : code;
    }
    return code == EXIT_GOOD && o->strict && is_undecided(&l) ? EXIT_UNDECIDED : code;
}

/* ---- again and again --------------------------------------------------------------------- */

typedef VEC(char *) word_list;

/* Is it this option, which has a value or not? count: words that it takes. */
static bool is_option(char *const *words, uint32_t left, const char *name, bool has_value,
                      uint32_t *count)
{
    const char *word = words[0] + 2;
    size_t len = strlen(name);
    if (strncmp(words[0], "--", 2) != 0 || strncmp(word, name, len) != 0 ||
        (word[len] && !(has_value && word[len] == '=')))
        return false;
    *count = has_value && !word[len] && left > 1 ? 2 : 1;
    return true;
}

/* Those that a check of a part gets, too. */
static void forward(word_list *out, char *const *words, uint32_t count)
{
    static const struct {
        const char *name;
        bool has_value;
    } ours[] = {{"each-test", false}, {"watch", false},  {"json", false},
                {"sarif", false},     {"junit", false},  {"codequality", false},
                {"all", false},       {"stats", false},  {"strict", false},
                {"html", true},       {"baseline", true}};
    for (uint32_t i = 0, taken; i < count; i += taken) {
        bool is_ours = false;
        taken = 1;
        for (size_t k = 0; k < sizeof ours / sizeof *ours && !is_ours; k++)
            is_ours = is_option(&words[i], count - i, ours[k].name, ours[k].has_value, &taken);
        for (uint32_t k = 0; k < taken && !is_ours; k++)
            vec_push(out, words[i + k]);
    }
}

static int check_each(const struct check_cmd_opts *o, const word_list *given, char **rest)
{
    AUTO(finding_list) struct finding_list l = {0};
    struct err err;
    word_list words = {0};
    forward(&words, given->at, given->len);
    int code = each_test(&l, words.at, words.len, rest);
    vec_done(&words);
    if (code != EXIT_GOOD)
        return code;
    if (leave_unwanted(&l, o, &err) < 0)
        return cmd_fail(EXIT_USAGE, &err);
    code = report_print(&l, &o->format);
    return code == EXIT_GOOD && o->strict && is_undecided(&l) ? EXIT_UNDECIDED : code;
}

/* All words but --watch. */
static int check_watching(const word_list *given, char **sources, int count, char **rest)
{
    AUTO(str) struct str self = {0};
    static char check[] = "check", dashes[] = "--";
    word_list words = {0};
    uint32_t taken;
    self_path(&self);
    vec_push(&words, self.at);
    vec_push(&words, check);
    for (uint32_t i = 0; i < given->len; i++)
        if (!is_option(&given->at[i], given->len - i, "watch", false, &taken))
            vec_push(&words, given->at[i]);
    vec_push(&words, dashes);
    for (char **word = rest; *word; word++)
        vec_push(&words, *word);
    vec_push(&words, NULL);
    int code = watch(words.at, count > 0 ? sources : rest, count > 0 ? (uint32_t)count : 1);
    vec_done(&words);
    return code;
}

/* Words before "--" are sources. */
static int check_sources(const struct check_cmd_opts *o, char **sources, int count, char **rest)
{
    AUTO(str) struct str program = {0};
    struct err err;
    VEC(char *) argv = {0};
    for (int i = 0; i < count; i++) {
        if (!build_is_source(sources[i])) {
            cmd_note("check: '%s' is no C or C++ source; a program stands behind `--`",
                     sources[i]);
            return EXIT_USAGE;
        }
    }
    if (build(&program, sources, count, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    vec_push(&argv, program.at);
    for (; *rest; rest++)
        vec_push(&argv, *rest);
    vec_push(&argv, NULL);
    int code = check_program(o, argv.at);
    vec_done(&argv);
    return code;
}

static int look_at_policy(const char *policy, struct err *err)
{
    if (policy_check("check", policy, err) < 0)
        return -1;
    return policy_is_alone(policy)
               ? 0
               : err_set(err,
                         "check: --policy %s: the first run wants one of fifo, random, "
                         "pct:D, pos and rr",
                         policy);
}

static int run(int argc, char **argv)
{
    struct check_cmd_opts o = {.explore = CHECK_EXPLORE_AUTO};
    struct err err;
    int own = cmd_own_words(argc, argv), words;
    char **rest = own < argc ? argv + own + 1 : argv + argc;
    word_list given = {0};
    for (int i = 0; i < own; i++)
        vec_push(&given, argv[i]);
    int done = cmd_parse(&table, &o, own, argv, &words);
    if (done != GO_ON)
        return done;
    if (memory_check(o.memory_mb, MEMORY_CHECK_MB, &err) < 0 ||
        (o.policy && look_at_policy(o.policy, &err) < 0))
        return cmd_fail(EXIT_USAGE, &err);
    int code = EXIT_USAGE;
    run_catch_signals();
    memory_limit(o.memory_mb);
    if (o.each_test && (words > 0 || !*rest))
        cmd_note("check: --each-test is for a program that is built: it stands behind `--`");
    else if (o.watch && (words > 0 || *rest))
        code = check_watching(&given, argv, words, rest);
    else if (o.each_test)
        code = check_each(&o, &given, rest);
    else if (words > 0)
        code = check_sources(&o, argv, words, rest);
    else if (*rest)
        code = check_program(&o, rest);
    else
        cmd_note("check: say `--` and then the program and its arguments, or name its sources; "
                 "see 'heddle check --help'");
    vec_done(&o.inputs);
    vec_done(&o.arguments);
    vec_done(&o.own);
    vec_done(&given);
    return code;
}

const struct command cmd_check = {.name = "check",
                                  .help = "from a program to confirmed findings",
                                  .table = &table,
                                  .run = run};

/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-ci: `heddle ci`: what a build server wants in one command: the project's tests are
 * checked, every report is written that some server reads, and only findings that nobody has
 * accepted fail the build. The check is `heddle check`, or a campaign, started as such. */
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/results.h"

#include "base/self.h"
#include "base/stop.h"
#include "campaign/campaign.h"
#include "report/report.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct ci_opts {
    const char *baseline, *out, *time, *runs, *campaign;
    bool each_test, in_place;
};

#define AT(field) .offset = offsetof(struct ci_opts, field)

static const struct option_row rows[] = {
    {.type = OPTION_TEXT,
     .name = "baseline",
     .value = "FILE",
     .help = "findings that do not fail it (heddle.baseline, if it is there)",
     AT(baseline)},
    {.type = OPTION_TEXT,
     .name = "out",
     .value = "DIR",
     .help = "where the reports go (heddle-report)",
     AT(out)},
    {.type = OPTION_FLAG,
     .name = "each-test",
     .help = "as with heddle check: a GoogleTest or Catch2 program, test by test",
     AT(each_test)},
    {.type = OPTION_TEXT,
     .name = "time",
     .value = "S",
     .help = "as with heddle check: seconds for all of it",
     AT(time)},
    {.type = OPTION_TEXT,
     .name = "runs",
     .value = "N",
     .help = "as with heddle check: record so many",
     AT(runs)},
    {.type = OPTION_TEXT,
     .name = "campaign",
     .value = "DIR",
     .help = "as a campaign, each test by itself; goes on with one in DIR",
     AT(campaign)},
    {.type = OPTION_FLAG,
     .name = "in-place",
     .help = "as with heddle check: work in this directory",
     AT(in_place)},
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle ci",
    .usage = (const char *const[]){"[options] [-- COMMAND ...]", NULL},
    .about =
        "Checks the programs that COMMAND starts, a test program or what runs tests (ctest,\n"
        "meson test, make check), and writes what a build server shows into DIR:\n"
        "heddle.sarif, heddle.xml (JUnit), codequality.json (GitLab), index.html. Without a\n"
        "command it is the one that fits the build directory build-heddle, or make check.\n",
    .rows = rows,
    .more =
        "With --campaign the tests of CTest or Meson, or COMMAND as one, are planned as a\n"
        "campaign in DIR and done by the processors here; --time and --runs are the\n"
        "campaign's. One that is there already, because it was stopped or other hosts work\n"
        "on it, is done to its end.\n"
        "\n"
        "Findings in the baseline (heddle baseline write) are in no report and fail nothing.\n"
        "\n"
        "Exit code: 1 if there is a confirmed bug that is not in the baseline, else 0; 2\n"
        "usage; 4 if the programs cannot be run or analysed.\n",
    .examples =
        (const struct option_example[]){
            {"heddle ci -- ctest --test-dir build-heddle", "all tests of a CMake project"},
            {NULL, NULL},
        },
};

#define DEFAULT_BASELINE "heddle.baseline"
#define DEFAULT_OUT "heddle-report"

/* ---- what to check ---------------------------------------------------------------------- */

static const struct runner {
    const char *file, *words[6];
} runners[] = {
    {"build-heddle/CTestTestfile.cmake", {"ctest", "--test-dir", "build-heddle"}},
    {"build-heddle/meson-private", {"meson", "test", "-C", "build-heddle"}},
    {"build-heddle/Makefile", {"make", "-C", "build-heddle", "check"}},
    {"Makefile", {"make", "check"}},
    {"GNUmakefile", {"make", "check"}},
};

static const char *const *find_runner(void)
{
    for (unsigned i = 0; i < sizeof runners / sizeof runners[0]; i++)
        if (access(runners[i].file, F_OK) == 0)
            return runners[i].words;
    return NULL;
}

typedef VEC(const char *) word_list;

static void add_option(word_list *w, const char *name, const char *value)
{
    if (!value)
        return;
    vec_push(w, name);
    vec_push(w, value);
}

/* Its own report goes where ours goes: what a person reads stands in the log. */
static int run_check(const struct ci_opts *o, const char *const *command, struct err *err)
{
    AUTO(str) struct str self = {0};
    word_list w = {0};
    self_path(&self);
    vec_push(&w, self.at);
    vec_push(&w, "check");
    add_option(&w, "--baseline", o->baseline);
    add_option(&w, "--time", o->time);
    add_option(&w, "--runs", o->runs);
    if (o->each_test)
        vec_push(&w, "--each-test");
    if (o->in_place)
        vec_push(&w, "--in-place");
    vec_push(&w, "--");
    for (; *command; command++)
        vec_push(&w, *command);
    vec_push(&w, NULL);
    int code = self_run((char *const *)(uintptr_t)w.at, NULL, NULL, err);
    vec_done(&w);
    return code;
}

/* ---- reports ---------------------------------------------------------------------------- */

static int leave_known(struct finding_list *l, const char *path, struct err *err)
{
    AUTO(baseline) struct baseline b = {0};
    uint32_t kept = 0;
    if (baseline_read(&b, path, err) < 0)
        return -1;
    for (uint32_t i = 0; i < l->findings.len; i++) {
        if (baseline_has(&b, l->findings.at[i].id))
            finding_done(&l->findings.at[i]);
        else
            l->findings.at[kept++] = l->findings.at[i];
    }
    l->findings.len = kept;
    return 0;
}

static int write_report(const struct finding_list *l, const struct renderer *r, const char *out,
                        const char *name, struct err *err)
{
    AUTO(str) struct str text = {0}, path = {0};
    struct report_opts o = {0};
    r->render(l, &o, &text);
    str_add(&path, "%s/%s", out, name);
    return file_write(path.at, text.at, text.len, err);
}

/* Those that are known are taken out of the list. */
static int write_reports(const struct ci_opts *o, struct finding_list *l, struct err *err)
{
    if (directory_make(o->out, err) < 0 ||
        (o->baseline && leave_known(l, o->baseline, err) < 0) ||
        write_report(l, &render_sarif, o->out, "heddle.sarif", err) < 0 ||
        write_report(l, &render_junit, o->out, "heddle.xml", err) < 0 ||
        write_report(l, &render_codequality, o->out, "codequality.json", err) < 0 ||
        write_report(l, &render_html, o->out, "index.html", err) < 0)
        return -1;
    cmd_note("reports are in %s: heddle.sarif, heddle.xml, codequality.json, index.html",
             o->out);
    return 0;
}

static int report_check(const struct ci_opts *o, struct err *err)
{
    AUTO(finding_list) struct finding_list l = {0};
    AUTO(str) struct str path = {0};
    return results_find(&path, NULL, "findings.json", err) < 0 ||
                   finding_list_read(&l, path.at, err) < 0
               ? -1
               : write_reports(o, &l, err);
}

static int check(const struct ci_opts *o, const char *const *command, struct err *err)
{
    int code = run_check(o, command, err);
    bool is_told = !stop_came() && (code == EXIT_GOOD || code == EXIT_BAD);
    return is_told && report_check(o, err) < 0 ? -1 : code;
}

/* ---- as a campaign ---------------------------------------------------------------------- */

static int run_self(const word_list *words, struct err *err)
{
    AUTO(str) struct str self = {0};
    word_list w = {0};
    self_path(&self);
    vec_push(&w, self.at);
    for (uint32_t i = 0; i < words->len; i++)
        vec_push(&w, words->at[i]);
    vec_push(&w, NULL);
    int code = self_run((char *const *)(uintptr_t)w.at, NULL, NULL, err);
    vec_done(&w);
    return code;
}

/* A runner whose tests are known one by one, and where: "ctest:DIR". False: it is a command
 * like others. */
static bool names_list(const char *const *command, struct str *out)
{
    bool is_ctest = strcmp(command[0], "ctest") == 0,
         is_meson = strcmp(command[0], "meson") == 0;
    if (is_ctest && !command[1])
        str_add(out, "ctest");
    else if (is_ctest && strcmp(command[1], "--test-dir") == 0 && command[2] && !command[3])
        str_add(out, "ctest:%s", command[2]);
    else if (is_meson && command[1] && strcmp(command[1], "test") == 0 && !command[2])
        str_add(out, "meson");
    else if (is_meson && command[1] && strcmp(command[1], "test") == 0 &&
             strcmp(command[2], "-C") == 0 && command[3] && !command[4])
        str_add(out, "meson:%s", command[3]);
    return out->len > 0;
}

static int plan_campaign(const struct ci_opts *o, const char *const *command, struct err *err)
{
    AUTO(str) struct str list = {0};
    word_list w = {0};
    vec_push(&w, "campaign");
    vec_push(&w, "new");
    vec_push(&w, o->campaign);
    add_option(&w, "--time", o->time);
    add_option(&w, "--runs", o->runs);
    if (names_list(command, &list)) {
        add_option(&w, "--tests", list.at);
    } else {
        vec_push(&w, "--");
        for (; *command; command++)
            vec_push(&w, *command);
    }
    int code = run_self(&w, err);
    vec_done(&w);
    return code;
}

static int do_campaign(const char *verb, const char *directory, struct err *err)
{
    word_list w = {0};
    vec_push(&w, "campaign");
    vec_push(&w, verb);
    vec_push(&w, directory);
    int code = run_self(&w, err);
    vec_done(&w);
    return code;
}

/* What is new decides: the campaign's own code knows no baseline. */
static int report_campaign(const struct ci_opts *o, struct err *err)
{
    AUTO(campaign) struct campaign c = {0};
    AUTO(campaign_state) struct campaign_state s = {0};
    if (campaign_open(&c, o->campaign, err) < 0 || campaign_report(&c, &s, err) < 0 ||
        write_reports(o, &s.list, err) < 0)
        return -1;
    for (uint32_t i = 0; i < s.list.findings.len; i++)
        if (s.list.findings.at[i].is_confirmed && finding_is_shown(&s.list.findings.at[i]))
            return EXIT_BAD;
    return EXIT_GOOD;
}

static int check_as_campaign(const struct ci_opts *o, const char *const *command,
                             struct err *err)
{
    AUTO(str) struct str plan = {0};
    str_add(&plan, "%s/plan", o->campaign);
    bool is_there = access(plan.at, F_OK) == 0;
    int code = is_there ? EXIT_GOOD : plan_campaign(o, command, err);
    if (code == EXIT_GOOD)
        code = do_campaign(is_there ? "resume" : "run", o->campaign, err);
    if (code != EXIT_GOOD || stop_came())
        return code;
    code = do_campaign("report", o->campaign, err);
    return code == EXIT_GOOD || code == EXIT_BAD ? report_campaign(o, err) : code;
}

static int run(int argc, char **argv)
{
    struct ci_opts opts = {.out = DEFAULT_OUT};
    struct err err;
    int own = cmd_own_words(argc, argv), words;
    const char *const *command =
        own + 1 < argc ? (const char *const *)(uintptr_t)(argv + own + 1) : find_runner();
    int done = cmd_parse(&table, &opts, own, argv, &words);
    if (done != GO_ON)
        return done;
    if (words > 0)
        return cmd_too_much(argv[0], "heddle ci");
    if (!command) {
        cmd_note("ci: say `--` and then what runs the tests; there is no build-heddle and no "
                 "Makefile here");
        return EXIT_USAGE;
    }
    if (!opts.baseline && access(DEFAULT_BASELINE, F_OK) == 0)
        opts.baseline = DEFAULT_BASELINE;
    if (opts.campaign && (opts.each_test || opts.in_place)) {
        cmd_note("ci: --campaign goes with neither --each-test nor --in-place");
        return EXIT_USAGE;
    }
    int code =
        opts.campaign ? check_as_campaign(&opts, command, &err) : check(&opts, command, &err);
    if (code < 0)
        return cmd_fail(EXIT_WORLD, &err);
    return stop_came() ? stop_code(code) : code;
}

const struct command cmd_ci = {.name = "ci",
                               .help = "check a project's tests, and write all reports",
                               .table = &table,
                               .run = run};

/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-verify: `heddle verify`: is this change sufficient? */
#include "cmd/cmd-report.h"
#include "cmd/client-options.h"
#include "cmd/cmd.h"
#include "cmd/cost-words.h"
#include "cmd/delay.h"
#include "cmd/follow.h"
#include "cmd/options.h"
#include "cmd/time-option.h"
#include "cmd/weak-options.h"
#include "cmd/verify-input.h"
#include "cmd/verify-paths.h"
#include "explain/explain.h"

#include <string.h>
#include <unistd.h>

enum { EXPLORE_DEFAULT = 30, TIMED_RUNS = 5, BOUNDED_RUNS = 15000 };

struct verify_cmd_opts {
    struct format_opts format;
    const char *before, *after, *schedule, *build, *git;
    const char *oracle, *expect, *before_each;
    uint64_t seed, timeout_s, jobs, explore, time_s;
    bool in_place, no_explore;
    struct delay_opts delay;
    struct client_opts client;
    struct follow_opts follow;
    struct weak_opts weak;
};

#define AT(field) .offset = offsetof(struct verify_cmd_opts, field)

static const struct option_row rows[] = {
    {.type = OPTION_TEXT,
     .name = "before",
     .value = "OLD",
     .help = "program, source or directory with the bug",
     AT(before)},
    {.type = OPTION_TEXT,
     .name = "after",
     .value = "NEW",
     .help = "the same with the change",
     AT(after)},
    {.type = OPTION_TEXT,
     .name = "schedule",
     .value = "RUN",
     .help = "a failing run of OLD (one is looked for)",
     AT(schedule)},
    {.type = OPTION_TEXT,
     .name = "git",
     .value = "REV",
     .help = "OLD is this revision, NEW what is here",
     AT(git)},
    {.type = OPTION_TEXT,
     .name = "build",
     .value = "CMD",
     .help = "build by sh -c in a copy of the tree",
     AT(build)},
    FORMAT_ROWS(struct verify_cmd_opts),
    {.type = OPTION_NUMBER,
     .name = "explore",
     .value = "N",
     .help = "runs of each kind of other schedules (30)",
     AT(explore)},
    {.type = OPTION_FLAG, .name = "no-explore", .help = "none of those", AT(no_explore)},
    EXPLORE_ROWS(struct verify_cmd_opts),
    TIME_ROW(struct verify_cmd_opts, time_s, "(any)"),
    DELAY_ROWS(struct verify_cmd_opts, delay),
    CLIENT_ROWS(struct verify_cmd_opts, client),
    FOLLOW_ROWS(struct verify_cmd_opts, follow),
    WEAK_ROWS(struct verify_cmd_opts, weak),
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle verify",
    .usage = (const char *const[]){"[options] --before OLD --after NEW [-- ARGUMENT ...]",
                                   "[options] PATCH.diff -- PROGRAM [ARGUMENT ...]",
                                   "[options] --git REV -- PROGRAM [ARGUMENT ...]", NULL},
    .about = "Says whether a change really removes a concurrency bug: takes a failing run of\n"
             "the program before, looks for everything in it that the change should exclude,\n"
             "and tries on the program after what it does not. OLD and NEW are programs that\n"
             "`heddle cc` built, sources, or directories with --build.\n",
    .rows = rows,
    .more =
        "Exit code: 0 fixed; 1 broken, with the schedule that shows it; 3 unknown, with what\n"
        "is left; 2 usage; 4 if a program cannot be built or run.\n",
    .examples =
        (const struct option_example[]){
            {"heddle verify --before bank.c --after bank-fixed.c -- 3", "two sources"},
            {"heddle verify fix.diff -- ./bank 3", "a patch, before it is applied"},
            {"heddle verify --git HEAD~1 -- ./bank 3", "the last commit"},
            {NULL, NULL},
        },
};

/* ---- printing ---------------------------------------------------------------------------- */

static void add_account(const struct verify_verdict *v, struct str *out)
{
    if (v->suspicious > 0)
        str_add(out,
                "%u suspicious violations: %u excluded by proof, %u run and passed, %u cannot "
                "be reached, %u left\n",
                v->suspicious, v->excluded, v->passed, v->unreachable, v->left);
    for (uint32_t i = 0; i < v->proofs.len && i < 8; i++)
        str_add(out, "  %u %s\n", v->proofs.at[i].count, v->proofs.at[i].why);
    for (uint32_t i = 0; i < v->unreached.len && i < 4; i++)
        str_add(out, "  %u %s\n", v->unreached.at[i].count, v->unreached.at[i].why);
    for (uint32_t i = 0; i < v->lefts.len; i++)
        str_add(out, "  left: %s: %s\n", v->lefts.at[i].what, v->lefts.at[i].why);
    str_add(out, "%u runs of the program after", v->runs);
    if (v->schedules > 0)
        str_add(out, ", %u of them with schedules made for it", v->schedules);
    if (v->has_bound)
        str_add(out, ", %u of them all the schedules with up to %u preemptions", v->bound_runs,
                v->bound);
    if (v->is_complete)
        str_add(out, "; these are all the schedules that it has");
    str_add(out, "\n");
}

static void add_notes(const struct verify_verdict *v, struct str *out)
{
    for (uint32_t i = 0; i < v->notes.len; i++)
        str_add(out, "note: %s\n", v->notes.at[i]);
    for (uint32_t i = 0; i < v->beside.len; i++)
        str_add(out, "beside: %s\n", v->beside.at[i].text);
}

static void add_indented(const char *lines, struct str *out)
{
    for (const char *at = lines; *at;) {
        size_t len = strcspn(at, "\n");
        str_add(out, "  %.*s\n", (int)len, at);
        at += len + (at[len] == '\n');
    }
}

static void print_text(const struct verify_verdict *v, const struct finding_list *l,
                       struct str *out)
{
    str_add(out, "%s: %s\n", verify_word_text(v->word), v->reason);
    if (*v->failure)
        str_add(out, "before: %s (heddle replay %s)\n", v->failure, v->failing);
    if (*v->outcome)
        str_add(out, "after: %s (%s)\n", v->outcome, v->replay);
    add_indented(v->waits, out);
    if (*v->violation)
        str_add(out, "shown: %s\n", v->violation);
    if (*v->missing)
        str_add(out, "missing: %s\n", v->missing);
    for (uint32_t i = 0; i < l->findings.len; i++) {
        str_char(out, '\n');
        report_finding(&l->findings.at[i], &(struct report_opts){0}, out);
        str_char(out, '\n');
    }
    add_account(v, out);
    size_t begin = out->len;
    str_add(out, "cost: ");
    if (!add_cost_words(out, &v->cost_before, &v->cost_after))
        out->len = begin;
    add_notes(v, out);
}

/* ---- the breaking run as a finding ------------------------------------------------------- */

/* What the run shows, and what is missing. */
static const char *why_of(struct finding_list *l, const struct verify_verdict *v)
{
    AUTO(str) struct str text = {0};
    str_add(&text, "%s", v->violation);
    if (*v->missing)
        str_add(&text, "%smissing: %s", text.len ? "; " : "", v->missing);
    return str_keep(&l->mem, &text);
}

static void tell_breaking(struct finding_list *l, const struct verify_verdict *v,
                          const char *store)
{
    AUTO(str) struct str text = {0}, path = {0};
    struct err ignored;
    struct finding f = finding_new(PATTERN_FAILURE);
    f.is_confirmed = true;
    f.why = why_of(l, v);
    f.ends = v->outcome;
    f.witness = v->witness;
    f.replay = v->replay;
    str_add(&text, "broken-%08x", (uint32_t)hash_bytes(v->outcome, strlen(v->outcome)));
    f.id = str_keep(&l->mem, &text);
    f.harm = v->harm;
    text.len = 0;
    str_add(&text, "the change is not sufficient: %s", v->outcome);
    f.message = str_keep(&l->mem, &text);
    str_add(&path, "%s/trace", v->run);
    if (v->steps.len > 0)
        (void)explain_events(&f, &l->mem, path.at, v->steps.at, v->steps.len, &ignored);
    finding_paths_plain(&f, &l->mem, store);
    for (uint32_t i = 0; i < f.steps.len; i++)
        if (f.steps.at[i].is_key)
            vec_push(&f.sites, f.steps.at[i].place);
    vec_push(&l->findings, f);
}

static int print_verdict(const struct verify_verdict *v, const struct verify_cmd_opts *o,
                         const char *store, char *const *argv)
{
    AUTO(finding_list) struct finding_list l = {.program = argv[0], .outcome = v->failure};
    AUTO(str) struct str text = {0};
    static const int codes[] = {EXIT_GOOD, EXIT_BAD, EXIT_UNDECIDED};
    finding_list_stop(&l);
    if (v->word == VERIFY_BROKEN)
        tell_breaking(&l, v, store);
    if (o->format.sarif || o->format.junit || o->format.codequality) {
        int code = report_print(&l, &o->format);
        return code > EXIT_BAD ? code : codes[v->word];
    }
    if (o->format.html) {
        struct err err;
        render_html.render(&l, &(struct report_opts){.all = true}, &text);
        if (file_write(o->format.html, text.at, text.len, &err) < 0)
            return cmd_fail(EXIT_WORLD, &err);
        text.len = 0;
    }
    if (o->format.json)
        verify_print(v, &text);
    else
        print_text(v, &l, &text);
    int code = cmd_print(&text);
    return code != EXIT_GOOD ? code : codes[v->word];
}

/* ---- the command ------------------------------------------------------------------------- */

static int judge(const struct verify_cmd_opts *o, struct verify_input *in, const char *store,
                 char **args)
{
    AUTO(verify_verdict) struct verify_verdict v = {0};
    VEC(char *) before = {0}, after = {0};
    struct err err;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    vec_push(&before, (char *)(uintptr_t)in->before);
    vec_push(&after, (char *)(uintptr_t)in->after);
    for (char **a = args; *a; a++) {
        vec_push(&before, *a);
        vec_push(&after, *a);
    }
    vec_push(&before, NULL);
    vec_push(&after, NULL);
    struct verify_opts opts = {.before = before.at,
                               .after = after.at,
                               .schedule = o->schedule,
                               .store = store,
                               .changes = in->changes.at,
                               .change_count = in->changes.len,
                               .bounded = o->no_explore ? 0 : BOUNDED_RUNS,
                               .takes_findings = true,
                               .timed = TIMED_RUNS,
                               .shrink = true,
                               .before_each = o->before_each,
                               .in_place = o->in_place,
                               .jobs = o->jobs ? (uint32_t)o->jobs
                                               : (uint32_t)(cpus > 0 ? cpus : 1),
                               .explore = o->no_explore ? 0
                                          : o->explore  ? (uint32_t)o->explore
                                                        : EXPLORE_DEFAULT,
                               .run = {.seed = o->seed,
                                       .timeout_s = (uint32_t)o->timeout_s,
                                       .oracle = o->oracle,
                                       .expect = o->expect}};
    int code;
    delay_set(&opts.run, &o->delay);
    follow_set(&opts.run, &o->follow);
    if (o->schedule)
        run_begins_before(o->schedule);
    else
        cmd_begins_before(before.at, o->in_place);
    const struct client_opts client = client_or_peers(&o->client, o->schedule);
    if (client_set(&opts.run, &client, &err) < 0)
        code = cmd_fail(EXIT_WORLD, &err);
    else if (weak_set(&opts.run, &o->weak, &err) < 0)
        code = cmd_fail(EXIT_USAGE, &err);
    else if (!run_is_ours(before.at[0]))
        code = cmd_not_ours(before.at[0]);
    else if (!run_is_ours(after.at[0]))
        code = cmd_not_ours(after.at[0]);
    else if (verify_judge(&opts, &v, &err) < 0)
        code = cmd_fail(EXIT_WORLD, &err);
    else {
        verify_paths_plain(&v, store);
        code = print_verdict(&v, o, store, after.at);
    }
    vec_done(&before);
    vec_done(&after);
    return cmd_stopped(code);
}

/* NAME.heddle/verify: what is built and run, and the schedule that breaks it. */
static int make_store(struct str *out, const char *name, struct err *err)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    const char *dot = build_is_source(base) ? strrchr(base, '.') : NULL;
    str_add(out, "%s%.*s.heddle", run_store_place(),
            (int)(dot ? dot - base : (long)strlen(base)), base);
    if (directory_make(out->at, err) < 0)
        return -1;
    str_add(out, "/verify");
    run_remove_tree(out->at);
    return directory_make(out->at, err);
}

static int verify(const struct verify_cmd_opts *o, const char *patch, char **rest)
{
    AUTO(str) struct str store = {0};
    struct verify_input in;
    struct err err;
    struct verify_input_opts input = {.before = o->before,
                                      .after = o->after,
                                      .patch = patch,
                                      .git = o->git,
                                      .build = o->build};
    bool is_tree = verify_input_is_tree(&input);
    if (is_tree && !*rest) {
        cmd_note("verify: say `--` and then the program and its arguments; see 'heddle verify "
                 "--help'");
        return EXIT_USAGE;
    }
    input.program = is_tree ? *rest++ : NULL;
    if (make_store(&store, is_tree ? input.program : o->after, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    input.scratch = store.at;
    run_catch_signals();
    time_begin(o->time_s);
    run_share_stdin();
    if (verify_input_open(&in, &input, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    int code = judge(o, &in, store.at, rest);
    verify_input_close(&in);
    return code;
}

static int run(int argc, char **argv)
{
    struct verify_cmd_opts o = {0};
    int own = cmd_own_words(argc, argv), words;
    char **rest = own < argc ? argv + own + 1 : argv + argc;
    int done = cmd_parse(&table, &o, own, argv, &words);
    if (done != GO_ON)
        return done;
    int ways = (o.before && o.after) + (o.git != NULL) + (words == 1);
    if (ways != 1 || words > 1 || !o.before != !o.after) {
        cmd_note("verify: say --before OLD --after NEW, or name a patch, or say --git REV; see "
                 "'heddle verify --help'");
        return EXIT_USAGE;
    }
    return verify(&o, words == 1 ? argv[0] : NULL, rest);
}

const struct command cmd_verify = {
    .name = "verify", .help = "is this change sufficient?", .run = run};

/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-fix: `heddle fix`: from a finding, or a program whose test sometimes fails, to a proven
 * patch of its source. */
#include "base/log.h"
#include "base/same-lines.h"
#include "build/build.h"
#include "cmd/cmd-fix.h"
#include "cmd/cmd-replay.h"
#include "cmd/cmd.h"
#include "cmd/fix-finding.h"
#include "fix/fix.h"
#include "cmd/fix-start.h"
#include "cmd/options.h"
#include "cmd/results.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fix_cmd_opts {
    struct seek_opts seek;
    const char *build, *dir, *html;
    uint64_t rounds, explore, lines_max, alternatives;
    bool all, apply, force, interactive, sarif, unrun, explain;
};

enum { LINES_MAX = 60 };

#define AT(field) .offset = offsetof(struct fix_cmd_opts, field)

static const struct option_row rows[] = {
    {.type = OPTION_FLAG,
     .name = "apply",
     .help = "write the patch, keep FILE.orig",
     AT(apply)},
    {.type = OPTION_FLAG,
     .name = "force",
     .help = "also to files with changes that git does not have",
     AT(force)},
    {.type = OPTION_FLAG,
     .name = "all",
     .help = "try every patch and list them, with what they cost",
     AT(all)},
    {.type = OPTION_COUNT,
     .name = "alternatives",
     .value = "N",
     .help = "N other proven patches, with what each costs",
     AT(alternatives)},
    {.type = OPTION_FLAG,
     .name = "explain",
     .help = "why this plan: violations, moves, what broke others",
     AT(explain)},
    {.type = OPTION_COUNT,
     .name = "max-lines",
     .value = "N",
     .help = "only summarise a patch of more lines (60)",
     AT(lines_max)},
    {.type = OPTION_FLAG,
     .name = "unrun",
     .help = "guard accesses that no run made, too",
     AT(unrun)},
    {.type = OPTION_FLAG,
     .name = "interactive",
     .help = "ask which patch to write",
     AT(interactive)},
    {.type = OPTION_FLAG,
     .name = "sarif",
     .help = "SARIF 2.1.0 with the patch as a fix",
     AT(sarif)},
    {.type = OPTION_TEXT,
     .name = "html",
     .value = "FILE",
     .help = "write a page: the diff beside the schedule",
     AT(html)},
    {.type = OPTION_NUMBER,
     .name = "rounds",
     .value = "N",
     .help = "patches to try at most (16)",
     AT(rounds)},
    {.type = OPTION_NUMBER,
     .name = "explore",
     .value = "N",
     .help = "schedules that a patch has to survive (100)",
     AT(explore)},
    {.type = OPTION_TEXT,
     .name = "build",
     .value = "CMD",
     .help = "builds the program, in a copy of this directory",
     AT(build)},
    SEEK_ROWS(struct fix_cmd_opts, "runs to find failing and passing ones (400)"),
    WEAK_ROWS(struct fix_cmd_opts, seek.weak),
    DIR_ROW(struct fix_cmd_opts),
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle fix",
    .usage = (const char *const[]){"[options] [ID | RUN | WITNESS]",
                                   "[options] -- PROGRAM [ARGUMENT ...]", NULL},
    .about =
        "Makes a patch of the source that removes a concurrency bug, rebuilds the program\n"
        "with it and proves it. ID is a finding of `heddle check`, and may be cut short;\n"
        "without it the first one that is shown. RUN is the directory of a run that failed,\n"
        "WITNESS a file that check or predict wrote. A program needs none of them: its\n"
        "failing runs are searched for, and if none fails it is checked.\n",
    .rows = rows,
    .more = "The patch stays in PROGRAM.heddle/patches.\n"
            "\n"
            "Exit code: 0 with a proven patch; 1 with a partial one or none; 2 usage; 3 if no\n"
            "failure could be provoked; 4 if the program cannot be built or run.\n",
    .examples =
        (const struct option_example[]){
            {"heddle fix race", "the finding whose id begins so"},
            {"heddle fix --apply -- ./counter", "a program that sometimes fails"},
            {"heddle fix counter.heddle/runs/7", "a run of it that failed"},
            {NULL, NULL},
        },
};

/* ---- one repair ------------------------------------------------------------------------- */

struct job {
    const struct fix_cmd_opts *o;
    char *const *argv;
    struct str home;               /* PROGRAM.heddle */
    struct str expected;           /* file: the lines that are right, if the harm is in them */
    const struct finding *finding; /* NULL: the program as such */
    VEC(const struct finding *) others; /* that the same patch is to mend */
    VEC(const char *) other_ids;
    struct causes causes;
    struct guards guards;
    struct fix_repair repair;
    uint32_t apart;    /* harms of the program that are those of other findings: a set */
    const char *given; /* directory of a run that failed; or NULL */
    bool has_more;     /* there are findings, or will be, if no run fails */
    bool is_calm;      /* none did */
};

static bool is_harmful(const struct job *j)
{
    return j->finding && j->finding->harm != HARM_NONE;
}

/* The run that was recorded. */
static void add_recorded(struct str *out, const struct job *j)
{
    str_add(out, "%s/runs/last", j->home.at);
}

/* Did this run show the harm of the finding? */
static bool shows_harm(const struct job *j, const struct run_recorded *r)
{
    AUTO(str) struct str usual = {0}, recorded = {0}, here = {0};
    if (j->finding->harm != HARM_OUTPUT)
        return r->has_outcome && harm_of(r->outcome.outcome) == j->finding->harm;
    add_recorded(&usual, j);
    return run_printed(&recorded, usual.at) && run_printed(&here, r->path.at) &&
           !lines_same(str_text(&recorded), str_text(&here), NULL);
}

/* Of the runs that confirmed the finding, one that did the harm; out stays empty if none is
 * left. */
static void find_harmful_run(const struct job *j, struct str *out)
{
    AUTO(str) struct str path = {0};
    bool is_there = true;
    for (uint32_t i = 1; is_there && out->len == 0; i++) {
        struct run_recorded r;
        struct err ignored;
        path.len = 0;
        str_add(&path, "%s/confirm/%s-%u", j->home.at, j->finding->id, i);
        is_there = access(path.at, F_OK) == 0;
        if (!is_there || run_recorded_read(&r, path.at, &ignored) < 0)
            continue;
        if (shows_harm(j, &r))
            str_add(out, "%s", path.at);
        run_recorded_done(&r);
    }
}

/* Output that only a violation brings is the failure; the recorded one is right. */
static int expect_recorded(struct job *j, struct fix_cmd_opts *own, struct err *err)
{
    AUTO(str) struct str usual = {0}, text = {0};
    if (own->seek.oracle || own->seek.expect || j->finding->harm != HARM_OUTPUT)
        return 0;
    add_recorded(&usual, j);
    if (!run_printed(&text, usual.at))
        return err_set(err, "%s: what it printed is not there; run `heddle check` again",
                       usual.at);
    str_add(&j->expected, "%s/expected", j->home.at);
    own->seek.expect = j->expected.at;
    own->seek.expect_lines = true;
    return file_write(j->expected.at, text.at ? text.at : "", text.len, err);
}

/* Causes of the failures that are found, behind what the finding names itself. */
static int find_causes(struct job *j, struct err *err)
{
    struct seek_runs opts = seek_opts_of(&j->o->seek, j->argv);
    opts.guards = &j->guards;
    opts.given = j->given;
    if (causes_find(&j->causes, &opts, err) < 0)
        return -1;
    causes_leave(&j->causes, j->apart);
    if (!j->finding)
        return 0;
    struct causes first = {0};
    causes_of_finding(&first, j->finding, &j->guards);
    for (uint32_t i = 0; i < j->others.len; i++) {
        uint32_t from = first.causes.len;
        causes_of_finding(&first, j->others.at[i], &j->guards);
        for (uint32_t k = from; k < first.causes.len; k++)
            first.causes.at[k].failure = FIX_OTHER_FINDING + i;
    }
    for (uint32_t i = 0; i < j->causes.causes.len; i++)
        vec_push(&first.causes, j->causes.causes.at[i]);
    vec_done(&j->causes.causes);
    j->causes.causes.at = first.causes.at;
    j->causes.causes.len = first.causes.len;
    j->causes.causes.cap = first.causes.cap;
    return 0;
}

static uint32_t lines_max(const struct fix_cmd_opts *o)
{
    uint64_t most = o->lines_max ? o->lines_max : LINES_MAX;
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

static bool is_weak(const struct job *j)
{
    bool is_off =
        j->o->seek.weak.mode && seek_opts_of(&j->o->seek, j->argv).run.weak == WEAK_OFF;
    return j->finding && fix_is_weak(j->finding) && !is_off;
}

/* What needs weak behaviour has no order of accesses that tells failing runs from others: one
 * cause stands for the finding. */
static int find_any_causes(struct job *j, struct err *err)
{
    if (!is_weak(j))
        return find_causes(j, err);
    vec_push(&j->causes.causes, (struct cause){0});
    return 0;
}

static int repair_once(struct job *j, struct err *err)
{
    const struct fix_cmd_opts *o = j->o;
    struct seek_runs seek = seek_opts_of(&o->seek, j->argv);
    struct fix_repair_opts opts = {.argv = j->argv,
                                   .home = j->home.at,
                                   .recorded = j->finding ? "runs/last" : NULL,
                                   .run = seek.run,
                                   .pool = seek.pool,
                                   .rounds = (uint32_t)o->rounds,
                                   .explore = (uint32_t)o->explore,
                                   .unrun = o->unrun,
                                   .all = o->all || o->interactive,
                                   .alternatives = (uint32_t)o->alternatives,
                                   .lines_max = lines_max(o),
                                   .explain = o->explain,
                                   .build = o->build,
                                   .progress = seek.progress};
    AUTO(str) struct str failing = {0};
    opts.finding = j->finding ? j->finding->id : NULL;
    opts.others = j->other_ids.at;
    opts.other_count = j->other_ids.len;
    if (is_weak(j))
        return fix_weak(&j->repair, &j->causes, j->finding, &opts, err);
    opts.is_harmful = is_harmful(j);
    opts.apart = j->apart;
    if (opts.is_harmful && j->causes.failures.len == 0)
        find_harmful_run(j, &failing);
    opts.failing = failing.len ? failing.at : NULL;
    if (fix_repair(&j->repair, &j->causes, &j->guards, &opts, err) < 0 ||
        (j->causes.failures.len > 0 &&
         fix_go_on(&j->repair, &j->causes, &seek, &opts, err) < 0))
        return -1;
    return fix_look_at_others(&j->repair, &j->causes, &seek, &opts, err);
}

/* No patch for all findings together is proven: then for the first of them. */
static void leave_others(struct job *j)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < j->causes.causes.len; i++)
        if (j->causes.causes.at[i].failure < FIX_OTHER_FINDING)
            j->causes.causes.at[kept++] = j->causes.causes.at[i];
    j->causes.causes.len = kept;
    j->other_ids.len = 0;
    fix_repair_done(&j->repair);
    j->repair = (struct fix_repair){0};
}

static int repair(struct job *j, struct err *err)
{
    int failed = repair_once(j, err);
    const struct fix_repair *r = &j->repair;
    if (failed || j->other_ids.len == 0 || run_signal() ||
        (r->best != NONE && r->candidates.at[r->best].state == FIX_PROVEN))
        return failed;
    leave_others(j);
    return repair_once(j, err);
}

static int save_patch(struct job *j, const char *name, struct err *err)
{
    AUTO(str) struct str path = {0};
    if (j->repair.best == NONE)
        return 0;
    const struct fix_candidate *c = &j->repair.candidates.at[j->repair.best];
    str_add(&path, "%s/patches", j->home.at);
    if (directory_make(path.at, err) < 0)
        return -1;
    str_add(&path, "/%s.diff", name);
    return file_write(path.at, c->diff.at ? c->diff.at : "", c->diff.len, err);
}

/* The one that is asked for; a patch that is not enough only if a person chooses it. Returns an
 * exit code. */
static int write_patch(const struct job *j, const struct fix_finding *view)
{
    uint32_t chosen = j->repair.best;
    struct err err;
    if ((!j->o->apply && !j->o->interactive) || chosen == NONE)
        return EXIT_GOOD;
    if (j->o->interactive && fix_choose(view, &chosen, &err) < 0)
        return cmd_fail(EXIT_USAGE, &err);
    if (chosen == NONE)
        return EXIT_GOOD;
    const struct fix_candidate *c = &j->repair.candidates.at[chosen];
    if (!j->o->interactive && c->state != FIX_PROVEN) {
        cmd_note("fix: the patch is partial, and was not written; it is in %s/patches/%s.diff",
                 view->home, view->name);
        return EXIT_GOOD;
    }
    if (!j->o->interactive && is_too_large(view, c)) {
        cmd_note(
            "fix: the patch has more lines than --max-lines, and was not written; it is in "
            "%s/patches/%s.diff",
            view->home, view->name);
        return EXIT_BAD;
    }
    return fix_apply(c, j->o->force, &err) < 0 ? cmd_fail(EXIT_WORLD, &err) : EXIT_GOOD;
}

static int finish(struct job *j, struct err *err)
{
    const struct fix_cmd_opts *o = j->o;
    struct fix_finding view = {.program = j->argv[0],
                               .argv = j->argv,
                               .home = j->home.at,
                               .name = j->finding ? j->finding->id : "failure",
                               .finding = j->finding,
                               .others = j->other_ids.at,
                               .other_count = j->other_ids.len,
                               .causes = &j->causes,
                               .repair = &j->repair,
                               .all = o->all,
                               .explain = o->explain,
                               .alternatives = (uint32_t)o->alternatives,
                               .lines_max = lines_max(o)};
    AUTO(str) struct str out = {0};
    if (save_patch(j, view.name, err) < 0)
        return cmd_fail(EXIT_WORLD, err);
    if (o->html && fix_write_page(&view, o->html, err) < 0)
        return cmd_fail(EXIT_WORLD, err);
    if (o->seek.json)
        fix_print_json(&view, &out);
    else if (o->sarif)
        fix_print_sarif(&view, &out);
    else
        fix_print_text(&view, &out);
    int code = cmd_print(&out);
    code = code == EXIT_GOOD ? write_patch(j, &view) : code;
    if (code != EXIT_GOOD)
        return code;
    const struct fix_candidate *best = best_of(&view);
    return best && best->state == FIX_PROVEN ? EXIT_GOOD : EXIT_BAD;
}

static int work(struct job *j)
{
    struct err err;
    int code;
    progress_begin("looking for failing runs");
    int failed = find_any_causes(j, &err);
    progress_end();
    if (!failed && j->causes.failures.len == 0 && j->causes.causes.len == 0) {
        cmd_note("fix: none of %llu runs failed; %s", (unsigned long long)j->causes.runs,
                 j->has_more ? "what `heddle check` finds is taken"
                             : "--runs, --oracle or --expect may help");
        j->is_calm = true;
        code = EXIT_UNDECIDED;
    } else {
        progress_begin("trying patches");
        failed = failed ? failed : repair(j, &err);
        progress_end();
        code = failed ? cmd_fail(EXIT_WORLD, &err) : finish(j, &err);
    }
    fix_repair_done(&j->repair);
    guards_done(&j->guards);
    causes_done(&j->causes);
    str_done(&j->home);
    str_done(&j->expected);
    vec_done(&j->others);
    vec_done(&j->other_ids);
    bool is_over = stop_signal() && code != EXIT_GOOD;
    return cmd_stopped(is_over ? EXIT_BAD : code);
}

/* ---- the command ------------------------------------------------------------------------ */

static bool is_later(const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec > b->st_mtim.tv_sec ||
           (a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec > b->st_mtim.tv_nsec);
}

static const struct finding *choose(const struct finding_list *l, const char *id)
{
    const struct finding *found = NULL;
    for (uint32_t i = 0; i < l->findings.len; i++) {
        const struct finding *f = &l->findings.at[i];
        bool fits = id ? strncmp(f->id, id, strlen(id)) == 0 : finding_is_shown(f);
        if (fits && !found)
            found = f;
    }
    return found;
}

/* Says what is wrong with the source files that the program was made of; -1: none is there. */
static int look_at_sources(const char *program, struct err *err)
{
    AUTO(build_units) struct build_units units = {0};
    struct stat built, source;
    uint32_t gone = 0;
    if (stat(program, &built) < 0 || build_units_read(&units, program, err) < 0)
        return 0; /* whoever runs or rebuilds it has a word for that */
    for (uint32_t i = 0; i < units.units.len; i++) {
        AUTO(str) struct str path = {0};
        build_unit_path(&path, &units.units.at[i]);
        if (stat(path.at, &source) < 0) {
            gone++;
            err_set(err, "fix: %s, of which %s was made, is not there", path.at, program);
        } else if (is_later(&source, &built)) {
            cmd_note(
                "fix: %s is newer than %s; if its contents changed, build the program again",
                units.units.at[i].source, program);
        }
    }
    if (gone && gone < units.units.len)
        cmd_note("%s: nothing there can be mended", err->text);
    return gone && gone == units.units.len ? -1 : 0;
}

static int look_and_work(struct job *j)
{
    struct err err;
    if (look_at_sources(j->argv[0], &err) == 0)
        return work(j);
    str_done(&j->home);
    return cmd_fail(EXIT_WORLD, &err);
}

enum { OTHERS_MAX = 7 };

/* A program is to be mended, not one finding: the others that do no harm either. */
static void take_others(struct job *j, const struct finding_list *l)
{
    for (uint32_t i = 0; i < l->findings.len && j->others.len < OTHERS_MAX; i++) {
        const struct finding *f = &l->findings.at[i];
        if (f == j->finding || !finding_is_shown(f) || f->harm != HARM_NONE ||
            f->pattern != PATTERN_RACE || j->finding->harm != HARM_NONE)
            continue;
        vec_push(&j->others, f);
        vec_push(&j->other_ids, f->id);
    }
}

/* Are they about one cause, or one thing? Then a patch of the first is to end the second. */
static bool is_explained_by(const struct finding *a, const struct finding *b)
{
    const char *first = *a->cause ? a->cause : a->id, *second = *b->cause ? b->cause : b->id;
    return strcmp(first, second) == 0 || (*a->about && strcmp(a->about, b->about) == 0);
}

/* Failures that other findings explain are for other patches. */
static uint32_t harms_apart(const struct finding *f, const struct finding_list *l)
{
    uint32_t harms = 0;
    for (uint32_t i = 0; i < l->findings.len; i++) {
        const struct finding *other = &l->findings.at[i];
        if (finding_is_shown(other) && other->pattern != PATTERN_FAILURE &&
            harm_ends(other->harm) && !is_explained_by(f, other))
            harms |= 1U << other->harm;
    }
    for (uint32_t i = 0; i < l->findings.len; i++) /* but not if it may be ours, too */
        if (is_explained_by(f, &l->findings.at[i]))
            harms &= ~(1U << l->findings.at[i].harm);
    return harms;
}

/* What the run has read from its standard input, or got through connections; NULL: nothing. */
static const char *recorded_file(const struct run_recorded *rec, const char *name,
                                 char out[PATH_MAX])
{
    AUTO(str) struct str path = {0};
    str_add(&path, "%s/%s", rec->path.at, name);
    return realpath(path.at, out);
}

static int fix_finding(const struct fix_cmd_opts *o, const char *id, bool is_looked_at)
{
    AUTO(str) struct str path = {0};
    AUTO(str) struct str run = {0};
    AUTO(finding_list) struct finding_list list = {0};
    struct run_recorded rec;
    struct err err;
    if (results_find(&path, o->dir, "findings.json", &err) < 0 ||
        finding_list_read(&list, path.at, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    const struct finding *f = choose(&list, id);
    if (!f && id) {
        cmd_note("fix: no finding begins with '%s'; heddle list --all has them", id);
        return EXIT_USAGE;
    }
    if (!f) {
        cmd_note("fix: the last check of %s shows nothing to fix", list.program);
        return EXIT_UNDECIDED;
    }
    struct fix_cmd_opts own = *o;
    struct job j = {.o = &own, .finding = f};
    if (is_looked_at)
        take_others(&j, &list);
    else
        j.apart = harms_apart(f, &list);
    char input[PATH_MAX], peers[PATH_MAX];
    str_bytes(&j.home, path.at, path.len - strlen("/findings.json"));
    add_recorded(&run, &j);
    if (run_recorded_read(&rec, run.at, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    j.argv = rec.argv.at;
    run_begins_before(rec.path.at);
    if (expect_recorded(&j, &own, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    own.seek.input = recorded_file(&rec, "stdin", input);
    own.seek.peers = recorded_file(&rec, "peers", peers);
    run_catch_signals();
    int code = is_looked_at ? work(&j) : look_and_work(&j);
    /* runs of patched programs are not what the next command means by the last one */
    if (run_link_last(rec.path.at, &err) < 0)
        code = cmd_fail(EXIT_WORLD, &err);
    run_recorded_done(&rec);
    return code;
}

/* Has a check of the program as it is now left findings there? */
static bool is_checked(const char *program, const char *home)
{
    AUTO(str) struct str path = {0};
    struct stat built, checked;
    str_add(&path, "%s/findings.json", home);
    return stat(program, &built) == 0 && stat(path.at, &checked) == 0 &&
           is_later(&checked, &built);
}

static void home_of(struct str *out, const char *program)
{
    const char *slash = strrchr(program, '/');
    str_add(out, "%s.heddle", slash ? slash + 1 : program);
}

/* Runs by chance show less than a check predicts: what that finds is taken if none fails. */
static int fix_checked(const struct fix_cmd_opts *o, char *const *argv, const char *home)
{
    struct fix_cmd_opts own = *o;
    struct err err;
    if (!is_checked(argv[0], home)) {
        progress_begin("checking");
        int failed = fix_check(argv, &o->seek, &err);
        progress_end();
        if (failed)
            return cmd_fail(EXIT_WORLD, &err);
    }
    own.dir = home;
    return fix_finding(&own, NULL, true);
}

/* No order of accesses is the cause of what needs weak behaviour: a check tells it. */
static bool wants_weak(const struct fix_cmd_opts *o, char *const *argv, const char *given)
{
    AUTO(trace) struct trace t = {0};
    struct err ignored;
    return seek_opts_of(&o->seek, argv).run.weak != WEAK_OFF ||
           (given && !o->seek.weak.mode && trace_open_in(&t, given, &ignored) == 0 &&
            (t.head.flags & TRACE_WEAK));
}

/* given: directory of a run of it that failed, or NULL. */
static int fix_program(const struct fix_cmd_opts *o, char *const *argv, const char *given)
{
    struct job j = {.o = o, .argv = argv, .given = given, .has_more = true};
    AUTO(str) struct str home = {0};
    struct err err;
    if (!run_is_ours(argv[0]))
        return cmd_not_ours(argv[0]);
    home_of(&home, argv[0]);
    str_add(&j.home, "%s", home.at);
    if (directory_make(home.at, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    run_catch_signals();
    cmd_begins_before(argv, o->seek.in_place);
    bool is_weak = wants_weak(o, argv, given);
    if (is_weak && look_at_sources(argv[0], &err) < 0) {
        str_done(&j.home);
        return cmd_fail(EXIT_WORLD, &err);
    }
    int code = is_weak ? EXIT_UNDECIDED : look_and_work(&j);
    if (!is_weak && (!j.is_calm || run_signal()))
        return code;
    if (is_weak)
        str_done(&j.home);
    return fix_checked(o, argv, home.at);
}

/* A run of the program that the user has: its input, who talked to it, and how it failed. */
static int fix_run(const struct fix_cmd_opts *o, const char *run)
{
    struct run_recorded rec;
    struct fix_cmd_opts own = *o;
    char input[PATH_MAX], peers[PATH_MAX], here[PATH_MAX];
    struct err err;
    if (run_recorded_read(&rec, run, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    int code;
    if (rec.directory && getcwd(here, sizeof here) && strcmp(here, rec.directory) != 0) {
        err_set(&err, "fix: %s was recorded in %s: run heddle fix there", run, rec.directory);
        code = cmd_fail(EXIT_WORLD, &err);
    } else {
        bool has_failed = rec.has_outcome && run_failed(&rec.outcome);
        if (!has_failed)
            cmd_note("fix: %s did not fail; others are looked for", run);
        own.seek.input = recorded_file(&rec, "stdin", input);
        own.seek.peers = recorded_file(&rec, "peers", peers);
        code = fix_program(&own, rec.argv.at, has_failed ? rec.path.at : NULL);
    }
    run_recorded_done(&rec);
    return code;
}

/* The run that follows it, if that fails; else the finding that it is of, if a check has left
 * that there. */
static int fix_witness(const struct fix_cmd_opts *o, const char *path)
{
    AUTO(str) struct str run = {0}, id = {0}, dir = {0};
    struct run_recorded rec;
    struct err err;
    char real[PATH_MAX];
    if (fix_follow_witness(&run, path, &o->seek, &err) < 0 ||
        run_recorded_read(&rec, run.at, &err) < 0 || !realpath(path, real))
        return cmd_fail(EXIT_WORLD, &err);
    bool has_failed = rec.has_outcome && run_failed(&rec.outcome);
    run_recorded_done(&rec);
    if (has_failed)
        return fix_run(o, run.at);
    char *name = strrchr(real, '/');
    str_add(&id, "%.*s", (int)strcspn(name + 1, "."), name + 1);
    *name = 0; /* PROGRAM.heddle/witnesses */
    name = strrchr(real, '/');
    str_add(&dir, "%.*s/findings.json", name ? (int)(name - real) : 0, real);
    if (access(dir.at, F_OK) < 0)
        return fix_run(o, run.at);
    struct fix_cmd_opts own = *o;
    dir.at[dir.len - strlen("/findings.json")] = 0;
    own.dir = dir.at;
    return fix_finding(&own, id.at, false);
}

static int run(int argc, char **argv)
{
    struct fix_cmd_opts o = {0};
    int split, words;
    int done = seek_begin(&table, &o, &o.seek, argc, argv, &split, &words);
    if (done != GO_ON)
        return done;
    bool has_program = split < argc;
    if (words > 1 || (has_program && (words > 0 || split + 1 == argc))) {
        cmd_note("fix: say which finding, or a program behind `--`; see 'heddle fix --help'");
        return EXIT_USAGE;
    }
    if (o.interactive) /* who is asked there */
        o.seek.input = "/dev/null";
    run_share_stdin();
    if (has_program)
        return fix_program(&o, argv + split + 1, NULL);
    if (words && fix_is_run(argv[0]))
        return fix_run(&o, argv[0]);
    if (words && is_witness(argv[0]))
        return fix_witness(&o, argv[0]);
    return fix_finding(&o, words ? argv[0] : NULL, false);
}

const struct command cmd_fix = {
    .name = "fix",
    .help = "make a proven patch of the source",
    .run = run,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-selftest: `heddle selftest`: programs that are right lose one lock after the other. Those
 * that then misbehave in some schedule are bugs that nobody made up for this tool: how many of
 * them does `heddle check` find? */
#include "base/log.h"
#include "base/self.h"
#include "build/build.h"
#include "check/check.h"
#include "cmd/cmd.h"
#include "cmd/mutate.h"
#include "cmd/options.h"
#include "explore/explore.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_DEFAULT = 60, QUICK_PROGRAMS = 3, QUICK_RUNS = 20 };

struct selftest_opts {
    bool quick;
    uint64_t runs;
};

static const struct option_row rows[] = {
    {.type = OPTION_FLAG,
     .name = "quick",
     .help = "a few programs, fewer schedules",
     .offset = offsetof(struct selftest_opts, quick)},
    {.type = OPTION_COUNT,
     .name = "runs",
     .value = "N",
     .help = "schedules that show whether a mutant misbehaves (60)",
     .offset = offsetof(struct selftest_opts, runs)},
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle selftest",
    .usage = (const char *const[]){"[options] [SOURCE ...]", NULL},
    .about = "Takes one lock after the other out of copies of programs that are right, runs\n"
             "each mutant with many schedules, and counts how many of those that misbehave\n"
             "heddle check finds. SOURCE: programs of one file with plain calls;\n"
             "without one, those that come with Heddle.\n",
    .rows = rows,
    .more =
        "Exit code: 0 if all were found, 1 if not, 4 if something cannot be built or run.\n",
    .examples =
        (const struct option_example[]){
            {"heddle selftest --quick", "three programs"},
            {NULL, NULL},
        },
};

struct tally {
    uint32_t mutants, misbehave, found;
};

struct selftest {
    const struct selftest_opts *o;
    uint64_t runs;
    struct str out;
    struct arena mem;
    struct tally all;
};

/* ---- running --------------------------------------------------------------------------- */

static int run_schedules(const struct selftest *t, char *program, const char *policy,
                         const char *expect, bool *fails, struct err *err)
{
    struct run_table table_of = {0};
    char *argv[] = {program, NULL};
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct run_opts run = {.policy = policy, .no_trace = true, .expect = expect};
    struct run_many_opts many = {
        .pool = {.jobs = cpus > 0 ? (uint32_t)cpus : 1, .in_place = true},
        .runs = t->runs,
        .until_fail = true};
    int result = run_many(&table_of, argv, &run, &many, err);
    *fails |= table_of.failed > 0;
    run_table_done(&table_of);
    return result;
}

static int misbehaves(const struct selftest *t, char *program, const char *expect, bool *out,
                      struct err *err)
{
    *out = false;
    struct portfolio hows = portfolio_of(PORTFOLIO_EXPLORE);
    for (uint32_t i = 0; i < hows.len && !*out; i++)
        if (run_schedules(t, program, hows.at[i].policy, expect, out, err) < 0)
            return -1;
    return 0;
}

/* What a run printed, in a file. */
static int save_output(const char *run, const char *path, struct err *err)
{
    AUTO(str) struct str text = {0};
    str_add(&text, "%s", "");
    if (!run_printed(&text, run))
        return err_set(err, "%s: what it printed is not there", run);
    return file_write(path, text.at, text.len, err);
}

/* The right program: what it prints is what a mutant has to print, if that is always the same.
 * 1: it does not end well itself. */
static int run_right(const struct selftest *t, char *program, const char **expect,
                     struct err *err)
{
    AUTO(str) struct str directory = {0};
    struct run_result r = {0};
    uint32_t number = 0;
    bool differs = false, fails = false;
    char *argv[] = {program, NULL};
    if (run_directory(&directory, program, &number, err) < 0 ||
        run_target(&r, argv, directory.at, &(struct run_opts){0}, err) < 0)
        return -1;
    bool good = run_ended_well(&r);
    run_result_done(&r);
    if (!good)
        return 1;
    if (save_output(directory.at, "expected", err) < 0 ||
        misbehaves(t, program, "expected", &differs, err) < 0)
        return -1;
    *expect = differs ? NULL : "expected";
    if (differs && misbehaves(t, program, NULL, &fails, err) < 0)
        return -1;
    return fails;
}

static int is_found(char *program, bool *out, struct err *err)
{
    AUTO(finding_list) struct finding_list l = {0};
    struct check_stat stat = {0};
    char *argv[] = {program, NULL};
    struct check_opts o = {
        .argv = argv, .jobs = 1, .in_place = true, .explore = CHECK_EXPLORE_AUTO};
    *out = false;
    if (check(&l, &stat, &o, err) < 0)
        return -1;
    for (uint32_t i = 0; i < l.findings.len; i++)
        *out |= l.findings.at[i].is_confirmed &&
                (finding_is_shown(&l.findings.at[i]) || l.findings.at[i].harm != HARM_NONE);
    return 0;
}

/* ---- one program ----------------------------------------------------------------------- */

static int build_text(struct text source, const char *suffix, char *program, struct err *err)
{
    AUTO(str) struct str path = {0};
    str_add(&path, "mutant%s", suffix);
    if (file_write(path.at, source.at, source.len, err) < 0)
        return -1;
    char *sources[] = {path.at};
    return build_sources(sources, 1, program, err);
}

static int try_mutant(struct selftest *t, struct tally *n, const char *name, struct text mutant,
                      uint32_t line, const char *suffix, const char *expect, struct err *err)
{
    char program[] = "./mutant";
    bool bad, found;
    if (build_text(mutant, suffix, program, err) < 0 ||
        misbehaves(t, program, expect, &bad, err) < 0)
        return -1;
    n->mutants++;
    if (!bad)
        return 0;
    if (is_found(program, &found, err) < 0)
        return -1;
    n->misbehave++;
    n->found += found;
    if (!found)
        str_add(&t->out, "missed: %s without the lock of line %u\n", name, line);
    return 0;
}

static const char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    while (slash && slash > path && slash[-1] != '/')
        slash--;
    return slash ? slash : path;
}

static int try_program(struct selftest *t, const char *path, struct err *err)
{
    AUTO(bytes) struct bytes b = {0};
    AUTO(str) struct str mutant = {0};
    struct tally n = {0};
    const char *suffix = strrchr(path, '.'), *expect = NULL;
    char program[] = "./right";
    uint32_t line;
    if (bytes_read(&b, path, err) < 0)
        return -1;
    struct text source = {(const char *)b.at, (uint32_t)b.len};
    mutate(source, 0, &mutant, &line);
    if (line == 0)
        return 0; /* no lock to take away */
    if (build_text(source, suffix, program, err) < 0)
        return -1;
    int right = run_right(t, program, &expect, err);
    if (right != 0)
        return right < 0 ? -1 : 0;
    for (uint32_t k = 0; !run_signal(); k++) {
        bool made = mutate(source, k, &mutant, &line);
        if (line == 0)
            break;
        if (made && try_mutant(t, &n, short_name(path), str_text(&mutant), line, suffix, expect,
                               err) < 0)
            return -1;
    }
    str_add(&t->out, "%-36s %8u %11u %7u\n", short_name(path), n.mutants, n.misbehave, n.found);
    t->all.mutants += n.mutants;
    t->all.misbehave += n.misbehave;
    t->all.found += n.found;
    return 0;
}

/* ---- which programs -------------------------------------------------------------------- */

/* Beside the build directory, or where an installation puts them. */
static int find_home(struct str *out, struct err *err)
{
    static const char *const places[] = {"../tests/cases", "../share/heddle/cases"};
    AUTO(str) struct str self = {0};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (self_find(out, places[i], ""))
            return 0;
    self_path(&self);
    return err_set(err, "the programs of the tests are not installed beside %s", self.at);
}

static int try_all(struct selftest *t, char *const *sources, uint32_t count, struct err *err)
{
    uint32_t tried = 0;
    int result = 0;
    progress_begin("testing");
    for (uint32_t i = 0; result == 0 && i < count && !run_signal(); i++) {
        progress_of(i, count, "programs");
        if (t->o->quick && tried == QUICK_PROGRAMS)
            break;
        uint32_t before = t->all.mutants;
        result = try_program(t, sources[i], err);
        tried += t->all.mutants > before;
    }
    progress_end();
    return result;
}

static int try_found(struct selftest *t, struct err *err)
{
    AUTO(str) struct str pattern = {0}, home = {0};
    glob_t found;
    if (find_home(&home, err) < 0)
        return -1;
    str_add(&pattern, "%s/*/*.ok.c*", home.at);
    if (glob(pattern.at, 0, NULL, &found) != 0)
        return err_set(err, "no programs in %s", home.at);
    int result = try_all(t, found.gl_pathv, (uint32_t)found.gl_pathc, err);
    globfree(&found);
    return result;
}

/* ---- the command ----------------------------------------------------------------------- */

static int in_scratch(struct selftest *t, char **sources, int count, struct err *err)
{
    const char *temp = getenv("TMPDIR");
    AUTO(str) struct str scratch = {0};
    str_add(&scratch, "%s/heddle-selftest.XXXXXX", temp && *temp ? temp : "/tmp");
    for (int i = 0; i < count; i++) {
        char *whole = realpath(sources[i], NULL);
        if (!whole)
            return err_sys(err, "selftest: a source");
        sources[i] = arena_text(&t->mem, whole, strlen(whole));
        free(whole);
    }
    if (!mkdtemp(scratch.at) || chdir(scratch.at) < 0)
        return err_sys(err, "%s", scratch.at);
    int result = count > 0 ? try_all(t, sources, (uint32_t)count, err) : try_found(t, err);
    if (chdir("/") == 0)
        run_remove_tree(scratch.at);
    return result;
}

static int run(int argc, char **argv)
{
    struct selftest_opts o = {0};
    struct selftest t = {.o = &o};
    struct err err;
    int words, done = cmd_parse(&table, &o, argc, argv, &words);
    if (done != GO_ON)
        return done;
    t.runs = o.runs ? o.runs : o.quick ? QUICK_RUNS : RUNS_DEFAULT;
    run_catch_signals();
    str_add(&t.out, "%-36s %8s %11s %7s\n", "program", "mutants", "misbehave", "found");
    int failed = in_scratch(&t, argv, words, &err);
    str_add(&t.out, "%-36s %8u %11u %7u\n", "all", t.all.mutants, t.all.misbehave, t.all.found);
    int code = failed < 0 ? cmd_fail(EXIT_WORLD, &err) : cmd_print(&t.out);
    str_done(&t.out);
    arena_done(&t.mem);
    return code != EXIT_GOOD ? code : t.all.found < t.all.misbehave ? EXIT_BAD : EXIT_GOOD;
}

const struct command cmd_selftest = {.name = "selftest",
                                     .help = "how many removed locks heddle check notices",
                                     .table = &table,
                                     .run = run};

/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-guards: `heddle guards`: which lock guards what, and where it is forgotten. */
#include "base/log.h"
#include "cmd/cmd-fix.h"
#include "cmd/cmd.h"

#include <string.h>

struct guards_opts {
    struct seek_opts seek;
    bool all, annotate;
};

static const struct option_row rows[] = {
    SEEK_ROWS(struct guards_opts, "make N runs (24)"),
    {.type = OPTION_FLAG,
     .name = "all",
     .help = "show also variables that nothing guards",
     .offset = offsetof(struct guards_opts, all)},
    {.type = OPTION_FLAG,
     .name = "annotate",
     .help = "print a diff that adds GUARDED_BY to the source",
     .offset = offsetof(struct guards_opts, annotate)},
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle guards",
    .usage =
        (const char *const[]){"[options] -- PROGRAM [ARGUMENT ...]", "[options] RUN ...", NULL},
    .about = "Says which lock is held where a shared variable is used, from runs under many\n"
             "schedules or from runs that were recorded, and at which places it is not held.\n",
    .rows = rows,
    .more =
        "What a thread does to memory before another one has touched it does not count, nor\n"
        "what it does while no other one that uses it is alive.\n"
        "\n"
        "Exit code: 1 if a variable has a lock that some place does not hold, else 0; 2\n"
        "usage; 4 if the program cannot be run, or a run cannot be read.\n",
    .examples =
        (const struct option_example[]){
            {"heddle guards -- ./bank 3", "which lock guards what?"},
            {"heddle guards --annotate -- ./bank 3", "tell it to the compiler"},
            {"heddle guards bank.heddle/runs/last", "the same, from a run that is there"},
            {NULL, NULL},
        },
};

/* What nobody writes needs no guard. */
static bool is_written(const struct guard *g)
{
    for (uint32_t i = 0; i < g->uses.len; i++)
        if (g->uses.at[i].writes)
            return true;
    return false;
}

static bool is_broken(const struct guard *g)
{
    return g->bond != GUARD_BOND_NONE && g->guarded_sites < g->sites && is_written(g);
}

/* ---- text ------------------------------------------------------------------------------- */

static const char *bond_words(enum guard_bond b)
{
    switch (b) {
    case GUARD_BOND_OWN:
        return " of the same object";
    case GUARD_BOND_INDEX:
        return " of the same index";
    case GUARD_BOND_OTHER:
        return ", one for each object";
    default:
        return "";
    }
}

static bool is_same_line(const struct code_site *a, const struct code_site *b)
{
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* The object's own lock is a member of it; which one, the runs need not say. */
static void add_lock(struct str *out, const struct guard *g)
{
    size_t len = strlen(g->object);
    bool is_own = g->bond == GUARD_BOND_OWN && strncmp(g->lock, g->object, len) == 0;
    if (is_own && g->lock[len] == '.')
        str_add(out, "%s", g->lock + len + 1);
    else if (is_own)
        str_add(out, "a lock");
    else
        name_lock_words(out, g->lock);
}

static void print_guard(struct str *out, const struct guard *g)
{
    name_words(out, g->variable);
    if (g->bond == GUARD_BOND_NONE) {
        str_add(out, ": no lock, %u site%s: ", g->sites, g->sites == 1 ? "" : "s");
    } else {
        str_add(out, ": guarded by ");
        add_lock(out, g);
        str_add(out, "%s in %u of %u sites", bond_words(g->bond), g->guarded_sites, g->sites);
        str_add(out, "%s%s", g->is_shared ? ", by some for reading only" : "",
                is_broken(g) ? "; not at " : "");
    }
    const struct guard_use *before = NULL;
    for (uint32_t i = 0; i < g->uses.len; i++) {
        const struct guard_use *u = &g->uses.at[i];
        if ((g->bond != GUARD_BOND_NONE && u->guarded == u->count) ||
            (before && u->guarded == 0 && is_same_line(&before->site, &u->site)))
            continue;
        str_add(out, before ? ", " : "");
        before = u;
        add_site(out, &u->site);
        if (u->guarded > 0)
            str_add(out, " (%llu of %llu times)", (unsigned long long)(u->count - u->guarded),
                    (unsigned long long)u->count);
    }
    str_char(out, '\n');
}

static void print_text(struct str *out, const struct guards *found, bool all)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < found->guards.len; i++) {
        const struct guard *g = &found->guards.at[i];
        if (all || is_written(g))
            print_guard(out, g);
        else
            left++;
    }
    if (left)
        str_add(out, "%u that nobody writes: --all\n", left);
    if (found->guards.len == 0)
        str_add(out, "no variable is shared\n");
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void json_use(struct json *j, const struct guard_use *u)
{
    json_open(j, '{');
    json_site(j, &u->site);
    json_put_bool(j, "writes", u->writes);
    json_put_u64(j, "count", u->count);
    json_put_u64(j, "guarded", u->guarded);
    json_close(j, '}');
}

static void json_guard(struct json *j, const struct guard *g)
{
    json_open(j, '{');
    JSON_TEXTS(j, {"variable", g->variable}, {"object", g->object}, {"field", g->field},
               {"lock", g->lock}, {"bond", guard_bond_text(g->bond)});
    JSON_U64S(j, {"sites", g->sites}, {"guarded_sites", g->guarded_sites},
              {"accesses", g->accesses}, {"guarded", g->guarded});
    JSON_EACH(j, "uses", &g->uses, json_use);
    json_close(j, '}');
}

static void print_json(struct str *out, const struct guards *found)
{
    struct json j = {.out = out};
    json_open(&j, '{');
    cmd_json_stopped(&j);
    json_put_u64(&j, "runs", found->runs);
    JSON_EACH(&j, "guards", &found->guards, json_guard);
    json_close(&j, '}');
    str_char(out, '\n');
}

/* ---- the command ------------------------------------------------------------------------ */

/* Instead of the table. */
static int annotate(const struct guards *found, const char *program, struct str *out)
{
    AUTO(str) struct str notes = {0};
    struct err err;
    if (!program) {
        cmd_note("guards: these runs do not say which program they are of");
        return EXIT_WORLD;
    }
    if (guards_annotate(out, &notes, found, program, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    for (char *line = notes.at; line && *line;) {
        char *end = strchr(line, '\n');
        cmd_note("%.*s", (int)(end - line), line);
        line = end + 1;
    }
    return EXIT_GOOD;
}

static int tell(const struct guards_opts *o, struct guards *found, const char *program)
{
    AUTO(str) struct str out = {0};
    int code = EXIT_GOOD;
    for (uint32_t i = 0; i < found->guards.len; i++)
        if (is_broken(&found->guards.at[i]))
            code = EXIT_BAD;
    if (o->annotate)
        code = annotate(found, program, &out);
    else if (o->seek.json)
        print_json(&out, found);
    else
        print_text(&out, found, o->all);
    int printed = cmd_print(&out);
    guards_done(found);
    return cmd_stopped(printed ? printed : code);
}

static int of_program(const struct guards_opts *o, char **program)
{
    struct guards found;
    struct seek_runs opts = seek_opts_of(&o->seek, program);
    struct err err;
    if (!run_is_ours(program[0]))
        return cmd_not_ours(program[0]);
    run_catch_signals();
    int failed = guards_find(&found, &opts, &err);
    progress_end();
    return failed ? cmd_fail(EXIT_WORLD, &err) : tell(o, &found, program[0]);
}

static int of_runs(const struct guards_opts *o, char **runs)
{
    struct guards found;
    struct err err;
    if (guards_of_runs(&found, (const char *const *)runs, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    AUTO(str) struct str trace = {0};
    str_add(&trace, "%s/trace", runs[0]);
    char *const *program = witness_program(&found.mem, trace.at);
    return tell(o, &found, program ? program[0] : NULL);
}

static int run(int argc, char **argv)
{
    struct guards_opts o = {0};
    int own, words;
    int done = seek_begin(&table, &o, &o.seek, argc, argv, &own, &words);
    if (done != GO_ON)
        return done;
    char **program = own < argc ? argv + own + 1 : NULL;
    if (words == 0 && program && *program)
        return of_program(&o, program);
    if (words > 0 && !program) {
        argv[words] = NULL;
        return of_runs(&o, argv);
    }
    cmd_note("guards: say `--` and then the program and its arguments, or name runs; see "
             "'heddle guards --help'");
    return EXIT_USAGE;
}

const struct command cmd_guards = {
    .name = "guards", .help = "which lock guards what", .run = run};

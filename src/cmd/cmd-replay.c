/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-replay: `heddle replay RUN`: the same run again, with the recorded arguments, directory,
 * environment and schedule; then both traces are compared, event by event. */
#include "cmd/cmd.h"
#include "cmd/cmd-replay.h"
#include "cmd/options.h"
#include "cmd/others.h"
#include "run/run.h"

#include <string.h>

struct replay_opts {
    bool quiet;
    uint64_t timeout_s;
};

#define AT(field) .offset = offsetof(struct replay_opts, field)

static const struct option_row rows[] = {
    {.type = OPTION_FLAG,
     .letter = 'q',
     .name = "quiet",
     .help = "do not show what the program prints",
     AT(quiet)},
    {.type = OPTION_NUMBER,
     .name = "timeout",
     .value = "S",
     .help = "seconds that the run may take (60)",
     AT(timeout_s)},
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle replay",
    .usage = (const char *const[]){"RUN [options]",
                                   "WITNESS [options] [-- PROGRAM [ARGUMENT ...]]", NULL},
    .about = "Repeats a recorded run exactly and says whether it came out the same; or runs a\n"
             "program as a witness file says, and says how far that was possible.\n",
    .rows = rows,
    .more = "Exit code: as the program's own (see heddle run); 3 if the run could not be made\n"
            "the same or the witness not be followed to its end, 4 if it could not be run.\n",
    .examples =
        (const struct option_example[]){
            {"heddle replay bank.heddle/runs/last", "the last run of ./bank again"},
            {"heddle replay race-1.witness -- ./bank 3", "show what a witness file says"},
            {NULL, NULL},
        },
};

/* The recorded command, ready for use. */
struct recorded {
    struct runfile file; /* owned: the texts live in it */
    VEC(char *) argv, env;
    char *directory;
};

static void recorded_done(struct recorded *r)
{
    for (uint32_t i = 0; i + 1 < r->argv.len; i++)
        free(r->argv.at[i]);
    for (uint32_t i = 0; i + 1 < r->env.len; i++)
        free(r->env.at[i]);
    vec_done(&r->argv);
    vec_done(&r->env);
    free(r->directory);
    runfile_close(&r->file);
}

static int recorded_read(struct recorded *r, const char *run, struct err *err)
{
    AUTO(str) struct str path = {0};
    str_add(&path, "%s/command", run);
    if (runfile_open(&r->file, path.at, err) < 0)
        return -1;
    for (uint32_t i = 0; i < r->file.entries.len; i++) {
        const struct log_entry *e = &r->file.entries.at[i];
        char *text = strndup((const char *)e->data, e->head.bytes);
        CHECK(text);
        if (e->head.tag == TAG_ARGUMENT) {
            vec_push(&r->argv, text);
        } else if (e->head.tag == TAG_ENVIRONMENT) {
            vec_push(&r->env, text);
        } else if (e->head.tag == TAG_DIRECTORY && !r->directory) {
            r->directory = text;
        } else {
            free(text);
        }
    }
    if (r->argv.len == 0)
        return err_set(err, "%s: names no program", path.at);
    vec_push(&r->argv, NULL);
    vec_push(&r->env, NULL);
    return 0;
}

static int compare(const char *run, const char *again, struct str *where, struct err *err)
{
    AUTO(str) struct str first = {0};
    AUTO(str) struct str second = {0};
    AUTO(trace) struct trace a = {0};
    AUTO(trace) struct trace b = {0};
    str_add(&first, "%s/trace", run);
    str_add(&second, "%s/trace", again);
    if (trace_open(&a, first.at, err) < 0 || trace_open(&b, second.at, err) < 0)
        return -1;
    return trace_compare(&a, &b, where, err);
}

static int judge(const char *run, const char *again, const struct run_result *r,
                 struct err *err)
{
    AUTO(str) struct str where = {0};
    int differ = compare(run, again, &where, err);
    if (differ < 0)
        return cmd_fail(EXIT_WORLD, err);
    if (differ) {
        cmd_note("diverged: %s", where.at);
        return EXIT_UNDECIDED;
    }
    if (r->outcome != WORD_VALUE(OUTCOME, EXIT))
        fprintf(stderr, "heddle: %s", r->text.at);
    return run_exit_code(r);
}

extern char **environ;

static int replay(const char *run, const struct replay_opts *o, struct err *err)
{
    struct recorded rec = {0};
    char absolute[4096];
    if (!realpath(run, absolute)) {
        err_sys(err, "%s", run);
        return cmd_fail(EXIT_WORLD, err);
    }
    if (recorded_read(&rec, absolute, err) < 0) {
        recorded_done(&rec);
        return cmd_fail(EXIT_WORLD, err);
    }
    AUTO(str) struct str schedule = {0};
    AUTO(str) struct str world = {0};
    AUTO(str) struct str again = {0};
    AUTO(str) struct str shared = {0};
    struct run_result r = {0};
    struct others others = others_find(absolute);
    str_add(&shared, "%s/shared", absolute);
    str_add(&schedule, "%s/schedule", absolute);
    str_add(&world, "%s/input", absolute);
    str_add(&again, "%s/replay-%d", absolute, (int)getpid());
    struct run_opts opts = {.schedule = schedule.at,
                            .world = access(world.at, R_OK) == 0 ? world.at : NULL,
                            .timeout_s = (uint32_t)o->timeout_s,
                            .show_output = !o->quiet && !others.started && !others.became};
    if (access(shared.at, R_OK) == 0) /* recorded in two passes */
        opts.shared = shared.at;
    environ = rec.env.at;
    int code;
    if (rec.directory && chdir(rec.directory) < 0) {
        err_sys(err, "%s", rec.directory);
        code = cmd_fail(EXIT_WORLD, err);
    } else if (run_make_directory(again.at, err) < 0 ||
               run_target(&r, rec.argv.at, again.at, &opts, err) < 0) {
        code = cmd_fail(EXIT_WORLD, err);
    } else {
        if (!o->quiet && !opts.show_output)
            others_show(absolute);
        code = judge(absolute, again.at, &r, err);
        if (others.became && code == 0)
            code = others_exit_code(absolute);
    }
    run_remove(again.at);
    run_result_done(&r);
    recorded_done(&rec);
    return code;
}

static int run(int argc, char **argv)
{
    struct replay_opts o = {0};
    struct err err;
    int own = 0, words;
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    int state = options_parse(&table, 0, &o, own, argv, &words, &err);
    if (state < 0)
        return cmd_fail(EXIT_USAGE, &err);
    if (state == OPTIONS_WANT_HELP)
        return cmd_help(&table);
    char **target = own + 1 < argc ? argv + own + 1 : NULL;
    if (words == 1 && is_witness(argv[0]))
        return replay_witness(
            argv[0], target,
            &(struct run_opts){.timeout_s = (uint32_t)o.timeout_s, .show_output = !o.quiet},
            &err);
    if (words != 1 || own < argc) {
        cmd_note("replay: say which run, as prog.heddle/runs/last; see 'heddle replay --help'");
        return EXIT_USAGE;
    }
    return replay(argv[0], &o, &err);
}

const struct command cmd_replay = {
    .name = "replay",
    .help = "repeat a recorded run exactly",
    .run = run,
};

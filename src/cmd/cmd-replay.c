/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-replay: `heddle replay RUN`: the same run again, with the recorded arguments, directory,
 * environment and schedule; then both traces are compared, event by event. Or the same run in
 * a debugger, up to an event. */
#include "cmd/cmd.h"
#include "cmd/cmd-replay.h"
#include "cmd/options.h"
#include "cmd/others.h"
#include "cmd/replay-gdb.h"
#include "run/run.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

struct replay_opts {
    bool quiet, gdb, in_place, aslr;
    const char *at;
    uint64_t timeout_s, times;
};

#define AT(field) .offset = offsetof(struct replay_opts, field)

static const struct option_row rows[] = {
    {.type = OPTION_FLAG,
     .letter = 'q',
     .name = "quiet",
     .help = "do not show what the program prints",
     AT(quiet)},
    {.type = OPTION_COUNT,
     .name = "times",
     .value = "N",
     .help = "repeat it N times, quietly",
     AT(times)},
    {.type = OPTION_FLAG,
     .name = "gdb",
     .help = "in gdb, up to the first key step of its finding, or to its end",
     AT(gdb)},
    {.type = OPTION_TEXT,
     .name = "at",
     .value = "EVENT",
     .help = "with --gdb: up to this event of the trace",
     AT(at)},
    {.type = OPTION_FLAG,
     .name = "in-place",
     .help = "no private copy of the directory",
     AT(in_place)},
    {.type = OPTION_FLAG,
     .name = "aslr",
     .help = "let the system choose the addresses",
     AT(aslr)},
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
    .more =
        "The program has a world of its own, or works in a private copy of the directory\n"
        "(without .git and *.heddle), unless --in-place is given.\n"
        "\n"
        "In gdb, next-switch goes on to where another thread goes on, next-key to the next\n"
        "step that the run's finding is about; reverse goes back to the stop before,\n"
        "reverse-switch and reverse-key to the switch or step before; event N to any event;\n"
        "keys lists the steps. A number behind the first five says how many.\n"
        "\n"
        "Exit code: as the program's own (see heddle run); 3 if the run could not be made\n"
        "the same or the witness not be followed to its end, 4 if it could not be run.\n",
    .examples =
        (const struct option_example[]){
            {"heddle replay bank.heddle/runs/last", "the last run of ./bank again"},
            {"heddle replay bank.heddle/runs/last --gdb --at 40",
             "in gdb, just before the event 40"},
            {"heddle replay race-1.witness -- ./bank 3", "show what a witness file says"},
            {NULL, NULL},
        },
};

/* ---- comparing --------------------------------------------------------------------------- */

static bool same_bytes(const char *first, const char *second)
{
    AUTO(bytes) struct bytes a = {0};
    AUTO(bytes) struct bytes b = {0};
    struct err err;
    return bytes_read(&a, first, &err) == 0 && bytes_read(&b, second, &err) == 0 &&
           a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

static int compare(const char *run, const char *again, struct str *where, struct err *err)
{
    AUTO(str) struct str first = {0};
    AUTO(str) struct str second = {0};
    AUTO(trace) struct trace a = {0};
    AUTO(trace) struct trace b = {0};
    str_add(&first, "%s/trace", run);
    str_add(&second, "%s/trace", again);
    if (same_bytes(first.at, second.at))
        return 0;
    if (trace_open(&a, first.at, err) < 0 || trace_open(&b, second.at, err) < 0)
        return -1;
    return trace_compare(&a, &b, where, err);
}

static bool is_word(const struct run_result *r, unsigned word)
{
    return r->outcome == word;
}

/* What somebody else decided about the recorded run cannot come again by itself. */
static bool was_judged_outside(const struct run_recorded *r)
{
    return !r->has_outcome || r->cut ||
           (run_had_client(&r->outcome) && is_word(&r->outcome, WORD_VALUE(OUTCOME, EXIT))) ||
           is_word(&r->outcome, WORD_VALUE(OUTCOME, ORACLE)) ||
           is_word(&r->outcome, WORD_VALUE(OUTCOME, HANG)) ||
           is_word(&r->outcome, WORD_VALUE(OUTCOME, CUT));
}

/* Somebody outside who was played ended it, which is no failure. */
static bool was_ended(const struct run_recorded *rec, const struct run_result *r)
{
    return rec->has_outcome && run_ended_well(&rec->outcome) && run_was_asked_to_end(r);
}

/* Same events, same end? Otherwise where says what differs. */
static int judge(const struct run_recorded *rec, const struct run_again *again,
                 const struct run_result *r, struct str *where, struct err *err)
{
    AUTO(str) struct str wanted = {0};
    AUTO(str) struct str got = {0};
    int differ = is_word(r, WORD_VALUE(OUTCOME, DIVERGED));
    if (differ) {
        str_add(where, "%.*s", (int)strcspn(r->text.at, "\n"), r->text.at);
        return 1;
    }
    differ = compare(rec->path.at, again->files.at, where, err);
    if (differ || was_judged_outside(rec))
        return differ;
    if (was_ended(rec, r))
        return 0;
    run_kind(&wanted, &rec->outcome);
    run_kind(&got, r);
    if (strcmp(wanted.at, got.at) == 0)
        return 0;
    str_add(where, "the end: expected %s, got %s", wanted.at, got.at);
    return 1;
}

/* ---- replaying --------------------------------------------------------------------------- */

extern char **environ;

/* Exit code of a replay that came out the same. */
static int tell(const struct run_recorded *rec, const struct run_result *r)
{
    const struct run_result *told =
        (was_judged_outside(rec) && rec->has_outcome) || was_ended(rec, r) ? &rec->outcome : r;
    if (!is_word(told, WORD_VALUE(OUTCOME, EXIT)) && !run_became_another(rec))
        fprintf(stderr, "heddle: %s", told->text.at);
    return run_exit_code(told);
}

/* same: as recorded, and then the exit code is the target's. */
static int replay_once(struct run_again *again, struct run_opts *opts, bool last, bool *same,
                       struct err *err)
{
    const struct run_recorded *rec = again->recorded;
    AUTO(str) struct str where = {0};
    struct run_result r = {0};
    *same = false;
    if (run_again(again, rec->schedule.choices.at, rec->schedule.choices.len, &r, opts, err) <
        0)
        return cmd_fail(EXIT_WORLD, err);
    int code = EXIT_GOOD, differ = judge(rec, again, &r, &where, err);
    if (differ < 0)
        code = cmd_fail(EXIT_WORLD, err);
    else if (run_signal())
        code = 128 + run_signal();
    else if (differ && again->times > 1)
        cmd_note("replay %u diverged: %s", again->times, where.at);
    else if (differ)
        cmd_note("%s%s",
                 is_word(&r, WORD_VALUE(OUTCOME, DIVERGED)) ? "" : "diverged: ", where.at);
    else if (!differ && last)
        code = tell(rec, &r);
    *same = differ == 0;
    run_result_done(&r);
    return differ > 0 ? EXIT_UNDECIDED : code;
}

static int replay(struct run_again *again, const struct replay_opts *o, bool *same,
                  struct err *err)
{
    const struct run_recorded *rec = again->recorded;
    struct others others = others_find(rec->path.at);
    bool alone = !others.started && !others.became, shown = !o->quiet && o->times <= 1;
    struct run_opts opts = {.timeout_s = (uint32_t)o->timeout_s,
                            .show_output = shown && alone,
                            .aslr = o->aslr,
                            .end = was_judged_outside(rec) ? rec->events + 1 : 0};
    if (rec->has_outcome && !rec->cut &&
        (is_word(&rec->outcome, WORD_VALUE(OUTCOME, ORACLE)) ||
         (run_had_client(&rec->outcome) && is_word(&rec->outcome, WORD_VALUE(OUTCOME, EXIT)))))
        opts.end = 0; /* it ended by itself */
    if (o->times > 1 && run_is_ours(rec->argv.at[0]) && !o->aslr &&
        run_server_open(&opts.server, rec->argv.at, false, err) < 0)
        return cmd_fail(EXIT_WORLD, err);
    int code = EXIT_GOOD;
    uint64_t times = o->times ? o->times : 1;
    for (uint64_t i = 0; i < times && code == EXIT_GOOD; i++)
        code = replay_once(again, &opts, i + 1 == times, same, err);
    run_server_close(opts.server);
    if (shown && !alone)
        others_show(rec->path.at);
    return others.became && code == EXIT_GOOD ? others_exit_code(rec->path.at) : code;
}

/* ---- the command ------------------------------------------------------------------------- */

/* It may still be the same run: what changed need not matter. */
static void look_for_change(const struct run_recorded *rec)
{
    AUTO(str) struct str now = {0};
    run_build(&now, rec->argv.at[0]);
    if (rec->build && now.len && strcmp(rec->build, now.at) != 0)
        cmd_note("%s has changed since the run was recorded; the replay may diverge",
                 rec->argv.at[0]);
}

static int start(const char *run, const struct replay_opts *o, uint64_t stop, bool *same,
                 struct err *err)
{
    struct run_recorded rec;
    struct run_again again;
    *same = false;
    if (run_recorded_read(&rec, run, err) < 0)
        return cmd_fail(EXIT_WORLD, err);
    int code;
    environ = rec.env.at;
    if (stop != NO_EVENT && stop > rec.events) {
        cmd_note("replay: the run has %llu events, there is no event %llu",
                 (unsigned long long)rec.events, (unsigned long long)stop);
        code = EXIT_USAGE;
    } else if (run_again_open(&again, &rec, o->in_place, err) < 0) {
        code = cmd_fail(EXIT_WORLD, err);
    } else {
        look_for_change(&rec);
        run_catch_signals();
        code = o->gdb ? replay_in_gdb(&again, stop, err) : replay(&again, o, same, err);
        run_again_close(&again);
    }
    environ = NULL;
    run_recorded_done(&rec);
    return code;
}

/* The run, and then the runs of its forked children. */
static int start_all(const char *run, const struct replay_opts *o, uint64_t stop,
                     struct err *err)
{
    struct replay_opts quiet = *o;
    run_children children = {0};
    bool same;
    int code = start(run, o, stop, &same, err);
    if (!same)
        return code;
    quiet.quiet = true;
    run_children_read(&children, run);
    for (uint32_t i = 0; i < children.len && !run_signal(); i++) {
        if (!children.at[i].process)
            continue;
        int own = start(children.at[i].path.at, &quiet, stop, &same, err);
        if (!same) {
            cmd_note("that was %s", children.at[i].path.at);
            code = own;
            break;
        }
    }
    run_children_done(&children);
    return code;
}

static int run(int argc, char **argv)
{
    struct replay_opts o = {0};
    struct err err;
    uint64_t stop = NO_EVENT;
    int own = cmd_own_words(argc, argv), words;
    int done = cmd_parse(&table, &o, own, argv, &words);
    if (done != GO_ON)
        return done;
    char **target = own + 1 < argc ? argv + own + 1 : NULL;
    if (words == 1 && is_witness(argv[0]))
        return replay_witness(
            argv[0], target, o.in_place,
            &(struct run_opts){.timeout_s = (uint32_t)o.timeout_s, .show_output = !o.quiet},
            &err);
    if (words != 1 || own < argc) {
        cmd_note("replay: say which run, as prog.heddle/runs/last; see 'heddle replay --help'");
        return EXIT_USAGE;
    }
    if (o.at && (!o.gdb || !text_number(text_of(o.at), &stop))) {
        cmd_note("replay: --at wants the number of an event, and --gdb");
        return EXIT_USAGE;
    }
    return start_all(argv[0], &o, stop, &err);
}

const struct command cmd_replay = {
    .name = "replay",
    .help = "repeat a recorded run exactly",
    .table = &table,
    .run = run,
};

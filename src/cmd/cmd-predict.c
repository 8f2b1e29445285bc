/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-predict: `heddle predict`: what could other schedules of the events of a trace show? */
#include "cmd/cmd-predict.h"
#include "base/log.h"
#include "base/stop.h"
#include "cmd/cmd.h"
#include "check/check.h"
#include "cmd/options.h"
#include "cmd/symbolic-rows.h"
#include "run/run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct predict_opts {
    const char *file; /* borrowed */
    unsigned mode;    /* from 1; 0: as the trace allows */
    bool list;
    int only; /* of what is listed: place in listed_patterns, from 1; 0: all */
    bool json, stats;
    uint64_t jobs;           /* 0: one for each processor */
    const char *query;       /* borrowed; NULL: none */
    const char *witness_dir; /* borrowed; NULL: none are written */
    const char *part;        /* "2/4"; NULL: all of it */
    struct predict_part cut; /* that */
    bool join;
    uint64_t memory_mb; /* 0: by the machine */
    struct symbolic_words symbolic;
};

enum { JOBS_MAX = 256 };

static const char *const listed_patterns[] = {"race", "deadlock", "atomicity", NULL};

#define AT(field) .offset = offsetof(struct predict_opts, field)

static const struct option_row rows[] = {
    {.type = OPTION_TEXT, .name = "std", .value = "FILE", .help = "the same as FILE", AT(file)},
    {.type = OPTION_CHOICE,
     .name = "mode",
     .value = "MODE",
     .help = "sound, classic, sync or paper",
     .choices = (const char *const[]){"sound", "classic", "sync", "paper", NULL},
     AT(mode)},
    {.type = OPTION_FLAG,
     .name = "list",
     .help = "every feasible race, deadlock and atomicity violation",
     AT(list)},
    {.type = OPTION_CHOICE,
     .name = "only",
     .value = "PATTERN",
     .help = "of --list: race, deadlock or atomicity",
     .choices = listed_patterns,
     AT(only)},
    {.type = OPTION_TEXT,
     .name = "query",
     .value = "FILE",
     .help = "decide the queries in this file; - is standard input",
     AT(query)},
    {.type = OPTION_FLAG, .name = "json", .help = "the findings as JSON", AT(json)},
    {.type = OPTION_TEXT,
     .name = "witness-dir",
     .value = "DIR",
     .help = "write the witness of each finding to DIR/ID.witness",
     AT(witness_dir)},
    {.type = OPTION_COUNT,
     .name = "jobs",
     .value = "J",
     .help = "threads that work on it (one per processor)",
     AT(jobs)},
    {.type = OPTION_TEXT,
     .name = "part",
     .value = "K/N",
     .help = "only part K of N of the search, for --join",
     AT(part)},
    {.type = OPTION_FLAG,
     .name = "join",
     .help = "what the parts in these files found together",
     AT(join)},
    SYMBOLIC_ROWS(struct predict_opts, symbolic),
    MEMORY_ROW(struct predict_opts, memory_mb, "of a trace, what this holds"),
    {.type = OPTION_FLAG,
     .name = "stats",
     .help = "say on standard error what became of the candidates",
     AT(stats)},
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle predict",
    .usage =
        (const char *const[]){"FILE [--mode MODE] [--json] [--witness-dir DIR]",
                              "FILE [--mode MODE] (--list [--only PATTERN] | --query FILE)",
                              "FILE --part K/N [--witness-dir DIR]", "--join PART... [--json]",
                              NULL},
    .about =
        "Says which data races, deadlocks, lost wake-ups, atomicity and order violations,\n"
        "uses after free and the like other schedules of the events of one trace could\n"
        "show. FILE is a trace in any format; - is standard input. Every yes has a\n"
        "witness, an order of the events that an independent checker has executed.\n",
    .rows = rows,
    .more =
        "MODE says which orders count. sound: a branch needs what its thread read to be as\n"
        "recorded; the trace must have all its branches. classic: every read must be, but\n"
        "a thread's last. sync: data does not matter. paper: for comparison, not sound.\n"
        "Without it: sound if the trace has its branches, else classic.\n"
        "\n"
        "Queries are lines of event numbers: race E1 E2; weak E1 E2; dl K Q1..QK;\n"
        "av E1 E2 E3 PATTERN; ord K E1..EK BITS; next K N E1..EK; blocked K N E1..EK.\n"
        "Each is printed with 1 (it can happen), 0 (it cannot) or ? (undecided) behind\n"
        "it. What stands behind \" : \" on a line is ignored.\n"
        "\n"
        "What is found, and how it is told, does not depend on --jobs. A long search can be\n"
        "done in N parts, on as many machines: --part prints one, and --join tells from all\n"
        "of them what the whole search finds, but for what needs values. Every part reads\n"
        "the whole trace.\n"
        "\n"
        "Exit code: 0, 2 if the command line makes no sense, 4 if something cannot be\n"
        "read or written. An interrupt ends it early: what was found until then is told,\n"
        "and the code is 128 and the signal's number.\n",
    .examples =
        (const struct option_example[]){
            {"heddle predict prog.heddle/runs/last/trace", "what else could have happened"},
            {"heddle predict trace --list", "all of it, by event numbers"},
            {"heddle predict --std avrora.std --mode classic --query questions",
             "ask about some events"},
            {NULL, NULL},
        },
};

/* ---- --list ---------------------------------------------------------------------------- */

/* There may be millions of them. */
struct listed {
    const char *shape;
    uint32_t at; /* of its event numbers, in the list's */
    uint8_t kind, count;
};

struct list {
    VEC(struct listed) all;
    VEC(uint32_t) numbers;
};

static int listed_order(const void *left, const void *right, void *arg)
{
    const struct listed *a = left, *b = right;
    const uint32_t *numbers = arg, *x = numbers + a->at, *y = numbers + b->at;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    for (uint32_t i = 0; i < a->count && i < b->count; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return (a->count > b->count) - (a->count < b->count);
}

static void keep_feasible(void *arg, const struct predicted *found, enum answer answer)
{
    struct list *list = arg;
    const struct query *q = &found->query;
    if (answer != ANSWER_YES)
        return;
    vec_push(&list->all, (struct listed){found->shape, list->numbers.len, (uint8_t)q->kind,
                                         (uint8_t)q->count});
    for (uint32_t i = 0; i < q->count; i++)
        vec_push(&list->numbers, (uint32_t)q->number[i]);
}

static void add_line(struct str *out, const struct listed *x, const uint32_t *numbers)
{
    static const char *const names[] = {"race", "dl", "av"};
    str_add(out, "%s", names[x->kind]);
    if (x->kind == QUERY_DEADLOCK)
        str_add(out, " %u", x->count);
    for (uint32_t i = 0; i < x->count; i++)
        str_add(out, " %u", numbers[x->at + i]);
    if (x->shape)
        str_add(out, " %s", x->shape);
    str_char(out, '\n');
}

/* All feasible ones, sorted, each once. */
static void list_all(struct predictor *p, enum pattern_id only, struct str *out)
{
    struct list list = {0};
    predict_list(p, only, keep_feasible, &list);
    if (list.all.len > 0)
        qsort_r(list.all.at, list.all.len, sizeof *list.all.at, listed_order, list.numbers.at);
    for (uint32_t i = 0; i < list.all.len; i++)
        if (i == 0 || listed_order(&list.all.at[i - 1], &list.all.at[i], list.numbers.at) != 0)
            add_line(out, &list.all.at[i], list.numbers.at);
    vec_done(&list.all);
    vec_done(&list.numbers);
}

/* ---- --query --------------------------------------------------------------------------- */

static struct text line_of(struct text *rest)
{
    const char *end = memchr(rest->at, '\n', rest->len);
    struct text line = {rest->at, end ? (uint32_t)(end - rest->at) : rest->len};
    rest->at += line.len + (end != NULL);
    rest->len -= line.len + (end != NULL);
    return line;
}

/* Without the truth that may stand behind it, and without blanks at the end. */
static struct text query_text(struct text line)
{
    for (uint32_t i = 0; i + 2 < line.len; i++)
        if (memcmp(line.at + i, " : ", 3) == 0)
            line.len = i;
    while (line.len > 0 && strchr(" \t\r", line.at[line.len - 1]))
        line.len--;
    return line;
}

static bool is_query(struct text line)
{
    return line.len > 0 && line.at[0] != '#' &&
           !(line.len > 6 && memcmp(line.at, "trace ", 6) == 0);
}

struct questions {
    VEC(struct query) queries;
    VEC(struct text) lines; /* as they stand in the file */
};

static int parse_all(struct text rest, const char *path, struct questions *out, struct err *err)
{
    for (unsigned number = 1; rest.len > 0; number++) {
        struct text line = query_text(line_of(&rest));
        struct query q;
        if (!is_query(line))
            continue;
        if (query_parse(&q, line, err) < 0)
            return err_in(err, "%s:%u", path, number);
        vec_push(&out->queries, q);
        vec_push(&out->lines, line);
    }
    return 0;
}

static int answer_all(struct predictor *p, const char *path, struct str *out, struct err *err)
{
    AUTO(bytes) struct bytes in = {0};
    if (bytes_read(&in, path, err) < 0)
        return -1;
    if (in.len > UINT32_MAX)
        return err_set(err, "%s: too long", path);
    struct questions all = {0};
    int failed =
        parse_all((struct text){(const char *)in.at, (uint32_t)in.len}, path, &all, err);
    if (!failed) {
        enum answer *answers = mem_get((all.queries.len + 1) * sizeof *answers);
        predict_all(p, all.queries.at, all.queries.len, answers);
        for (uint32_t i = 0; i < all.lines.len; i++)
            str_add(out, "%.*s %c\n", TEXT_ARG(all.lines.at[i]), "01?"[answers[i]]);
        free(answers);
    }
    vec_done(&all.queries);
    vec_done(&all.lines);
    return failed;
}

/* ---- the command ----------------------------------------------------------------------- */

static enum mode mode_of(const struct predict_opts *opts, const struct trace *t)
{
    if (opts->mode)
        return (enum mode)(opts->mode - 1);
    bool branches = t->head.flags & TRACE_BRANCHES;
    cmd_note("mode %s: the trace %s", branches ? "sound" : "classic",
             branches ? "has all its branches" : "does not promise to have all its branches");
    return branches ? MODE_SOUND : MODE_CLASSIC;
}

static void warn(const struct predict_opts *opts, struct predictor *p)
{
    if (*predict_unmodelled(p))
        cmd_note("every answer is unknown: not modelled in this trace: %s",
                 predict_unmodelled(p));
    if (*predict_broken(p))
        cmd_note("%s is not the trace of an execution, nothing can be excluded: %s", opts->file,
                 predict_broken(p));
}

/* DIR/ID.witness for each finding, and its name in what is told. */
static int save_witnesses(const struct predict_opts *opts, struct trace *t, struct predictor *p,
                          struct findings *f, struct err *err)
{
    AUTO(witness_writer) struct witness_writer *w = witness_writer_new(t, err);
    if (!w)
        return -1;
    if (mkdir(opts->witness_dir, 0777) < 0 && errno != EEXIST)
        return err_sys(err, "%s", opts->witness_dir);
    char *const *argv = witness_program(&f->list.mem, opts->file);
    uint32_t count = 0; /* as many as a stop leaves time for */
    for (; count < f->predicted.len; count++) {
        AUTO(witness) struct witness one = {0};
        const struct predicted *x = &f->predicted.at[count];
        if (predict(p, &x->query, &one) != ANSWER_YES) {
            CHECK(stop_came());
            break;
        }
        witness_writer_add(w, &one, pattern_text(x->pattern->id), argv);
    }
    if (witness_writer_finish(w, err) < 0)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        AUTO(str) struct str path = {0};
        str_add(&path, "%s/%s.witness", opts->witness_dir, f->list.findings.at[i].id);
        if (witness_writer_save(w, i, path.at, err) < 0)
            return -1;
        f->list.findings.at[i].witness = arena_text(&f->list.mem, path.at, path.len);
    }
    return 0;
}

/* ---- parts ------------------------------------------------------------------------------ */

/* "2/4". */
static int parse_part(const char *word, struct predict_part *out, struct err *err)
{
    const char *slash = strchr(word, '/');
    uint64_t number = 0, of = 0;
    if (!slash || !text_number((struct text){word, (uint32_t)(slash - word)}, &number) ||
        !text_number(text_of(slash + 1), &of) || number == 0 || number > of ||
        of > PREDICT_PARTS_MAX)
        return err_set(err, "--part %s: say K/N, with K from 1 to N, and N at most %d", word,
                       PREDICT_PARTS_MAX);
    *out = (struct predict_part){(uint32_t)number, (uint32_t)of};
    return 0;
}

/* How often the finding's id stands before it. */
static uint32_t alike_before(struct map *seen, const struct finding *f)
{
    uint32_t *count = map_at(seen, hash_bytes(f->id, strlen(f->id)));
    *count = *count == NONE ? 0 : *count + 1;
    return *count;
}

/* Which yes the whole search would tell of is not known in a search that is cut: as a rule it
 * is a part's first one, and some others are in case that tries of other parts come first. */
static int save_part_witnesses(const struct predict_opts *opts, struct trace *t,
                               struct predictor *p, struct search_part *s, struct err *err)
{
    enum { ALIKE_MAX = 8 };
    AUTO(witness_writer) struct witness_writer *w = witness_writer_new(t, err);
    if (!w || (mkdir(opts->witness_dir, 0777) < 0 && errno != EEXIST))
        return w ? err_sys(err, "%s", opts->witness_dir) : -1;
    char *const *argv = witness_program(&s->list.mem, opts->file);
    struct map seen = {0};
    VEC(uint32_t) which = {0};
    for (uint32_t i = 0; i < s->predicted.len && !stop_came(); i++) {
        AUTO(witness) struct witness one = {0};
        const struct predicted *x = &s->predicted.at[i];
        if (alike_before(&seen, &s->list.findings.at[i]) >= (x->at.key ? ALIKE_MAX : 1) ||
            predict(p, &x->query, &one) != ANSWER_YES)
            continue;
        witness_writer_add(w, &one, pattern_text(x->pattern->id), argv);
        vec_push(&which, i);
    }
    int result = witness_writer_finish(w, err);
    for (uint32_t i = 0; result == 0 && i < which.len; i++) {
        AUTO(str) struct str path = {0};
        struct finding *f = &s->list.findings.at[which.at[i]];
        str_add(&path, "%s/%s-%u-%u.witness", opts->witness_dir, f->id, s->part.number,
                which.at[i]);
        result = witness_writer_save(w, i, path.at, err);
        f->witness = arena_text(&s->list.mem, path.at, path.len);
    }
    map_done(&seen);
    vec_done(&which);
    return result;
}

static int find_part(const struct predict_opts *opts, struct trace *t, struct predictor *p,
                     struct str *out, struct err *err)
{
    AUTO(search_part) struct search_part s = {0};
    predict_only_part(p, opts->cut);
    predict_rows(p, &s);
    progress_end();
    if (stop_came() || run_signal())
        return err_set(err, "stopped: a part of a search is of use only if it is whole");
    if (opts->witness_dir && save_part_witnesses(opts, t, p, &s, err) < 0)
        return -1;
    search_part_print(&s, out);
    return 0;
}

/* The run that a trace belongs to: its directory has a command. */
static bool find_run(const char *trace, struct str *out)
{
    AUTO(str) struct str command = {0};
    const char *slash = strrchr(trace, '/');
    str_add(out, "%.*s", slash ? (int)(slash - trace) : 1, slash ? trace : ".");
    str_add(&command, "%s/command", out->at);
    return access(command.at, R_OK) == 0;
}

/* What needs values. A trace without a run is left alone unless that was asked for. */
static int reason_about_values(const struct predict_opts *opts, struct findings *f,
                               struct err *err)
{
    AUTO(str) struct str run = {0};
    bool has_run = find_run(opts->file, &run),
         always = opts->symbolic.when == SYMBOLIC_ALWAYS + 1;
    if (!has_run && always)
        cmd_note(
            "values are not looked at: %s is not in the directory of a run, with the command "
            "that made it",
            opts->file);
    if (!has_run || (!always && opts->mode != 0))
        return 0;
    uint32_t unseen = f->list.unseen.len;
    struct symbolic_stat stat = {0};
    struct stage_symbolic stage = {.run = run.at,
                                   .witness_dir = opts->witness_dir,
                                   .words = &opts->symbolic,
                                   .stat = opts->stats ? &stat : NULL};
    if (stage_symbolic(&f->list, &stage, err) < 0)
        return -1;
    if (stat.nodes > 0)
        print_symbolic(&stat);
    for (; unseen < f->list.unseen.len; unseen++)
        cmd_note("not looked at: %s", f->list.unseen.at[unseen]);
    return 0;
}

static int find(const struct predict_opts *opts, struct trace *t, struct predictor *p,
                struct str *out, struct err *err)
{
    AUTO(findings) struct findings found = {0};
    predict_findings(p, &found);
    progress_end();
    predict_stop_when(p, NULL); /* the witnesses of what was found */
    if (opts->witness_dir && save_witnesses(opts, t, p, &found, err) < 0)
        return -1;
    if (reason_about_values(opts, &found, err) < 0)
        return -1;
    finding_list_stop(&found.list);
    if (opts->json)
        finding_list_print(&found.list, out);
    else
        print_findings(&found, out);
    if (opts->stats) {
        AUTO(str) struct str funnel = {0};
        print_funnel(&found.list, false, &funnel);
        fputs(funnel.at, stderr);
    }
    return 0;
}

static void warn_after(const struct predictor *p)
{
    struct predict_stat s = predict_stat(p);
    if (s.cut_short > 0)
        cmd_note("deadlocks: too many nestings of locks, longer cycles were not all looked at");
    if (s.refused > 0)
        cmd_note("internal error, %llu witnesses were refused, the last: %s",
                 (unsigned long long)s.refused, predict_refusal(p));
}

static void watch(uint32_t done, uint32_t all)
{
    progress_of(done, all, "patterns");
}

/* Before it begins: it may take long. */
static void note_plan(const struct memory_plan *plan, const struct model_opts *model)
{
    if (model->files)
        cmd_note(
            "the trace is too long for %llu MB of memory (--memory): up to %llu MB go into "
            "files in %s",
            (unsigned long long)plan->megabytes, (unsigned long long)plan->files_mb,
            plan->directory.at);
    else if (plan->files_mb > 0)
        cmd_note(
            "the trace is too long for %llu MB of memory (--memory), and %s has no room for "
            "files of %llu MB (%llu are free): only its first part is looked at",
            (unsigned long long)plan->megabytes, plan->directory.at,
            (unsigned long long)plan->files_mb, (unsigned long long)plan->room_mb);
}

static int predict_trace(const struct predict_opts *opts, struct str *out, struct err *err)
{
    AUTO(trace) struct trace t = {0};
    if (trace_open(&t, opts->file, err) < 0)
        return -1;
    enum mode mode = mode_of(opts, &t);
    AUTO(memory_plan) struct memory_plan plan = {0};
    struct model_opts all = {.keep_all = opts->list || opts->query};
    memory_bound(&plan, &t, opts->file, opts->memory_mb, &all);
    note_plan(&plan, &all);
    progress_begin("reading");
    AUTO(model) struct model *m = model_build(&t, &all, err);
    if (!m)
        return err_in(err, "%s", opts->file);
    AUTO(predictor) struct predictor *p = predictor_new(m, mode, err);
    if (!p)
        return err_in(err, "%s", opts->file);
    predict_jobs(p, (uint32_t)opts->jobs);
    predict_stop_when(p, run_signal);
    predict_watch(p, watch);
    progress_begin("predicting");
    if (opts->query && answer_all(p, opts->query, out, err) < 0)
        return -1;
    if (opts->part)
        return find_part(opts, &t, p, out, err);
    if (opts->list)
        list_all(p, opts->only ? pattern_find(listed_patterns[opts->only - 1]) : PATTERN_COUNT,
                 out);
    else if (!opts->query && find(opts, &t, p, out, err) < 0)
        return -1;
    progress_end();
    warn(opts, p);
    if (opts->stats) {
        AUTO(str) struct str stats = {0};
        print_stats(p, &stats);
        fputs(stats.at, stderr);
    }
    warn_after(p);
    if (memory_has_cut(&t, m->trace_events)) {
        AUTO(str) struct str text = {0};
        memory_say(&text, &t, &plan, m->thread_count);
        cmd_note("not looked at: %s", text.at);
    }
    return 0;
}

static int read_part(struct search_part *out, const char *path, struct err *err)
{
    AUTO(bytes) struct bytes b = {0};
    if (bytes_read(&b, path, err) < 0)
        return -1;
    if (b.len > UINT32_MAX)
        return err_set(err, "%s: too long", path);
    struct text text = {(const char *)b.at, (uint32_t)b.len};
    return search_part_parse(out, text, err) < 0 ? err_in(err, "%s", path) : 0;
}

static int join(const struct predict_opts *opts, char **paths, uint32_t count, struct str *out,
                struct err *err)
{
    AUTO(findings) struct findings found = {0};
    struct search_part *parts = mem_zeroed(count + 1, sizeof *parts);
    int result = 0;
    for (uint32_t i = 0; result == 0 && i < count; i++)
        result = read_part(&parts[i], paths[i], err);
    if (result == 0)
        result = predict_join(parts, count, &found, err);
    if (result == 0 && opts->json)
        finding_list_print(&found.list, out);
    else if (result == 0)
        print_findings(&found, out);
    for (uint32_t i = 0; i < count; i++)
        search_part_done(&parts[i]);
    free(parts);
    return result;
}

static int check_part(struct predict_opts *opts, struct err *err)
{
    if (!opts->part)
        return 0;
    if (opts->list || opts->json || opts->query)
        return err_set(err, "--part goes with none of --json, --list and --query");
    return parse_part(opts->part, &opts->cut, err);
}

static int check_words(struct predict_opts *opts, int count, char **words, struct err *err)
{
    if (opts->join)
        return count == 0 || opts->file || opts->part || opts->list || opts->query
                   ? err_set(err, "--join goes with the files of parts and --json alone")
                   : 0;
    if (count + (opts->file != NULL) == 0)
        return err_set(err, "which trace? say FILE, or - for standard input; see '%s --help'",
                       table.command);
    if (count + (opts->file != NULL) > 1)
        return err_set(err,
                       "one trace at a time: '%s' is one argument too many; see '%s --help'",
                       words[count - 1], table.command);
    if (opts->only && !opts->list)
        return err_set(err, "--only goes with --list");
    if (opts->list + opts->json + (opts->query != NULL) > 1)
        return err_set(err, "only one of --json, --list and --query; see '%s --help'",
                       table.command);
    if (opts->witness_dir && (opts->list || opts->query))
        return err_set(err, "--witness-dir goes with findings, not with --list or --query");
    if (opts->jobs > JOBS_MAX)
        return err_set(err, "--jobs %llu is too much: at most %d",
                       (unsigned long long)opts->jobs, JOBS_MAX);
    if (count == 1)
        opts->file = words[0];
    if (check_part(opts, err) < 0)
        return -1;
    return memory_check(opts->memory_mb, MEMORY_LEAST_MB, err);
}

static int run(int argc, char **argv)
{
    struct predict_opts opts = {0};
    struct err err;
    int count;
    AUTO(str) struct str out = {0};
    int state = options_parse(&table, 0, &opts, argc, argv, &count, &err);
    if (state == OPTIONS_WANT_HELP)
        return cmd_help(&table);
    if (state < 0 || check_words(&opts, count, argv, &err) < 0)
        return cmd_fail(EXIT_USAGE, &err);
    str_add(&out, "%s", "");
    run_catch_signals();
    int failed = opts.join ? join(&opts, argv, (uint32_t)count, &out, &err)
                           : predict_trace(&opts, &out, &err);
    progress_end();
    if (failed)
        return cmd_fail(EXIT_WORLD, &err);
    int code = cmd_print(&out);
    return cmd_stopped(code);
}

const struct command cmd_predict = {
    .name = "predict",
    .help = "say what other schedules of a recorded run could show",
    .table = &table,
    .run = run,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-why-not: `heddle why-not FILE:LINE FILE:LINE`: why the last recorded run gives no reason
 * to report these two lines. */
#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/results.h"
#include "check/check.h"
#include "explain/explain.h"
#include "run/run.h"

#include <string.h>
#include <sys/stat.h>

enum { VALUES_MAX = 8 }; /* pairs of events whose values are reasoned about */

struct why_cmd_opts {
    const char *dir;
    bool json;
    unsigned symbolic; /* from 1, enum symbolic_when; 0: auto */
};

static const struct option_row rows[] = {
    DIR_ROW(struct why_cmd_opts),
    {.type = OPTION_FLAG,
     .name = "json",
     .help = "for programs",
     .offset = offsetof(struct why_cmd_opts, json)},
    {.type = OPTION_CHOICE,
     .name = "symbolic",
     .value = "WHEN",
     .help = "reason about values: auto, off or always",
     .choices = (const char *const[]){"auto", "off", "always", NULL},
     .offset = offsetof(struct why_cmd_opts, symbolic)},
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle why-not",
    .usage = (const char *const[]){"[options] FILE:LINE FILE:LINE", NULL},
    .about =
        "Says why accesses at two lines of the source are not reported as a race, from the\n"
        "last recorded run: which lock both hold, what orders them, or that the run did\n"
        "not come there. FILE may be the end of a path. Where values decide it, the run is\n"
        "replayed in full and the reason is the conditions that exclude it.\n",
    .rows = rows,
    .more = "Exit code: 0 if there is a reason; 1 if another schedule can show both at once;\n"
            "2 usage; 3 if it could not be decided; 4 if there is no run that can be read.\n",
    .examples =
        (const struct option_example[]){
            {"heddle why-not bank.c:30 bank.c:41", "what keeps these two apart"},
            {NULL, NULL},
        },
};

/* Where the run lies, and the program that it was of. */
struct subject {
    struct str trace, home;
    struct run_program program;
    bool has_sites, in_two_passes;
    bool wants_values; /* values decide about some pair */
    struct values_window *window;
    uint32_t asked; /* pairs whose values were reasoned about */
};

/* ---- the program ----------------------------------------------------------------------- */

/* The last n components of a path go. */
static void cut_path(struct str *path, unsigned n)
{
    for (; n > 0; n--) {
        const char *slash = memrchr(path->at, '/', path->len);
        path->len = slash ? (size_t)(slash - path->at) : 0;
        path->at[path->len] = 0;
    }
}

/* The program is asked only if it is still the one that was run. */
static void read_program(struct subject *s)
{
    struct run_recorded run;
    struct err ignored;
    AUTO(str) struct str path = {0}, build = {0};
    str_bytes(&path, s->trace.at, s->trace.len);
    cut_path(&path, 1);
    if (run_recorded_read(&run, path.at, &ignored) < 0)
        return;
    path.len = 0;
    const char *program = run.argv.at[0];
    bool relative = program[0] != '/' && strchr(program, '/') && run.directory;
    str_add(&path, "%s%s%s", relative ? run.directory : "", relative ? "/" : "", program);
    run_build(&build, path.at);
    s->in_two_passes = run.shared.len > 0;
    if (run.build && build.len > 0 && strcmp(run.build, build.at) == 0)
        s->has_sites = run_program_read(&s->program, path.at, &ignored) == 0;
    run_recorded_done(&run);
}

static int open_subject(struct subject *s, const char *dir, struct err *err)
{
    if (results_find(&s->trace, dir, "runs/last/trace", err) < 0)
        return -1;
    str_bytes(&s->home, s->trace.at, s->trace.len);
    cut_path(&s->home, 3);
    read_program(s);
    return 0;
}

static void close_subject(struct subject *s)
{
    str_done(&s->trace);
    str_done(&s->home);
    run_program_done(&s->program);
}

static bool is_file(const char *path, const char *name)
{
    size_t all = strlen(path), len = strlen(name);
    return all >= len && strcmp(path + all - len, name) == 0 &&
           (all == len || path[all - len - 1] == '/');
}

/* What the program's table of sites says about a place that the run has no access at. */
static enum why ask_program(void *arg, const struct why_place *p, struct str *out)
{
    const struct subject *s = arg;
    bool has_file = false, has_line = false;
    uint32_t nearest = 0;
    str_add(out, "%s:%u: ", p->file, p->line);
    for (uint32_t i = 0; i < s->program.sites.len; i++) {
        const struct run_site *x = &s->program.sites.at[i];
        if (!is_file(x->file, p->file) || x->is_private || x->line == 0)
            continue;
        has_file = true;
        has_line |= x->line == p->line;
        uint32_t old = nearest > p->line ? nearest - p->line : p->line - nearest;
        uint32_t now = x->line > p->line ? x->line - p->line : p->line - x->line;
        nearest = nearest == 0 || now < old ? x->line : nearest;
    }
    if (!s->has_sites) {
        str_add(out, "the run has no access there; the program has changed since, or is gone");
        return WHY_NOT_EXECUTED;
    }
    if (has_line) {
        str_add(out, s->in_two_passes ? "the run did not come there, or met only memory that "
                                        "one thread used"
                                      : "the run did not come there");
        return WHY_NOT_EXECUTED;
    }
    if (has_file)
        str_add(out,
                "nothing there can touch memory that threads share; the nearest line that "
                "can is %u",
                nearest);
    else
        str_add(out, "nothing of this file was instrumented in the program; is it built with "
                     "heddle cc, and of this name?");
    return WHY_NOT_INSTRUMENTED;
}

/* ---- values ---------------------------------------------------------------------------- */

/* Only notes that it was asked. */
static bool note_values(void *arg, const struct model *m, ev_id a, ev_id b, enum why *why,
                        struct str *sentence)
{
    struct subject *s = arg;
    (void)m, (void)a, (void)b, (void)why, (void)sentence;
    s->wants_values = true;
    return false;
}

static bool ask_values(void *arg, const struct model *m, ev_id a, ev_id b, enum why *why,
                       struct str *sentence)
{
    struct subject *s = arg;
    const struct problem *p = &s->window->problem;
    AUTO(str) struct str reason = {0};
    struct symbolic_opts opts = {.work = 1000 * SYMBOLIC_BUDGET_MS,
                                 .clauses_max = SYMBOLIC_CLAUSES_MAX};
    struct goal g = {
        .kind = GOAL_RACE,
        .count = 2,
        .node = {problem_find(p, model_number(m, a)), problem_find(p, model_number(m, b))},
        .also = NONE};
    if (g.node[0] == NONE || g.node[1] == NONE || s->asked++ >= VALUES_MAX)
        return false;
    enum verdict_sat answer = symbolic_why(p, s->window->model, &g, &opts, &reason);
    if (answer == SAT_UNKNOWN)
        return false;
    sentence->len = 0;
    if (answer == SAT_YES) {
        *why = WHY_POSSIBLE;
        str_add(sentence, "another schedule shows both at once, with other values on the way");
        return true;
    }
    *why = *why == WHY_UNDECIDED ? WHY_EXCLUDED : *why;
    str_add(sentence, "values exclude it: %s", reason.at);
    return true;
}

/* Once more over a window of the run, if values decide: the events there are others. */
static int explain_values(struct subject *s, const struct why_opts *o, bool always,
                          struct why_not *w, struct err *err)
{
    AUTO(str) struct str run = {0}, trace = {0};
    AUTO(values_window) struct values_window window = {0};
    AUTO(why_not) struct why_not other = {0};
    struct err why;
    str_bytes(&run, s->trace.at, s->trace.len);
    cut_path(&run, 1);
    struct values_opts opts = {.run = run.at, .events_max = always ? 0 : SYMBOLIC_EVENTS_MAX};
    if (values_open(&window, &opts, &why) < 0) {
        cmd_note("values are not looked at: %s", why.text);
        return 0;
    }
    s->window = &window;
    str_add(&trace, "%s/trace", window.again.files.at);
    struct why_opts deeper = *o;
    deeper.trace = trace.at;
    deeper.deeper = ask_values;
    int result = explain_why_not(&other, &deeper, err);
    s->window = NULL;
    if (result == 0) {
        struct why_not old = *w;
        *w = other;
        other = old;
    }
    return result;
}

/* ---- findings that are known ----------------------------------------------------------- */

static bool is_at(const struct place *at, const struct why_place *p)
{
    return at->line == p->line && is_file(at->file, p->file);
}

static bool is_about(const struct finding *f, const struct why_place *p)
{
    const struct place *at = f->sites.at;
    return f->pattern == PATTERN_RACE && f->sites.len == 2 &&
           ((is_at(&at[0], &p[0]) && is_at(&at[1], &p[1])) ||
            (is_at(&at[0], &p[1]) && is_at(&at[1], &p[0])));
}

/* Findings that are older than the run may be of another program. */
static bool is_older(const char *path, const char *than)
{
    struct stat a, b;
    return stat(path, &a) < 0 || stat(than, &b) < 0 || a.st_mtim.tv_sec < b.st_mtim.tv_sec;
}

/* The finding about both places, if check has left one. */
static void add_finding(struct str *out, const struct subject *s, const struct why_opts *o)
{
    AUTO(finding_list) struct finding_list l = {0};
    AUTO(str) struct str path = {0};
    struct err ignored;
    str_add(&path, "%s/findings.json", s->home.at);
    if (is_older(path.at, s->trace.at) || finding_list_read(&l, path.at, &ignored) < 0)
        return;
    for (uint32_t i = 0; i < l.findings.len; i++)
        if (is_about(&l.findings.at[i], o->place)) {
            str_add(out, "%s", l.findings.at[i].id);
            return;
        }
}

/* ---- printing -------------------------------------------------------------------------- */

static void print_event(const struct why_event *e, struct str *out)
{
    AUTO(str) struct str place = {0};
    str_add(&place, "%s:%u", base_name(e->place.file), e->place.line);
    str_add(out, "    %-14s %-18s %s\n", e->thread, place.at, e->text);
}

static void print_text(const struct why_not *w, const struct why_opts *o, const char *finding,
                       struct str *out)
{
    enum why first = w->answers.at[0].why;
    str_add(out, "%s:%u and %s:%u ", o->place[0].file, o->place[0].line, o->place[1].file,
            o->place[1].line);
    if (*finding)
        str_add(out, "are reported, as %s (heddle show %s):\n", finding, finding);
    else if (first == WHY_POSSIBLE)
        str_add(out, "can race; heddle check follows it on the real program:\n");
    else if (first == WHY_UNDECIDED)
        str_add(out, "are not reported; it is not known whether they can race:\n");
    else
        str_add(out, "are not reported as a race:\n");
    if (first != WHY_POSSIBLE && *finding)
        str_add(out, "  another schedule shows both at once; of the last recorded run it is "
                     "true that\n");
    for (uint32_t i = 0; i < w->answers.len; i++) {
        const struct why_answer *a = &w->answers.at[i];
        str_add(out, "  %s", a->sentence);
        if (w->answers.len > 1 && a->pairs > 0)
            str_add(out, " (%llu of %llu pairs of events)", (unsigned long long)a->pairs,
                    (unsigned long long)w->looked);
        str_add(out, "\n");
        for (uint32_t k = 0; k < a->events.len; k++)
            print_event(&a->events.at[k], out);
    }
    if (w->looked < w->pairs)
        str_add(out,
                "  looked at %llu of %llu pairs of events; the others are of the same "
                "threads and locks\n",
                (unsigned long long)w->looked, (unsigned long long)w->pairs);
}

static void put_event(struct json *j, const struct why_event *e)
{
    json_open(j, '{');
    json_put_text(j, "thread", e->thread);
    json_put_text(j, "file", e->place.file);
    json_put_u64(j, "line", e->place.line);
    json_put_text(j, "function", e->place.function);
    json_put_text(j, "text", e->text);
    json_close(j, '}');
}

static void print_json(const struct why_not *w, const char *trace, const char *finding,
                       struct str *out)
{
    struct json j = {.out = out};
    json_open(&j, '{');
    json_put_u64(&j, "version", 1);
    json_put_text(&j, "trace", trace);
    json_put_text(&j, "finding", finding);
    json_put_u64(&j, "pairs", w->pairs);
    json_put_u64(&j, "looked", w->looked);
    json_put_open(&j, "answers", '[');
    for (uint32_t i = 0; i < w->answers.len; i++) {
        const struct why_answer *a = &w->answers.at[i];
        json_open(&j, '{');
        json_put_text(&j, "reason", why_text(a->why));
        json_put_text(&j, "message", a->sentence);
        json_put_u64(&j, "pairs", a->pairs);
        json_put_open(&j, "events", '[');
        for (uint32_t k = 0; k < a->events.len; k++)
            put_event(&j, &a->events.at[k]);
        json_close(&j, ']');
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    str_char(out, '\n');
}

/* ---- the command ----------------------------------------------------------------------- */

/* "bank.c:30"; what stands behind a second colon is a column, and does not matter. */
static bool parse_place(struct why_place *out, char *word)
{
    uint64_t number[2];
    char *colon = strrchr(word, ':');
    if (!colon || !text_number(text_of(colon + 1), &number[0]))
        return false;
    *colon = 0;
    char *before = strrchr(word, ':');
    if (before && text_number(text_of(before + 1), &number[1])) {
        *before = 0;
        number[0] = number[1];
    }
    *out = (struct why_place){word, (uint32_t)number[0]};
    return *word && number[0] > 0 && number[0] < UINT32_MAX;
}

static int explain(struct subject *s, const struct why_opts *o, const struct why_cmd_opts *opts)
{
    AUTO(why_not) struct why_not w = {0};
    AUTO(str) struct str text = {0}, finding = {0};
    struct err err;
    if (explain_why_not(&w, o, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    if (s->wants_values && opts->symbolic != SYMBOLIC_OFF + 1 &&
        explain_values(s, o, opts->symbolic == SYMBOLIC_ALWAYS + 1, &w, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    enum why first = w.answers.at[0].why;
    str_add(&finding, "%s", "");
    add_finding(&finding, s, o);
    if (opts->json)
        print_json(&w, s->trace.at, finding.at, &text);
    else
        print_text(&w, o, finding.at, &text);
    int code = cmd_print(&text);
    if (code != EXIT_GOOD)
        return code;
    bool is_race = first == WHY_POSSIBLE || finding.len > 0;
    return is_race ? EXIT_BAD : first == WHY_UNDECIDED ? EXIT_UNDECIDED : EXIT_GOOD;
}

static int run(int argc, char **argv)
{
    struct why_cmd_opts opts = {0};
    struct subject s = {0};
    struct why_opts o = {.static_of = ask_program, .deeper = note_values, .arg = &s};
    struct err err;
    int words, done = cmd_parse(&table, &opts, argc, argv, &words);
    if (done != GO_ON)
        return done;
    for (int i = 0; words == 2 && i < 2; i++) {
        AUTO(str) struct str given = {0};
        str_add(&given, "%s", argv[i]);
        if (!parse_place(&o.place[i], argv[i])) {
            cmd_note("'%s' is no place in a source: say FILE:LINE", given.at);
            return EXIT_USAGE;
        }
    }
    if (words != 2) {
        cmd_note("say which two lines, like this: heddle why-not FILE:LINE FILE:LINE");
        return EXIT_USAGE;
    }
    if (open_subject(&s, opts.dir, &err) < 0) {
        close_subject(&s);
        return cmd_fail(EXIT_WORLD, &err);
    }
    o.trace = s.trace.at;
    int code = explain(&s, &o, &opts);
    close_subject(&s);
    return code;
}

const struct command cmd_why_not = {
    .name = "why-not", .help = "why two lines are not reported", .table = &table, .run = run};

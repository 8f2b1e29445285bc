/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-causes: `heddle causes`: which accesses, in which order, make a program fail. */
#include "base/log.h"
#include "cmd/cmd-fix.h"
#include "cmd/cmd.h"

#include <string.h>

enum { SHOWN = 5 };

struct causes_opts {
    struct seek_opts seek;
    bool all;
};

static const struct option_row rows[] = {
    SEEK_ROWS(struct causes_opts, "make at most N runs (400)"),
    WEAK_ROWS(struct causes_opts, seek.weak),
    {.type = OPTION_FLAG,
     .name = "all",
     .help = "show also what the interventions refuted",
     .offset = offsetof(struct causes_opts, all)},
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle causes",
    .usage = (const char *const[]){"[options] -- PROGRAM [ARGUMENT ...]", NULL},
    .about =
        "Makes a program fail and pass under many schedules, and says which accesses of\n"
        "two threads, in which order, make the difference. What looks suspicious is tried:\n"
        "taken out of schedules that failed, and put into schedules that passed.\n",
    .rows = rows,
    .more = "Columns: the number of the pattern in PFix's table 2 (Lin and others, 2018); the\n"
            "share of the runs with it that failed, and what that is at least, with 95 %\n"
            "confidence; without: failing schedules that no longer failed without it; with:\n"
            "passing ones that failed with it.\n"
            "\n"
            "Exit code: 1 if a cause was found, 3 if no run failed, 2 usage, 4 if the program\n"
            "cannot be run.\n",
    .examples =
        (const struct option_example[]){
            {"heddle causes -- ./counter", "why does it fail now and then?"},
            {NULL, NULL},
        },
};

static const char *kind_of(const struct cause *c, char *room, size_t bytes)
{
    if (c->kind == CAUSE_DEADLOCK)
        return "deadlock";
    if (c->kind == CAUSE_WAKEUP)
        return "lost wake-up";
    snprintf(room, bytes, "pattern %u", c->pattern);
    return room;
}

static const char *thread_letter(uint32_t thread)
{
    static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    return letters[thread < 8 ? thread : 7];
}

/* ---- text ------------------------------------------------------------------------------- */

static void add_trials(struct str *out, const struct cause_trials *t)
{
    AUTO(str) struct str text = {0};
    if (t->tried == 0)
        str_add(&text, "-");
    else
        str_add(&text, "%u of %u", t->hit, t->tried);
    str_add(out, "  %-7s", text.at);
}

static void print_cause(struct str *out, const struct cause *c, uint32_t number)
{
    char room[32];
    str_add(out, "%3u. %-13s %4.2f  %4.2f  %4u %4u", number, kind_of(c, room, sizeof room),
            c->score, c->bound, c->fail, c->pass);
    add_trials(out, &c->flip);
    add_trials(out, &c->force);
    str_add(out, "  %s",
            cause_is_necessary(c) && cause_is_sufficient(c) ? "necessary and sufficient"
            : cause_is_necessary(c)                         ? "necessary"
            : cause_is_sufficient(c)                        ? "sufficient"
                                                            : "");
    while (out->at[out->len - 1] == ' ')
        out->len--;
    str_char(out, '\n');
    for (uint32_t i = 0; i < c->step_count; i++) {
        const struct cause_step *s = &c->steps[i];
        AUTO(str) struct str words = {0};
        name_words(&words, c->variables[s->variable]);
        str_add(out, "       %s %-6s %-28s ", thread_letter(s->thread),
                cause_action_text(s->action), words.at);
        add_site(out, &s->site);
        str_add(out, " in %s\n", s->site.function);
    }
}

static void print_failure(struct str *out, const struct causes *found, uint32_t failure,
                          bool all)
{
    const struct cause_failure *f = &found->failures.at[failure];
    uint32_t shown = 0, left = 0;
    str_add(out, "\n%s, %llu times: heddle replay %s\n", f->kind, (unsigned long long)f->count,
            f->run);
    for (uint32_t i = 0; i < found->causes.len; i++) {
        const struct cause *c = &found->causes.at[i];
        bool is_refuted = c->flip.tried + c->force.tried > 0 && c->flip.hit + c->force.hit == 0;
        if (c->failure != failure)
            continue;
        if (!all && (shown == SHOWN || is_refuted)) {
            left++;
            continue;
        }
        if (shown++ == 0)
            str_add(out, "     cause         share least  fail pass  without  with\n");
        print_cause(out, c, shown);
    }
    if (shown == 0)
        str_add(out, "     no cause was found%s\n",
                left ? ": nothing that was tried made a difference" : "");
    if (left)
        str_add(out, "     %u others: --all\n", left);
}

static void print_text(struct str *out, const struct causes *found, bool all)
{
    str_add(out, "%llu of %llu runs failed, %llu more to find out why\n",
            (unsigned long long)found->failed, (unsigned long long)found->runs,
            (unsigned long long)found->tries);
    for (uint32_t i = 0; i < found->failures.len; i++)
        print_failure(out, found, i, all);
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void json_trials(struct json *j, const char *key, const struct cause_trials *t)
{
    json_put_open(j, key, '{');
    json_put_u64(j, "tried", t->tried);
    json_put_u64(j, "hit", t->hit);
    if (t->tried == 0) {
        json_put_text(j, "why", t->why);
    }
    json_close(j, '}');
}

/* In thousandths, since our numbers are whole. */
static void json_share(struct json *j, const char *key, double value)
{
    json_put_u64(j, key, (uint64_t)(value * 1000 + 0.5));
}

static void json_step(struct json *j, const struct cause *c, const struct cause_step *s)
{
    json_open(j, '{');
    JSON_TEXTS(j, {"thread", thread_letter(s->thread)},
               {"action", cause_action_text(s->action)},
               {"variable", c->variables[s->variable]});
    json_site(j, &s->site);
    json_put_open(j, "stack", '[');
    for (uint32_t i = 0; i < s->stack.depth; i++)
        json_text(j, text_of(s->stack.frames[i].function));
    json_close(j, ']');
    json_close(j, '}');
}

static void json_cause(struct json *j, const struct cause *c)
{
    static const char *const kinds[] = {"pattern", "deadlock", "lost-wakeup"};
    json_open(j, '{');
    json_put_u64(j, "failure", c->failure);
    json_put_text(j, "kind", kinds[c->kind]);
    JSON_U64S(j, {"pattern", c->pattern}, {"fail", c->fail}, {"pass", c->pass});
    json_share(j, "score_permille", c->score);
    json_share(j, "bound_permille", c->bound);
    json_trials(j, "without", &c->flip);
    json_trials(j, "with", &c->force);
    json_put_bool(j, "necessary", cause_is_necessary(c));
    json_put_bool(j, "sufficient", cause_is_sufficient(c));
    json_put_open(j, "steps", '[');
    for (uint32_t i = 0; i < c->step_count; i++)
        json_step(j, c, &c->steps[i]);
    json_close(j, ']');
    json_close(j, '}');
}

static void json_failure(struct json *j, const struct cause_failure *f)
{
    json_open(j, '{');
    json_put_text(j, "outcome", f->kind);
    json_put_u64(j, "count", f->count);
    json_put_text(j, "run", f->run);
    json_close(j, '}');
}

static void print_json(struct str *out, const struct causes *found)
{
    struct json j = {.out = out};
    json_open(&j, '{');
    cmd_json_stopped(&j);
    JSON_U64S(&j, {"runs", found->runs}, {"failed", found->failed}, {"tries", found->tries});
    JSON_EACH(&j, "failures", &found->failures, json_failure);
    JSON_EACH(&j, "causes", &found->causes, json_cause);
    json_close(&j, '}');
    str_char(out, '\n');
}

/* ---- the command ------------------------------------------------------------------------ */

static int seek(const struct causes_opts *o, char **program)
{
    AUTO(str) struct str out = {0};
    struct causes found;
    struct seek_runs opts = seek_opts_of(&o->seek, program);
    struct err err;
    if (!run_is_ours(program[0]))
        return cmd_not_ours(program[0]);
    run_catch_signals();
    cmd_begins_before(program, o->seek.in_place);
    int failed = causes_find(&found, &opts, &err);
    progress_end();
    if (failed)
        return cmd_fail(EXIT_WORLD, &err);
    int code = found.failures.len ? EXIT_BAD : EXIT_UNDECIDED;
    if (o->seek.json)
        print_json(&out, &found);
    else if (found.failures.len)
        print_text(&out, &found, o->all);
    else
        str_add(&out, "none of %llu runs failed; try --runs, --oracle or --expect\n",
                (unsigned long long)found.runs);
    int printed = cmd_print(&out);
    causes_done(&found);
    return cmd_stopped(printed ? printed : code);
}

static int run(int argc, char **argv)
{
    struct causes_opts o = {0};
    int own, words;
    int done = seek_begin(&table, &o, &o.seek, argc, argv, &own, &words);
    if (done != GO_ON)
        return done;
    if (seek_opts_of(&o.seek, argv).run.weak != WEAK_OFF) {
        cmd_note(
            "causes: --weak: a stale read fails in whatever order the accesses come, so no "
            "order of them is its cause; `heddle check` tells which reads are stale, and "
            "what would forbid them, and `heddle fix --weak` mends that");
        return EXIT_USAGE;
    }
    if (words == 0 && own + 1 < argc)
        return seek(&o, argv + own + 1);
    cmd_note("causes: say `--` and then the program and its arguments; see 'heddle causes "
             "--help'");
    return EXIT_USAGE;
}

const struct command cmd_causes = {
    .name = "causes", .help = "which accesses make a program fail", .run = run};

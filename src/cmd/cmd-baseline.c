/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-baseline: `heddle baseline`: which findings a project has accepted. With `heddle check
 * --baseline FILE` only others fail. */
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/results.h"
#include "finding/finding.h"

#include <string.h>

#define BASELINE_FILE "heddle.baseline"

struct baseline_cmd_opts {
    const char *dir;
};

enum { VERB_SHOW = 1, VERB_UPDATE = 2, VERB_WRITE = 4 };

static const struct option_row rows[] = {
    DIR_ROW(struct baseline_cmd_opts),
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle baseline",
    .usage = (const char *const[]){"write [options] [FILE]", "update [options] [FILE]",
                                   "show [options] [FILE]", NULL},
    .about = "Keeps the findings that a project has accepted in FILE (" BASELINE_FILE "), one\n"
             "id a line: `write` accepts those of the last check, `update` adds its new ones\n"
             "and leaves out what it no longer found, `show` compares without changing\n"
             "anything. heddle check --baseline FILE shows, and fails for, others only.\n",
    .verbs = (const char *const[]){"show", "update", "write", NULL},
    .rows = rows,
    .more = "Exit code: 0; show: 1 if there are findings that are not accepted; 2 usage; 4 if\n"
            "a file cannot be read or written.\n",
    .examples =
        (const struct option_example[]){
            {"heddle baseline write", "accept what the last check found"},
            {"heddle baseline show", "what is new, and what is gone"},
            {NULL, NULL},
        },
};

static const struct finding *find_id(const struct finding_list *l, const char *id)
{
    for (uint32_t i = 0; i < l->findings.len; i++)
        if (strcmp(l->findings.at[i].id, id) == 0)
            return &l->findings.at[i];
    return NULL;
}

static int save(const struct finding_list *l, const char *path)
{
    AUTO(str) struct str text = {0};
    struct err err;
    str_add(&text, "# Accepted findings of %s; heddle baseline update renews this file.\n",
            l->program);
    for (uint32_t i = 0; i < l->findings.len; i++) {
        const struct finding *f = &l->findings.at[i];
        str_add(&text, "%s  ", f->id);
        add_clean(&text, text_of(f->message));
        str_char(&text, '\n');
    }
    return file_write(path, text.at, text.len, &err) < 0 ? cmd_fail(EXIT_WORLD, &err)
                                                         : EXIT_GOOD;
}

/* "new", "gone" and "known" lines; says how many findings are new. */
static uint32_t compare(const struct finding_list *l, const struct baseline *b, bool with_known,
                        struct str *out)
{
    uint32_t fresh = 0;
    for (uint32_t i = 0; i < l->findings.len; i++) {
        const struct finding *f = &l->findings.at[i];
        bool known = baseline_has(b, f->id);
        fresh += !known;
        if (!known || with_known)
            str_add(out, "%-6s %-28s %s\n", known ? "known" : "new", f->id, f->message);
    }
    for (uint32_t i = 0; i < b->ids.len; i++)
        if (!find_id(l, b->ids.at[i]))
            str_add(out, "%-6s %s\n", "gone", b->ids.at[i]);
    return fresh;
}

static int finish(struct str *out, int code)
{
    int printed = cmd_print(out);
    return printed == EXIT_GOOD ? code : printed;
}

static int run_verb(unsigned verb, const struct finding_list *l, const char *path)
{
    AUTO(baseline) struct baseline b = {0};
    AUTO(str) struct str out = {0};
    struct err err;
    bool is_new = verb == VERB_WRITE || (verb == VERB_UPDATE && access(path, F_OK) < 0);
    if (!is_new && baseline_read(&b, path, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    uint32_t fresh = compare(l, &b, verb == VERB_SHOW, &out);
    if (verb == VERB_SHOW)
        return finish(&out, fresh > 0 ? EXIT_BAD : EXIT_GOOD);
    int code = save(l, path);
    if (code != EXIT_GOOD)
        return code;
    if (verb == VERB_WRITE)
        out.len = 0;
    str_add(&out, "%s: %u findings\n", path, l->findings.len);
    return finish(&out, EXIT_GOOD);
}

static unsigned verb_of(const char *word)
{
    for (unsigned i = 0; word && table.verbs[i]; i++)
        if (strcmp(word, table.verbs[i]) == 0)
            return 1U << i;
    return 0;
}

static int run(int argc, char **argv)
{
    AUTO(finding_list) struct finding_list l = {0};
    AUTO(str) struct str path = {0};
    struct baseline_cmd_opts opts = {0};
    struct err err;
    unsigned verb = argc > 0 ? verb_of(argv[0]) : 0;
    int words, skip = verb ? 1 : 0;
    int state = options_parse(&table, verb, &opts, argc - skip, argv + skip, &words, &err);
    if (state < 0)
        return cmd_fail(EXIT_USAGE, &err);
    if (state == OPTIONS_WANT_HELP)
        return cmd_help(&table);
    if (!verb) {
        cmd_note("say what to do: heddle baseline write, update or show; see 'heddle baseline "
                 "--help'");
        return EXIT_USAGE;
    }
    if (words > 1)
        return cmd_too_much(argv[2], "heddle baseline");
    if (results_find(&path, opts.dir, "findings.json", &err) < 0 ||
        finding_list_read(&l, path.at, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    return run_verb(verb, &l, words > 0 ? argv[1] : BASELINE_FILE);
}

const struct command cmd_baseline = {
    .name = "baseline", .help = "findings that are accepted", .table = &table, .run = run};

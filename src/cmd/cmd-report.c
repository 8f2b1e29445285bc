/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-report: `heddle report`, `heddle list` and `heddle show`: findings that an earlier
 * `heddle check` left in PROGRAM.heddle/findings.json, once more. */
#include "cmd/cmd-report.h"

#include "cmd/cmd.h"
#include "cmd/results.h"

#include <string.h>
#include <sys/ioctl.h>

struct report_cmd_opts {
    struct format_opts format;
    const char *dir;
};

#define HELP_ROW {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"}

static const struct option_row report_rows[] = {
    FORMAT_ROWS(struct report_cmd_opts),
    DIR_ROW(struct report_cmd_opts),
    HELP_ROW,
    {.type = OPTION_END},
};

static const struct option_row list_rows[] = {
    {.type = OPTION_FLAG,
     .name = "all",
     .help = "also what did no harm or could not be confirmed",
     .offset = offsetof(struct report_cmd_opts, format.all)},
    DIR_ROW(struct report_cmd_opts),
    HELP_ROW,
    {.type = OPTION_END},
};

static const struct option_row show_rows[] = {
    DIR_ROW(struct report_cmd_opts), HELP_ROW, {.type = OPTION_END}};

static const struct option_table report_table = {
    .command = "heddle report",
    .usage = (const char *const[]){"[options]", NULL},
    .about = "Prints the findings of the last check again, in any format.\n",
    .rows = report_rows,
    .more = "Exit code: 1 if a confirmed bug is shown, else 0.\n",
    .examples =
        (const struct option_example[]){
            {"heddle report --html report.html", "a page to read and to send around"},
            {NULL, NULL},
        },
};

static const struct option_table list_table = {
    .command = "heddle list",
    .usage = (const char *const[]){"[options]", NULL},
    .about = "Prints one line for each finding of the last check.\n",
    .rows = list_rows,
    .examples =
        (const struct option_example[]){
            {"heddle list --all", "what there is, with the ids"},
            {NULL, NULL},
        },
};

static const struct option_table show_table = {
    .command = "heddle show",
    .usage = (const char *const[]){"[options] ID", NULL},
    .about = "Prints one finding of the last check; ID may be cut short.\n",
    .rows = show_rows,
    .examples =
        (const struct option_example[]){
            {"heddle show race", "the only finding whose id begins so"},
            {NULL, NULL},
        },
};

/* ---- which findings -------------------------------------------------------------------- */

static int load(struct finding_list *out, const char *dir, struct err *err)
{
    AUTO(str) struct str path = {0};
    if (results_find(&path, dir, "findings.json", err) < 0)
        return -1;
    return finding_list_read(out, path.at, err);
}

/* ---- printing -------------------------------------------------------------------------- */

static struct report_opts opts_for_stdout(bool all)
{
    struct report_opts o = {.all = all, .colour = isatty(STDOUT_FILENO)};
    struct winsize size;
    if (o.colour && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        o.width = size.ws_col;
    return o;
}

static int write_page(const struct finding_list *l, const struct report_opts *o,
                      const char *path)
{
    AUTO(str) struct str page = {0};
    struct err err;
    render_html.render(l, o, &page);
    if (file_write(path, page.at, page.len, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    return EXIT_GOOD;
}

int report_print(const struct finding_list *l, const struct format_opts *format)
{
    AUTO(str) struct str text = {0};
    struct report_opts o = opts_for_stdout(format->all);
    const struct renderer *r = format->json          ? &render_json
                               : format->sarif       ? &render_sarif
                               : format->junit       ? &render_junit
                               : format->codequality ? &render_codequality
                                                     : &render_text;
    if (format->html && write_page(l, &o, format->html) != EXIT_GOOD)
        return EXIT_WORLD;
    r->render(l, &o, &text);
    int code = cmd_print(&text);
    for (uint32_t i = 0; code == EXIT_GOOD && i < l->findings.len; i++)
        if (finding_is_shown(&l->findings.at[i]))
            code = EXIT_BAD;
    return code;
}

/* ---- the commands ---------------------------------------------------------------------- */

/* Parses, loads; returns an exit code if it is already over, else -1. */
static int begin(const struct option_table *table, struct report_cmd_opts *opts, int argc,
                 char **argv, int *words, struct finding_list *out)
{
    struct err err;
    int done = cmd_parse(table, opts, argc, argv, words);
    if (done != GO_ON)
        return done;
    if (load(out, opts->dir, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    return -1;
}

static int run_report(int argc, char **argv)
{
    AUTO(finding_list) struct finding_list l = {0};
    struct report_cmd_opts opts = {0};
    int words = 0, code = begin(&report_table, &opts, argc, argv, &words, &l);
    if (code >= 0)
        return code;
    return words > 0 ? cmd_too_much(argv[0], "heddle report") : report_print(&l, &opts.format);
}

static int run_list(int argc, char **argv)
{
    AUTO(finding_list) struct finding_list l = {0};
    AUTO(str) struct str out = {0};
    struct report_cmd_opts opts = {0};
    int words = 0, code = begin(&list_table, &opts, argc, argv, &words, &l);
    if (code >= 0)
        return code;
    if (words > 0)
        return cmd_too_much(argv[0], "heddle list");
    for (uint32_t i = 0; i < l.findings.len; i++) {
        const struct finding *f = &l.findings.at[i];
        if (opts.format.all || finding_is_shown(f))
            str_add(&out, "%-28s %-9s %-9s %s\n", f->id,
                    f->is_confirmed ? "confirmed" : "predicted", harm_text(f->harm),
                    f->message);
    }
    return cmd_print(&out);
}

/* The finding whose id begins so; NULL if there is none, or more than one. */
static const struct finding *find_id(const struct finding_list *l, const char *id)
{
    const struct finding *found = NULL;
    for (uint32_t i = 0; i < l->findings.len; i++) {
        if (strncmp(l->findings.at[i].id, id, strlen(id)) != 0)
            continue;
        if (strcmp(l->findings.at[i].id, id) == 0)
            return &l->findings.at[i];
        if (found)
            return NULL;
        found = &l->findings.at[i];
    }
    return found;
}

static int run_show(int argc, char **argv)
{
    AUTO(finding_list) struct finding_list l = {0};
    AUTO(str) struct str out = {0};
    struct report_cmd_opts opts = {0};
    int words = 0, code = begin(&show_table, &opts, argc, argv, &words, &l);
    if (code >= 0)
        return code;
    if (words != 1) {
        cmd_note("say which finding, like this: heddle show ID; heddle list has the ids");
        return EXIT_USAGE;
    }
    const struct finding *f = find_id(&l, argv[0]);
    if (!f) {
        cmd_note("'%s' names no finding, or several; heddle list --all has the ids", argv[0]);
        return EXIT_USAGE;
    }
    struct report_opts o = opts_for_stdout(true);
    report_finding(f, &o, &out);
    return cmd_print(&out);
}

const struct command cmd_report = {.name = "report",
                                   .help = "print the findings of the last check",
                                   .table = &report_table,
                                   .run = run_report};
const struct command cmd_list = {.name = "list",
                                 .help = "one line for each finding of the last check",
                                 .table = &list_table,
                                 .run = run_list};
const struct command cmd_show = {.name = "show",
                                 .help = "one finding of the last check",
                                 .table = &show_table,
                                 .run = run_show};

/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-trace: `heddle trace`: look at the trace of a run, or give it another form. */
#include "cmd/cmd-trace.h"

#include <string.h>

static const struct verb {
    const char *name;
    int (*run)(const struct trace_opts *opts);
} verbs[] = {
    {"dump", trace_dump},
    {"stat", trace_stat},
    {"convert", trace_convert},
    {"export", trace_export},
};
enum {
    VERB_COUNT = sizeof verbs / sizeof verbs[0],
    ON_STAT = 1 << 1,
    ON_CONVERT = 1 << 2,
    ON_EXPORT = 1 << 3,
};

#define AT(field) .offset = offsetof(struct trace_opts, field)

static const struct option_row rows[] = {
    {.type = OPTION_TEXT,
     .name = "threads",
     .value = "LIST",
     .help = "only events of these threads, as T1,T3 or by name",
     AT(threads)},
    {.type = OPTION_NUMBER,
     .name = "from",
     .value = "N",
     .help = "only events with this number or a later one",
     AT(from)},
    {.type = OPTION_NUMBER,
     .name = "to",
     .value = "N",
     .help = "only events before this number",
     AT(to)},
    {.type = OPTION_TEXTS,
     .name = "location",
     .value = "NAME",
     .help = "only events on this object or location; repeatable",
     AT(locations)},
    {.type = OPTION_FLAG,
     .name = "json",
     .help = "stat: the same figures as JSON",
     .verbs = ON_STAT,
     AT(json)},
    {.type = OPTION_CHOICE,
     .name = "format",
     .value = "NAME",
     .help = "convert: text, std or binary",
     .verbs = ON_CONVERT,
     .choices = (const char *const[]){"text", "std", "binary", NULL},
     AT(convert_to)},
    {.type = OPTION_CHOICE,
     .name = "format",
     .value = "NAME",
     .help = "export: html (a page), chrome (for Perfetto) or std",
     .verbs = ON_EXPORT,
     .choices = (const char *const[]){"chrome", "std", "html", NULL},
     AT(export_to)},
    {.type = OPTION_FLAG,
     .name = "zstd",
     .help = "convert: pack the output",
     .verbs = ON_CONVERT,
     AT(zstd)},
    {.type = OPTION_TEXT,
     .letter = 'o',
     .name = "output",
     .value = "FILE",
     .help = "convert, export: write here, not to standard output",
     .verbs = ON_CONVERT | ON_EXPORT,
     AT(output)},
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle trace",
    .usage =
        (const char *const[]){
            "dump FILE [options]       print it in the text notation",
            "stat FILE [options]       print what it consists of",
            "convert FILE [options]    write it in another format",
            "export FILE [options]     write it for another tool",
            NULL,
        },
    .about = "FILE is the trace of a run in any format: Heddle's binary format, its text\n"
             "notation or RAPID's STD; plain or packed with gzip or zstd; - is standard\n"
             "input. dump also prints the other files of a run: command, schedule, input,\n"
             "output and outcome.\n",
    .verbs = (const char *const[]){"dump", "stat", "convert", "export", NULL},
    .rows = rows,
    .more = "stat --json prints one object with these keys: file, format, packed,\n"
            "file_bytes, binary_bytes, events, switches, complete, branches, values,\n"
            "imported, freed, weak, dropped_lines, kinds, threads, locations, locks,\n"
            "model.\n"
            "heddle-trace(1) describes them.\n"
            "\n"
            "Exit code: 0, 2 if the command line makes no sense, 4 if something cannot be\n"
            "read or written.\n",
    .examples =
        (const struct option_example[]){
            {"heddle trace stat prog.heddle/runs/last/trace", "what the last run consists of"},
            {"heddle trace dump trace --threads T1,T2 --from 100 --to 200",
             "what two threads did"},
            {"heddle trace dump trace --location balance", "who touched a variable"},
            {"heddle trace convert avrora.std.gz --format binary --zstd -o avrora.trace",
             "keep an imported trace small"},
            {"heddle trace export prog.heddle/runs/last/trace --format html -o run.html",
             "who ran, who held what, who waited for it: a page for the browser"},
            {"heddle trace export trace --format chrome -o trace.json",
             "look at it in Perfetto (https://ui.perfetto.dev)"},
            {NULL, NULL},
        },
};

static void usage(void)
{
    AUTO(str) struct str text = {0};
    options_usage(&table, &text);
    fputs(text.at, stderr);
}

/* word: NULL if there is none. */
static int no_verb(const char *word)
{
    const char *nearest = word ? word_nearest(word, table.verbs) : NULL;
    usage();
    if (nearest)
        cmd_note("trace: no verb '%s', did you mean %s?", word, nearest);
    else
        cmd_note("trace: say what to do; see '%s --help'", table.command);
    return EXIT_USAGE;
}

/* The one file that the verb is about. */
static int check_words(struct trace_opts *opts, int count, char **words, struct err *err)
{
    if (count == 0)
        return err_set(err, "which trace? say FILE, or - for standard input; see '%s --help'",
                       table.command);
    if (count > 1)
        return err_set(err,
                       "one trace at a time: '%s' is one argument too many; see '%s --help'",
                       words[1], table.command);
    if (opts->from > 0 && opts->to <= opts->from)
        return err_set(err, "--from %llu is not before --to %llu: nothing is left",
                       (unsigned long long)opts->from, (unsigned long long)opts->to);
    opts->file = words[0];
    return 0;
}

static int run_verb(unsigned verb, int argc, char **argv)
{
    struct trace_opts opts = {.to = NO_EVENT, .output = "-"};
    struct err err;
    int count, code;
    int state = options_parse(&table, 1u << verb, &opts, argc, argv, &count, &err);
    if (state == OPTIONS_WANT_HELP)
        code = cmd_help(&table);
    else if (state < 0 || check_words(&opts, count, argv, &err) < 0)
        code = cmd_fail(EXIT_USAGE, &err);
    else
        code = verbs[verb].run(&opts);
    vec_done(&opts.locations);
    return code;
}

static int run(int argc, char **argv)
{
    if (argc == 0)
        return no_verb(NULL);
    for (unsigned i = 0; i < VERB_COUNT; i++)
        if (strcmp(argv[0], verbs[i].name) == 0)
            return run_verb(i, argc - 1, argv + 1);
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)
        return cmd_help(&table);
    return no_verb(argv[0]);
}

const struct command cmd_trace = {
    .name = "trace",
    .help = "print, summarise and convert the trace of a run",
    .table = &table,
    .run = run,
};

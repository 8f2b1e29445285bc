/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-explain: `heddle explain PATTERN`: what a kind of bug is and how one mends it. */
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "finding/finding.h"

#include <string.h>

static const struct option_row rows[] = {
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle explain",
    .usage = (const char *const[]){"[PATTERN]", NULL},
    .about =
        "Says what a kind of bug is and how to mend it. Without PATTERN: which there are.\n",
    .rows = rows,
    .examples =
        (const struct option_example[]){
            {"heddle explain lost-wakeup", "a wait that nobody ends"},
            {NULL, NULL},
        },
};

static int no_pattern(const char *word)
{
    const char *words[32] = {0};
    for (uint32_t i = 0; pattern_helps[i].word && i < 31; i++)
        words[i] = pattern_helps[i].word;
    const char *near = word_nearest(word, words);
    cmd_note("no pattern '%s'%s%s; heddle explain lists them", word,
             near ? ", did you mean " : "", near ? near : "");
    return EXIT_USAGE;
}

static int run(int argc, char **argv)
{
    AUTO(str) struct str out = {0};
    struct err err;
    int words, state = options_parse(&table, 0, NULL, argc, argv, &words, &err);
    if (state < 0)
        return cmd_fail(EXIT_USAGE, &err);
    if (state == OPTIONS_WANT_HELP)
        return cmd_help(&table);
    for (const struct pattern_help *p = pattern_helps; words == 0 && p->word; p++)
        str_add(&out, "%-18s %s\n", p->word, p->meaning);
    if (words == 0)
        return cmd_print(&out);
    const struct pattern_help *p = &pattern_helps[pattern_index(argv[0])];
    if (!p->word)
        return no_pattern(argv[0]);
    str_add(&out, "%s: %s.\nTo mend it: %s.\n", p->title, p->meaning, p->mending);
    return cmd_print(&out);
}

const struct command cmd_explain = {.name = "explain",
                                    .help = "what a kind of bug is, and how to mend it",
                                    .table = &table,
                                    .run = run};

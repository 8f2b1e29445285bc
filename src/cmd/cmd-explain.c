/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-explain: `heddle explain PATTERN`: what a kind of bug is, an example of it, and how one
 * mends it. */
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
        "Says what a kind of bug is, with an example, and how to mend it. Without PATTERN:\n"
        "which there are.\n",
    .rows = rows,
    .examples =
        (const struct option_example[]){
            {"heddle explain lost-wakeup", "a wait that nobody ends"},
            {NULL, NULL},
        },
};

static void add_example(struct str *out, const struct pattern_info *p)
{
    str_add(out, "For example:\n%s", p->picture);
    if (*p->demo)
        str_add(out, "To see one: heddle demo %s\n", p->demo);
}

static int no_pattern(const char *word)
{
    const char *words[PATTERN_COUNT + 1] = {0};
    for (enum pattern_id p = 0; p < PATTERN_COUNT; p++)
        words[p] = pattern_text(p);
    const char *near = word_nearest(word, words);
    cmd_note("no pattern '%s'%s%s; heddle explain lists them", word,
             near ? ", did you mean " : "", near ? near : "");
    return EXIT_USAGE;
}

static int run(int argc, char **argv)
{
    AUTO(str) struct str out = {0};
    int words, done = cmd_parse(&table, NULL, argc, argv, &words);
    if (done != GO_ON)
        return done;
    for (uint32_t i = 0; words == 0 && i < PATTERN_COUNT; i++)
        str_add(&out, "%-18s %s\n", pattern_infos[i].word, pattern_infos[i].meaning);
    if (words == 0)
        return cmd_print(&out);
    enum pattern_id which = pattern_find(argv[0]);
    if (which == PATTERN_COUNT)
        return no_pattern(argv[0]);
    const struct pattern_info *p = &pattern_infos[which];
    str_add(&out, "%s: %s.\n", p->title, p->meaning);
    add_example(&out, p);
    str_add(&out, "To mend it: %s.\n", p->mending);
    return cmd_print(&out);
}

const struct command cmd_explain = {.name = "explain",
                                    .help = "what a kind of bug is, and how to mend it",
                                    .table = &table,
                                    .run = run};

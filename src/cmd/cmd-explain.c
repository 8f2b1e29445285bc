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

/* A schedule of two threads for each, as short as can be. */
static const struct {
    const char *pattern, *demo, *text;
} examples[] = {
    {"race", "counter",
     "    T1                          T2\n"
     "    read  hits = 0\n"
     "                                read  hits = 0\n"
     "    write hits = 1\n"
     "                                write hits = 1      one of two visits is lost\n"},
    {"deadlock", "transfer",
     "    T1                          T2\n"
     "    lock a\n"
     "                                lock b\n"
     "    waits for b\n"
     "                                waits for a         for ever\n"},
    {"lost-wakeup", "mailbox",
     "    T1                          T2\n"
     "    reads full = 0\n"
     "                                full = 1, signal    nobody waits yet\n"
     "    waits for the signal                            for ever\n"},
    {"atomicity", "tickets",
     "    T1                          T2\n"
     "    lock, free = 1, unlock\n"
     "                                lock, free = 0, unlock\n"
     "    lock, free = -1, unlock                         it was 1 when T1 looked\n"},
    {"order", "stage",
     "    T1                          T2\n"
     "                                read part = 0       not there yet\n"
     "    write part = 3\n"},
    {"use-after-free", "session",
     "    T1                          T2\n"
     "    s = malloc(...)\n"
     "    free(s)\n"
     "                                read s->user        anything may be there\n"},
    {"double-free", "cache",
     "    T1                          T2\n"
     "    if (cache)\n"
     "                                if (cache)\n"
     "    free(cache), cache = NULL\n"
     "                                free(cache)         T1 has freed it\n"},
    {"uninitialised", "startup",
     "    T1                          T2\n"
     "                                read settings = 0   used as a pointer\n"
     "    settings = malloc(...)\n"},
    {"use-after-destroy", "teardown",
     "    T1                          T2\n"
     "    pthread_mutex_destroy(&m)\n"
     "                                pthread_mutex_lock(&m)\n"},
    {"weak-race", NULL,
     "    T1                          T2\n"
     "    data = 1\n"
     "    store ready = 1, relaxed\n"
     "                                load ready = 1, relaxed\n"
     "                                read data           may still be 0\n"},
    {"failure", NULL,
     "    $ heddle check -- ./program\n"
     "    failure-5f1c9e02  confirmed, harm: exit         a run that ended with code 1\n"},
    {"assertion", "record",
     "    T1                          T2\n"
     "    if (record < 5)\n"
     "                                if (record < 9) record = 9\n"
     "    record = 5\n"
     "    assert(record == 9)                             it is 5\n"},
    {"null-dereference", "connection",
     "    T1                          T2\n"
     "    if (current != NULL)\n"
     "                                current = NULL\n"
     "    current->sent++                                 crashes\n"},
    {"out-of-bounds", "seats",
     "    T1                          T2\n"
     "    create(T2, &next), next++\n"
     "                                table[next] = 1     next has gone past the end\n"},
    {"division-by-zero", "average",
     "    T1                          T2\n"
     "    if (count > 0)\n"
     "                                count = 0\n"
     "    sum / count                                     crashes\n"},
};

static void add_example(struct str *out, const char *word)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        if (strcmp(examples[i].pattern, word) != 0)
            continue;
        str_add(out, "For example:\n%s", examples[i].text);
        if (examples[i].demo)
            str_add(out, "To see one: heddle demo %s\n", examples[i].demo);
    }
}

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
    str_add(&out, "%s: %s.\n", p->title, p->meaning);
    add_example(&out, p->word);
    str_add(&out, "To mend it: %s.\n", p->mending);
    return cmd_print(&out);
}

const struct command cmd_explain = {.name = "explain",
                                    .help = "what a kind of bug is, and how to mend it",
                                    .table = &table,
                                    .run = run};

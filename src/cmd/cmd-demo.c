/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-demo: `heddle demo`: the bundled examples, one bug each, checked as a user would. */
#include "base/self.h"
#include "cmd/cmd.h"
#include "cmd/options.h"

#include <string.h>

static const struct {
    const char *name, *pattern, *help;
} examples[] = {
    {"average", "division-by-zero", "a count is set to 0 between the test and the division"},
    {"bank", "atomicity", "an auditor comes between the two halves of a payment"},
    {"cache", "double-free", "two threads empty one cache"},
    {"connection", "null-dereference", "a connection is closed between the test and its use"},
    {"counter", "race", "visitors are counted without a lock"},
    {"mailbox", "lost-wakeup", "the bell rings before somebody listens"},
    {"record", "assertion", "the shorter of two jumps is written last"},
    {"seats", "out-of-bounds", "guests look at a counter that has gone on"},
    {"session", "use-after-free", "a session is closed while a logger looks at it"},
    {"stage", "order", "an actor reads a part that is not written yet"},
    {"startup", "uninitialised", "a worker asks for settings that are not made yet"},
    {"teardown", "use-after-destroy", "a lock is destroyed before its last use"},
    {"tickets", "atomicity", "one seat is sold twice"},
    {"transfer", "deadlock", "two locks, taken in two orders"},
};
enum { EXAMPLE_COUNT = sizeof examples / sizeof examples[0] };

static const struct option_row rows[] = {
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle demo",
    .usage = (const char *const[]){"[NAME]", NULL},
    .about = "Builds and checks one of the bundled examples. Without NAME: lists them.\n",
    .rows = rows,
    .more =
        "The results go to NAME.heddle in the current directory. Exit code: as heddle check.\n",
    .examples =
        (const struct option_example[]){
            {"heddle demo transfer || true", "a deadlock, found in a run that did not have it"},
            {NULL, NULL},
        },
};

/* Beside the build directory, or where an installation puts them. */
static int find_source(struct str *out, const char *name, struct err *err)
{
    static const char *const places[] = {"../examples", "../share/heddle/examples"};
    AUTO(str) struct str file = {0}, self = {0};
    str_add(&file, "%s.c", name);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (self_find(out, places[i], file.at)) {
            str_add(out, "/%s", file.at);
            return 0;
        }
    self_path(&self);
    return err_set(err, "the example '%s' is not installed beside %s", name, self.at);
}

static int list(void)
{
    AUTO(str) struct str out = {0};
    for (uint32_t i = 0; i < EXAMPLE_COUNT; i++)
        str_add(&out, "%-10s %-18s %s\n", examples[i].name, examples[i].pattern,
                examples[i].help);
    return cmd_print(&out);
}

static int check_example(const char *name)
{
    AUTO(str) struct str source = {0};
    struct err err;
    uint32_t i = 0;
    while (i < EXAMPLE_COUNT && strcmp(examples[i].name, name) != 0)
        i++;
    if (i == EXAMPLE_COUNT) {
        cmd_note("no example '%s'; heddle demo lists them", name);
        return EXIT_USAGE;
    }
    if (find_source(&source, name, &err) < 0)
        return cmd_fail(EXIT_WORLD, &err);
    char dashes[] = "--";
    char *argv[] = {source.at, dashes, NULL};
    return cmd_check.run(2, argv);
}

static int run(int argc, char **argv)
{
    int words, done = cmd_parse(&table, NULL, argc, argv, &words);
    if (done != GO_ON)
        return done;
    if (words > 1) {
        cmd_note("one example at a time; see 'heddle demo --help'");
        return EXIT_USAGE;
    }
    return words == 0 ? list() : check_example(argv[0]);
}

const struct command cmd_demo = {
    .name = "demo", .help = "check one of the bundled examples", .table = &table, .run = run};

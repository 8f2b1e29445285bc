/* SPDX-License-Identifier: Apache-2.0
 *
 * main: picks the command. Adding one = its file, its line in cmd.h and its line here. */
#include "base/stop.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/settings.h"
#include "run/run.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* One a line, so that two additions do not meet. */
/* clang-format off */
static const struct command *const commands[] = {
    &cmd_cc,
    &cmd_cxx,
    &cmd_baseline,
    &cmd_campaign,
    &cmd_causes,
    &cmd_check,
    &cmd_ci,
    &cmd_clean,
    &cmd_demo,
    &cmd_doctor,
    &cmd_explain,
    &cmd_fix,
    &cmd_guards,
    &cmd_init,
    &cmd_list,
    &cmd_minimize,
    &cmd_predict,
    &cmd_replay,
    &cmd_report,
    &cmd_run,
    &cmd_selftest,
    &cmd_show,
    &cmd_trace,
    &cmd_verify,
    &cmd_why_not,
    NULL,
};
/* clang-format on */
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] - 1 };

struct main_opts {
    bool version;
};

static const struct option_row rows[] = {
    {.type = OPTION_FLAG,
     .name = "version",
     .help = "print the version",
     .offset = offsetof(struct main_opts, version)},
    {.type = OPTION_HELP, .letter = 'h', .name = "help", .help = "print this text"},
    {.type = OPTION_END},
};

static const struct option_table table = {
    .command = "heddle",
    .usage = (const char *const[]){"COMMAND ...", "help [COMMAND]", "--version", NULL},
    .about = "Heddle finds concurrency bugs in C and C++ programs.\n",
    .rows = rows,
    .examples =
        (const struct option_example[]){
            {"heddle trace stat prog.heddle/runs/last/trace",
             "what a recorded run consists of"},
            {"heddle help trace", "everything about one command"},
            {NULL, NULL},
        },
};

static const struct command *find_command(const char *name)
{
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static void print_help(struct str *out)
{
    struct str list = {0};
    str_add(&list, "commands:\n");
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        str_add(&list, "  %-20s%s\n", commands[i]->name, commands[i]->help);
    struct option_table full = table;
    full.more = list.at;
    options_help(&full, out);
    str_done(&list);
}

static int help(void)
{
    AUTO(str) struct str out = {0};
    print_help(&out);
    return cmd_print(&out);
}

static int no_command(const char *name)
{
    const char *names[COMMAND_COUNT + 2] = {"help"};
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        names[i + 1] = commands[i]->name;
    const char *nearest = word_nearest(name, names);
    if (nearest)
        cmd_note("no command '%s', did you mean %s? see 'heddle --help'", name, nearest);
    else
        cmd_note("no command '%s'; see 'heddle --help'", name);
    return EXIT_USAGE;
}

static int help_of(const char *name)
{
    const struct command *c = find_command(name);
    char word[] = "--help";
    return c ? c->run(1, (char *[]){word, NULL}) : no_command(name);
}

/* heddle --version and the like: options that stand before any command. */
static int run_options(int argc, char **argv)
{
    struct main_opts opts = {0};
    struct err err;
    const char *first = argv[0];
    int count;
    int state = options_parse(&table, 0, &opts, argc, argv, &count, &err);
    if (state < 0)
        return cmd_fail(EXIT_USAGE, &err);
    if (!opts.version && state != OPTIONS_WANT_HELP)
        return no_command(first);
    if (count > 0)
        return cmd_too_much(argv[0], "heddle");
    if (state == OPTIONS_WANT_HELP)
        return help();
    AUTO(str) struct str out = {0};
    str_add(&out, "heddle %s\n", HEDDLE_VERSION);
    if (*cmd_commit)
        str_add(&out, "commit %s\n", cmd_commit);
    return cmd_print(&out);
}

/* Input is mapped: if somebody cuts the file short meanwhile, touching what is gone gives
 * SIGBUS. That is a fault of the world and gets a message, not a core file. */
static void on_bus_error(int signal_number)
{
    static const char text[] = "heddle: an input file changed while it was being read\n";
    (void)signal_number;
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    _exit(EXIT_WORLD);
}

/* A file opened later must not become stdout or stderr by chance. What was closed is opened
 * the wrong way round, so that using it fails as it would have. */
static void keep_standard_files(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(EXIT_WORLD);
}

static bool wants_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static int run_command(const struct command *c, int argc, char **argv)
{
    AUTO(settings) struct settings s = {0};
    struct err err;
    if (wants_help(argc, argv))
        return c->run(argc, argv);
    if (settings_apply(&s, commands, c, argc, argv, &err) < 0)
        return cmd_fail(EXIT_USAGE, &err);
    int code = c->run((int)s.words.len - 1, s.words.at);
    run_worlds_drop();
    return code;
}

/* Called as heddle-NAME it is that command: build systems want a compiler of one word. */
static const struct command *command_of_name(const char *path)
{
    static const char before[] = "heddle-";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return strncmp(name, before, sizeof before - 1) == 0
               ? find_command(name + sizeof before - 1)
               : NULL;
}

/* HEDDLE_STORE: where PROGRAM.heddle goes instead of the current directory. What is run does
 * not get to see it. */
static void take_store(void)
{
    const char *place = getenv("HEDDLE_STORE");
    if (place)
        run_store_in(place);
    unsetenv("HEDDLE_STORE");
}

int main(int argc, char **argv)
{
    keep_standard_files();
    take_store();
    signal(SIGBUS, on_bus_error);
    const struct command *named = argc > 0 ? command_of_name(argv[0]) : NULL;
    if (named)
        return stop_code(run_command(named, argc - 1, argv + 1));
    if (argc < 2) {
        AUTO(str) struct str out = {0};
        print_help(&out);
        fputs(out.at, stderr);
        return EXIT_USAGE;
    }
    if (argv[1][0] == '-')
        return run_options(argc - 1, argv + 1);
    if (strcmp(argv[1], "help") == 0 && argc > 3)
        return cmd_too_much(argv[3], "heddle");
    if (strcmp(argv[1], "help") == 0)
        return argc > 2 ? help_of(argv[2]) : help();
    const struct command *c = find_command(argv[1]);
    return c ? stop_code(run_command(c, argc - 2, argv + 2)) : no_command(argv[1]);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-cc: the commands cc and c++. They take clang's command line, so there is no option table:
 * options of ours begin with --heddle-. */
#include "cmd/cmd.h"

#include "base/arena.h"
#include "base/self.h"
#include "instr/instr.h"

#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "usage: heddle cc|c++ [clang's options] FILE...\n"
    "\n"
    "Compiles and links like clang, with instrumentation for `heddle run`:\n"
    "  make CC=\"heddle cc\" CXX=\"heddle c++\"\n"
    "\n"
    "options besides clang's:\n"
    "  --heddle-list-sites   list what would be instrumented, and make nothing\n"
    "  --heddle-ignore=FILE  do not instrument what FILE names: a line src:GLOB is about\n"
    "                        sources, fun:GLOB about functions\n"
    "\n"
    "environment:\n"
    "  HEDDLE_CLANG          clang to use instead of clang-19\n"
    "  HEDDLE_CC_IGNORE      FILE of --heddle-ignore, where that is not given\n"
    "\n"
    "examples:\n"
    "  # build one program\n"
    "  heddle cc -O2 -pthread bank.c -o bank\n"
    "  # build a project\n"
    "  CC=\"heddle cc\" CXX=\"heddle c++\" cmake -B build && cmake --build build\n"
    "\n"
    "Where a compiler has to be one word it is heddle-cc or heddle-c++; `heddle init` prints\n"
    "the lines for a project. clang's own options: heddle cc --help-clang.\n";

/* Takes the word out of argv if it is there. */
static bool take_word(int *argc, char **argv, const char *word)
{
    int kept = 0;
    for (int i = 0; i < *argc; i++)
        if (strcmp(argv[i], word) != 0)
            argv[kept++] = argv[i];
    bool found = kept < *argc;
    *argc = kept;
    argv[kept] = NULL;
    return found;
}

/* Takes prefix=VALUE out of argv; NULL if it is not there. The last one counts. */
static const char *take_value(int *argc, char **argv, const char *prefix)
{
    const char *value = NULL;
    int kept = 0;
    for (int i = 0; i < *argc; i++) {
        if (strncmp(argv[i], prefix, strlen(prefix)) == 0)
            value = argv[i] + strlen(prefix);
        else
            argv[kept++] = argv[i];
    }
    *argc = kept;
    argv[kept] = NULL;
    return value;
}

/* Takes the pairs of --heddle-instead=OLD --heddle-instead=NEW out of argv, to its end. */
static void take_instead(struct driver_rebuild *out, int *argc, char **argv)
{
    static const char prefix[] = "--heddle-instead=";
    int kept = 0, count = 0;
    char **taken = mem_zeroed((size_t)*argc + 1, sizeof *taken);
    for (int i = 0; i < *argc; i++) {
        if (strncmp(argv[i], prefix, strlen(prefix)) == 0)
            taken[count++] = argv[i] + strlen(prefix);
        else
            argv[kept++] = argv[i];
    }
    *argc = kept;
    argv[kept] = NULL;
    out->instead = taken;
    out->instead_count = (uint32_t)count / 2;
}

/* What build/ asks for when it makes a program again; not for people. */
static void take_rebuild(struct driver_rebuild *out, int *argc, char **argv)
{
    out->output = take_value(argc, argv, "--heddle-output=");
    out->only = take_value(argc, argv, "--heddle-only=");
    out->overlay = take_value(argc, argv, "--heddle-overlay=");
    take_instead(out, argc, argv);
}

/* The directory with heddle/annotate.h beside us goes behind all that the user names. Those
 * that are searched anyway must not be searched earlier. */
static void add_include(void)
{
    static const char *const variables[] = {"C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"};
    AUTO(str) struct str found = {0}, paths = {0};
    if (!self_find(&found, "../include", "heddle/annotate.h"))
        return;
    if (strcmp(found.at, "/usr/include") == 0 || strcmp(found.at, "/usr/local/include") == 0)
        return;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *before = getenv(variables[i]);
        paths.len = 0;
        str_add(&paths, "%s%s%s", before ? before : "", before && *before ? ":" : "", found.at);
        setenv(variables[i], paths.at, 1);
    }
}

static int print_help(void)
{
    AUTO(str) struct str text = {0};
    str_add(&text, "%s", help_text);
    return cmd_print(&text);
}

/* What gcc takes and clang does not, or takes for nothing. */
static const struct {
    const char *begin, *why;
} gccs[] = {
    {"-fconserve-stack", "clang has no such option; leave it out"},
    {"-fgnu-tm", "transactions of gcc's kind are not known to clang"},
    {"-fplugin-arg-", "plugins of gcc do not fit clang; leave it out"},
    {"-fno-tree-", "clang has no such option; leave it out"},
    {"-fsched-", "clang has no such option; leave it out"},
    {"-mno-fancy-math", "clang has no such option; leave it out"},
    {"-fopenmp=libgomp",
     "the threads of libgomp cannot be scheduled; say -fopenmp, with libomp"},
    {"-lgomp", "the threads of libgomp cannot be scheduled; say -fopenmp, with libomp"},
    {"-fdump-", "clang has no such option; leave it out"},
    {"-specs=", "clang reads no specs of gcc; leave it out"},
    {"-fipa-", "clang has no such option; leave it out"},
    {"-fno-ipa-", "clang has no such option; leave it out"},
};

/* After a failure of clang: it may not know what it was told. libgomp fails later, at a run. */
static void name_gccs(int argc, char **argv, bool has_failed)
{
    for (int i = 0; i < argc; i++)
        for (size_t k = 0; k < sizeof gccs / sizeof *gccs; k++) {
            bool is_it = strncmp(argv[i], gccs[k].begin, strlen(gccs[k].begin)) == 0;
            if (is_it && (has_failed || strstr(gccs[k].begin, "gomp")))
                cmd_note("cc: %s is an option of gcc: %s", argv[i], gccs[k].why);
        }
}

static int run(bool is_cxx, int argc, char **argv)
{
    AUTO(str) struct str list = {0}, self = {0};
    struct err err;
    int code;
    self_path(&self);
    static char clangs[] = "--help";
    bool wants_help = argc == 1 && (strcmp(argv[0], clangs) == 0 || strcmp(argv[0], "-h") == 0);
    if (wants_help)
        return print_help();
    if (argc == 1 && strcmp(argv[0], "--help-clang") == 0)
        argv = (char *[]){clangs, NULL};
    struct driver_opts opts = {.is_cxx = is_cxx, .self = self.at};
    opts.ignore = take_value(&argc, argv, "--heddle-ignore=");
    if (take_word(&argc, argv, "--heddle-list-sites"))
        opts.list = &list;
    take_rebuild(&opts.rebuild, &argc, argv);
    add_include();
    int failed = driver_run(&opts, argc, argv, &code, &err);
    free((void *)(uintptr_t)opts.rebuild.instead);
    if (failed < 0)
        return cmd_fail(EXIT_WORLD, &err);
    name_gccs(argc, argv, code != 0);
    if (code == 0 && list.len)
        return cmd_print(&list);
    return code;
}

static int run_cc(int argc, char **argv)
{
    return run(false, argc, argv);
}

static int run_cxx(int argc, char **argv)
{
    return run(true, argc, argv);
}

const struct command cmd_cc = {
    .name = "cc",
    .help = "compile and link C like clang, with instrumentation",
    .run = run_cc,
};

const struct command cmd_cxx = {
    .name = "c++",
    .help = "the same for C++",
    .run = run_cxx,
};

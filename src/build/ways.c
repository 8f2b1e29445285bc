/* SPDX-License-Identifier: Apache-2.0
 *
 * ways: chooses the way in which a program is made again, and compiles plain sources. */
#include "build/ways.h"

#include <stdlib.h>
#include <string.h>

static const char *suffix(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && !strchr(dot, '/') ? dot : "";
}

static bool is_cxx(const char *path)
{
    static const char *const known[] = {".cc", ".cpp", ".cxx", ".C", NULL};
    for (uint32_t i = 0; known[i]; i++)
        if (strcmp(suffix(path), known[i]) == 0)
            return true;
    return false;
}

bool build_is_source(const char *path)
{
    return is_cxx(path) || strcmp(suffix(path), ".c") == 0;
}

/* The words of an environment variable, as make's own rules use them. */
static void add_flags(build_words *argv, struct arena *mem, const char *variable)
{
    const char *value = getenv(variable);
    char *rest = NULL, *copy = value ? arena_text(mem, value, strlen(value)) : NULL;
    for (char *word = copy ? strtok_r(copy, " \t\n", &rest) : NULL; word;
         word = strtok_r(NULL, " \t\n", &rest))
        vec_push(argv, word);
}

int build_sources(char *const *sources, uint32_t count, const char *output, struct err *err)
{
    AUTO(arena) struct arena mem = {0};
    build_words argv = {0};
    bool cxx = false;
    for (uint32_t i = 0; i < count; i++)
        cxx |= is_cxx(sources[i]);
    const char *const first[] = {"heddle", cxx ? "c++" : "cc", "-g", "-pthread", "-o", output};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        vec_push(&argv, (char *)(uintptr_t)first[i]);
    add_flags(&argv, &mem, cxx ? "CXXFLAGS" : "CFLAGS");
    for (uint32_t i = 0; i < count; i++)
        vec_push(&argv, sources[i]);
    add_flags(&argv, &mem, "LDLIBS");
    vec_push(&argv, NULL);
    int result = build_run("/proc/self/exe", argv.at, ".", NULL, err);
    vec_done(&argv);
    return result < 0 ? err_set(err, "the sources could not be built") : 0;
}

int build_program(struct str *out, const char *program, const struct build_opts *opts,
                  struct err *err)
{
    if (opts->command)
        return rebuild_tree(out, program, opts, err);
    return rebuild_kept(out, program, opts, err);
}

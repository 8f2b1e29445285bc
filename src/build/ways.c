/* SPDX-License-Identifier: Apache-2.0
 *
 * ways: chooses the way in which a program is made again, and compiles plain sources. */
#include "build/ways.h"

#include <limits.h>
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

static void add_word(build_words *argv, const char *word)
{
    vec_push(argv, (char *)(uintptr_t)word);
}

/* The compiler has said why it failed where we say things. */
static int compile(const build_words *argv, const char *directory, struct err *err)
{
    return build_run("/proc/self/exe", argv->at, directory, NULL, err) < 0
               ? err_set(err, "the sources could not be built")
               : 0;
}

/* Compiles one of them as the project does, to an object beside the output. 1: the project says
 * how, and out is the object; 0: it does not. */
static int compile_as_project(char **out, struct arena *mem, const char *source,
                              const char *output, uint32_t number, struct err *err)
{
    struct build_compiled c = {0};
    build_words argv = {0};
    char full[PATH_MAX];
    int found =
        build_resolve(full, output, err) < 0 ? -1 : build_compiled_find(&c, mem, source, err);
    if (found == 1) {
        *out = build_text(mem, "%s-%u.o", full, number);
        const char *const first[] = {"heddle", is_cxx(source) ? "c++" : "cc", "-g", "-pthread"};
        for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
            add_word(&argv, first[i]);
        for (uint32_t i = 0; i < c.flags.len; i++)
            vec_push(&argv, c.flags.at[i]);
        add_flags(&argv, mem, is_cxx(source) ? "CXXFLAGS" : "CFLAGS");
        const char *const last[] = {"-c", c.source, "-o", *out, NULL};
        for (size_t i = 0; i < sizeof last / sizeof last[0]; i++)
            add_word(&argv, last[i]);
        if (compile(&argv, c.directory, err) < 0)
            found = -1;
    }
    vec_done(&argv);
    vec_done(&c.flags);
    return found;
}

int build_sources(char *const *sources, uint32_t count, const char *output, struct err *err)
{
    AUTO(arena) struct arena mem = {0};
    build_words argv = {0}, inputs = {0};
    bool cxx = false;
    int result = 0;
    for (uint32_t i = 0; result >= 0 && i < count; i++) {
        char *object = sources[i];
        cxx |= is_cxx(sources[i]);
        result = compile_as_project(&object, &mem, sources[i], output, i, err);
        vec_push(&inputs, object);
    }
    const char *const first[] = {"heddle", cxx ? "c++" : "cc", "-g", "-pthread", "-o", output};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        add_word(&argv, first[i]);
    add_flags(&argv, &mem, cxx ? "CXXFLAGS" : "CFLAGS");
    for (uint32_t i = 0; i < inputs.len; i++)
        vec_push(&argv, inputs.at[i]);
    add_flags(&argv, &mem, "LDLIBS");
    vec_push(&argv, NULL);
    if (result >= 0)
        result = compile(&argv, ".", err);
    vec_done(&argv);
    vec_done(&inputs);
    return result < 0 ? -1 : 0;
}

int build_program(struct str *out, const char *program, const struct build_opts *opts,
                  struct err *err)
{
    if (opts->command)
        return rebuild_tree(out, program, opts, err);
    return rebuild_kept(out, program, opts, err);
}

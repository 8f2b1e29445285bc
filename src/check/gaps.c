/* SPDX-License-Identifier: Apache-2.0
 *
 * gaps: see gaps.h. */
#include "check/gaps.h"

#include "base/capture.h"

#include <string.h>

struct search {
    gap_fn found;
    void *arg;
};

static bool begins_with(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strncmp(word, *list, strlen(*list)) == 0)
            return true;
    return false;
}

/* ---- objects --------------------------------------------------------------------------- */

static bool is_unit(const struct run_program *p, const char *source)
{
    for (uint32_t i = 0; i < p->units.len; i++)
        if (strcmp(base_name(p->units.at[i]), base_name(source)) == 0)
            return true;
    return false;
}

static void find_objects(const struct search *s, const struct run_program *p)
{
    static const char *const of_linking[] = {"crt",  "Scrt",        "gcrt",
                                             "rcrt", "heddle-rt.o", NULL};
    for (uint32_t i = 0; i < p->objects.len; i++)
        if (!is_unit(p, p->objects.at[i]) && !begins_with(p->objects.at[i], of_linking))
            s->found(s->arg, GAP_OBJECT, p->objects.at[i], "not instrumented");
}

/* ---- libraries ------------------------------------------------------------------------- */

/* What is modelled, or handles no memory of the program. */
static bool is_expected(const char *library)
{
    static const char *const known[] = {
        "libc.so",  "libm.so",    "libgcc_s.so",  "libpthread",   "libdl.so", "librt.so",
        "ld-linux", "linux-vdso", "libstdc++.so", "libatomic.so", "libomp",   NULL};
    return begins_with(base_name(library), known);
}

static void find_library(const struct search *s, const char *path)
{
    AUTO(run_program) struct run_program p = {0};
    struct err ignored;
    if (is_expected(path) || run_program_read(&p, path, &ignored) < 0 || p.units.len > 0)
        return;
    bool is_gomp = strncmp(base_name(path), "libgomp", 7) == 0;
    s->found(s->arg, GAP_LIBRARY, base_name(path),
             is_gomp ? "OpenMP of GCC, which ends a run as unsupported; clang's libomp works"
                     : "not instrumented");
}

/* The loader says which files it would take, without starting the program:
 * "<tab>libz.so.1 => /lib/libz.so.1 (0x...)". */
static void find_libraries(const struct search *s, const char *program)
{
    AUTO(str) struct str text = {0};
    AUTO(str) struct str name = {0};
    char variable[] = "LD_TRACE_LOADED_OBJECTS=1";
    str_add(&name, "%s%s", !strchr(program, '/') && access(program, X_OK) == 0 ? "./" : "",
            program);
    if (capture(&text, (char *[]){name.at, NULL}, variable) != 0)
        return;
    for (char *line = text.at, *end; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        char *path = strstr(line, "=> "), *behind = path ? strchr(path + 3, ' ') : NULL;
        if (!behind)
            continue;
        *behind = 0;
        line[1 + strcspn(line + 1, " ")] = 0;
        if (strcmp(path + 3, "not") == 0)
            s->found(s->arg, GAP_MISSING, line + 1, "not found");
        else
            find_library(s, path + 3);
    }
}

void gaps_find(const struct run_program *p, const char *program, gap_fn found, void *arg)
{
    struct search s = {.found = found, .arg = arg};
    find_objects(&s, p);
    find_libraries(&s, program);
}

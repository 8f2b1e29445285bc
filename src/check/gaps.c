/* SPDX-License-Identifier: Apache-2.0
 *
 * gaps: see gaps.h. */
#include "check/gaps.h"

#include "base/capture.h"

#include <dlfcn.h>
#include <stdlib.h>
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

/* ---- functions ------------------------------------------------------------------------- */

struct unknown {
    const char *name;
    uint32_t places;
};

static int by_name(const void *left, const void *right)
{
    const struct unknown *a = left, *b = right;
    return strcmp(a->name, b->name);
}

/* What the program itself has is ours, or was looked at. */
static bool is_import(const struct run_program *p, const char *name)
{
    for (uint32_t i = 0; i < p->imports.len; i++)
        if (strcmp(p->imports.at[i], name) == 0)
            return true;
    return false;
}

/* "cuserid (1 place), psiginfo (3 places) and 2 more" */
static void say_unknown(struct str *out, const struct unknown *at, uint32_t count)
{
    enum { NAMES_MAX = 8 };
    for (uint32_t i = 0; i < count && i < NAMES_MAX; i++)
        str_add(out, "%s%s (%u place%s)", i ? ", " : "", at[i].name, at[i].places,
                at[i].places == 1 ? "" : "s");
    if (count > NAMES_MAX)
        str_add(out, " and %u more", count - NAMES_MAX);
}

static void find_functions(const struct search *s, const struct run_program *p)
{
    VEC(struct unknown) found = {0};
    struct map index = {0};
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    for (uint32_t i = 0; libc && i < p->sites.len; i++) {
        const char *name = p->sites.at[i].name;
        if (!p->sites.at[i].is_unknown || !*name)
            continue;
        uint32_t *slot = map_at(&index, hash_bytes(name, strlen(name)));
        if (*slot == NONE) {
            *slot = found.len;
            vec_push(&found, (struct unknown){.name = name});
        }
        found.at[*slot].places++;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < found.len; i++)
        if (dlsym(libc, found.at[i].name) && is_import(p, found.at[i].name))
            found.at[kept++] = found.at[i];
    AUTO(str) struct str text = {0};
    if (kept > 0) {
        qsort(found.at, kept, sizeof *found.at, by_name);
        say_unknown(&text, found.at, kept);
        s->found(s->arg, GAP_FUNCTIONS, text.at,
                 "of the C library, and not in Heddle's table of what its functions touch");
    }
    if (libc)
        dlclose(libc);
    map_done(&index);
    vec_done(&found);
}

void gaps_find(const struct run_program *p, const char *program, gap_fn found, void *arg)
{
    struct search s = {.found = found, .arg = arg};
    find_objects(&s, p);
    find_libraries(&s, program);
    find_functions(&s, p);
}

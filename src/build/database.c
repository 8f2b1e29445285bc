/* SPDX-License-Identifier: Apache-2.0
 *
 * database: compile_commands.json, which CMake, Meson, Ninja and Bear write: how a project
 * compiles each of its files. Of a file it is looked for where clangd looks: in the directories
 * above the file and in their directories `build`. What a line says of output and dependencies
 * is the project's business and is left out. */
#include "build/ways.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "compile_commands.json"

/* ---- words of a line --------------------------------------------------------------------- */

/* The next word as a shell reads it: quotes and backslashes; nothing else is special. */
static char *take_word(struct arena *mem, const char **at)
{
    AUTO(str) struct str word = {0};
    const char *p = *at + strspn(*at, " \t\n");
    char quote = 0;
    if (!*p)
        return NULL;
    for (; *p && (quote || !strchr(" \t\n", *p)); p++) {
        if (quote ? *p == quote : *p == '"' || *p == '\'')
            quote = quote ? 0 : *p;
        else if (*p == '\\' && quote != '\'' && p[1])
            str_char(&word, *++p);
        else
            str_char(&word, *p);
    }
    *at = p;
    return arena_text(mem, word.at ? word.at : "", word.len);
}

static void take_line(struct arena *mem, const json_t *entry, build_words *out)
{
    const json_t *words = json_object_get(entry, "arguments"), *word;
    const char *line = json_string_value(json_object_get(entry, "command"));
    size_t i;
    json_array_foreach(words, i, word)
    {
        if (json_is_string(word))
            vec_push(out, arena_text(mem, json_string_value(word), json_string_length(word)));
    }
    if (out->len > 0 || !line)
        return;
    for (char *w; (w = take_word(mem, &line));)
        vec_push(out, w);
}

/* What stands before the compiler, and is none. */
static bool is_launcher(const char *word)
{
    static const char *const known[] = {"ccache", "sccache", "distcc", "icecc"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(base_name(word), known[i]) == 0)
            return true;
    return false;
}

/* How many words of the line, from here on, are about what is written where: 0, 1 or 2. */
static uint32_t about_output(const char *word)
{
    static const char *const with_name[] = {"-o", "-MF", "-MT", "-MQ"};
    static const char *const alone[] = {"-c", "-MD", "-MMD", "-MP"};
    for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++)
        if (strcmp(word, alone[i]) == 0)
            return 1;
    for (size_t i = 0; i < sizeof with_name / sizeof with_name[0]; i++)
        if (strncmp(word, with_name[i], strlen(with_name[i])) == 0)
            return word[strlen(with_name[i])] ? 1 : 2;
    return 0;
}

/* ---- entries ----------------------------------------------------------------------------- */

static bool is_file(const char *directory, const char *name, const char *wanted)
{
    AUTO(str) struct str full = {0};
    char real[PATH_MAX];
    str_add(&full, "%s%s%s", name[0] == '/' ? "" : directory, name[0] == '/' ? "" : "/", name);
    return realpath(full.at, real) && strcmp(real, wanted) == 0;
}

static void take_entry(struct arena *mem, const json_t *entry, const char *directory,
                       const char *source, struct build_compiled *out)
{
    build_words line = {0};
    take_line(mem, entry, &line);
    uint32_t i = line.len > 0 && is_launcher(line.at[0]) ? 2 : 1;
    for (uint32_t skip; i < line.len; i += skip ? skip : 1) {
        skip = about_output(line.at[i]);
        if (!skip && !is_file(directory, line.at[i], source) && strcmp(line.at[i], "--") != 0)
            vec_push(&out->flags, line.at[i]);
    }
    vec_done(&line);
    out->directory = arena_text(mem, directory, strlen(directory));
}

/* 1: the file has an entry, which is out; the first one, if it is compiled more than once. */
static int search(const char *path, struct arena *mem, const char *source,
                  struct build_compiled *out, struct err *err)
{
    json_error_t why;
    json_t *all = json_load_file(path, 0, &why), *entry;
    size_t i;
    int result = 0;
    if (!json_is_array(all)) {
        json_decref(all);
        return err_set(err, "%s: %s", path, all ? "not a list" : why.text);
    }
    json_array_foreach(all, i, entry)
    {
        const char *directory = json_string_value(json_object_get(entry, "directory"));
        const char *file = json_string_value(json_object_get(entry, "file"));
        if (!directory || !file || !is_file(directory, file, source))
            continue;
        take_entry(mem, entry, directory, source, out);
        result = 1;
        break;
    }
    json_decref(all);
    return result;
}

int build_compiled_find(struct build_compiled *out, struct arena *mem, const char *source,
                        struct err *err)
{
    static const char *const below[] = {"", "build/"};
    char real[PATH_MAX];
    if (!realpath(source, real))
        return 0; /* who compiles it says so */
    out->source = arena_text(mem, real, strlen(real));
    for (char *end; (end = strrchr(real, '/')) != NULL; *end = 0) {
        for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
            AUTO(str) struct str path = {0};
            str_add(&path, "%.*s/%s" NAME, (int)(end - real), real, below[i]);
            if (access(path.at, R_OK) == 0)
                return search(path.at, mem, out->source, out, err);
        }
    }
    return 0;
}

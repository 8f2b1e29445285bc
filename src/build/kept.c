/* SPDX-License-Identifier: Apache-2.0
 *
 * kept: the command lines that a program made by `heddle cc` keeps in its section
 * heddle_commands: records of four texts (instr/instr.h). Shared libraries keep their own. */
#include "build/ways.h"

#include "base/io.h"
#include "base/map.h"
#include "heddle/calls.h"

#include <elf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define SECTION "heddle_commands"

/* A stretch of the file, or NULL if the file has no such bytes. */
static const void *slice(const struct bytes *b, uint64_t offset, uint64_t len)
{
    return offset <= b->len && len <= b->len - offset ? b->at + offset : NULL;
}

static bool is_called(const struct bytes *b, const Elf64_Shdr *names, const Elf64_Shdr *s)
{
    uint64_t len = sizeof SECTION; /* with its end */
    const char *at = s->sh_name < names->sh_size && len <= names->sh_size - s->sh_name
                         ? slice(b, names->sh_offset + s->sh_name, len)
                         : NULL;
    return at && memcmp(at, SECTION, len) == 0;
}

static struct text find_section(const struct bytes *b)
{
    const Elf64_Ehdr *head = slice(b, 0, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof(Elf64_Shdr) ||
        head->e_shoff % 8 != 0)
        return (struct text){0};
    const Elf64_Shdr *all =
        slice(b, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr));
    if (!all || head->e_shstrndx >= head->e_shnum)
        return (struct text){0};
    for (unsigned i = 0; i < head->e_shnum; i++) {
        const char *at = slice(b, all[i].sh_offset, all[i].sh_size);
        if (at && all[i].sh_size < UINT32_MAX && is_called(b, &all[head->e_shstrndx], &all[i]))
            return (struct text){at, (uint32_t)all[i].sh_size};
    }
    return (struct text){0};
}

/* The next text of the section, copied; NULL at its end. */
static const char *take_text(struct text *rest, struct arena *mem)
{
    const char *end = rest->len ? memchr(rest->at, 0, rest->len) : NULL;
    if (!end)
        return NULL;
    uint32_t len = (uint32_t)(end - rest->at);
    const char *text = arena_text(mem, rest->at, len);
    *rest = (struct text){end + 1, rest->len - len - 1};
    return text;
}

/* What one file keeps becomes an image, if it keeps anything. */
static int read_image(struct build_units *out, const char *path, struct err *err)
{
    AUTO(bytes) struct bytes b = {0};
    struct build_image image = {.path = arena_text(&out->mem, path, strlen(path)),
                                .first = out->units.len};
    if (bytes_read(&b, path, err) < 0)
        return -1;
    struct text rest = find_section(&b);
    for (const char *what; (what = take_text(&rest, &out->mem));) {
        struct build_unit u;
        u.directory = take_text(&rest, &out->mem);
        u.source = u.directory ? take_text(&rest, &out->mem) : NULL;
        u.command = u.source ? take_text(&rest, &out->mem) : NULL;
        if (!u.command)
            break;
        if (strcmp(what, "link") == 0)
            image.link = u;
        else if (strcmp(what, "unit") == 0)
            vec_push(&out->units, u);
        else if (strcmp(what, HEDDLE_CALLS_RECORD) == 0)
            vec_push(&out->calls, u.command);
        else if (strcmp(what, "read") == 0 && out->units.len > image.first)
            vec_push(&out->reads, (struct build_read){.path = u.source,
                                                      .hash = strtoull(u.command, NULL, 16),
                                                      .unit = out->units.len - 1});
    }
    image.count = out->units.len - image.first;
    if (image.count > 0 || out->images.len == 0)
        vec_push(&out->images, image);
    return 0;
}

/* ---- libraries --------------------------------------------------------------------------- */

char *const *build_unit_words(const struct build_unit *u, struct arena *mem)
{
    uint32_t count = 0;
    char **words = ARENA_NEW(mem, char *, strlen(u->command) + 2);
    for (const char *p = u->command; *p;) {
        size_t len = strcspn(p, "\n");
        words[count++] = arena_text(mem, p, len);
        p += len + (p[len] == '\n');
    }
    return words;
}

void build_line(struct arena *mem, build_words *out, const struct build_unit *u)
{
    for (char *const *word = build_unit_words(u, mem) + 1; *word; word++)
        vec_push(out, *word);
}

static bool resolve(struct str *out, const char *directory, const char *path)
{
    char real[PATH_MAX];
    AUTO(str) struct str full = {0};
    str_add(&full, "%s%s%s", path[0] == '/' ? "" : directory, path[0] == '/' ? "" : "/", path);
    if (!realpath(full.at, real))
        return false;
    out->len = 0;
    str_add(out, "%s", real);
    return true;
}

static bool has_ending(const char *word, const char *ending)
{
    size_t len = strlen(word), last = strlen(ending);
    return len > last && strcmp(word + len - last, ending) == 0;
}

/* A file, in the directories that the line says for -lNAME. */
static bool find_in_directories(struct str *out, const struct build_unit *link,
                                const build_words *line, const char *name)
{
    AUTO(str) struct str file = {0};
    for (uint32_t i = 0; i < line->len; i++) {
        const char *word = line->at[i];
        if (strncmp(word, "-L", 2) != 0)
            continue;
        const char *directory = word[2] ? word + 2 : i + 1 < line->len ? line->at[i + 1] : "";
        file.len = 0;
        str_add(&file, "%s/%s", directory, name);
        if (resolve(out, link->directory, file.at))
            return true;
    }
    return false;
}

/* What -lNAME means; -l:FILE is the file itself. */
static bool find_by_name(struct str *out, const struct build_unit *link,
                         const build_words *line, const char *name, const char *ending)
{
    AUTO(str) struct str file = {0};
    if (name[0] == ':')
        return has_ending(name, ending) && find_in_directories(out, link, line, name + 1);
    str_add(&file, "lib%s%s", name, ending);
    return find_in_directories(out, link, line, file.at);
}

static bool find_library(struct str *out, const struct build_unit *link,
                         const build_words *line, const char *word)
{
    if (strncmp(word, "-l", 2) == 0)
        return find_by_name(out, link, line, word + 2, ".so");
    const char *dot = word[0] == '-' ? NULL : strstr(word, ".so");
    if (!dot || (dot[3] && dot[3] != '.'))
        return false;
    return resolve(out, link->directory, word);
}

uint32_t build_named(const struct build_units *u, const struct build_unit *link,
                     const build_words *line, const char *word)
{
    AUTO(str) struct str path = {0};
    if (!find_library(&path, link, line, word))
        return NONE;
    for (uint32_t i = 1; i < u->images.len; i++)
        if (strcmp(u->images.at[i].path, path.at) == 0)
            return i;
    return NONE;
}

const char *build_archive(struct arena *mem, const struct build_unit *link,
                          const build_words *line, const char *word)
{
    AUTO(str) struct str path = {0};
    bool is_found =
        strncmp(word, "-l", 2) == 0
            ? find_by_name(&path, link, line, word + 2, ".a")
            : word[0] != '-' && has_ending(word, ".a") && resolve(&path, link->directory, word);
    return is_found ? arena_text(mem, path.at, path.len) : NULL;
}

/* Those that a link names and that are not known yet. */
static int read_libraries(struct build_units *u, struct build_unit link, struct err *err)
{
    AUTO(str) struct str path = {0};
    build_words line = {0};
    int result = 0;
    if (link.directory)
        build_line(&u->mem, &line, &link);
    for (uint32_t i = 0; result == 0 && i < line.len; i++)
        if (find_library(&path, &link, &line, line.at[i]) &&
            build_named(u, &link, &line, line.at[i]) == NONE)
            result = read_image(u, path.at, err);
    vec_done(&line);
    return result;
}

int build_units_read(struct build_units *out, const char *program, struct err *err)
{
    struct build_units u = {0};
    int result = read_image(&u, program, err);
    for (uint32_t i = 0; result == 0 && i < u.images.len; i++)
        result = read_libraries(&u, u.images.at[i].link, err);
    if (result == 0 && u.units.len == 0)
        result = err_set(err, "%s does not say how it was built; build it with `heddle cc`",
                         program);
    if (result < 0) {
        build_units_done(&u);
        return -1;
    }
    *out = u;
    return 0;
}

void build_units_done(struct build_units *u)
{
    vec_done(&u->units);
    vec_done(&u->reads);
    vec_done(&u->calls);
    vec_done(&u->images);
    arena_done(&u->mem);
}

void build_unit_path(struct str *out, const struct build_unit *u)
{
    char real[PATH_MAX];
    AUTO(str) struct str path = {0};
    if (u->source[0] != '/')
        str_add(&path, "%s/", u->directory);
    str_add(&path, "%s", u->source);
    str_add(out, "%s", realpath(path.at, real) ? real : path.at);
}

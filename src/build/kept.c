/* SPDX-License-Identifier: Apache-2.0
 *
 * kept: the command lines that a program made by `heddle cc` keeps in its section
 * heddle_commands: records of four texts (instr/instr.h). */
#include "build/ways.h"

#include "base/io.h"

#include <elf.h>
#include <limits.h>
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

static void read_records(struct build_units *out, struct text rest)
{
    for (const char *what; (what = take_text(&rest, &out->mem));) {
        struct build_unit u;
        u.directory = take_text(&rest, &out->mem);
        u.source = u.directory ? take_text(&rest, &out->mem) : NULL;
        u.command = u.source ? take_text(&rest, &out->mem) : NULL;
        if (!u.command)
            return;
        if (strcmp(what, "link") == 0)
            out->link = u;
        else if (strcmp(what, "unit") == 0)
            vec_push(&out->units, u);
    }
}

int build_units_read(struct build_units *out, const char *program, struct err *err)
{
    AUTO(bytes) struct bytes b = {0};
    struct build_units u = {0};
    if (bytes_read(&b, program, err) < 0)
        return -1;
    read_records(&u, find_section(&b));
    if (u.units.len == 0) {
        build_units_done(&u);
        return err_set(err, "%s does not say how it was built; build it with `heddle cc`",
                       program);
    }
    *out = u;
    return 0;
}

void build_units_done(struct build_units *u)
{
    vec_done(&u->units);
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

/* SPDX-License-Identifier: Apache-2.0
 *
 * elf: what a program's file tells about it without being run: whether our runtime is in it,
 * which sources were instrumented and where, and what else it consists of. Everything in the
 * file is doubted: what does not fit is not there. */
#include "run/parts.h"

#include "heddle/abi.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#define RUNTIME_SYMBOL "__heddle_abi_"

struct file {
    const struct bytes *b;
    const Elf64_Ehdr *head; /* NULL: no ELF file that we know */
    const Elf64_Shdr *sections;
    uint32_t count;
};

/* A stretch of the file, or NULL if the file has no such bytes. */
static const void *slice(const struct bytes *b, uint64_t offset, uint64_t len)
{
    return offset <= b->len && len <= b->len - offset ? b->at + offset : NULL;
}

static struct file file_of(const struct bytes *b)
{
    struct file f = {.b = b};
    const Elf64_Ehdr *head = slice(b, 0, sizeof *head);
    bool good = head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
                head->e_ident[EI_CLASS] == ELFCLASS64 &&
                head->e_shentsize == sizeof(Elf64_Shdr) && head->e_shoff % 8 == 0;
    if (!good)
        return f;
    f.head = head;
    f.sections = slice(b, head->e_shoff, (uint64_t)head->e_shnum * sizeof *f.sections);
    f.count = f.sections ? head->e_shnum : 0;
    return f;
}

static const void *contents(const struct file *f, const Elf64_Shdr *s)
{
    return s && s->sh_type != SHT_NOBITS ? slice(f->b, s->sh_offset, s->sh_size) : NULL;
}

/* The text at an offset of a section; "" if there is none. */
static const char *text_in(const struct file *f, const Elf64_Shdr *s, uint64_t at)
{
    const char *all = contents(f, s);
    return all && at < s->sh_size && memchr(all + at, 0, s->sh_size - at) ? all + at : "";
}

static const Elf64_Shdr *section_named(const struct file *f, const char *name)
{
    if (!f->head || f->head->e_shstrndx >= f->count)
        return NULL;
    const Elf64_Shdr *texts = &f->sections[f->head->e_shstrndx];
    for (uint32_t i = 0; i < f->count; i++)
        if (strcmp(text_in(f, texts, f->sections[i].sh_name), name) == 0)
            return &f->sections[i];
    return NULL;
}

static const Elf64_Shdr *section_of(const struct file *f, uint32_t type)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->sections[i].sh_type == type && f->sections[i].sh_link < f->count)
            return &f->sections[i];
    return NULL;
}

/* ---- symbols --------------------------------------------------------------------------- */

typedef bool (*symbol_fn)(void *arg, const Elf64_Sym *s, const char *name); /* false: stop */

static void each_symbol(const struct file *f, uint32_t type, symbol_fn visit, void *arg)
{
    const Elf64_Shdr *table = section_of(f, type);
    const Elf64_Sym *at = contents(f, table);
    uint64_t count = at ? table->sh_size / sizeof *at : 0;
    for (uint64_t i = 0; i < count; i++)
        if (!visit(arg, &at[i], text_in(f, &f->sections[table->sh_link], at[i].st_name)))
            return;
}

static bool find_runtime(void *arg, const Elf64_Sym *s, const char *name)
{
    bool *found = arg;
    *found =
        s->st_shndx != SHN_UNDEF && strncmp(name, RUNTIME_SYMBOL, strlen(RUNTIME_SYMBOL)) == 0;
    return !*found;
}

bool run_is_ours(const char *program)
{
    AUTO(str) struct str path = {0};
    AUTO(bytes) struct bytes b = {0};
    struct err err;
    bool found = false;
    if (!program_path(&path, program) || bytes_read(&b, path.at, &err) < 0)
        return false;
    struct file f = file_of(&b);
    each_symbol(&f, SHT_DYNSYM, find_runtime, &found);
    return found;
}

static bool add_object(void *arg, const Elf64_Sym *s, const char *name)
{
    struct run_program *p = arg;
    if (ELF64_ST_TYPE(s->st_info) == STT_FILE && *name)
        vec_push(&p->objects, name);
    return true;
}

static bool add_import(void *arg, const Elf64_Sym *s, const char *name)
{
    struct run_program *p = arg;
    if (s->st_shndx == SHN_UNDEF && *name)
        vec_push(&p->imports, name);
    return true;
}

/* ---- our tables ------------------------------------------------------------------------ *
 * As the linker left them: pointers are virtual addresses, in a position-independent program as
 * addends of relocations. */

struct pointers {
    const struct file *f;
    struct map by_address; /* -> index of the relocation */
    const Elf64_Rela *at;
};

static void read_relocations(struct pointers *p)
{
    const Elf64_Shdr *s = section_named(p->f, ".rela.dyn");
    p->at = contents(p->f, s);
    uint64_t count = p->at ? s->sh_size / sizeof *p->at : 0;
    for (uint64_t i = 0; i < count && i < UINT32_MAX; i++)
        if (ELF64_R_TYPE(p->at[i].r_info) == R_X86_64_RELATIVE)
            *map_at(&p->by_address, p->at[i].r_offset) = (uint32_t)i;
}

/* What a pointer, which is stored at this address, points to. */
static uint64_t pointed(const struct pointers *p, uint64_t stored_at, const void *stored)
{
    uint32_t relocation = map_find(&p->by_address, stored_at);
    return relocation == NONE ? (uintptr_t)stored : (uint64_t)p->at[relocation].r_addend;
}

static const char *text_at(const struct pointers *p, uint64_t address)
{
    for (uint32_t i = 0; i < p->f->count; i++) {
        const Elf64_Shdr *s = &p->f->sections[i];
        if (s->sh_addr && address - s->sh_addr < s->sh_size)
            return text_in(p->f, s, address - s->sh_addr);
    }
    return "";
}

#define POINTED(pointers, section, at, row, member)                             \
    pointed(pointers,                                                           \
            (section)->sh_addr + (at) +                                         \
                ((size_t)((const char *)&(row).member - (const char *)&(row))), \
            (row).member)

/* Where the texts of the unit at an address begin; 0 if there is none. */
static uint64_t texts_of_unit(const struct pointers *p, uint64_t address)
{
    const Elf64_Shdr *s = section_named(p->f, "heddle_units");
    const char *raw = contents(p->f, s);
    struct __heddle_unit row;
    uint64_t at = s ? address - s->sh_addr : 0;
    if (!raw || at > s->sh_size || s->sh_size - at < sizeof row)
        return 0;
    memcpy(&row, raw + at, sizeof row);
    return POINTED(p, s, at, row, texts);
}

static void read_sites(struct run_program *out, const struct pointers *p)
{
    const Elf64_Shdr *s = section_named(p->f, "heddle_sites");
    const char *raw = contents(p->f, s);
    struct __heddle_site row;
    uint64_t texts = 0, last = 0;
    for (uint64_t at = 0; raw && at + sizeof row <= s->sh_size; at += sizeof row) {
        memcpy(&row, raw + at, sizeof row);
        uint64_t unit = POINTED(p, s, at, row, unit);
        if (unit && unit != last)
            texts = texts_of_unit(p, last = unit);
        struct run_site site = {.line = row.line,
                                .file = text_at(p, texts + (uint64_t)row.file),
                                .function = text_at(p, texts + (uint64_t)row.function),
                                .name = text_at(p, texts + (uint64_t)row.name),
                                .is_unknown = row.flags & HEDDLE_SITE_UNKNOWN,
                                .is_private = row.flags & HEDDLE_SITE_PRIVATE,
                                .is_access = row.flags & HEDDLE_SITE_ACCESS};
        if (*site.file)
            vec_push(&out->sites, site);
    }
}

static void read_units(struct run_program *out, const struct pointers *p)
{
    const Elf64_Shdr *s = section_named(p->f, "heddle_units");
    const char *raw = contents(p->f, s);
    struct __heddle_unit row;
    for (uint64_t at = 0; raw && at + sizeof row <= s->sh_size; at += sizeof row) {
        memcpy(&row, raw + at, sizeof row);
        vec_push(&out->units, text_at(p, POINTED(p, s, at, row, source)));
    }
}

/* ---- all of it ------------------------------------------------------------------------- */

int run_program_read(struct run_program *out, const char *program, struct err *err)
{
    AUTO(str) struct str path = {0};
    *out = (struct run_program){0};
    if (strchr(program, '/') || access(program, R_OK) == 0)
        str_add(&path, "%s", program); /* a library need not be executable */
    else if (!program_path(&path, program))
        return err_set(err, "%s: not found", program);
    if (bytes_read(&out->bytes, path.at, err) < 0)
        return -1;
    struct file f = file_of(&out->bytes);
    struct pointers p = {.f = &f};
    out->is_elf = f.head;
    read_relocations(&p);
    read_sites(out, &p);
    read_units(out, &p);
    map_done(&p.by_address);
    each_symbol(&f, SHT_DYNSYM, find_runtime, &out->is_ours);
    each_symbol(&f, SHT_DYNSYM, add_import, out);
    each_symbol(&f, SHT_SYMTAB, add_object, out);
    out->is_dynamic = section_of(&f, SHT_DYNAMIC);
    const Elf64_Shdr *bitcode = section_named(&f, "heddle_bitcode");
    const uint8_t *at = contents(&f, bitcode);
    if (at)
        out->bitcode = (struct bytes){.at = at, .len = bitcode->sh_size};
    return 0;
}

void run_program_done(struct run_program *p)
{
    vec_done(&p->sites);
    vec_done(&p->units);
    vec_done(&p->objects);
    vec_done(&p->imports);
    bytes_done(&p->bytes);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * program: what a program's file tells about it without being run: whether our runtime is in
 * it, and which build it is. */
#include "run/parts.h"

#include "heddle/abi.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUNTIME_SYMBOL "__heddle_abi_"

bool program_path(struct str *out, const char *name)
{
    if (strchr(name, '/')) {
        str_add(out, "%s", name);
        return access(out->at, X_OK) == 0;
    }
    const char *path = getenv("PATH"), *end;
    for (path = path ? path : "/usr/bin:/bin"; *path; path = *end ? end + 1 : end) {
        end = strchrnul(path, ':');
        out->len = 0;
        str_add(out, "%.*s%s%s", (int)(end - path), path, end > path ? "/" : "", name);
        if (access(out->at, X_OK) == 0)
            return true;
    }
    return false;
}

/* A stretch of the file, or NULL if the file has no such bytes. */
static const void *slice(const struct bytes *b, uint64_t offset, uint64_t len)
{
    return offset <= b->len && len <= b->len - offset ? b->at + offset : NULL;
}

static const Elf64_Ehdr *elf_head(const struct bytes *b)
{
    const Elf64_Ehdr *head = slice(b, 0, sizeof *head);
    bool good = head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
                head->e_ident[EI_CLASS] == ELFCLASS64 &&
                head->e_shentsize == sizeof(Elf64_Shdr) && head->e_shoff % 8 == 0;
    return good ? head : NULL;
}

static bool defines_runtime(const struct bytes *b, const Elf64_Shdr *symbols,
                            const Elf64_Shdr *names)
{
    const char *text = slice(b, names->sh_offset, names->sh_size);
    uint64_t count = symbols->sh_size / sizeof(Elf64_Sym), len = strlen(RUNTIME_SYMBOL);
    const Elf64_Sym *at = slice(b, symbols->sh_offset, symbols->sh_size);
    for (uint64_t i = 0; text && at && i < count; i++) {
        uint64_t name = at[i].st_name;
        if (at[i].st_shndx != SHN_UNDEF && name + len < names->sh_size &&
            memcmp(text + name, RUNTIME_SYMBOL, len) == 0)
            return true;
    }
    return false;
}

bool run_is_ours(const char *program)
{
    AUTO(str) struct str path = {0};
    AUTO(bytes) struct bytes b = {0};
    struct err err;
    if (!program_path(&path, program) || bytes_read(&b, path.at, &err) < 0)
        return false;
    const Elf64_Ehdr *head = elf_head(&b);
    const Elf64_Shdr *sections =
        head ? slice(&b, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections) : NULL;
    for (unsigned i = 0; sections && i < head->e_shnum; i++)
        if (sections[i].sh_type == SHT_DYNSYM && sections[i].sh_link < head->e_shnum &&
            defines_runtime(&b, &sections[i], &sections[sections[i].sh_link]))
            return true;
    return false;
}

void run_build(struct str *out, const char *program)
{
    AUTO(str) struct str path = {0};
    AUTO(bytes) struct bytes b = {0};
    struct err err;
    if (program_path(&path, program) && bytes_read(&b, path.at, &err) == 0)
        str_add(out, "%016llx", (unsigned long long)hash_bytes(b.at, b.len));
}

/* ---- its sites ------------------------------------------------------------------------- */

/* The tables as the linker left them: pointers are virtual addresses, in a position-independent
 * program as addends of relocations. */
struct tables {
    const struct bytes *b;
    const Elf64_Shdr *sections;
    uint32_t count;
    const Elf64_Shdr *sites;
    struct map pointers; /* offset in the section -> index of the relocation */
    const Elf64_Rela *relocations;
};

static const Elf64_Shdr *section_named(const struct tables *t, const Elf64_Ehdr *head,
                                       const char *name)
{
    if (head->e_shstrndx >= t->count)
        return NULL;
    const Elf64_Shdr *texts = &t->sections[head->e_shstrndx];
    const char *all = slice(t->b, texts->sh_offset, texts->sh_size);
    for (uint32_t i = 0; all && i < t->count; i++) {
        uint64_t at = t->sections[i].sh_name, len = strlen(name) + 1;
        if (at + len <= texts->sh_size && memcmp(all + at, name, len) == 0)
            return &t->sections[i];
    }
    return NULL;
}

static void read_relocations(struct tables *t, const Elf64_Ehdr *head)
{
    const Elf64_Shdr *s = section_named(t, head, ".rela.dyn");
    const Elf64_Rela *at = s ? slice(t->b, s->sh_offset, s->sh_size) : NULL;
    uint64_t count = at ? s->sh_size / sizeof *at : 0;
    t->relocations = at;
    for (uint64_t i = 0; i < count && i < UINT32_MAX; i++)
        if (ELF64_R_TYPE(at[i].r_info) == R_X86_64_RELATIVE &&
            at[i].r_offset - t->sites->sh_addr < t->sites->sh_size)
            *map_at(&t->pointers, at[i].r_offset - t->sites->sh_addr) = (uint32_t)i;
}

/* The text at a virtual address; "" if there is none. */
static const char *text_at(const struct tables *t, uint64_t address)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const Elf64_Shdr *s = &t->sections[i];
        if (s->sh_type == SHT_NOBITS || address - s->sh_addr >= s->sh_size || !s->sh_addr)
            continue;
        const char *all = slice(t->b, s->sh_offset, s->sh_size);
        uint64_t at = address - s->sh_addr;
        return all && memchr(all + at, 0, s->sh_size - at) ? all + at : "";
    }
    return "";
}

static const char *text_in(const struct tables *t, uint64_t offset, const char *stored)
{
    uint32_t relocation = map_find(&t->pointers, offset);
    uint64_t address =
        relocation == NONE ? (uintptr_t)stored : (uint64_t)t->relocations[relocation].r_addend;
    return text_at(t, address);
}

static void read_sites(struct run_sites *out, const struct tables *t)
{
    const char *raw = slice(t->b, t->sites->sh_offset, t->sites->sh_size);
    struct __heddle_site s;
    for (uint64_t at = 0; raw && at + sizeof s <= t->sites->sh_size; at += sizeof s) {
        memcpy(&s, raw + at, sizeof s);
        struct run_site site = {
            .line = s.line,
            .file = text_in(t, at + offsetof(struct __heddle_site, file), s.file),
            .function = text_in(t, at + offsetof(struct __heddle_site, function), s.function),
            .is_private = s.flags & HEDDLE_SITE_PRIVATE};
        if (*site.file)
            vec_push(&out->at, site);
    }
}

int run_sites_read(struct run_sites *out, const char *program, struct err *err)
{
    AUTO(str) struct str path = {0};
    struct tables t = {.b = &out->bytes};
    *out = (struct run_sites){0};
    if (!program_path(&path, program))
        return err_set(err, "%s: not found", program);
    if (bytes_read(&out->bytes, path.at, err) < 0)
        return -1;
    const Elf64_Ehdr *head = elf_head(&out->bytes);
    if (head) {
        t.sections = slice(t.b, head->e_shoff, (uint64_t)head->e_shnum * sizeof *t.sections);
        t.count = t.sections ? head->e_shnum : 0;
        t.sites = section_named(&t, head, "heddle_sites");
    }
    if (t.sites) {
        read_relocations(&t, head);
        read_sites(out, &t);
    }
    map_done(&t.pointers);
    return 0;
}

void run_sites_done(struct run_sites *s)
{
    vec_done(&s->at);
    bytes_done(&s->bytes);
}

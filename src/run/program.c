/* SPDX-License-Identifier: Apache-2.0
 *
 * program: what a program's file tells about it without being run: whether our runtime is in
 * it, and which build it is. */
#include "run/parts.h"

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

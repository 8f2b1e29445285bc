/* SPDX-License-Identifier: Apache-2.0
 *
 * image: what the file of a program or shared object says about memory: sections, symbols, what
 * variables hold before anything runs. The file is doubted here and nowhere else. */
#include "ir/bitcode.h"

#include <string.h>

static bool has(const struct image *im, uint64_t offset, uint64_t len)
{
    return offset <= im->file.len && len <= im->file.len - offset;
}

static const char *section_name(const struct image *im, const Elf64_Shdr *s)
{
    const Elf64_Ehdr *head = (const void *)im->file.at;
    if (head->e_shstrndx >= im->section_count)
        return "";
    const Elf64_Shdr *names = &im->sections[head->e_shstrndx];
    if (!has(im, names->sh_offset, names->sh_size) || s->sh_name >= names->sh_size)
        return "";
    const char *at = (const char *)im->file.at + names->sh_offset + s->sh_name;
    return memchr(at, 0, names->sh_size - s->sh_name) ? at : "";
}

bool image_section(const struct image *im, const char *name, const uint8_t **at, uint64_t *len)
{
    for (uint32_t i = 0; i < im->section_count; i++) {
        const Elf64_Shdr *s = &im->sections[i];
        if (s->sh_type == SHT_NOBITS || strcmp(section_name(im, s), name) != 0 ||
            !has(im, s->sh_offset, s->sh_size))
            continue;
        *at = im->file.at + s->sh_offset;
        *len = s->sh_size;
        return true;
    }
    return false;
}

/* The text of the k-th entry of this tag for the loader. */
static const char *dynamic_text(const struct image *im, int64_t tag, uint32_t k)
{
    const uint8_t *at, *texts;
    uint64_t len, texts_len;
    if (!image_section(im, ".dynamic", &at, &len) ||
        !image_section(im, ".dynstr", &texts, &texts_len))
        return NULL;
    for (uint64_t i = 0; i + sizeof(Elf64_Dyn) <= len; i += sizeof(Elf64_Dyn)) {
        Elf64_Dyn d;
        memcpy(&d, at + i, sizeof d);
        if (d.d_tag != tag || k-- > 0)
            continue;
        uint64_t from = d.d_un.d_val;
        bool is_text = from < texts_len && memchr(texts + from, 0, texts_len - from);
        return is_text ? (const char *)texts + from : NULL;
    }
    return NULL;
}

const char *image_needed(const struct image *im, uint32_t k)
{
    return dynamic_text(im, DT_NEEDED, k);
}

const char *image_search_path(const struct image *im)
{
    const char *path = dynamic_text(im, DT_RUNPATH, 0);
    return path ? path : dynamic_text(im, DT_RPATH, 0);
}

static void find_symbols(struct image *im)
{
    for (uint32_t i = 0; i < im->section_count; i++) {
        const Elf64_Shdr *s = &im->sections[i];
        if (s->sh_type != SHT_SYMTAB || s->sh_link >= im->section_count)
            continue;
        const Elf64_Shdr *texts = &im->sections[s->sh_link];
        if (!has(im, s->sh_offset, s->sh_size) || !has(im, texts->sh_offset, texts->sh_size) ||
            s->sh_offset % 8)
            continue;
        im->symbols = (const void *)(im->file.at + s->sh_offset);
        im->symbol_count = (uint32_t)(s->sh_size / sizeof(Elf64_Sym));
        im->symbol_texts = (const char *)im->file.at + texts->sh_offset;
        im->symbol_texts_bytes = texts->sh_size;
    }
}

static const char *image_symbol_name(const struct image *im, const Elf64_Sym *s)
{
    if (s->st_name >= im->symbol_texts_bytes)
        return "";
    const char *at = im->symbol_texts + s->st_name;
    return memchr(at, 0, im->symbol_texts_bytes - s->st_name) ? at : "";
}

static void index_symbols(struct image *im)
{
    const char *file = "";
    im->next_same = mem_zeroed(im->symbol_count + 1, sizeof *im->next_same);
    im->file_of = mem_zeroed(im->symbol_count + 1, sizeof *im->file_of);
    for (uint32_t i = 0; i < im->symbol_count; i++) {
        const char *name = image_symbol_name(im, &im->symbols[i]);
        if (ELF64_ST_TYPE(im->symbols[i].st_info) == STT_FILE)
            file = name;
        uint32_t *slot = map_at(&im->by_name, hash_bytes(name, strlen(name)));
        im->next_same[i] = *slot;
        im->file_of[i] = file;
        *slot = i;
    }
}

int image_open(struct image *out, const char *path, struct err *err)
{
    struct image im = {0};
    if (bytes_read(&im.file, path, err) < 0)
        return -1;
    const Elf64_Ehdr *head = (const void *)im.file.at;
    bool is_elf = im.file.len >= sizeof *head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
                  head->e_ident[EI_CLASS] == ELFCLASS64;
    if (!is_elf || head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shoff % 8 ||
        !has(&im, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr))) {
        bytes_done(&im.file);
        return err_set(err, "%s: not an ELF file of 64 bits", path);
    }
    im.sections = (const void *)(im.file.at + head->e_shoff);
    im.section_count = head->e_shnum;
    im.is_placed = head->e_type == ET_EXEC;
    find_symbols(&im);
    index_symbols(&im);
    *out = im;
    return 0;
}

void image_close(struct image *im)
{
    map_done(&im->by_name);
    free(im->next_same);
    free(im->file_of);
    bytes_done(&im->file);
}

/* ---- where it lies ----------------------------------------------------------------------- */

static bool is_variable(const Elf64_Sym *s)
{
    unsigned type = ELF64_ST_TYPE(s->st_info);
    return (type == STT_OBJECT || type == STT_FUNC) && s->st_shndx != SHN_UNDEF;
}

static const Elf64_Sym *find_symbol(const struct image *im, const char *name,
                                    const char *source)
{
    const char *base = strrchr(source, '/') ? strrchr(source, '/') + 1 : source;
    const Elf64_Sym *found = NULL;
    uint32_t same = 0;
    uint32_t i = map_find(&im->by_name, hash_bytes(name, strlen(name)));
    for (; i != NONE; i = im->next_same[i]) {
        const Elf64_Sym *s = &im->symbols[i];
        if (!is_variable(s) || strcmp(image_symbol_name(im, s), name) != 0)
            continue;
        bool is_here =
            ELF64_ST_BIND(s->st_info) != STB_LOCAL || strcmp(im->file_of[i], base) == 0;
        if (is_here || !found)
            found = s;
        same += is_here;
    }
    return same <= 1 ? found : NULL;
}

void image_place(struct image *im, const char *name, const char *source, uint64_t addr)
{
    const Elf64_Sym *s = im->is_placed ? NULL : find_symbol(im, name, source);
    if (!s || (addr - s->st_value) % 4096)
        return;
    im->bias = addr - s->st_value;
    im->is_placed = true;
}

/* The distance that most of the named variables have; names may occur twice. */
void image_place_by_names(struct image *im, const struct trace *t)
{
    struct map votes = {0};
    uint32_t best = 0;
    bool is_open = !im->is_placed;
    for (uint32_t k = 0; is_open && k < t->objects.len; k++) {
        const struct def_object *o = &t->objects.at[k];
        uint32_t i = map_find(&im->by_name, hash_bytes(o->name.at, o->name.len));
        for (; i != NONE; i = im->next_same[i]) {
            const Elf64_Sym *s = &im->symbols[i];
            if (!is_variable(s) || o->size != s->st_size || (o->addr - s->st_value) % 4096)
                continue;
            uint32_t *slot = map_at(&votes, o->addr - s->st_value);
            *slot = *slot == NONE ? 1 : *slot + 1;
            if (*slot > best) {
                best = *slot;
                im->bias = o->addr - s->st_value;
                im->is_placed = true;
            }
        }
    }
    map_done(&votes);
}

uint64_t image_address(const struct image *im, const char *name, const char *source)
{
    const Elf64_Sym *s = im->is_placed ? find_symbol(im, name, source) : NULL;
    return s ? im->bias + s->st_value : 0;
}

bool image_variable(const struct image *im, uint64_t addr, uint64_t *start, uint64_t *size)
{
    for (uint32_t i = 0; im->is_placed && i < im->symbol_count; i++) {
        const Elf64_Sym *s = &im->symbols[i];
        uint64_t at = im->bias + s->st_value;
        if (ELF64_ST_TYPE(s->st_info) == STT_OBJECT && s->st_shndx != SHN_UNDEF &&
            addr - at < s->st_size) {
            *start = at;
            *size = s->st_size;
            return true;
        }
    }
    return false;
}

/* ---- what it holds ----------------------------------------------------------------------- */

/* 1: filled in, 0: no relocation here, -1: by something that is not known. */
static int relocated(const struct image *im, uint64_t at, uint64_t *out)
{
    for (uint32_t i = 0; i < im->section_count; i++) {
        const Elf64_Shdr *s = &im->sections[i];
        if (s->sh_type != SHT_RELA || !(s->sh_flags & SHF_ALLOC) ||
            !has(im, s->sh_offset, s->sh_size) || s->sh_offset % 8)
            continue;
        const Elf64_Rela *r = (const void *)(im->file.at + s->sh_offset);
        for (uint64_t k = 0; k < s->sh_size / sizeof *r; k++) {
            if (r[k].r_offset + 8 <= at || at + 8 <= r[k].r_offset)
                continue;
            if (r[k].r_offset != at || ELF64_R_TYPE(r[k].r_info) != R_X86_64_RELATIVE)
                return -1;
            *out = im->bias + (uint64_t)r[k].r_addend;
            return 1;
        }
    }
    return 0;
}

bool image_initial(const struct image *im, uint64_t addr, unsigned size, uint64_t *out)
{
    uint64_t at = addr - im->bias, value = 0;
    const Elf64_Shdr *in = NULL;
    for (uint32_t i = 0; im->is_placed && i < im->section_count && !in; i++) {
        const Elf64_Shdr *s = &im->sections[i];
        bool is_memory = (s->sh_flags & SHF_ALLOC) && !(s->sh_flags & SHF_TLS);
        if (is_memory && at - s->sh_addr < s->sh_size && size <= s->sh_size - (at - s->sh_addr))
            in = s;
    }
    if (!in)
        return false;
    int filled = relocated(im, at & ~7ULL, &value);
    if (filled < 0)
        return false;
    if (filled)
        value >>= 8 * (at & 7);
    else if (in->sh_type != SHT_NOBITS) {
        uint64_t offset = in->sh_offset + (at - in->sh_addr);
        if (!has(im, offset, size))
            return false;
        memcpy(&value, im->file.at + offset, size);
    }
    if (filled && (at & 7) + size > 8)
        return false;
    *out = fmt_low_bytes(value, size);
    return true;
}

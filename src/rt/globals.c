/* SPDX-License-Identifier: Apache-2.0
 *
 * globals: names for the target's global variables. The compiler left a table of them in a
 * section of each object; that of the program itself is reached by the linker's symbols, those
 * of shared objects by the section headers of their files. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

extern const struct __heddle_global __start_heddle_globals[]
    __attribute__((weak, visibility("hidden")));
extern const struct __heddle_global __stop_heddle_globals[]
    __attribute__((weak, visibility("hidden")));

enum { BEGINS_MAX_BYTES = 128 }; /* of objects larger than 64 times that nobody looks */

/* Which of its words are not zero; the number of bytes that say so, 0 if none is. */
static uint32_t look_at(const struct __heddle_global *g, uint8_t out[BEGINS_MAX_BYTES])
{
    const uint8_t *at = g->addr;
    uint32_t used = 0;
    if (g->size > BEGINS_MAX_BYTES * 64)
        return 0;
    __builtin_memset(out, 0, BEGINS_MAX_BYTES);
    for (uint64_t i = 0; i < g->size; i++)
        if (at[i]) {
            out[i / 64] |= (uint8_t)(1u << (i / 8 % 8));
            used = (uint32_t)(i / 64) + 1;
        }
    return used;
}

static void define(const struct __heddle_global *first, const struct __heddle_global *end)
{
    for (const struct __heddle_global *g = first; g < end; g++) {
        if (!g->addr || g->is_tls || !g->size)
            continue;
        uint8_t begins[BEGINS_MAX_BYTES];
        uint32_t used = look_at(g, begins);
        struct def_object o = {.class = WORD_VALUE(CLASS, MEMORY),
                               .addr = (uint64_t)(uintptr_t)g->addr,
                               .size = g->size,
                               .name = {g->name, (uint32_t)__builtin_strlen(g->name)},
                               .begins = {(const char *)begins, used}};
        trace_put_object(&rt.trace, &o);
    }
}

static bool is_name(const char *name, const char *wanted)
{
    return __builtin_strcmp(name, wanted) == 0;
}

/* False: it was not instrumented. */
static bool define_in_file(const uint8_t *file, uint64_t bytes, uint64_t base)
{
    bool is_ours = false;
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)file;
    if (bytes < sizeof *head || __builtin_memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_shentsize != sizeof(Elf64_Shdr) ||
        head->e_shoff + (uint64_t)head->e_shnum * sizeof(Elf64_Shdr) > bytes ||
        head->e_shstrndx >= head->e_shnum)
        return true;
    const Elf64_Shdr *section = (const Elf64_Shdr *)(const void *)(file + head->e_shoff);
    const char *names = (const char *)(file + section[head->e_shstrndx].sh_offset);
    for (unsigned i = 0; i < head->e_shnum; i++) {
        is_ours |= is_name(names + section[i].sh_name, "heddle_units");
        if (!is_name(names + section[i].sh_name, "heddle_globals"))
            continue;
        const char *start = (const char *)(uintptr_t)(base + section[i].sh_addr);
        define((const struct __heddle_global *)(const void *)start,
               (const struct __heddle_global *)(const void *)(start + section[i].sh_size));
    }
    return is_ours;
}

/* Libraries that are there from the start can be seen in the program's file; one that comes
 * later is named. */
static bool begins_with(const char *name, const char *const *all, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (__builtin_strncmp(name, all[i], __builtin_strlen(all[i])) == 0)
            return true;
    return false;
}

/* It was not instrumented. */
static void stranger(const char *path)
{
    static const char *const expected[] = {"libgcc_s.", "libnss_", "libm.", "libresolv."};
    static const char *const always[] = {"libc.so", "ld-linux", "libstdc++."};
    const char *name = __builtin_strrchr(path, '/') + 1;
    if (begins_with(name, expected, sizeof expected / sizeof expected[0]))
        return;
    if (rt.loaded_count)
        outcome_doubt(DOUBT_LIBRARY, name);
    rt.has_strangers |= !begins_with(name, always, sizeof always / sizeof always[0]);
}

static int define_in_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    uint32_t *index = arg;
    (void)size;
    if ((*index)++ < rt.loaded_count)
        return 0;
    if (!info->dlpi_name || !__builtin_strchr(info->dlpi_name, '/'))
        return 0;
    int fd = sys_open(info->dlpi_name, O_RDONLY | O_CLOEXEC, 0);
    struct stat st;
    if (fd < 0)
        return 0;
    if (sys_call(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) == 0) {
        uint64_t bytes = (uint64_t)st.st_size;
        void *file = sys_map(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file) {
            if (!define_in_file(file, bytes, info->dlpi_addr))
                stranger(info->dlpi_name);
            sys_unmap(file, bytes);
        }
    }
    sys_close(fd);
    return 0;
}

/* New objects come last in the list. */
static void define_loaded(void)
{
    uint32_t index = 0;
    dl_iterate_phdr(define_in_object, &index);
    rt.loaded_count = index;
}

static int find_libc(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct range *out = arg;
    uint64_t base = info->dlpi_addr, inside = (uint64_t)(uintptr_t)__libc_malloc;
    (void)size;
    bool is_linker = base != 0 && base == getauxval(AT_BASE);
    struct range r = {UINT64_MAX, 0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uint64_t low = base + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        r.low = low < r.low ? low : r.low;
        r.high = low + info->dlpi_phdr[i].p_memsz > r.high ? low + info->dlpi_phdr[i].p_memsz
                                                           : r.high;
    }
    if (is_linker)
        out[1] = r;
    else if (inside >= r.low && inside < r.high)
        out[0] = r;
    return 0;
}

bool globals_is_libc(const void *code)
{
    uint64_t at = (uint64_t)(uintptr_t)code;
    for (uint32_t i = 0; i < 2; i++)
        if (at >= rt.libc[i].low && at < rt.libc[i].high)
            return true;
    return false;
}

void globals_start(void)
{
    dl_iterate_phdr(find_libc, rt.libc);
    if (!rt.recording)
        return;
    define(__start_heddle_globals, __stop_heddle_globals);
    define_loaded();
}

void globals_after_dlopen(void)
{
    if (rt.recording)
        define_loaded();
    if (self)
        map_taken(self, 0, NEVER);
}

static int count_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)info, (void)size;
    ++*(uint32_t *)arg;
    return 0;
}

void globals_after_dlclose(void)
{
    rt.loaded_count = 0;
    dl_iterate_phdr(count_object, &rt.loaded_count);
}

const struct __heddle_global *globals_find(uint64_t addr)
{
    for (const struct __heddle_global *g = __start_heddle_globals; g < __stop_heddle_globals;
         g++)
        if (addr - (uint64_t)(uintptr_t)g->addr < g->size && !g->is_tls)
            return g;
    return NULL;
}

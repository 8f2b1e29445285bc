/* SPDX-License-Identifier: Apache-2.0
 *
 * sharing: what one run found out about shared memory, and the next one is told. Places are
 * named so that another run of the same schedule knows them, wherever its memory lies: a heap
 * block is the n-th that was allocated, everything else lies so far from something fixed (the
 * program, its first break, a stack, the C library). Of the latter, what was shared once is
 * taken for shared for ever; a block is something new each time it begins to live.
 *
 * The file `shared` is appended to while the run goes on. Before it is used for a replay it
 * has to be sorted (struct shared_range, docs/format.md). */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>

enum {
    WINDOW_SHARED = 16,
    WINDOW_RANGES = 20,
    WINDOW_BYTES = 1 << 20,
    SLOT_BITS = 4, /* a block begins at a multiple of 16 bytes */
    PAGE_BITS = 12,
    MAIN_STACK_BYTES = 64 << 20,
};
#define ADDRESS_BITS_MASK ((1ULL << 44) - 1)
#define STARTS_AT 0x500000000000ULL /* 4 bytes for 16 */
#define PAGES_AT 0x480000000000ULL  /* 8 bytes for 4096 */

/* ---- blocks -------------------------------------------------------------------------- */

/* By where a block begins: its number while we find out, the index + 1 of its first range
 * while we follow. 0: no block, or one that nothing is known of. */
static uint32_t *start_at(uint64_t addr)
{
    return &rt.sharing.starts[(addr & ADDRESS_BITS_MASK) >> SLOT_BITS];
}

/* The block that reaches into a page from before it. */
static uint64_t *page_at(uint64_t addr)
{
    return &rt.sharing.pages[(addr & ADDRESS_BITS_MASK) >> PAGE_BITS];
}

static void set_pages(uint64_t addr, uint64_t len, uint64_t value)
{
    uint64_t page = 1ULL << PAGE_BITS;
    for (uint64_t at = (addr | (page - 1)) + 1; at < addr + len; at += page)
        *page_at(at) = value;
}

/* Where the live block with this address in it begins; 0 if there is none. */
static uint64_t block_of(uint64_t addr)
{
    uint64_t at = addr & ~15ULL, page = addr >> PAGE_BITS << PAGE_BITS;
    while (!*start_at(at) && at > page)
        at -= 16;
    if (!*start_at(at))
        at = *page_at(addr);
    return at && addr - at < malloc_usable_size((void *)(uintptr_t)at) ? at : 0;
}

/* ---- places that are fixed ----------------------------------------------------------- */

/* What addresses of a region are counted from. */
static uint64_t region_base(uint32_t region)
{
    CHECK(region >= REGION_FIRST && region < REGION_THREAD + rt.thread_count);
    if (region >= REGION_THREAD)
        return rt.threads[region - REGION_THREAD].stack_high;
    return rt.sharing.region_base[region - REGION_FIRST];
}

/* Newest first: an old thread's stack may be a new one's. */
static uint32_t region_of(uint64_t addr)
{
    for (uint32_t i = rt.thread_count; i-- > 0;)
        if (is_on_stack(&rt.threads[i], addr))
            return REGION_THREAD + i;
    if (addr - rt.sharing.region_base[REGION_PROGRAM - REGION_FIRST] < rt.sharing.program_bytes)
        return REGION_PROGRAM;
    uint64_t start = rt.sharing.region_base[REGION_BREAK - REGION_FIRST];
    if (addr - start < (uint64_t)sys_call(SYS_brk, 0, 0, 0, 0, 0, 0) - start)
        return REGION_BREAK;
    return REGION_MAPPED;
}

static int find_program(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size, (void)arg;
    uint64_t low = NEVER, high = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uint64_t at = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD)
            continue;
        low = at < low ? at : low;
        high = at + p->p_memsz > high ? at + p->p_memsz : high;
    }
    rt.sharing.region_base[REGION_PROGRAM - REGION_FIRST] = low & ~4095ULL;
    rt.sharing.program_bytes = high - (low & ~4095ULL);
    return 1; /* the program is the first */
}

static void find_regions(struct thr *main)
{
    uint64_t frame = (uint64_t)(uintptr_t)__builtin_frame_address(0) & ~15ULL;
    main->stack_high = frame + MAIN_STACK_BYTES / 64;
    main->stack_low = frame - MAIN_STACK_BYTES;
    dl_iterate_phdr(find_program, NULL);
    rt.sharing.region_base[REGION_BREAK - REGION_FIRST] =
        (uint64_t)sys_call(SYS_brk, 0, 0, 0, 0, 0, 0) & ~15ULL;
    rt.sharing.region_base[REGION_MAPPED - REGION_FIRST] =
        (uint64_t)(uintptr_t)&__libc_malloc & ~4095ULL;
}

/* ---- finding out --------------------------------------------------------------------- */

static void add_range(uint32_t life, uint64_t first, uint32_t count)
{
    struct run_file *f = &rt.shared_file;
    struct shared_range *last = rt.sharing.last_range;
    if (f->fd < 0)
        return;
    if (last && last->life == life && last->first + last->count == first) {
        last->count += count;
        return;
    }
    if (!run_file_room(f, sizeof *last))
        return;
    struct shared_range *r = (struct shared_range *)(void *)(f->at + (f->used - f->offset));
    r->first = first;
    r->life = life;
    __asm__ volatile("" ::: "memory");
    r->count = count;
    f->used += sizeof *r;
    rt.sharing.last_range = r;
}

static void note_cell(uint64_t addr)
{
    uint64_t block = block_of(addr);
    uint32_t life = block ? *start_at(block) : region_of(addr);
    uint64_t base = block ? block : region_base(life);
    add_range(life, (uint64_t)((int64_t)(addr - base) / 8), 1);
}

void sharing_note(uint64_t addr, uint64_t len)
{
    for (uint64_t at = addr; at < addr + len; at += 8)
        note_cell(at);
}

/* ---- following ----------------------------------------------------------------------- */

static struct cell *cell_of(uint64_t addr)
{
    return (struct cell *)(void *)(rt.shadow + (addr & rt.shadow_mask));
}

static void mark(uint64_t base, const struct shared_range *r, uint32_t how)
{
    for (uint32_t i = 0; i < r->count; i++) {
        struct cell *c = cell_of(base + (r->first + i) * 8);
        if (c->w != CELL_ALWAYS)
            *c = (struct cell){how, how};
    }
}

/* The ranges are sorted by life; the first one of this life, or of a later one. */
static uint32_t range_find(uint32_t life)
{
    uint32_t low = 0, high = rt.sharing.range_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rt.sharing.ranges[middle].life < life)
            low = middle + 1;
        else
            high = middle;
    }
    CHECK(low == 0 || rt.sharing.ranges[low - 1].life < life);
    return low;
}

static void mark_life(uint32_t first, uint64_t base, uint32_t how)
{
    CHECK(first <= rt.sharing.range_count);
    uint32_t life = first < rt.sharing.range_count ? rt.sharing.ranges[first].life : 0;
    for (uint32_t i = first; i < rt.sharing.range_count && rt.sharing.ranges[i].life == life;
         i++)
        mark(base, &rt.sharing.ranges[i], how);
}

static void mark_region(uint32_t region)
{
    uint32_t first = range_find(region);
    if (first < rt.sharing.range_count && rt.sharing.ranges[first].life == region)
        mark_life(first, region_base(region), CELL_ALWAYS);
}

static void read_plan(void)
{
    struct log_map m =
        memory_log(rt.set.shared, memory_window(WINDOW_RANGES), LOG_SHARED, PROT_READ);
    if (!m.head)
        outcome_diverged(m.is_there ? "not a file about what is shared"
                                    : "cannot read what is shared");
    rt.sharing.ranges = (const struct shared_range *)(const void *)(m.head + 1);
    rt.sharing.range_count = (uint32_t)((m.bytes - sizeof *m.head) / sizeof *rt.sharing.ranges);
    for (uint32_t i = 1; i < rt.sharing.range_count; i++)
        if (rt.sharing.ranges[i - 1].life > rt.sharing.ranges[i].life)
            outcome_diverged("what is shared is not in order");
}

/* ---- blocks and threads come and go -------------------------------------------------- */

void sharing_block_begins(uint64_t addr, uint64_t len)
{
    uint32_t life = ++rt.sharing.block_count;
    if (life >= REGION_FIRST) /* known by its address */
        return;
    if (rt.owning) {
        *start_at(addr) = life;
        set_pages(addr, len, addr);
    } else if (rt.sharing.range_next < rt.sharing.range_count &&
               rt.sharing.ranges[rt.sharing.range_next].life == life) {
        uint32_t first = rt.sharing.range_next;
        *start_at(addr) = first + 1;
        mark_life(first, addr, CELL_SHARED);
        while (rt.sharing.range_next < rt.sharing.range_count &&
               rt.sharing.ranges[rt.sharing.range_next].life == life)
            rt.sharing.range_next++;
    }
}

void sharing_block_ends(uint64_t addr, uint64_t len)
{
    uint32_t *start = start_at(addr);
    if (!*start)
        return;
    if (rt.owning)
        set_pages(addr, len, 0);
    else
        mark_life(*start - 1, addr, CELL_PRIVATE);
    *start = 0;
}

void sharing_thread_begins(const struct thr *t)
{
    if (!rt.owning)
        mark_region(REGION_THREAD + t->id);
}

/* ---- start --------------------------------------------------------------------------- */

int sharing_start(struct thr *main, bool finds_out)
{
    find_regions(main);
    rt.sharing.starts = memory_reserve(STARTS_AT, (ADDRESS_BITS_MASK + 1) >> SLOT_BITS << 2);
    rt.sharing.pages = memory_reserve(PAGES_AT, (ADDRESS_BITS_MASK + 1) >> PAGE_BITS << 3);
    if (!rt.sharing.starts || !rt.sharing.pages)
        return -1;
    if (!finds_out) {
        read_plan();
        for (uint32_t region = REGION_FIRST; region <= REGION_THREAD; region++)
            mark_region(region);
        return 0;
    }
    struct log_head head = {LOG_MAGIC, TRACE_VERSION, LOG_SHARED};
    rt.shared_file.fd = -1;
    if (rt.set.sharing && rt.set.dir[0])
        return run_file_create(&rt.shared_file, "shared", &head, sizeof head, WINDOW_SHARED,
                               WINDOW_BYTES);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * shadow: who has touched which memory. Eight bytes of the target have one cell:
 *
 *   w  segment that wrote last, or SHARED    r  segment that read last, or CELL_MANY | newest
 *
 * A segment is a stretch of a thread between two creations of threads. Segments are ordered by
 * creations and joins and by nothing else: that order holds in every schedule, the order of
 * locks does not. Memory is shared once two accesses, one of them a write, are not ordered so.
 * An access that finds its own segment in the cell costs one comparison; nobody else can have
 * touched the cell since.
 *
 * The other way round, a replay that has been told what is shared (sharing.c) marks those cells
 * beforehand; all others become CELL_PRIVATE, the segment of every thread then, so that the
 * comparison is the same. They are 0 until something in their page is looked at: a page that
 * was never written is one and the same page of zeros everywhere, and a processor whose first
 * cache goes by virtual addresses (AMD's) misses it each time that it is met by another one.
 * Without a shadow all addresses have one cell, which nobody's segment is in, or if nothing is
 * recorded everybody's. In a run that records nothing the reader of a shared cell stands in r,
 * so that its next reads are passed over. */
#include "rt/repeat.h"
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/seen.h"
#include "rt/sys.h"

#include <sys/mman.h>

#define SHADOW_AT 0x200000000000ULL
#define SHADOW_BYTES (1ULL << 44)
#define SHADOW_SHIFT 0x9c0u /* a cell and its memory shall not compete for one set of a cache */
#define KNOWN_AT 0x400000000000ULL
#define CELL_MASK (SHADOW_BYTES - 8) /* of an address: what counts for its cell */
#define SEGMENTS_MAX (1ULL << 31)
enum {
    KNOWN_MAX = 4096, /* threads whose order is known; what later ones share is recorded */
    BIG_BYTES = 1 << 18,
};

_Static_assert(THREADS_MAX <= UINT16_MAX, "a segment's thread has 16 bits");

/* ---- order --------------------------------------------------------------------------- */

static uint32_t *known_of(const struct thr *t)
{
    return rt.segments.known + (uint64_t)t->id * KNOWN_MAX;
}

static bool is_before(uint32_t segment, const struct thr *t)
{
    if (segment < t->floor)
        return true;
    CHECK(segment <= rt.segment_count);
    thr_id owner = rt.segments.thr[segment];
    return owner == t->id ||
           (owner < KNOWN_MAX && t->id < KNOWN_MAX && known_of(t)[owner] >= segment);
}

/* Every segment below it is before t. */
static void set_floor(struct thr *t)
{
    uint32_t floor = t->id < KNOWN_MAX ? rt.segment_count + 1 : t->floor;
    for (thr_id u = 0; u < rt.thread_count && t->id < KNOWN_MAX; u++) {
        const struct thr *other = &rt.threads[u];
        uint32_t first = u < KNOWN_MAX && known_of(t)[u] ? known_of(t)[u] + 1 : other->born;
        bool is_past =
            other->state == THR_EXITED && u < KNOWN_MAX && known_of(t)[u] >= other->segment;
        if (other != t && !is_past && first < floor)
            floor = first;
    }
    CHECK(floor >= t->floor && floor <= rt.segment_count + 1);
    t->floor = floor;
}

/* What a hook compares with: it goes on if everything is to be recorded. */
static void set_own(struct thr *t)
{
    uint32_t segment =
        (rt.everything && rt.shadow_mask) || rt.weak.on ? CELL_NOBODY : t->segment;
    t->own = (struct cell){segment, segment};
    t->shadow = rt.shadow;
    t->shadow_mask = rt.shadow_mask;
}

void shadow_everything(bool all)
{
    rt.everything = all;
    repeat_break();
    for (uint32_t i = 0; i < rt.thread_count; i++)
        set_own(&rt.threads[i]);
}

static uint32_t segment_new(struct thr *t)
{
    uint32_t segment = ++rt.segment_count;
    if (segment >= SEGMENTS_MAX - 8)
        outcome_unsupported("more than 2147483639 segments of threads");
    CHECK(segment >= t->segment);
    rt.segments.thr[segment] = (uint16_t)t->id;
    t->segment = segment;
    set_own(t);
    return segment;
}

void shadow_create(struct thr *parent, struct thr *child)
{
    child->segment = parent->segment;
    set_own(child);
    if (!rt.owning)
        return;
    if (child->id < KNOWN_MAX && parent->id < KNOWN_MAX) {
        __builtin_memcpy(known_of(child), known_of(parent), child->id * sizeof(uint32_t));
        known_of(child)[parent->id] = parent->segment;
    }
    child->born = segment_new(child);
    segment_new(parent);
    child->floor = 1;
    set_floor(child);
}

void shadow_join(struct thr *t, const struct thr *peer)
{
    if (!rt.owning || t->id >= KNOWN_MAX || peer->id >= KNOWN_MAX)
        return;
    CHECK(peer != t && peer->segment <= rt.segment_count);
    uint32_t *mine = known_of(t), *its = known_of(peer);
    for (thr_id u = 0; u < rt.thread_count && u < KNOWN_MAX; u++)
        if (its[u] > mine[u])
            mine[u] = its[u];
    mine[peer->id] = peer->segment;
    set_floor(t);
}

/* ---- cells --------------------------------------------------------------------------- */

static struct cell *cell_of(uint64_t addr)
{
    return (struct cell *)(void *)(rt.shadow + (addr & CELL_MASK));
}

/* True: the cell is shared, and was before or has become so. */
static bool cell_touch(struct thr *t, struct cell *c, bool is_write, bool *is_new)
{
    struct cell now = *c;
    if (now.w == CELL_SHARED)
        return true;
    bool readers_before =
        now.r & CELL_MANY ? (now.r & ~CELL_MANY) < t->floor : is_before(now.r, t);
    if (!is_before(now.w, t) || (is_write && !readers_before)) {
        *c = (struct cell){CELL_SHARED, CELL_SHARED};
        *is_new = true;
        return true;
    }
    if (is_write)
        *c = (struct cell){t->segment, t->segment};
    else
        c->r = readers_before ? t->segment : CELL_MANY | rt.segment_count;
    return false;
}

/* From here on these bytes are recorded. What was done there before is not in the trace if it
 * fell under the budget's filter: somebody unknown wrote what is there now. */
static void became_shared(struct thr *t, uint64_t addr, uint64_t len,
                          struct __heddle_site *site)
{
    sharing_note(addr, len);
    if (rt.accesses && !rt.everything)
        record_external(t, addr, len, site);
}

static bool touch_own(struct thr *t, uint64_t addr, uint64_t len, bool is_write,
                      struct __heddle_site *site)
{
    uint64_t end = addr + len, run = 0;
    bool any = false;
    for (uint64_t at = addr & ~7ULL; at < end; at += 8) {
        struct cell *c = cell_of(at);
        bool is_new = false;
        if (!cell_claim(t, c, is_write))
            any |= cell_touch(t, c, is_write, &is_new);
        if (is_new && !run)
            run = at;
        if (run && (!is_new || at + 8 >= end)) {
            became_shared(t, run, (is_new ? at + 8 : at) - run, site);
            run = 0;
        }
    }
    return any;
}

/* Of all cells in the page, what is not marked is private. */
static void fill_page(const struct cell *in)
{
    enum { PAGE_BYTES = 4096 };
    struct cell *c = (struct cell *)((uintptr_t)in & ~(uintptr_t)(PAGE_BYTES - 1));
    for (unsigned i = 0; i < PAGE_BYTES / sizeof *c; i++)
        if (!c[i].w)
            c[i] = (struct cell){CELL_PRIVATE, CELL_PRIVATE};
}

static bool touch_planned(uint64_t addr, uint64_t len)
{
    bool any = false;
    for (uint64_t at = addr & ~7ULL; at < addr + len && !any; at += 8) {
        const struct cell *c = cell_of(at);
        if (!c->w)
            fill_page(c);
        any = c->w >= CELL_ALWAYS;
    }
    return any;
}

bool shadow_touch(struct thr *t, uint64_t addr, uint64_t len, bool is_write,
                  struct __heddle_site *site)
{
    if (!rt.owning)
        return rt.everything || touch_planned(addr, len);
    return touch_own(t, addr, len, is_write, site) || rt.everything;
}

/* Is any of it recorded? Nothing is touched. */
bool shadow_is_shared(uint64_t addr, uint64_t len)
{
    if (rt.everything || !rt.shadow_mask)
        return true;
    for (uint64_t at = addr & ~7ULL; at < addr + len; at += 8)
        if (cell_of(at)->w >= CELL_ALWAYS)
            return true;
    return false;
}

/* ---- lives --------------------------------------------------------------------------- */

static void clear(uint64_t addr, uint64_t len)
{
    uint64_t first = (addr + 7) & ~7ULL, end = (addr + len + 7) & ~7ULL;
    uint64_t from = (uint64_t)(uintptr_t)cell_of(first), to = from + (end - first);
    if (to - from >= BIG_BYTES) {
        uint64_t page = (from + 4095) & ~4095ULL, last = to & ~4095ULL;
        sys_call(SYS_madvise, (long)page, (long)(last - page), MADV_DONTNEED, 0, 0, 0);
        __builtin_memset((void *)(uintptr_t)from, 0, page - from);
        from = last;
    }
    __builtin_memset((void *)(uintptr_t)from, 0, to - from);
}

/* A heap block begins to live: it was nobody's so far. */
void shadow_alloc(uint64_t addr, uint64_t len)
{
    if (!rt.shadow_mask)
        return;
    if (rt.owning)
        clear(addr, len);
    sharing_block_begins(addr, len);
}

/* Pages begin to live. A region that does not fit is one that is too large to be used. */
void shadow_map(uint64_t addr, uint64_t len)
{
    if ((addr & CELL_MASK) + len <= SHADOW_BYTES)
        clear(addr, len);
}

/* The first cell from this one on that is not 0; end if there is none. */
static struct cell *next_touched(struct cell *c, const struct cell *end)
{
    enum { ROW = 8 };
    for (; end - c >= ROW; c += ROW) {
        uint64_t any = 0;
        for (unsigned i = 0; i < ROW; i++)
            any |= c[i].w | c[i].r;
        if (any)
            break;
    }
    while (c < end && !c->w && !c->r)
        c++;
    return c;
}

/* To look at a page of zeros that was never written costs more than to ask whether it is
 * there. Returns where the part ends that is there or is not. */
static struct cell *present(struct cell *c, const struct cell *end, bool *is_there)
{
    enum { PAGES_MAX = 256 };
    uintptr_t first = (uintptr_t)c & ~4095UL, bytes = (uintptr_t)end - first;
    unsigned char there[PAGES_MAX];
    *is_there = true;
    if (bytes < BIG_BYTES)
        return (struct cell *)(uintptr_t)end;
    unsigned count = bytes / 4096 < PAGES_MAX ? (unsigned)(bytes / 4096) : PAGES_MAX, i = 1;
    if (sys_call(SYS_mincore, (long)first, (long)count * 4096, (long)there, 0, 0, 0) < 0)
        return (struct cell *)(uintptr_t)end;
    *is_there = there[0] & 1;
    while (i < count && (there[i] & 1) == (there[0] & 1))
        i++;
    return (struct cell *)(first + i * 4096UL);
}

/* It ends. That is a write of all that was touched, and stays one until the block begins to
 * live again: a use after free meets it. */
static void cells_die(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site)
{
    struct cell *first = cell_of(addr), *end = first + (len + 7) / 8;
    for (struct cell *part = first, *next; part < end; part = next) {
        bool is_there = false;
        next = present(part, end, &is_there);
        CHECK(next > part);
        next = next < end ? next : end;
        for (struct cell *c = is_there ? next_touched(part, next) : next; c < next;
             c = next_touched(c + 1, next)) {
            bool is_new = false;
            cell_touch(t, c, true, &is_new);
            if (is_new)
                became_shared(t, addr + (uint64_t)(c - first) * 8, 8, site);
            *c = (struct cell){t->segment, t->segment};
        }
    }
}

void shadow_free(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site)
{
    if (!rt.shadow_mask)
        return;
    if (rt.owning)
        cells_die(t, addr, len, site);
    sharing_block_ends(addr, len);
}

/* The stack may have been another thread's. */
void shadow_thread_begins(struct thr *t)
{
    if (rt.owning)
        clear(t->stack_low & ~4095ULL, t->stack_high - (t->stack_low & ~4095ULL));
    if (rt.shadow_mask)
        sharing_thread_begins(t);
}

/* ---- start --------------------------------------------------------------------------- */

/* One mapping for all; false if there is no room. */
static bool make_room(void)
{
    uint8_t *at =
        memory_reserve(SHADOW_AT, SHADOW_BYTES + SEGMENTS_MAX * sizeof *rt.segments.thr + 4096);
    rt.segments.known =
        memory_reserve(KNOWN_AT, (uint64_t)KNOWN_MAX * KNOWN_MAX * sizeof *rt.segments.known);
    if (!at || !rt.segments.known)
        return false;
    rt.shadow = at + SHADOW_SHIFT;
    rt.shadow_mask = CELL_MASK;
    rt.segments.thr = (uint16_t *)(void *)(at + SHADOW_BYTES + 4096);
    return true;
}

static void begin(struct thr *t)
{
    bool planned = rt.set.shared[0];
    if (rt.recording ||
        rt.weak.on) /* else it is everybody's own: nobody wants to know of accesses */
        rt.segments.no_cell = (struct cell){CELL_SHARED, CELL_SHARED};
    rt.shadow = (uint8_t *)&rt.segments.no_cell;
    rt.everything = !planned;
    if (!planned && !rt.set.sharing && rt.set.budget == NEVER)
        return;
    if (!make_room() || sharing_start(t, !planned) < 0) {
        if (planned)
            outcome_unsupported("recording what is shared: no address space");
        outcome_doubt(DOUBT_UNMODELLED_CALL, "knowing what is shared: no address space");
        rt.shadow = (uint8_t *)&rt.segments.no_cell;
        rt.shadow_mask = 0;
        rt.set.budget = NEVER; /* there is no recording less */
        return;
    }
    rt.owning = !planned;
    t->segment = CELL_PRIVATE;
    if (rt.owning) {
        t->floor = 1;
        t->born = segment_new(t);
        shadow_everything(rt.recording && rt.set.budget >= BLOCK_BYTES);
    }
}

void shadow_start(struct thr *t)
{
    begin(t);
    set_own(t);
}

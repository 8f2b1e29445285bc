/* SPDX-License-Identifier: Apache-2.0
 *
 * shared-memory: memory that the processes of a family share. Only who has the turn can change
 * it. So what others did is the difference between what was there when a process gave its turn
 * away and what is there when it has it again: that is logged, and a replay puts it there at
 * the same step. The system copies, since a mapping may be gone by now. */
#include "rt/rt.h"
#include "rt/sys.h"

#include <sys/mman.h>
#include <sys/uio.h>

enum {
    WINDOW_KEPT = 60,
    KEPT_MAX_BYTES = 8 << 20,
    PAGE_BYTES = 4096,
    GAP_BYTES = 32, /* that are the same between two pieces that are not */
};

struct changes {
    uint32_t count;
    uint64_t addr[INPUT_CHANGES_MAX];
    struct iovec bytes[INPUT_CHANGES_MAX];
};

/* What was there, and behind it what is there now. */
static uint8_t *kept_at(const struct shared_map *m, bool now)
{
    return (uint8_t *)memory_window(WINDOW_KEPT) + m->at + (now ? KEPT_MAX_BYTES : 0);
}

static bool copy_map(const struct shared_map *m, bool now)
{
    struct iovec to = {kept_at(m, now), m->len}, from = {(void *)(uintptr_t)m->addr, m->len};
    return sys_call(SYS_process_vm_readv, rt.pid, (long)&to, 1, (long)&from, 1, 0) ==
           (long)m->len;
}

/* A shared mapping of the target's. */
void shared_mapped(const void *p, uint64_t len)
{
    len = (len + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
    if (rt.shared_memory.shared_map_count == 0 &&
        !sys_map(memory_window(WINDOW_KEPT), 2 * KEPT_MAX_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0))
        return;
    if (rt.shared_memory.shared_map_count == SHARED_MAPS_MAX ||
        rt.shared_memory.shared_bytes + len > KEPT_MAX_BYTES) {
        rt.shared_memory.is_shared_cut = true;
        return;
    }
    rt.shared_memory.shared_maps[rt.shared_memory.shared_map_count++] =
        (struct shared_map){(uint64_t)(uintptr_t)p, len, rt.shared_memory.shared_bytes, false};
    rt.shared_memory.shared_bytes += len;
}

/* Is this memory that other processes may have? */
bool shared_is_mapped(uint64_t addr)
{
    for (uint32_t i = 0; i < rt.shared_memory.shared_map_count; i++)
        if (addr - rt.shared_memory.shared_maps[i].addr < rt.shared_memory.shared_maps[i].len)
            return true;
    return rt.shared_memory.is_shared_cut;
}

/* Others have their turn now. */
void shared_keep(void)
{
    if (rt.shared_memory.is_shared_cut)
        outcome_doubt(
            DOUBT_SHARED_MEMORY,
            "more than 8 MiB that processes may share: a replay has a part of it only");
    rt.shared_memory.is_shared_cut = false;
    for (uint32_t i = 0; i < rt.shared_memory.shared_map_count; i++)
        rt.shared_memory.shared_maps[i].is_kept =
            copy_map(&rt.shared_memory.shared_maps[i], false);
}

static void flush(struct changes *c)
{
    if (c->count)
        input_changed(c->addr, c->bytes, c->count);
    c->count = 0;
}

static void add(struct changes *c, const struct shared_map *m, uint64_t from, uint64_t to)
{
    if (c->count == INPUT_CHANGES_MAX)
        flush(c);
    c->addr[c->count] = m->at + from; /* addresses may be others in a replay */
    c->bytes[c->count++] = (struct iovec){kept_at(m, true) + from, to - from};
}

static void compare(struct changes *c, const struct shared_map *m)
{
    const uint8_t *old = kept_at(m, false), *now = kept_at(m, true);
    uint64_t from = NEVER, to = 0;
    for (uint64_t i = 0; i < m->len; i++) {
        if (i % PAGE_BYTES == 0 && __builtin_memcmp(old + i, now + i, PAGE_BYTES) == 0) {
            i += PAGE_BYTES - 1;
            continue;
        }
        if (old[i] == now[i])
            continue;
        if (from != NEVER && i - to > GAP_BYTES) {
            add(c, m, from, to);
            from = NEVER;
        }
        from = from == NEVER ? i : from;
        to = i + 1;
    }
    if (from != NEVER)
        add(c, m, from, to);
}

/* They had it. */
void shared_look(void)
{
    struct changes c;
    c.count = 0;
    for (uint32_t i = 0; i < rt.shared_memory.shared_map_count; i++)
        if (rt.shared_memory.shared_maps[i].is_kept &&
            copy_map(&rt.shared_memory.shared_maps[i], true))
            compare(&c, &rt.shared_memory.shared_maps[i]);
    flush(&c);
}

/* In a replay. */
void shared_put(uint64_t at, const void *bytes, uint64_t len)
{
    uint32_t i = 0;
    while (i < rt.shared_memory.shared_map_count &&
           at - rt.shared_memory.shared_maps[i].at >= rt.shared_memory.shared_maps[i].len)
        i++;
    if (i == rt.shared_memory.shared_map_count)
        outcome_diverged("memory that processes shared is not there");
    const struct shared_map *m = &rt.shared_memory.shared_maps[i];
    if (len > m->len - (at - m->at))
        outcome_diverged("memory that processes shared is not there");
    struct iovec from = {(void *)(uintptr_t)bytes, len};
    struct iovec to = {(void *)(uintptr_t)(m->addr + (at - m->at)), len};
    if (sys_call(SYS_process_vm_writev, rt.pid, (long)&from, 1, (long)&to, 1, 0) != (long)len)
        outcome_diverged("memory that processes shared is not there");
}

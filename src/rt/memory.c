/* SPDX-License-Identifier: Apache-2.0
 *
 * memory: all memory of the runtime, at addresses that are the same in every run: what we map
 * must not shift what the target maps. Reserved once, used from the start, never given back. */
#include "rt/openmp.h"
#include "rt/repeat.h"
#include "rt/rt.h"
#include "rt/seen.h"
#include "rt/sys.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define BASE 0x100000000000ULL
#define GIB (1ULL << 30)
enum { WINDOW_BYTES = 64 << 20, WINDOWS = 64 * GIB / WINDOW_BYTES };

/* What lies below the windows has room up to the next: see memory_start. */
_Static_assert(THREADS_MAX * sizeof(struct thr) <= GIB, "threads");
_Static_assert(THREADS_MAX * sizeof(struct thr *) <= GIB / 4, "ready, timed and free slots");
_Static_assert(SEEN_COUNT * sizeof *rt.seen <= GIB / 4, "what was seen");
_Static_assert(OBJECTS_MAX * sizeof(struct obj) <= GIB, "objects");
_Static_assert(OBJECTS_MAX * sizeof(struct read_hold) <= GIB, "read holds");
_Static_assert(INPUT_KEYS_MAX * sizeof(struct input_key) <= GIB, "names of calls");
_Static_assert(WATCHES_MAX * sizeof(struct watch) <= GIB / 4, "watches");
_Static_assert(THINGS_MAX * sizeof(struct thing) <= GIB / 4, "things");
_Static_assert(8 * GIB + (uint64_t)THREADS_MAX * SLOT_BYTES <= 64 * GIB, "frames");

/* Somewhere else, if somebody sits there already: right, but not the same in every run. */
static void *reserve(uint64_t where, uint64_t len)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *p = sys_map((void *)(BASE + where), len, PROT_READ | PROT_WRITE,
                      flags | MAP_FIXED_NOREPLACE, -1, 0);
    return p ? p : sys_map(NULL, len, PROT_READ | PROT_WRITE, flags, -1, 0);
}

/* For what a run can do without. */
void *memory_reserve(uint64_t where, uint64_t len)
{
    void *p = sys_map((void *)where, len, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p)
        sys_call(SYS_madvise, (long)p, (long)len, MADV_DONTDUMP, 0, 0, 0);
    return p;
}

int memory_start(void)
{
    rt.threads = reserve(0, THREADS_MAX * sizeof *rt.threads);
    rt.ready = reserve(GIB, THREADS_MAX * sizeof *rt.ready);
    rt.timed = reserve(GIB + GIB / 4, THREADS_MAX * sizeof *rt.timed);
    rt.memory.free_slots = reserve(GIB + GIB / 2, THREADS_MAX * sizeof *rt.memory.free_slots);
    rt.objects = reserve(2 * GIB, OBJECTS_MAX * sizeof *rt.objects);
    rt.object_index = reserve(3 * GIB, 2ULL * OBJECTS_MAX * sizeof *rt.object_index);
    rt.reads = reserve(4 * GIB, OBJECTS_MAX * sizeof *rt.reads);
    rt.seen = reserve(GIB + GIB / 4 * 3, SEEN_COUNT * sizeof *rt.seen);
    rt.slots = reserve(8 * GIB, (uint64_t)THREADS_MAX * SLOT_BYTES);
    rt.input.keys = reserve(5 * GIB, INPUT_KEYS_MAX * sizeof *rt.input.keys);
    rt.descriptors = reserve(6 * GIB, DESCRIPTORS_MAX);
    rt.watches = reserve(7 * GIB, WATCHES_MAX * sizeof *rt.watches);
    rt.things = reserve(7 * GIB + GIB / 4, THINGS_MAX * sizeof *rt.things);
    rt.thing_index = reserve(7 * GIB + GIB / 2, 2ULL * THINGS_MAX * sizeof *rt.thing_index);
    rt.aside.at = reserve(7 * GIB + GIB / 4 * 3, ASIDE_BYTES);
    rt.openmp = reserve(7 * GIB + GIB / 8 * 7, sizeof *rt.openmp);
    repeat_start();
    rt.memory.free_slot = rt.free_object = rt.free_read = NO_ID;
    return rt.threads && rt.ready && rt.timed && rt.memory.free_slots && rt.objects &&
                   rt.object_index && rt.reads && rt.seen && rt.slots && rt.input.keys &&
                   rt.descriptors && rt.watches && rt.things && rt.thing_index && rt.aside.at &&
                   rt.openmp
               ? 0
               : -1;
}

void *memory_window(unsigned which)
{
    CHECK(which < WINDOWS);
    return (void *)(BASE + 64 * GIB + (uint64_t)which * WINDOW_BYTES);
}

void *memory_file(const char *path, unsigned window, uint64_t *bytes)
{
    struct stat st;
    int fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0 || sys_call(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) < 0)
        return NULL;
    *bytes = (uint64_t)st.st_size;
    void *at = sys_map(memory_window(window), (uint64_t)st.st_size, PROT_READ,
                       MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
    sys_close(fd);
    return at;
}

struct log_map memory_log(const char *path, void *where, unsigned kind, int protection)
{
    struct log_map out = {0};
    struct stat st;
    int fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
    out.is_there = fd >= 0 && sys_call(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) == 0;
    if (!out.is_there)
        return out;
    out.bytes = (uint64_t)st.st_size;
    if (out.bytes >= sizeof *out.head)
        out.head =
            sys_map(where, out.bytes, protection, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
    sys_close(fd);
    if (out.head && (out.head->magic != LOG_MAGIC || out.head->version != TRACE_VERSION ||
                     out.head->kind != kind))
        out.head = NULL;
    return out;
}

void *memory_far(unsigned which)
{
    return (void *)(BASE + 128 * GIB + (uint64_t)which * 64 * GIB);
}

/* Frames and signal stack of a thread. Last in, first out: no more pages than live threads
 * need. */
uint32_t slot_get(void)
{
    if (rt.memory.free_slot == NO_ID) {
        CHECK(rt.memory.slot_count < THREADS_MAX);
        return rt.memory.slot_count++;
    }
    uint32_t slot = rt.memory.free_slot;
    CHECK(slot < rt.memory.slot_count);
    rt.memory.free_slot = rt.memory.free_slots[slot];
    return slot;
}

void slot_free(uint32_t slot)
{
    CHECK(slot < rt.memory.slot_count && slot != rt.memory.free_slot);
    rt.memory.free_slots[slot] = rt.memory.free_slot;
    rt.memory.free_slot = slot;
}

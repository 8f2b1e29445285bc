/* SPDX-License-Identifier: Apache-2.0
 *
 * memory-bound: see memory-bound.h. */
#include "check/memory-bound.h"

#include "base/io.h"
#include "base/stop.h"

#include <stdlib.h>
#include <unistd.h>

/* What the largest of the recorded benchmarks took was 40 bytes for an event; traces with many
 * threads or odd extents take more. The rest of the tool has its own part. */
enum { EVENT_BYTES = 64, OWN_MB = 12 };

/* A container may have less than the machine. */
static uint64_t container_bytes(void)
{
    AUTO(bytes) struct bytes b = {0};
    struct err ignored;
    char text[32] = "";
    if (bytes_read(&b, "/sys/fs/cgroup/memory.max", &ignored) < 0)
        return UINT64_MAX;
    memcpy(text, b.at, b.len < sizeof text - 1 ? b.len : sizeof text - 1);
    uint64_t bytes = strtoull(text, NULL, 10);
    return bytes > 0 ? bytes : UINT64_MAX; /* "max" */
}

static uint64_t megabytes_of(uint64_t asked)
{
    if (asked > 0)
        return asked;
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t machine = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT32_MAX;
    uint64_t container = container_bytes();
    uint64_t half = (machine < container ? machine : container) / 2 >> 20;
    return half > MEMORY_LEAST_MB ? half : MEMORY_LEAST_MB;
}

int memory_check(uint64_t megabytes, uint64_t least, struct err *err)
{
    if (megabytes > 0 && megabytes < least)
        return err_set(err, "--memory %llu is too little: at least %llu",
                       (unsigned long long)megabytes, (unsigned long long)least);
    return 0;
}

void memory_limit(uint64_t megabytes)
{
    stop_memory(megabytes_of(megabytes) << 20);
}

void memory_bound(struct trace *t, uint64_t megabytes)
{
    uint64_t most = ((megabytes_of(megabytes) - OWN_MB) << 20) / EVENT_BYTES;
    if (!(t->head.flags & TRACE_CLOSED) || t->head.event_count > most)
        t->events_max = most;
}

bool memory_has_cut(const struct trace *t, uint64_t events)
{
    return t->events_max > 0 && events >= t->events_max;
}

void memory_say(struct str *out, const struct trace *t, uint64_t megabytes)
{
    str_add(out, "events behind number %llu", (unsigned long long)t->events_max);
    if (t->head.flags & TRACE_CLOSED)
        str_add(out, " of %llu", (unsigned long long)t->head.event_count);
    str_add(out, ": prediction may use %llu MB (--memory)",
            (unsigned long long)megabytes_of(megabytes));
}

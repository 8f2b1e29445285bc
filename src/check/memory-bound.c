/* SPDX-License-Identifier: Apache-2.0
 *
 * memory-bound: see memory-bound.h. */
#include "check/memory-bound.h"

#include "base/column.h"
#include "base/io.h"
#include "base/stop.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the largest of the recorded benchmarks took was 40 bytes for an event; traces with many
 * threads or odd extents take more. The rest of the tool has its own part. Of a model in files
 * 25 bytes for an event are in them, and what is not grows with the sections: 4 were seen. */
enum { EVENT_BYTES = 64, FILE_BYTES = 32, BESIDE_BYTES = 8, LEAST_BYTES = 4, OWN_MB = 12 };

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

/* The directory of a file: where there is room for what is made of it, as a rule. */
static const char *directory_of(struct str *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    str_add(out, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    return out->at;
}

/* Half of what may be used is left to what is not in files. */
static void use_files(struct model_opts *opts, const char *directory, uint64_t megabytes)
{
    opts->files = directory;
    columns_keep((megabytes << 20) / 2);
}

void memory_bound(struct memory_plan *out, struct trace *t, const char *path,
                  uint64_t megabytes, struct model_opts *opts)
{
    uint64_t all = megabytes_of(megabytes), most = ((all - OWN_MB) << 20) / EVENT_BYTES;
    bool is_closed = t->head.flags & TRACE_CLOSED;
    uint64_t events = is_closed ? t->head.event_count : t->bytes.len / LEAST_BYTES;
    *out = (struct memory_plan){.megabytes = all};
    if (events <= most) {
        /* What happens again takes no bytes. */
        t->events_max = out->events = is_closed ? 0 : most;
        return;
    }
    const char *directory = directory_of(&out->directory, path);
    uint64_t room = columns_room(directory), beside = ((all - OWN_MB) << 20) / BESIDE_BYTES;
    out->files_mb = events * FILE_BYTES >> 20;
    out->room_mb = room >> 20;
    if (access(directory, W_OK) == 0 && out->files_mb < out->room_mb) {
        use_files(opts, directory, all);
        most = beside;
    }
    if (!is_closed || events > most)
        t->events_max = out->events = most;
}

bool memory_has_cut(const struct trace *t, uint64_t events)
{
    return t->events_max > 0 && events >= t->events_max;
}

void memory_say(struct str *out, const struct trace *t, const struct memory_plan *plan,
                uint32_t threads)
{
    str_add(out, "events behind number %llu", (unsigned long long)t->events_max);
    if (t->head.flags & TRACE_CLOSED)
        str_add(out, " of %llu", (unsigned long long)t->head.event_count);
    if (t->events_max != plan->events) { /* the model has cut it there */
        str_add(out, ": no more than %u threads are predicted from", threads);
        return;
    }
    str_add(out, ": prediction may use %llu MB (--memory)",
            (unsigned long long)plan->megabytes);
    if (plan->directory.at && plan->files_mb >= plan->room_mb)
        str_add(out, ", and files of %llu MB have no room in %s: %llu MB are free there",
                (unsigned long long)plan->files_mb, plan->directory.at,
                (unsigned long long)plan->room_mb);
}

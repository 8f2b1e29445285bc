/* SPDX-License-Identifier: Apache-2.0
 *
 * build: a trace_writer with somewhere to write to: memory for importers, or a file through
 * shared mappings, block by block, as the runtime does it. */
#include "trace/trace.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

struct trace_out {
    struct trace_writer writer;
    uint8_t *base;       /* owned; memory: everything, file: the current block */
    size_t mapped_bytes; /* of base */
    uint64_t block_at;   /* where the current block stands in the file */
    int fd;              /* -1: memory */
};

static uint8_t *block_start(const struct trace_out *o)
{
    return o->writer.block + (o->block_at == 0 ? sizeof(struct trace_head) : 0);
}

/* Memory grows by moving page tables, not bytes. */
static int memory_turn(struct trace_writer *w)
{
    struct trace_out *o = w->turn_arg;
    block_close(w, block_start(o));
    o->block_at += BLOCK_BYTES;
    if (o->block_at + BLOCK_BYTES + IO_SLACK_BYTES > o->mapped_bytes) {
        size_t bigger = o->mapped_bytes * 2;
        void *p = mremap(o->base, o->mapped_bytes, bigger, MREMAP_MAYMOVE);
        if (p == MAP_FAILED)
            return -1;
        o->base = p;
        o->mapped_bytes = bigger;
        madvise(p, bigger, MADV_HUGEPAGE); /* a wish */
    }
    block_open(w, o->base + o->block_at, o->base + o->block_at);
    return 0;
}

static int file_block(struct trace_out *o)
{
    if (ftruncate(o->fd, (off_t)(o->block_at + BLOCK_BYTES)) < 0)
        return -1;
    void *p =
        mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, o->fd, (off_t)o->block_at);
    if (p == MAP_FAILED)
        return -1;
    o->base = p;
    o->mapped_bytes = BLOCK_BYTES;
    return 0;
}

static int file_turn(struct trace_writer *w)
{
    struct trace_out *o = w->turn_arg;
    block_close(w, block_start(o));
    munmap(o->base, o->mapped_bytes);
    o->base = NULL;
    o->mapped_bytes = 0;
    o->block_at += BLOCK_BYTES;
    if (file_block(o) < 0)
        return -1;
    block_open(w, o->base, o->base);
    return 0;
}

static struct trace_out *out_start(struct trace_out *o, uint32_t flags)
{
    struct trace_head head = {.magic = TRACE_MAGIC,
                              .version = TRACE_VERSION,
                              .flags = flags & ~(uint32_t)TRACE_CLOSED,
                              .block_bytes = BLOCK_BYTES};
    o->writer.turn = o->fd < 0 ? memory_turn : file_turn;
    o->writer.turn_arg = o;
    memcpy(o->base, &head, sizeof head);
    block_open(&o->writer, o->base, o->base + sizeof head);
    return o;
}

struct trace_out *trace_out_new(uint32_t flags)
{
    struct trace_out *o = mem_get(sizeof *o);
    *o = (struct trace_out){.fd = -1, .mapped_bytes = 2 * BLOCK_BYTES};
    o->base =
        mmap(NULL, o->mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (o->base == MAP_FAILED)
        mem_fail(o->mapped_bytes);
    return out_start(o, flags);
}

struct trace_out *trace_out_create(const char *path, uint32_t flags, struct err *err)
{
    AUTO(trace_out) struct trace_out *o = mem_get(sizeof *o);
    *o = (struct trace_out){.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    if (o->fd < 0 || file_block(o) < 0) {
        err_sys(err, "%s", path);
        return NULL;
    }
    struct trace_out *started = out_start(o, flags);
    o = NULL;
    return started;
}

struct trace_writer *trace_out_writer(struct trace_out *o)
{
    return &o->writer;
}

static void head_close(struct trace_out *o, struct trace_head *head, uint32_t flags)
{
    head->event_count = o->writer.event_count;
    head->flags |= flags | TRACE_CLOSED;
}

int trace_out_bytes(struct trace_out *o, uint32_t flags, struct bytes *out, struct err *err)
{
    CHECK(o->fd < 0);
    if (o->writer.failed)
        return err_set(err, "no memory for a trace of more than %llu events",
                       (unsigned long long)o->writer.event_count);
    block_close(&o->writer, block_start(o));
    head_close(o, (struct trace_head *)(void *)o->base, flags);
    *out = (struct bytes){.at = o->base,
                          .len = o->block_at + (size_t)(o->writer.at - o->writer.block),
                          .mapped = o->mapped_bytes};
    o->base = NULL;
    return 0;
}

int trace_out_finish(struct trace_out *o, struct err *err)
{
    CHECK(o->fd >= 0);
    if (o->writer.failed)
        return err_set(err, "no space for more than %llu events",
                       (unsigned long long)o->writer.event_count);
    uint64_t len = o->block_at + (uint64_t)(o->writer.at - o->writer.block);
    block_close(&o->writer, block_start(o));
    struct trace_head head;
    if (pread(o->fd, &head, sizeof head, 0) != sizeof head)
        return err_sys(err, "read");
    head_close(o, &head, 0);
    if (pwrite(o->fd, &head, sizeof head, 0) != sizeof head || ftruncate(o->fd, (off_t)len) < 0)
        return err_sys(err, "write");
    return 0;
}

void trace_out_free(struct trace_out *o)
{
    if (!o)
        return;
    if (o->base)
        munmap(o->base, o->mapped_bytes);
    auto_fd(&o->fd);
    free(o);
}

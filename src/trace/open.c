/* SPDX-License-Identifier: Apache-2.0
 *
 * open: from a file of any known format to a trace in memory. The content decides, never the
 * name: packed data is unpacked first, then whoever recognises the bytes reads them. */
#include "trace/trace.h"

#include <string.h>

static int open_binary(struct trace *t, struct err *err)
{
    if (t->bytes.len < sizeof t->head)
        return err_set(err, "the head is cut off: the writer died before its first event");
    memcpy(&t->head, t->bytes.at, sizeof t->head);
    if (t->head.version != TRACE_VERSION)
        return err_set(
            err,
            "trace format %u, this heddle reads %u: record the run again, or use the "
            "heddle that wrote it",
            t->head.version, TRACE_VERSION);
    if (t->head.block_bytes != BLOCK_BYTES)
        return err_set(err, "corrupt head: block size %u", t->head.block_bytes);
    return 0;
}

static bool has_magic(const struct bytes *b, uint64_t magic)
{
    uint64_t found = 0;
    if (b->len >= sizeof found)
        memcpy(&found, b->at, sizeof found);
    return found == magic;
}

/* Replaces text in t->bytes by the binary trace that a reader makes of it. */
static int import(struct trace *t, const char *name, struct err *err)
{
    struct bytes made = {0};
    if (text_is_trace(&t->bytes)) {
        t->source = FROM_TEXT;
        if (text_read(&t->bytes, name, &made, err) < 0)
            return -1;
    } else if (std_is(&t->bytes)) {
        t->source = FROM_STD;
        if (std_read(&t->bytes, name, &made, &t->dropped, err) < 0)
            return -1;
    } else {
        return err_set(err, "%s: not a trace: neither Heddle's binary or text format nor STD",
                       name);
    }
    bytes_done(&t->bytes);
    t->bytes = made;
    return open_binary(t, err);
}

int trace_open_bytes(struct trace *out, struct bytes *take, const char *name, struct err *err)
{
    AUTO(trace) struct trace t = {.bytes = *take, .file_bytes = take->len};
    *take = (struct bytes){0};
    if (bytes_unpack(&t.bytes, err) < 0)
        return err_in(err, "%s", name);
    if (t.bytes.len == 0)
        return err_set(err, "%s: empty file", name);
    if (has_magic(&t.bytes, LOG_MAGIC))
        return err_set(err, "%s: this is another file of a run, not its trace", name);
    if (has_magic(&t.bytes, TRACE_MAGIC)) {
        if (open_binary(&t, err) < 0)
            return err_in(err, "%s", name);
    } else if (import(&t, name, err) < 0) {
        return -1;
    }
    *out = t;
    t = (struct trace){0};
    return 0;
}

int trace_open(struct trace *out, const char *path, struct err *err)
{
    struct bytes b;
    bool standard_input = strcmp(path, "-") == 0;
    if (bytes_read(&b, path, err) < 0)
        return -1;
    return trace_open_bytes(out, &b, standard_input ? "standard input" : path, err);
}

void trace_close(struct trace *t)
{
    bytes_done(&t->bytes);
    vec_done(&t->sites);
    vec_done(&t->threads);
    vec_done(&t->objects);
}

int trace_open_in(struct trace *out, const char *run, struct err *err)
{
    AUTO(str) struct str path = {0};
    str_add(&path, "%s/trace", run);
    return trace_open(out, path.at, err);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz-std: any bytes as STD. What can be read must be a trace that reads to its end, and must
 * come back from its own export as the same binary trace. */
#include "fuzz.h"

#include <string.h>

static struct bytes copy_of(const void *data, size_t size)
{
    struct bytes copy = {0};
    struct err err = {"?"};
    must(bytes_new(&copy, size, &err) == 0, "no memory", &err);
    if (size > 0)
        memcpy((void *)(uintptr_t)copy.at, data, size);
    return copy;
}

static void walk(struct trace *t)
{
    AUTO(arena) struct arena mem = {0};
    struct trace_cursor *c = ARENA_NEW(&mem, struct trace_cursor, 1);
    struct ev e = {0};
    struct err err = {"?"};
    int item;
    cursor_init(c, t);
    while ((item = trace_next(c, &e, &err)) > ITEM_END)
        ;
    must(item == ITEM_END && !c->cut, "cannot be walked", &err);
    must(c->number == t->head.event_count, "events are missing", &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(bytes) struct bytes in = copy_of(data, size);
    struct bytes made;
    struct err err = {"?"};
    uint32_t dropped, dropped_again;
    std_is(&in);
    if (std_read(&in, "fuzz", &made, &dropped, &err) < 0)
        return 0;

    AUTO(trace) struct trace t = {0};
    AUTO(str) struct str text = {0};
    AUTO(bytes) struct bytes again = {0};
    const struct trace_filter all = {.to = NO_EVENT};
    uint64_t left_out = 1;
    must(trace_open_bytes(&t, &made, "made", &err) == 0, "cannot be opened", &err);
    walk(&t);
    must(std_write(&t, &all, collect, &text, &left_out, &err) == 0, "not written", &err);
    must(left_out == 0, "something was left out", &err);
    AUTO(bytes) struct bytes written = copy_of(text.at, text.len);
    must(std_read(&written, "again", &again, &dropped_again, &err) == 0, "not read", &err);
    must(dropped == dropped_again && again.len == t.bytes.len &&
             memcmp(again.at, t.bytes.at, again.len) == 0,
         "the export is another trace", &err);
    return 0;
}

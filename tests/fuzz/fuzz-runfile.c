/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz-runfile: any bytes as a command, schedule, input, output or outcome file. What reads is
 * printed, and written again it must be the same bytes, but for what was cut off, padding
 * and what a schedule says of pieces from outside. */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static struct bytes copy_of(const void *data, size_t len)
{
    struct bytes b;
    struct err err;
    must(bytes_new(&b, len, &err) == 0);
    if (len > 0)
        memcpy((void *)(uintptr_t)b.at, data, len);
    return b;
}

static void write_again(const struct runfile *r, struct runfile_out *o)
{
    runfile_begin(o, (enum log_kind)r->head.kind);
    for (uint32_t i = 0; i < r->entries.len; i++)
        runfile_add(o, r->entries.at[i].head, r->entries.at[i].data);
    for (uint32_t i = 0; i < r->choices.len; i++)
        runfile_choice(o, r->choices.at[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct runfile r, again;
    struct err err;
    struct bytes b = copy_of(data, size);
    if (runfile_open_bytes(&r, &b, "fuzz", &err) < 0)
        return 0;
    AUTO(str) struct str text = {0}, text_again = {0};
    struct runfile_out o = {0};
    runfile_print(&r, &text);
    write_again(&r, &o);
    uint64_t kept = o.bytes.len + r.arrivals * sizeof(struct choice);
    must(kept <= r.bytes.len && r.cut == (kept < r.bytes.len));
    b = copy_of(o.bytes.at, o.bytes.len);
    str_done(&o.bytes);
    must(runfile_open_bytes(&again, &b, "again", &err) == 0);
    runfile_print(&again, &text_again);
    if (r.cut)
        str_add(&text_again, "cut\n");
    must(text.len == text_again.len &&
         (text.len == 0 || memcmp(text.at, text_again.at, text.len) == 0));
    runfile_close(&again);
    runfile_close(&r);
    return 0;
}

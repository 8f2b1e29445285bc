/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz-text: any bytes as text notation. What can be read must come back from its own dump as
 * the same binary trace. */
#include "fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes in = {.at = data, .len = size}, made;
    struct err err = {"?"};
    text_is_trace(&in);
    if (text_read(&in, "fuzz", &made, &err) < 0)
        return 0;

    AUTO(trace) struct trace t = {0};
    AUTO(str) struct str text = {0};
    AUTO(bytes) struct bytes again = {0};
    const struct trace_filter all = {.to = NO_EVENT};
    must(trace_open_bytes(&t, &made, "made", &err) == 0, "cannot be opened", &err);
    must(text_write(&t, &all, collect, &text, &err) == 0, "cannot be dumped", &err);
    struct bytes dump = {.at = (const uint8_t *)text.at, .len = text.len};
    must(text_is_trace(&dump), "the dump is not recognised", &err);
    must(text_read(&dump, "dump", &again, &err) == 0, "the dump cannot be read", &err);
    must(again.len == t.bytes.len && memcmp(again.at, t.bytes.at, again.len) == 0,
         "the dump is another trace", &err);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz-trace: any bytes as a binary trace. The input stands behind a head and an open block, so
 * that the search does not have to guess magic numbers and sums; what reads becomes a model. */
#include "model/model.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct trace_head head = {.magic = TRACE_MAGIC,
                              .version = TRACE_VERSION,
                              .flags = TRACE_VALUES | (len & 1 ? TRACE_IMPORTED : 0),
                              .block_bytes = BLOCK_BYTES};
    struct block_head block = {.magic = BLOCK_MAGIC};
    struct bytes b;
    struct err err;
    if (len > BLOCK_BYTES / 2 || bytes_new(&b, sizeof head + sizeof block + len, &err) < 0)
        return 0;
    uint8_t *p = (uint8_t *)(uintptr_t)b.at;
    memcpy(p, &head, sizeof head);
    memcpy(p + sizeof head, &block, sizeof block);
    memcpy(p + sizeof head + sizeof block, data, len);
    struct trace t;
    if (trace_open_bytes(&t, &b, "fuzz", &err) < 0)
        return 0;
    for (int all = 0; all < 2; all++) {
        struct model *m = model_build(&t, &(struct model_opts){.keep_all = all}, &err);
        if (m)
            model_check(m);
        model_free(m);
    }
    trace_close(&t);
    return 0;
}

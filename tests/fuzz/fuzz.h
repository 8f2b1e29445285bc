/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz: what the targets share. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "trace/trace.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A trace_sink that keeps everything in the struct str at arg. */
static inline int collect(void *arg, struct str *text, struct err *err)
{
    (void)err;
    str_bytes(arg, text->at, text->len);
    text->len = 0;
    return 0;
}

static inline void must(bool holds, const char *what, const struct err *err)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, err->text);
    abort();
}

#endif

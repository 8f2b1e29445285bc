/* SPDX-License-Identifier: Apache-2.0
 *
 * roundtrip: STD -> binary -> text -> binary -> STD for each file given; says what was lost.
 * One process for all files, because there are many and a sanitizer's start is slow. */
#include "trace/trace.h"

#include <string.h>

static int into(void *arg, struct str *text, struct err *err)
{
    (void)err;
    str_bytes(arg, text->at, text->len);
    text->len = 0;
    return 0;
}

static struct bytes bytes_of(const struct str *s)
{
    struct bytes b;
    struct err err;
    CHECK(bytes_new(&b, s->len, &err) == 0);
    memcpy((void *)(uintptr_t)b.at, s->at, s->len);
    return b;
}

static bool same(const struct bytes *b, const char *at, size_t len)
{
    return b->len == len && memcmp(b->at, at, len) == 0;
}

static int check(const char *path, struct err *err)
{
    struct trace_filter all = {.to = NO_EVENT};
    AUTO(bytes) struct bytes file = {0};
    AUTO(trace) struct trace first = {0};
    AUTO(trace) struct trace second = {0};
    AUTO(str) struct str text = {0};
    AUTO(str) struct str std = {0};
    uint64_t left_out = 0;
    if (bytes_read(&file, path, err) < 0 || trace_open(&first, path, err) < 0 ||
        text_write(&first, &all, into, &text, err) < 0)
        return -1;
    struct bytes again = bytes_of(&text);
    if (trace_open_bytes(&second, &again, path, err) < 0)
        return -1;
    if (!same(&first.bytes, (const char *)second.bytes.at, second.bytes.len))
        return err_set(err, "%s: the binary traces differ", path);
    if (std_write(&second, &all, into, &std, &left_out, err) < 0)
        return -1;
    if (left_out > 0 || !same(&file, std.at, std.len))
        return err_set(err, "%s: the STD traces differ", path);
    return 0;
}

int main(int argc, char **argv)
{
    struct err err;
    int failed = 0;
    for (int i = 1; i < argc; i++)
        if (check(argv[i], &err) < 0) {
            puts(err.text);
            failed = 1;
        }
    printf("%d traces\n", argc - 1);
    return failed;
}

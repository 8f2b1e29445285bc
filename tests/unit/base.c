/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of base/. */
#include "base/arena.h"
#include "base/column.h"
#include "base/err.h"
#include "base/io.h"
#include "base/json.h"
#include "base/library.h"
#include "base/same-lines.h"
#include "base/map.h"
#include "base/rng.h"
#include "base/stop.h"
#include "base/str.h"
#include "base/vec.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

TEST(map_agrees_with_an_array)
{
    enum { KEYS = 300 };
    struct map m = {0};
    uint32_t want[KEYS];
    struct rng r = {7};
    memset(want, 0xff, sizeof want);
    for (int i = 0; i < 20000; i++) {
        uint32_t k = rng_below(&r, KEYS);
        uint64_t key = (uint64_t)k << 32 | k * 8; /* low bits collide */
        if (rng_below(&r, 3) == 0) {
            map_remove(&m, key);
            want[k] = NONE;
        } else {
            *map_at(&m, key) = want[k] = rng_below(&r, 1000);
        }
        uint32_t probe = rng_below(&r, KEYS);
        EXPECT_EQ(map_find(&m, (uint64_t)probe << 32 | probe * 8), want[probe]);
    }
    map_done(&m);
}

TEST(arena_memory_is_zeroed_and_aligned)
{
    AUTO(arena) struct arena a = {0};
    for (size_t i = 1; i < 3000; i++) {
        uint8_t *p = arena_get(&a, i * 7);
        EXPECT_EQ((uintptr_t)p % 16, 0);
        for (size_t k = 0; k < i * 7; k += 97)
            EXPECT_EQ(p[k], 0);
        memset(p, 0xff, i * 7);
    }
    EXPECT_STR(arena_text(&a, "abcdef", 3), "abc");
}

TEST(errors_collect_context_outermost_first)
{
    struct err err;
    EXPECT_EQ(err_set(&err, "line %d", 3), -1);
    err_in(&err, "%s", "x.trace");
    EXPECT_STR(err.text, "x.trace: line 3");
}

TEST(numbers_are_whole_texts)
{
    uint64_t v;
    EXPECT(text_number(TEXT("18446744073709551615"), &v) && v == UINT64_MAX);
    EXPECT(text_number(TEXT("0xfF"), &v) && v == 255);
    EXPECT(!text_number(TEXT("18446744073709551616"), &v));
    EXPECT(!text_number(TEXT(""), &v));
    EXPECT(!text_number(TEXT("0x"), &v));
    EXPECT(!text_number(TEXT("12a"), &v));
    EXPECT(!text_number(TEXT("-1"), &v));
}

TEST(texts_grow)
{
    AUTO(str) struct str s = {0};
    for (int i = 0; i < 1000; i++)
        str_add(&s, "%d,", i);
    str_u64(&s, UINT64_MAX);
    EXPECT_EQ(s.len, 3890 + 20);
    EXPECT_STR(s.at + 3890, "18446744073709551615");
}

TEST(the_nearest_word_is_found)
{
    static const char *const words[] = {"read", "write", "acquire", "release", NULL};
    EXPECT_EQ(text_distance(TEXT("write"), TEXT("wrote")), 1);
    EXPECT_EQ(text_distance(TEXT("abcd"), TEXT("acbd")), 1);
    EXPECT_EQ(text_distance(TEXT(""), TEXT("read")), 4);
    EXPECT_STR(word_nearest("wrote", words), "write");
    EXPECT_STR(word_nearest("acq", words), "acquire");
    EXPECT(!word_nearest("frobnicate", words));
    EXPECT(!word_nearest("", words));
}

TEST(json_escapes_whatever_comes)
{
    AUTO(str) struct str s = {0};
    struct json j = {.out = &s};
    json_open(&j, '{');
    json_key(&j, "a\"b");
    json_text(&j, TEXT("x\n\x01\xff\xc3\xa4\xed\xa0\x80\\"));
    json_key(&j, "n");
    json_open(&j, '[');
    json_u64(&j, 1);
    json_bool(&j, true);
    json_close(&j, ']');
    json_close(&j, '}');
    EXPECT_STR(s.at, "{\"a\\\"b\":\"x\\u000a\\u0001\\ufffd\xc3\xa4\\ufffd\\ufffd\\ufffd\\\\\","
                     "\"n\":[1,true]}");
}

static void in_tmp(char *path, size_t len, const char *name)
{
    const char *dir = getenv("TMPDIR");
    snprintf(path, len, "%s/%s", dir ? dir : "/tmp", name);
}

TEST(files_are_written_whole_and_read_with_slack)
{
    char path[512];
    struct err err;
    in_tmp(path, sizeof path, "heddle-unit-file");
    REQUIRE(file_write(path, "hello", 5, &err) == 0);
    struct bytes b;
    REQUIRE(bytes_read(&b, path, &err) == 0);
    EXPECT_EQ(b.len, 5);
    EXPECT_EQ(memcmp(b.at, "hello", 6), 0);
    EXPECT_EQ(b.at[b.len + IO_SLACK_BYTES - 1], 0);
    bytes_done(&b);
    unlink(path);
    EXPECT_EQ(bytes_read(&b, path, &err), -1);
    EXPECT(strstr(err.text, "No such file") != NULL);
    EXPECT_EQ(bytes_read(&b, "/", &err), -1);
    EXPECT_STR(err.text, "/: is a directory");
    EXPECT_EQ(file_write("/dev/full", "hello", 5, &err), -1);
    EXPECT_STR(err.text, "/dev/full: write: No space left on device");
}

static struct bytes some_bytes(size_t len)
{
    struct bytes b;
    struct err err;
    struct rng r = {3};
    CHECK(bytes_new(&b, len, &err) == 0);
    for (size_t i = 0; i < len; i++)
        ((uint8_t *)(uintptr_t)b.at)[i] = (uint8_t)(rng_next(&r) & 15);
    return b;
}

TEST(packed_data_comes_back)
{
    for (size_t len = 0; len < 3000000; len = len * 7 + 1) {
        AUTO(bytes) struct bytes b = some_bytes(len);
        AUTO(bytes) struct bytes packed = {0};
        struct err err;
        REQUIRE(bytes_pack_zstd(&b, &packed, &err) == 0);
        REQUIRE(bytes_unpack(&packed, &err) == 0);
        REQUIRE(packed.len == b.len);
        EXPECT_EQ(memcmp(packed.at, b.at, len), 0);
        EXPECT_EQ(packed.at[packed.len], 0);
    }
}

/* Some of these fill the buffer for the unpacked data to its last byte. */
TEST(packed_data_of_any_length_comes_back)
{
    for (size_t len = 65536; len < 65936; len++) {
        AUTO(bytes) struct bytes b = {0};
        AUTO(bytes) struct bytes packed = {0};
        struct err err;
        REQUIRE(bytes_new(&b, len, &err) == 0);
        REQUIRE(bytes_pack_zstd(&b, &packed, &err) == 0);
        EXPECT_EQ(bytes_unpack(&packed, &err), 0);
        EXPECT_EQ(packed.len, len);
    }
}

TEST(cut_packed_data_is_refused)
{
    AUTO(bytes) struct bytes b = some_bytes(1000);
    AUTO(bytes) struct bytes packed = {0};
    struct err err;
    REQUIRE(bytes_pack_zstd(&b, &packed, &err) == 0);
    for (size_t len = 4; len < packed.len; len++) {
        AUTO(bytes) struct bytes cut = {0};
        REQUIRE(bytes_new(&cut, len, &err) == 0);
        memcpy((void *)(uintptr_t)cut.at, packed.at, len);
        EXPECT_EQ(bytes_unpack(&cut, &err), -1);
    }
}

/* ---- libraries --------------------------------------------------------------------------- */

double cbrt(double x);
LIBRARY_STUB(cbrt)

TEST(a_library_is_loaded_when_it_is_asked_for)
{
    static const char *const files[] = {"libnowhere.so.1", "libm.so.6", NULL};
    static const struct library_function functions[] = {LIBRARY_ROW(cbrt)};
    struct library l = {files, functions, 1, "install it", false};
    struct err err;
    double (*volatile root)(double) = cbrt; /* not the compiler's own */
    REQUIRE(library_load(&l, &err) == 0);
    EXPECT(root(27) > 2.999 && root(27) < 3.001);
}

TEST(a_library_that_is_not_there_or_too_old_is_told)
{
    static const char *const nowhere[] = {"libnowhere.so.1", NULL};
    static const char *const files[] = {"libm.so.6", NULL};
    static void *slot;
    static const struct library_function functions[] = {{"cube_root_of_the_future", &slot}};
    struct library missing = {nowhere, functions, 1, "install it", false};
    struct library old = {files, functions, 1, "install it", false};
    struct err err;
    EXPECT_EQ(library_load(&missing, &err), -1);
    EXPECT_STR(err.text, "install it");
    EXPECT_EQ(library_load(&old, &err), -1);
    EXPECT_STR(err.text, "libm.so.6 has no cube_root_of_the_future");
}

TEST(texts_have_the_same_lines_in_any_order)
{
    struct text other;
    EXPECT(lines_same(TEXT("a\nb\na\n"), TEXT("b\na\na"), &other));
    EXPECT(lines_same(TEXT(""), TEXT(""), NULL));
    EXPECT(!lines_same(TEXT("a\nb\n"), TEXT("a\nc\n"), &other));
    EXPECT(text_is(other, TEXT("c")));
    EXPECT(!lines_same(TEXT("a\n"), TEXT("a\na\n"), &other));
    EXPECT(text_is(other, TEXT("a")));
    EXPECT(!lines_same(TEXT("a\nb\n"), TEXT("b\n"), &other));
    EXPECT(other.at == NULL);
    EXPECT(!lines_same(TEXT("b\n"), TEXT("a\nb\n"), &other));
    EXPECT(text_is(other, TEXT("a")));
}

/* Until so many milliseconds of the processor's time have gone by. */
static void compute(uint64_t ms)
{
    uint64_t until = stop_spent_ms() + ms;
    while (stop_spent_ms() < until)
        ;
}

TEST(a_part_of_the_work_has_a_part_of_the_time)
{
    stop_begin();
    stop_after(3600000);
    struct stop_part half = stop_part_begin(50);
    EXPECT(stop_left_ms() <= 1800000 && stop_left_ms() > 1790000);
    struct stop_part none = stop_part_begin(0);
    compute(60);
    EXPECT_EQ(stop_signal(), STOP_TIME);
    EXPECT_EQ(stop_came(), 0);
    EXPECT_EQ(stop_code(3), 3);
    EXPECT(stop_part_end(none));
    EXPECT_EQ(stop_signal(), 0);
    EXPECT(!stop_part_end(half));
    EXPECT_EQ(stop_was_cut(), STOP_TIME);
    EXPECT(stop_left_ms() > 3590000);
    stop_after_run(1000000); /* who has named an amount has it */
    EXPECT_EQ(stop_budget_ms(), 3600000);
    stop_after(UINT64_MAX);
    EXPECT_EQ(stop_left_ms(), UINT64_MAX);
}

TEST(columns_keep_what_they_hold_in_memory_in_files_and_when_they_leave)
{
    enum { FEW = 1000, MANY = 400000 };
    const char *const places[] = {NULL, getenv("TMPDIR")};
    for (size_t p = 0; p < 2; p++) {
        uint32_t *a = column_get(places[p], FEW * sizeof *a);
        uint32_t *other = column_get(places[p], 1);
        for (uint32_t i = 0; i < FEW; i++)
            a[i] = i * 7;
        a = column_resize(places[p], a, MANY * sizeof *a);
        for (uint32_t i = FEW; i < MANY; i++)
            a[i] = i * 7;
        columns_leave();
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < MANY; i++)
            wrong += a[i] != i * 7;
        a = column_resize(places[p], a, FEW * sizeof *a);
        columns_leave();
        for (uint32_t i = 0; i < FEW; i++)
            wrong += a[i] != i * 7;
        EXPECT_EQ(wrong, 0);
        column_free(other);
        column_free(a);
    }
    column_free(NULL);
    EXPECT(columns_room("/") > 0);
    EXPECT(columns_room("/no/such/directory") == UINT64_MAX);
}

/* What a watcher looks after. */
TEST(columns_in_files_leave_memory_when_there_is_too_much)
{
    enum { BYTES = 96 << 20, KEEP = 32 << 20 };
    uint64_t own = stop_resident(getpid());
    columns_keep(own + KEEP);
    volatile char *a = column_get(getenv("TMPDIR"), BYTES);
    for (uint32_t i = 0; i < BYTES; i += 4096)
        a[i] = (char)(i >> 12);
    for (uint32_t tries = 0; tries < 100 && stop_resident(getpid()) > own + KEEP; tries++)
        usleep(20000);
    EXPECT(stop_resident(getpid()) <= own + KEEP);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < BYTES; i += 4096)
        wrong += a[i] != (char)(i >> 12);
    EXPECT_EQ(wrong, 0);
    column_free((void *)(uintptr_t)a);
    columns_keep(0);
}

TEST(more_memory_than_allowed_ends_a_part)
{
    struct stop_part part = stop_part_begin(100);
    uint64_t own = stop_resident(getpid());
    EXPECT(own > 0);
    stop_memory(own + (64 << 20));
    EXPECT_EQ(stop_signal(), 0);
    enum { MORE = 128 << 20 };
    volatile char *more = malloc(MORE);
    for (uint32_t i = 0; i < MORE; i += 4096)
        more[i] = 1;
    usleep(150000);
    EXPECT_EQ(stop_signal(), STOP_MEMORY);
    free((void *)(uintptr_t)more);
    EXPECT(stop_part_end(part));
    EXPECT_EQ(stop_signal(), 0);
    stop_memory(0);
}

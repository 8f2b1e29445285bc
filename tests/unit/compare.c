/* SPDX-License-Identifier: Apache-2.0
 *
 * Two traces of the same run at different addresses. */
#include "test.h"
#include "trace/trace.h"

#include <string.h>

/* Places that are no objects, each as far from where it was as nobody else: by the number of
 * its page, from `moved` on. */
static void add_writes(struct str *out, uint32_t thr, uint32_t places, uint64_t moved)
{
    for (uint64_t i = 0; i < places; i++)
        str_add(out, "T%u write 0x%llx:8 7\n", thr,
                (unsigned long long)(0x700000000000 + ((thr * 64ULL + i) << 30) +
                                     (moved ? (moved + thr * 64ULL + i) << 12 : 0)));
}

static void open_text(struct trace *out, const struct str *text)
{
    struct bytes in = {.at = (const uint8_t *)text->at, .len = text->len}, made;
    struct err err = {"?"};
    REQUIRE(text_read(&in, "t", &made, &err) == 0);
    REQUIRE(trace_open_bytes(out, &made, "t", &err) == 0);
}

static void compare_texts(const struct str *here, const struct str *there, struct str *where)
{
    struct err err = {"?"};
    AUTO(trace) struct trace a = {0}, b = {0};
    open_text(&a, here);
    open_text(&b, there);
    REQUIRE(trace_compare(&a, &b, where, &err) >= 0);
}

/* What is different between `threads` threads that touch so many places each, and themselves
 * elsewhere. */
static void compare(uint32_t threads, uint32_t places, struct str *where)
{
    AUTO(str) struct str here = {0}, there = {0};
    for (uint32_t i = 0; i < threads; i++) {
        add_writes(&here, i, places, 0);
        add_writes(&there, i, places, 100);
    }
    compare_texts(&here, &there, where);
}

/* The same with a write from outside, and its cause, that only one of both has noticed. */
static void compare_noticed(uint64_t moved, struct str *where)
{
    AUTO(str) struct str here = {0}, there = {0};
    str_add(&here, "site 0 a.c:7\n");
    str_add(&there, "site 0 a.c:7\n");
    add_writes(&here, 0, 1, 0);
    add_writes(&there, 0, 1, moved);
    str_add(&here, "T0 hear 0x100000000000000 by #0 @0; "
                   "T0 external-write x:8 @0; T0 read x:8 9 @0; T1 change y @0; "
                   "T0 hear y by #4 @0\n");
    str_add(&there, "T0 read x:8 9 @0; T1 change y @0; T0 hear y by #2 @0\n");
    compare_texts(&here, &there, where);
}

TEST(memory_of_every_thread_may_have_moved_by_itself)
{
    AUTO(str) struct str where = {0};
    compare(40, 2, &where);
    EXPECT_EQ(where.len, 0);
}

TEST(the_memory_of_one_thread_does_not_move_in_many_ways)
{
    AUTO(str) struct str where = {0};
    compare(1, 20, &where);
    EXPECT(where.len > 0 && strstr(where.at, "object: expected T0 write"));
}

TEST(a_write_from_outside_may_go_unnoticed_where_memory_moved)
{
    AUTO(str) struct str where = {0};
    compare_noticed(100, &where);
    EXPECT_EQ(where.len, 0);
}

TEST(a_write_from_outside_is_noticed_again_where_nothing_moved)
{
    AUTO(str) struct str where = {0};
    compare_noticed(0, &where);
    EXPECT(where.len > 0 && strstr(where.at, "kind: expected T0 hear"));
}

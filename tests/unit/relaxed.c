/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of relaxed: what C11 allows of small runs, who can do it, and what would forbid it. */
#include "relaxed/relaxed.h"

#include "test.h"

#include <string.h>

#define HEAD                                                                               \
    "heddle trace 1 branches values\nobject x memory 0x1000:4\nobject y memory 0x1010:4\n" \
    "object d memory 0x1020:4\nthread T0 \"main\"\nthread T1 parent T0 spawn 0\n"          \
    "thread T2 parent T0 spawn 1\n"                                                        \
    "site 0 -\n"                                                                           \
    "site 1 a.c:1:1 in f of x stmt 1 unit 0 ordinal 1\n"                                   \
    "site 2 a.c:2:1 in f of y stmt 1 unit 0 ordinal 2\n"                                   \
    "site 3 a.c:3:1 in g of y stmt 1 unit 0 ordinal 3\n"                                   \
    "site 4 a.c:4:1 in g of x stmt 1 unit 0 ordinal 4\n"

/* Message passing, store buffering, and two stores of which the first ones stay. */
#define MESSAGE(stores, loads)                                                     \
    HEAD "T1 store x 1 relaxed @1\nT1 store y 1 " stores " @2\nT2 load y 1 " loads \
         " @3\nT2 stale x @4\nT2 load x 0 relaxed @4\n"
#define BUFFER(order)                                                               \
    HEAD "T1 store x 1 " order " @1\nT1 load y 0 " order " @2\nT2 store y 1 " order \
         " @3\nT2 stale x @4\nT2 load x 0 " order " @4\n"

static bool open_graph(struct relaxed_graph *g, const char *text)
{
    struct trace t = {0};
    struct bytes b;
    struct err err;
    CHECK(bytes_new(&b, strlen(text), &err) == 0);
    memcpy((void *)(uintptr_t)b.at, text, strlen(text));
    if (trace_open_bytes(&t, &b, "test", &err) < 0 || relaxed_graph_of(g, &t, &err) < 0) {
        FAIL("%s", err.text);
        return false;
    }
    return true;
}

static bool is_allowed(const char *text)
{
    struct relaxed_graph g;
    if (!open_graph(&g, text))
        return false;
    bool allowed = relaxed_first_forbidden(&g, (struct relaxed_changes){0}) == NONE;
    relaxed_graph_done(&g);
    return allowed;
}

static enum relaxed_where where_is(const char *text)
{
    struct relaxed_graph g;
    if (!open_graph(&g, text))
        return RELAXED_ANYWHERE;
    enum relaxed_where where = relaxed_where(&g);
    relaxed_graph_done(&g);
    return where;
}

TEST(a_message_is_stale_unless_it_is_released_and_acquired)
{
    EXPECT(is_allowed(MESSAGE("relaxed", "relaxed")));
    EXPECT(is_allowed(MESSAGE("release", "relaxed")));
    EXPECT(is_allowed(MESSAGE("relaxed", "acquire")));
    EXPECT(!is_allowed(MESSAGE("release", "acquire")));
    EXPECT(!is_allowed(MESSAGE("seq_cst", "seq_cst")));
}

TEST(stores_are_buffered_unless_all_is_seq_cst)
{
    EXPECT(is_allowed(BUFFER("relaxed")));
    EXPECT(!is_allowed(BUFFER("seq_cst")));
}

TEST(fences_order_what_is_relaxed)
{
    EXPECT(!is_allowed(HEAD
                       "T1 store x 1 relaxed @1\nT1 fence release @2\nT1 store y 1 relaxed "
                       "@2\nT2 load y 1 relaxed @3\nT2 fence acquire @4\nT2 stale x "
                       "@4\nT2 load x 0 relaxed @4\n"));
    EXPECT(is_allowed(HEAD "T1 store x 1 relaxed @1\nT1 fence release @2\nT1 store y 1 relaxed "
                           "@2\nT2 load y 1 relaxed @3\nT2 stale x @4\nT2 load x 0 relaxed "
                           "@4\n"));
}

TEST(who_can_do_it)
{
    EXPECT_EQ(where_is(MESSAGE("relaxed", "relaxed")), RELAXED_ELSEWHERE);
    EXPECT_EQ(where_is(BUFFER("relaxed")), RELAXED_ON_X86);
    EXPECT_EQ(where_is(HEAD "T1 store x 1 relaxed @1\nT2 load x 1 relaxed @4\n"),
              RELAXED_ANYWHERE);
}

TEST(a_store_may_come_early_but_not_before_what_its_thread_has_seen)
{
    EXPECT(is_allowed(
        HEAD "T1 store x 1 relaxed @1\nT2 early x by #0 @4\nT2 store x 2 relaxed @4\n"));
    EXPECT(!is_allowed(HEAD "T1 store x 1 relaxed @1\nT2 load x 1 relaxed @3\nT2 early x by #0 "
                            "@4\nT2 store x 2 relaxed @4\n"));
}

static void remedy_of(const char *text, struct relaxed_remedy *out)
{
    struct relaxed_graph g;
    relaxed_remedies all = {0};
    *out = (struct relaxed_remedy){0};
    if (!open_graph(&g, text))
        return;
    struct relaxed_goal goal = {.graph = &g, .race = {NONE, NONE}};
    relaxed_find_remedies(&goal, 1, 1, &all);
    if (all.len > 0)
        *out = all.at[0];
    vec_done(&all);
    relaxed_graph_done(&g);
}

TEST(the_cheapest_change_forbids_it)
{
    struct relaxed_remedy r;
    remedy_of(MESSAGE("relaxed", "acquire"), &r);
    EXPECT_EQ(r.len, 1);
    EXPECT_EQ(r.at[0].key, 2);
    EXPECT_EQ(r.at[0].order, WORD_VALUE(ORDER, RELEASE));
    remedy_of(MESSAGE("relaxed", "relaxed"), &r);
    EXPECT_EQ(r.len, 2);
    remedy_of(BUFFER("relaxed"), &r);
    EXPECT_EQ(r.len, 2);
    EXPECT_EQ(r.at[0].order, WORD_VALUE(ORDER, SEQ_CST));
}

static uint32_t races_in(const char *text)
{
    struct relaxed_graph g;
    relaxed_races all = {0};
    if (!open_graph(&g, text))
        return NONE;
    relaxed_find_races(&g, &all);
    uint32_t count = all.len;
    vec_done(&all);
    relaxed_graph_done(&g);
    return count;
}

TEST(plain_memory_races_unless_it_is_ordered)
{
    EXPECT_EQ(races_in(HEAD "T1 write d 1 @1\nT1 store y 1 relaxed @2\nT2 load y 1 acquire "
                            "@3\nT2 read d 1 @4\n"),
              1);
    EXPECT_EQ(races_in(HEAD "T1 write d 1 @1\nT1 store y 1 release @2\nT2 load y 1 acquire "
                            "@3\nT2 read d 1 @4\n"),
              0);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of finding/: the checker accepts what can happen and refuses everything else, rule by
 * rule. */
#include "base/stop.h"
#include "finding/finding.h"
#include "witness/witness.h"

#include "test.h"

#include <stdarg.h>
#include <string.h>

struct made {
    struct trace t;
    struct checker *c;
    char why[512];
};

static struct made *checker_of(const char *text)
{
    struct made *d = mem_get(sizeof *d);
    struct bytes b;
    struct err err;
    *d = (struct made){0};
    CHECK(bytes_new(&b, strlen(text), &err) == 0);
    memcpy((void *)(uintptr_t)b.at, text, strlen(text));
    if (trace_open_bytes(&d->t, &b, "test", &err) < 0 || !(d->c = checker_new(&d->t, &err))) {
        FAIL("%s", err.text);
        free(d);
        return NULL;
    }
    return d;
}

static void auto_made(struct made **d)
{
    if (!*d)
        return;
    checker_free((*d)->c);
    trace_close(&(*d)->t);
    free(*d);
}

/* The order is a list of numbers that ends at -1. Says whether the checker is content: it has
 * to be of the same opinion if it is told to follow the trace for as long as the order does. */
static bool passes(struct made *d, enum mode mode, struct query q, const int *order)
{
    AUTO(witness) struct witness w = {.query = q, .mode = mode};
    struct err err = {""};
    for (; *order >= 0; order++)
        vec_push(&w.order, (uint64_t)*order);
    bool good = witness_check(d->c, &w, &err) == 0;
    strcpy(d->why, good ? "" : err.text);
    bool parts = d->t.head.flags & TRACE_IMPORTED; /* a number may be one part of its event */
    uint64_t end = UINT64_MAX;                     /* the query's events are to come */
    for (uint32_t i = 0; i < q.count; i++)
        end = q.number[i] < end ? q.number[i] : end;
    while (!parts && w.order.len > 0 && w.order.at[0] == w.prefix && w.prefix < end) {
        w.prefix++;
        w.order.len--;
        memmove(w.order.at, w.order.at + 1, w.order.len * sizeof *w.order.at);
        EXPECT_EQ(witness_check(d->c, &w, &err) == 0, good);
    }
    return good;
}

#define ORDER(...) ((const int[]){__VA_ARGS__, -1})
#define NOTHING ((const int[]){-1})
#define RACE(a, b) ((struct query){.kind = QUERY_RACE, .count = 2, .number = {a, b}})
#define DEADLOCK(a, b) ((struct query){.kind = QUERY_DEADLOCK, .count = 2, .number = {a, b}})
#define HAPPENS ((struct query){.kind = QUERY_ORDER})

TEST(a_race_needs_both_to_be_next)
{
    AUTO(made) struct made *d = checker_of("T0 write x 1; T0 write y 1; T1 write y 2");
    REQUIRE(d);
    EXPECT(passes(d, MODE_SOUND, RACE(1, 2), ORDER(0)));
    EXPECT(passes(d, MODE_SOUND, RACE(1, 2), NOTHING)); /* what is left out is completed */
    EXPECT(!passes(d, MODE_SOUND, RACE(1, 2), ORDER(0, 1)));
    EXPECT(!passes(d, MODE_SOUND, RACE(0, 2), NOTHING));
    EXPECT_STR(d->why, "the two events are no conflicting accesses");
    EXPECT(!passes(d, MODE_SOUND, RACE(0, 9), NOTHING));
    EXPECT_STR(d->why, "no event 9");
}

TEST(reads_do_not_race_and_neither_do_atomics)
{
    AUTO(made) struct made *d = checker_of("T0 read x 0; T1 read x 0; T0 store y 1 seq_cst;"
                                           "T1 rmw y 1 -> 2 seq_cst; T1 read y 2");
    REQUIRE(d);
    EXPECT(!passes(d, MODE_SOUND, RACE(0, 1), NOTHING));
    EXPECT(!passes(d, MODE_SOUND, RACE(2, 3), ORDER(0, 1)));
    EXPECT(passes(d, MODE_SOUND, RACE(2, 4), ORDER(0, 1, 3)));
}

TEST(locks_exclude)
{
    AUTO(made) struct made *d = checker_of("T0 acquire L; T0 write x 1; T0 release L;"
                                           "T1 acquire L; T1 write x 2; T1 release L");
    REQUIRE(d);
    EXPECT(passes(d, MODE_SYNC, HAPPENS, ORDER(3, 4, 5, 0, 1, 2)));
    EXPECT(!passes(d, MODE_SYNC, RACE(1, 4), ORDER(0, 3)));
    EXPECT_STR(d->why, "step 1: event 3 cannot happen: the lock is not free");
}

TEST(inner_acquires_are_folded)
{
    AUTO(made) struct made *d =
        checker_of("T0 acquire L depth 1; T0 acquire L depth 2; T0 release L depth 1;"
                   "T0 release L depth 0; T1 acquire L depth 1");
    REQUIRE(d);
    EXPECT(!passes(d, MODE_SYNC, HAPPENS, ORDER(0, 4)));
    EXPECT(passes(d, MODE_SYNC, HAPPENS, ORDER(0, 3, 4)));
}

TEST(a_deadlock_is_a_cycle_of_owners)
{
    AUTO(made) struct made *d =
        checker_of("T0 acquire A; T0 acquire B; T0 release B; T0 release A;"
                   "T1 acquire B; T1 acquire A; T1 release A; T1 release B");
    REQUIRE(d);
    EXPECT(passes(d, MODE_SOUND, DEADLOCK(1, 5), ORDER(0, 4)));
    EXPECT(!passes(d, MODE_SOUND, DEADLOCK(0, 4), NOTHING));
}

TEST(a_branch_needs_what_was_read)
{
    AUTO(made) struct made *d = checker_of("T0 write x 1; T1 read x 1; T1 branch explicit");
    REQUIRE(d);
    EXPECT(passes(d, MODE_SOUND, HAPPENS, ORDER(0, 1, 2)));
    EXPECT(passes(d, MODE_SOUND, HAPPENS, ORDER(1, 0)));
    EXPECT(!passes(d, MODE_SOUND, HAPPENS, ORDER(1, 2)));
    EXPECT(!passes(d, MODE_PAPER, HAPPENS, ORDER(1, 2)));
    EXPECT(passes(d, MODE_SYNC, HAPPENS, ORDER(1, 2)));
}

TEST(classic_stops_a_thread_that_has_seen_something_else)
{
    AUTO(made) struct made *d = checker_of("T0 write x 1; T1 read x 1; T1 write y 1");
    REQUIRE(d);
    EXPECT(passes(d, MODE_SOUND, HAPPENS, ORDER(1, 2)));
    EXPECT(passes(d, MODE_CLASSIC, HAPPENS, ORDER(1, 0)));
    EXPECT(!passes(d, MODE_CLASSIC, HAPPENS, ORDER(1, 2)));
}

/* Counterexample x11: the same write is not the same value. */
TEST(sound_follows_values_through_writes)
{
    AUTO(made) struct made *d =
        checker_of("T0 write x 1; T1 read x 1; T1 write y 1; T2 read y 1; T2 branch explicit");
    REQUIRE(d);
    EXPECT(!passes(d, MODE_SOUND, HAPPENS, ORDER(1, 2, 3, 4)));
    EXPECT(passes(d, MODE_PAPER, HAPPENS, ORDER(1, 2, 3, 4)));
}

TEST(bytes_are_followed_one_by_one)
{
    AUTO(made) struct made *d = checker_of("T0 write x:4 1; T1 write x+2:1 7; T0 read x:4 1;"
                                           "T0 branch explicit; T1 write x+3:1 7");
    REQUIRE(d);
    EXPECT(passes(d, MODE_SOUND, RACE(2, 4), ORDER(0, 1)));
    EXPECT(!passes(d, MODE_SOUND, HAPPENS, ORDER(0, 2, 3)));
    EXPECT(passes(d, MODE_SOUND, HAPPENS, ORDER(0, 1, 2, 3)));
}

TEST(threads_begin_and_end)
{
    AUTO(made) struct made *d =
        checker_of("T0 create T1; T1 write x 1; T1 write x 2; T0 join T1; T0 read x 2");
    REQUIRE(d);
    EXPECT(!passes(d, MODE_SYNC, HAPPENS, ORDER(1)));
    EXPECT(!passes(d, MODE_SYNC, HAPPENS, ORDER(0, 1, 3)));
    EXPECT(passes(d, MODE_SYNC, HAPPENS, ORDER(0, 1, 2, 3, 4)));
    EXPECT(!passes(d, MODE_SYNC, RACE(2, 4), ORDER(0, 1)));
}

TEST(a_compare_exchange_is_a_branch)
{
    AUTO(made) struct made *d = checker_of("T0 store x 1 seq_cst; T1 cas x 1 -> 2 seq_cst");
    REQUIRE(d);
    EXPECT(passes(d, MODE_SOUND, HAPPENS, ORDER(0, 1)));
    EXPECT(!passes(d, MODE_SOUND, HAPPENS, ORDER(1)));
}

/* A wait in four lines: pre 1, release 2, acquire 6, post 7; woken by 4. */
TEST(a_wait_needs_its_notification)
{
    AUTO(made) struct made *d =
        checker_of("T0|acq(L)|1\nT0|wait_pre(C)|2\nT0|rel(L)|3\nT1|acq(L)|4\nT1|notify(C)|5\n"
                   "T1|rel(L)|6\nT0|acq(L)|7\nT0|wait_post(C)|8\nT0|rel(L)|9\n");
    REQUIRE(d);
    EXPECT(passes(d, MODE_SYNC, HAPPENS, ORDER(0, 1, 2, 3, 4, 5, 6, 7, 8)));
    EXPECT(!passes(d, MODE_SYNC, HAPPENS, ORDER(0, 1, 2, 6)));
    EXPECT_STR(d->why, "step 3: event 6 cannot happen: nobody has woken it");
    EXPECT(!passes(d, MODE_SYNC, HAPPENS, ORDER(3, 4, 5, 0, 1, 2, 6)));
    EXPECT_STR(d->why, "step 6: event 6 cannot happen: it was woken before it waited");
}

/* The same in one line; its second half belongs to the thread's next line. */
TEST(a_wait_in_one_line_has_two_halves)
{
    AUTO(made) struct made *d = checker_of("T0|acq(L)|1\nT0|wait(C)|2\nT1|acq(L)|3\n"
                                           "T1|notify(C)|4\nT1|rel(L)|5\nT0|w(X)|6\n"
                                           "T0|rel(L)|7\nT1|w(X)|8\n");
    REQUIRE(d);
    EXPECT(passes(d, MODE_SYNC, RACE(5, 7), ORDER(0, 1, 1, 2, 3, 4)));
    EXPECT(passes(d, MODE_SYNC, HAPPENS, ORDER(0, 1, 1, 2, 3, 4, 5, 5, 7, 5)));
    EXPECT(!passes(d, MODE_SYNC, HAPPENS, ORDER(0, 1, 2, 3, 5)));
}

TEST(order_and_adjacency)
{
    AUTO(made) struct made *d = checker_of("T0 write x 1; T1 write x 2; T2 write y 1");
    REQUIRE(d);
    struct query q = {.kind = QUERY_ORDER, .count = 2, .number = {1, 0}};
    EXPECT(passes(d, MODE_SYNC, q, ORDER(1, 2, 0)));
    EXPECT(!passes(d, MODE_SYNC, q, ORDER(0, 1)));
    EXPECT(!passes(d, MODE_SYNC, q, ORDER(1)));
    q.adjacent = 1;
    EXPECT(!passes(d, MODE_SYNC, q, ORDER(1, 2, 0)));
    EXPECT(passes(d, MODE_SYNC, q, ORDER(2, 1, 0)));
}

/* Long enough for what lies behind to be forgotten. */
TEST(a_long_trace_is_followed_and_left)
{
    AUTO(str) struct str text = {0};
    enum { EVENTS = 20000 };
    for (int i = 0; i < EVENTS; i++)
        str_add(&text, "T%d|acq(L)|1\nT%d|w(X)|2\nT%d|rel(L)|3\n", i & 1, i & 1, i & 1);
    str_add(&text, "T0|w(X)|4\nT1|w(X)|5\n");
    AUTO(made) struct made *d = checker_of(text.at);
    REQUIRE(d);
    struct err err;
    uint64_t last = 3 * EVENTS;
    AUTO(witness) struct witness w = {
        .query = RACE(last, last + 1), .mode = MODE_CLASSIC, .prefix = last};
    EXPECT_EQ(witness_check(d->c, &w, &err), 0);
    w.query = (struct query)RACE(last - 2, last + 1); /* both are not the next */
    w.prefix = last - 2;
    EXPECT_EQ(witness_check(d->c, &w, &err), -1);
    w.query = (struct query)RACE(1, 4); /* back to the start */
    w.prefix = 1;
    EXPECT_EQ(witness_check(d->c, &w, &err), -1);
    EXPECT_STR(err.text, "event 3 cannot happen: the lock is not free");
}

/* ---- freed ----------------------------------------------------------------------------- */

/* "FREED USE" with an F behind a free, or "none". */
static const char *freed(const char *text, enum freed_what what)
{
    static char out[64];
    AUTO(made) struct made *d = checker_of(text);
    struct freed_use use;
    struct err err;
    int found = freed_find(&d->t, what, &use, &err);
    if (found == 1)
        snprintf(out, sizeof out, "%d %d%s", (int)use.freed, (int)use.use,
                 use.is_free ? "F" : "");
    return found == 1 ? out : found == 0 ? "none" : "corrupt";
}

TEST(what_is_done_to_a_block_after_its_end_is_found)
{
    static const char *used = "T0 alloc heap#0=0x1000:16; T0 write heap#0:4 1; T0 create T1;"
                              "T1 start; T0 free heap#0; T1 read heap#0+8:4 0";
    EXPECT_STR(freed(used, FREED_ANY), "4 5");
    EXPECT_STR(freed(used, FREED_USED), "4 5");
    EXPECT_STR(freed(used, FREED_TWICE), "none");
    static const char *twice = "T0 alloc heap#0=0x1000:16; T0 free heap#0; T0 free heap#0";
    EXPECT_STR(freed(twice, FREED_ANY), "1 2F");
    EXPECT_STR(freed(twice, FREED_TWICE), "1 2F");
    EXPECT_STR(
        freed("T0 alloc heap#0=0x1000:64; T0 free heap#0; T0 signal heap#0+8", FREED_ANY),
        "1 2");
}

TEST(a_block_in_the_same_place_is_another_one)
{
    EXPECT_STR(freed("T0 alloc heap#0=0x1000:16; T0 free heap#0; T0 alloc heap#1=0x1000:16;"
                     "T0 write heap#1:4 1; T0 free heap#1",
                     FREED_ANY),
               "none");
}

/* ---- misuse ---------------------------------------------------------------------------- */

/* "WORD EVENT OTHER;" each, or "". */
static const char *misused(const char *text)
{
    static char out[256];
    AUTO(made) struct made *d = checker_of(text);
    AUTO(arena) struct arena mem = {0};
    misuses found = {0};
    struct err err;
    out[0] = 0;
    EXPECT_EQ(misuse_find(&d->t, &mem, &found, &err), 0);
    for (uint32_t i = 0; i < found.len; i++) {
        size_t used = strlen(out);
        snprintf(out + used, sizeof out - used, "%s %d %d;",
                 misuse_infos[found.at[i].kind].word, (int)found.at[i].own.event,
                 (int)found.at[i].other.event);
    }
    vec_done(&found);
    return out;
}

TEST(an_unlock_of_anothers_lock_is_told_with_both)
{
    EXPECT_STR(misused("T0 acquire L; T0 create T1; T0 detach T1; T1 start;"
                       "T1 mark unlock-others L:1; T1 release L"),
               "unlock-others 5 0;");
    EXPECT_STR(misused("T0 acquire L; T0 release L"), "");
}

TEST(a_thread_that_ends_with_a_lock_is_told)
{
    EXPECT_STR(misused("T0 create T1; T0 detach T1; T1 start; T1 acquire L; T1 exit"),
               "end-holding 4 3;");
    EXPECT_STR(misused("T0 create T1; T0 detach T1; T1 start; T1 acquire L; T1 release L;"
                       "T1 exit"),
               "");
    EXPECT_STR(misused("T0 alloc heap#0=0x1000:64; T0 create T1; T0 detach T1; T1 start;"
                       "T1 acquire heap#0; T0 free heap#0; T1 exit"),
               "free-held 5 4;");
}

/* A long trace, with a misuse at its end. */
static const char *misused_late(void)
{
    AUTO(str) struct str text = {0};
    for (uint32_t i = 0; i < 70000; i++)
        str_add(&text, "T0 write x 1;");
    str_add(&text, "T0 create T1; T0 detach T1; T1 start; T1 acquire L; T1 exit");
    return misused(text.at);
}

TEST(the_search_for_misuse_ends_when_asked)
{
    EXPECT_STR(misused_late(), "end-holding 70004 70003;");
    stop_by(SIGINT);
    EXPECT_STR(misused_late(), "");
}

TEST(a_thread_that_nobody_asks_about_is_told_where_the_run_ended_well)
{
    EXPECT_STR(misused("T0 create T1; T1 start; T1 exit; T0 end-exit 0"), "unjoined 0 -1;");
    EXPECT_STR(misused("T0 create T1; T1 start; T1 exit; T0 end-exit 1"), "");
    EXPECT_STR(misused("T0 create T1; T1 start; T0 mark fork; T0 end-exit 0"), "");
    EXPECT_STR(misused("T0 create T1; T1 start; T1 exit; T0 join T1; T0 end-exit 0"), "");
}

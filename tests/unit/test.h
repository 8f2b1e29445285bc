/* SPDX-License-Identifier: Apache-2.0
 *
 * test: the unit test frame. A test registers itself before main runs, by a constructor:
 *
 *     TEST(release_orders_the_next_acquire)
 *     {
 *         REQUIRE(m != NULL);            (leaves the test when false)
 *         EXPECT_EQ(m->ev_count, 6);     (notes the failure and goes on)
 *     }
 *
 * Arguments of the macros are evaluated once. test-main.c has main and prints TAP. */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

#include <stdbool.h>
#include <stddef.h>

struct test {
    const char *name;
    void (*run)(void);
    struct test *next;
};

void test_add(struct test *test);
void test_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool test_eq(const char *file, int line, const char *text, __int128 a, __int128 b);
bool test_str(const char *file, int line, const char *text, const char *a, const char *b);
bool test_aborts(void (*run)(void *), void *arg);

#define TEST(id)                                                   \
    static void test_##id(void);                                   \
    __attribute__((constructor)) static void test_add_##id(void)   \
    {                                                              \
        static struct test test = {.name = #id, .run = test_##id}; \
        test_add(&test);                                           \
    }                                                              \
    static void test_##id(void)

/* FAIL("...", ...) marks the test as failed, like an EXPECT that does not hold. */
#define FAIL(...) test_fail(__FILE__, __LINE__, __VA_ARGS__)

#define EXPECT(condition)                     \
    do {                                      \
        if (!(condition))                     \
            FAIL("expected: %s", #condition); \
    } while (0)

#define REQUIRE(condition)                    \
    do {                                      \
        if (!(condition)) {                   \
            FAIL("required: %s", #condition); \
            return;                           \
        }                                     \
    } while (0)

/* Integers of any type and sign: both sides are widened to 128 bits. */
#define EXPECT_EQ(a, b) test_eq(__FILE__, __LINE__, #a " == " #b, (__int128)(a), (__int128)(b))

/* Texts, NULL included. */
#define EXPECT_STR(a, b) test_str(__FILE__, __LINE__, #a " == " #b, (a), (b))

/* run(arg) must end in abort(), as a CHECK that fails does. It runs in a child process. */
#define EXPECT_ABORT(run, arg)                             \
    do {                                                   \
        if (!test_aborts((run), (arg)))                    \
            FAIL("expected to abort: %s(%s)", #run, #arg); \
    } while (0)

#endif

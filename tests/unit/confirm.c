/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of confirm: the steps of a run that followed a witness act on the same things as those
 * of the recorded run, or the run says nothing. */
#include "confirm/acts-alike.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char witness[] =
    "heddle witness 1\npattern use-after-free\nthread T0 0 - -\nthread T1 0.0 - -\n"
    "event T0 1 a.c:3:1 main free free 1 -\nevent T1 1 a.c:7:1 worker write p 1 -\n";

#define HEAD                                                         \
    "heddle trace 1 branches values\nthread T0 \"main\"\nsite 0 -\n" \
    "site 1 a.c:3:1 in main of free stmt 1\n"                        \
    "site 2 a.c:7:1 in worker of p stmt 1\n"                         \
    "T0 start @0\nthread T1 parent T0 spawn 0\nT0 create T1 @0\nT1 start @0\n"
#define BLOCK_A "T0 alloc heap#0=0x5000:16 @0\n"
#define BLOCK_B "T0 alloc heap#1=0x6000:16 @0\n"
#define AGAIN "T0 alloc heap#1=0x5000:16 @0\n"
#define WRITE(object) "T1 write " object ":4 1 @2\n"

static void put(const char *directory, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s/trace", directory);
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void take_away(const char *directory)
{
    char path[64];
    snprintf(path, sizeof path, "%s/trace", directory);
    unlink(path);
    rmdir(directory);
}

static bool alike(const char *recorded, const char *run)
{
    AUTO(witness_file) struct witness_file w = {0};
    char before[] = "/tmp/heddle-alike.XXXXXX", after[] = "/tmp/heddle-alike.XXXXXX";
    struct bytes in = {.at = (const uint8_t *)witness, .len = strlen(witness)};
    struct err err = {""};
    CHECK(mkdtemp(before) && mkdtemp(after));
    put(before, recorded);
    put(after, run);
    if (witness_file_parse(&w, &in, "test", &err) < 0)
        FAIL("%s", err.text);
    bool result = acts_alike(&w, before, after);
    take_away(before);
    take_away(after);
    return result;
}

static const char used[] = HEAD BLOCK_A BLOCK_B WRITE("heap#0") "T0 free heap#0 @1\n";

TEST(steps_on_the_same_block_are_alike)
{
    EXPECT_EQ(alike(used, HEAD BLOCK_A BLOCK_B "T0 free heap#1 @1\n" WRITE("heap#1+8")), true);
}

TEST(steps_on_two_blocks_are_not)
{
    EXPECT_EQ(alike(used, HEAD BLOCK_A BLOCK_B "T0 free heap#0 @1\n" WRITE("heap#1")), false);
}

TEST(a_block_in_the_place_of_another_is_another)
{
    EXPECT_EQ(alike(used, HEAD BLOCK_A "T0 free heap#0 @1\n" AGAIN WRITE("heap#1")), false);
}

TEST(what_did_not_happen_says_nothing)
{
    EXPECT_EQ(alike(used, HEAD BLOCK_A "T0 free heap#0 @1\n"), true);
}

TEST(steps_that_were_apart_may_be)
{
    EXPECT_EQ(alike(HEAD BLOCK_A BLOCK_B WRITE("heap#1") "T0 free heap#0 @1\n",
                    HEAD BLOCK_A BLOCK_B "T0 free heap#0 @1\n" WRITE("heap#1")),
              true);
}

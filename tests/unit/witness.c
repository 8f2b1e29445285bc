/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of witness files: what is written is read again, a witness becomes as many lines as it
 * has switches, and bad input is refused with its line. */
#include "witness/witness.h"

#include "test.h"

#include <string.h>

static struct bytes bytes_of(const char *text)
{
    return (struct bytes){.at = (const uint8_t *)text, .len = strlen(text)};
}

/* The whole text of the first witness, "" if something failed. */
static void written(struct str *out, const char *trace, struct query q, const int *order)
{
    AUTO(trace) struct trace t = {0};
    AUTO(witness) struct witness w = {.query = q, .mode = MODE_SOUND};
    struct bytes b;
    struct err err;
    CHECK(bytes_new(&b, strlen(trace), &err) == 0);
    memcpy((void *)(uintptr_t)b.at, trace, strlen(trace));
    if (trace_open_bytes(&t, &b, "test", &err) < 0) {
        FAIL("%s", err.text);
        return;
    }
    for (; *order >= 0; order++)
        vec_push(&w.order, (uint64_t)*order);
    char *argv[] = {"./a b", "-x", "", NULL};
    AUTO(witness_writer) struct witness_writer *writer = witness_writer_new(&t, &err);
    CHECK(writer);
    EXPECT_EQ(witness_writer_add(writer, &w, "race", argv), 0);
    EXPECT_EQ(witness_writer_finish(writer, &err), 0);
    witness_file_print(witness_writer_get(writer, 0), out);
}

static void round_trip(const char *text)
{
    AUTO(witness_file) struct witness_file f = {0};
    AUTO(str) struct str again = {0};
    struct bytes in = bytes_of(text);
    struct err err = {""};
    if (witness_file_parse(&f, &in, "test", &err) < 0)
        FAIL("%s", err.text);
    else
        witness_file_print(&f, &again);
    EXPECT_STR(again.at, text);
}

#define ORDER(...) ((const int[]){__VA_ARGS__, -1})
#define HEAD "heddle witness 1\npattern race\n"
#define THREADS "thread T0 0 - -\nthread T1 0.0 src/a.c:9:3 main\n"

static const char small[] =
    "heddle trace 1 branches values\nobject x memory 0x1000:4\nobject y memory 0x1004:4\n"
    "thread T0 \"main\"\nsite 0 -\nT0 start @0\n"
    "site 1 src/a.c:5:3 in main of pthread_create stmt 1\nthread T1 parent T0 spawn 0\n"
    "T0 create T1 @1\n"
    "site 2 src/a.c:7:5 in work of x stmt 1\nsite 3 src/a.c:8:5 in work of y stmt 2\n"
    "T1 start @0\nT1 write x 1 @2\nT1 write y 1 @3\nT1 write x 2 @2\n"
    "site 4 src/a.c:6:7 in main of x stmt 2\nT0 read x 2 @4\nT0 branch explicit @4\n";

TEST(a_witness_has_a_line_per_switch)
{
    AUTO(str) struct str text = {0};
    struct query q = {.kind = QUERY_RACE, .count = 2, .number = {5, 6}};
    written(&text, small, q, ORDER(0, 1, 2, 3, 4));
    EXPECT_STR(text.at, "heddle witness 1\npattern race\n"
                        "query \"race of events 5 6 of the trace, mode sound\"\n"
                        "program \"./a b\" -x -\n"
                        "thread T0 0 - -\nthread T1 0.0 src/a.c:5:3 main\n"
                        "run T0 1 src/a.c:5:3 main create pthread_create 1 T1\n"
                        "at T1 2 src/a.c:7:5 work write x 1 x\n"
                        "at T0 1 src/a.c:6:7 main read x 2 x\n");
    round_trip(text.at);
}

TEST(the_events_of_an_order_are_marked)
{
    AUTO(str) struct str text = {0};
    struct query q = {.kind = QUERY_ORDER, .count = 2, .number = {3, 6}};
    written(&text, small, q, ORDER(0, 1, 2, 3, 4, 6, 7));
    const char *lines = text.at ? strstr(text.at, "run ") : NULL;
    EXPECT_STR(lines, "run T0 1 src/a.c:5:3 main create pthread_create 1 T1\n"
                      "event T1 1 src/a.c:7:5 work write x 1 x\n"
                      "run T1 1 src/a.c:8:5 work write y 2 y\n"
                      "event T0 1 src/a.c:6:7 main read x 2 x\n");
    round_trip(text.at);
}

/* A function of a header has its sites in every unit that includes it. */
TEST(the_same_site_of_two_units_counts_once)
{
    AUTO(str) struct str text = {0};
    struct query q = {.kind = QUERY_ORDER, .count = 1, .number = {2}};
    written(
        &text,
        "heddle trace 1\nobject x memory 0x1000:4\nthread T0\n"
        "site 0 a/h.h:3:5 in f of x stmt 1 unit 0\nsite 1 b/h.h:3:5 in f of x stmt 1 unit 1\n"
        "T0 write x 1 @0\nT0 read x 1 @1\nT0 write x 2 @1\n",
        q, ORDER(0, 1, 2));
    EXPECT(text.at && strstr(text.at, "event T0 2 b/h.h:3:5 f write x 1 x\n"));
}

TEST(any_text_comes_back)
{
    round_trip(
        "heddle witness 1\npattern race\nquery -\nprogram \"\\\"\\\\\\n\\x01\\xc3\\xa4\" "
        "\"-\" - \"a b\"\nthread T0 0 - -\nthread \"a b\" 0.4294967294 \"x y.c:1:2\" "
        "\"operator new(unsigned long)\"\nrun T0 18446744073709551615 - - exit - 0 -\n");
}

static void refused(const char *text, const char *why)
{
    AUTO(witness_file) struct witness_file f = {0};
    struct bytes in = bytes_of(text);
    struct err err = {""};
    EXPECT_EQ(witness_file_parse(&f, &in, "w", &err), -1);
    EXPECT_STR(err.text, why);
}

TEST(bad_input_is_refused_with_its_line)
{
    refused("", "w: not a witness: the first line is 'heddle witness 1'");
    refused("heddle witness x\n", "w:1: not a witness: the first line is 'heddle witness 1'");
    refused("heddle witness 2\n", "w:1: witness format 2, this heddle reads 1");
    refused(HEAD, "w: a witness without run, event or at lines");
    refused(HEAD "# a comment\n\nwalk T0\n",
            "w:5: 'walk' is none of pattern, query, process, program, thread, run, event, at");
    refused(HEAD "pattern race\n", "w:3: a second 'pattern'");
    refused(HEAD "program\n", "w:3: expected: program ARGUMENT...");
    refused(HEAD "thread T0 0\n", "w:3: expected: thread LABEL PATH FILE:LINE:COLUMN FUNCTION");
    refused(HEAD "thread T0 0. - -\n", "w:3: not the path of a thread, as 0 or 0.2.1");
    refused(HEAD "thread T0 - - -\n", "w:3: not the path of a thread, as 0 or 0.2.1");
    refused(HEAD "thread T0 0.x - -\n", "w:3: 'x' is no number of a child");
    refused(HEAD THREADS "thread T0 0.1 - -\n", "w:5: thread 'T0' was there already");
    refused(HEAD THREADS "thread T2 0.0 - -\n", "w:5: thread 'T2' was there already");
    refused(HEAD THREADS "run T2 1 - - exit - 0 -\n", "w:5: no thread 'T2'");
    refused(HEAD THREADS "run T0 0 - - exit - 0 -\n", "w:5: '0' is no count from 1");
    refused(HEAD THREADS "run T0 1 a.c:3 f exit - 0 -\n", "w:5: 'a.c' is not FILE:LINE:COLUMN");
    refused(HEAD THREADS "run T0 1 a.c:3:x f exit - 0 -\n", "w:5: 'x' is no line or column");
    refused(HEAD THREADS "run T0 1 - - leap - 0 -\n", "w:5: no kind of event 'leap'");
    refused(HEAD THREADS "run T0 1 - - exit - x -\n", "w:5: 'x' is no number of a statement");
    refused(HEAD THREADS "at T0 1 - - exit - 0 -\nrun T0 1 - - exit - 0 -\n",
            "w:6: the 'at' lines come last");
    refused(HEAD "run  T0\n", "w:3: field 2: a word, or a text in double quotes, and one space "
                              "between two of them");
    refused(HEAD "query \"x\n",
            "w:3: field 2: a word, or a text in double quotes, and one space "
            "between two of them");
    refused(HEAD "query \"\\x00\"\n",
            "w:3: field 2: a word, or a text in double quotes, and one "
            "space between two of them");
    refused(HEAD "query x", "w:3: the last line does not end");
}

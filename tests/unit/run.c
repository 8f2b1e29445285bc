/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of run/judge.c: what may be concluded from how a run ended; and of run/spare.c: what is
 * left of a run in the directory of the next one. */
#include "base/io.h"
#include "run/run.h"
#include "test.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct run_result ended(uint8_t outcome, int code)
{
    return (struct run_result){.outcome = outcome, .code = code};
}

static void expect_kind(const struct run_result *r, const char *kind)
{
    AUTO(str) struct str text = {0};
    run_kind(&text, r);
    EXPECT_STR(text.at, kind);
}

TEST(a_run_without_doubts_judges_its_program)
{
    struct run_result good = ended(WORD_VALUE(OUTCOME, EXIT), 0);
    struct run_result bad = ended(WORD_VALUE(OUTCOME, CRASH), 11);
    EXPECT(!run_unjudged(&bad));
    EXPECT(run_failed(&bad) && run_is_worse(&bad, &good));
    expect_kind(&bad, "crash SIGSEGV");
}

TEST(a_doubt_that_is_only_told_forbids_nothing)
{
    struct run_result good = ended(WORD_VALUE(OUTCOME, EXIT), 0);
    struct run_result bad = ended(WORD_VALUE(OUTCOME, DEADLOCK), 0);
    run_doubt(&bad.doubts, DOUBT_UNMODELLED_CALL, "shmat");
    run_doubt(&bad.doubts, DOUBT_TIME, NULL);
    EXPECT(!run_unjudged(&bad));
    EXPECT(run_failed(&bad) && run_is_worse(&bad, &good));
    run_result_done(&bad);
}

TEST(a_run_that_cannot_be_judged_is_no_failure)
{
    AUTO(str) struct str text = {0};
    struct run_result good = ended(WORD_VALUE(OUTCOME, EXIT), 0);
    struct run_result bad = ended(WORD_VALUE(OUTCOME, CRASH), 11);
    run_doubt(&bad.doubts, DOUBT_UNMODELLED_CALL, "shmat");
    run_doubt(&bad.doubts, DOUBT_INPUT_MISSING, "read");
    EXPECT(run_unjudged(&bad) == &bad.doubts.at[1]);
    EXPECT(!run_judges_program(&bad) && !run_failed(&bad) && !run_is_worse(&bad, &good));
    expect_kind(&bad, "undecided input-missing");
    run_doubt_say(&text, &bad.doubts.at[1]);
    EXPECT_STR(text.at, "read: it asked for more input than was recorded");
    run_result_done(&bad);
}

/* ---- directories that are used again ----------------------------------------------------- */

static void put_file(const char *path, const char *text)
{
    struct err err;
    EXPECT(file_write(path, text, strlen(text), &err) == 0);
}

static ino_t number_of(const char *path, off_t bytes)
{
    struct stat st = {0};
    EXPECT(stat(path, &st) == 0 && st.st_size == bytes);
    return st.st_ino;
}

TEST(nothing_of_a_run_is_left_in_its_directory_for_the_next_one)
{
    char home[] = "spare-XXXXXX";
    EXPECT(mkdtemp(home) && chdir(home) == 0);
    EXPECT(mkdir("a", 0777) == 0);
    put_file("a/trace", "old");
    put_file("a/input", "old");
    put_file("a/shared", "old");
    ino_t trace = number_of("a/trace", 3);
    run_spare_put("a");
    EXPECT(run_spare_take("b"));
    EXPECT(access("a", F_OK) < 0 && access("b/trace", F_OK) < 0);
    EXPECT(access("b/input", F_OK) < 0 && access("b/shared", F_OK) < 0);
    EXPECT(number_of("b/trace.new", 0) == trace);
    run_spare_tidy("b");
    EXPECT(rmdir("b") == 0); /* nothing else was in it */
    EXPECT(!run_spare_take("c"));
    run_spare_done();
    EXPECT(chdir("..") == 0 && rmdir(home) == 0);
}

TEST(a_file_that_is_also_elsewhere_is_not_emptied)
{
    char home[] = "spare-XXXXXX";
    EXPECT(mkdtemp(home) && chdir(home) == 0);
    EXPECT(mkdir("a", 0777) == 0);
    put_file("kept", "wanted");
    EXPECT(link("kept", "a/trace") == 0);
    run_spare_put("a");
    EXPECT(run_spare_take("b") && rmdir("b") == 0);
    number_of("kept", 6);
    run_spare_done();
    EXPECT(unlink("kept") == 0 && chdir("..") == 0 && rmdir(home) == 0);
}

TEST(a_directory_with_more_than_files_goes_and_is_not_used_again)
{
    char home[] = "spare-XXXXXX";
    EXPECT(mkdtemp(home) && chdir(home) == 0);
    EXPECT(mkdir("a", 0777) == 0 && mkdir("a/child-1", 0777) == 0);
    run_spare_put("a");
    EXPECT(!run_spare_take("b") && access("a", F_OK) < 0);
    EXPECT(chdir("..") == 0 && rmdir(home) == 0);
}

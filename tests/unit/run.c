/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of run/judge.c: what may be concluded from how a run ended. */
#include "run/run.h"
#include "test.h"

#include <string.h>

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

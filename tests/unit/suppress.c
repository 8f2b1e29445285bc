/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of finding/suppress: TSan's patterns, and what a file of them may hold. */
#include "finding/finding.h"

#include "test.h"

#include <string.h>
#include <unistd.h>

static struct finding told_at(const char *pattern, struct place *place)
{
    struct finding f = {.id = "race-1", .pattern = pattern_find(pattern)};
    vec_push(&f.sites, *place);
    return f;
}

/* Writes the text to a file and reads it as suppressions. */
static int read_text(struct suppressions *out, const char *text, struct err *err)
{
    char path[] = "/tmp/heddle-suppress-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    int result = suppressions_read(out, path, err);
    unlink(path);
    return result;
}

TEST(patterns_match_anywhere_unless_tied)
{
    EXPECT(pattern_matches("work", "my_worker"));
    EXPECT(!pattern_matches("^work", "my_worker"));
    EXPECT(pattern_matches("^my*er$", "my_worker"));
    EXPECT(!pattern_matches("worker$", "worker2"));
    EXPECT(pattern_matches("", "anything"));
    EXPECT(pattern_matches("a*b*c", "xxaxxbxxcxx"));
    EXPECT(!pattern_matches("a*b*c", "xxaxxcxxbxx"));
}

TEST(an_entry_matches_function_file_or_variable_of_its_type)
{
    struct err err;
    AUTO(suppressions) struct suppressions s = {0};
    EXPECT(read_text(&s, "# known\nrace:^worker$\n\n  deadlock:bank.c \n", &err) == 0);
    EXPECT(s.at.len == 2);
    struct place place = {.file = "bank.c", .function = "worker", .variable = "x", .line = 3};
    struct finding race = told_at("race", &place), dead = told_at("deadlock", &place),
                   other = told_at("lost-wakeup-of-another-kind", &place);
    EXPECT(suppressions_match(&s, &race));
    EXPECT(suppressions_match(&s, &dead));
    EXPECT(!suppressions_match(&s, &other));
    EXPECT(s.at.at[0].hits == 1 && s.at.at[1].hits == 1 && s.at.at[1].line == 4);
    vec_done(&race.sites);
    vec_done(&dead.sites);
    vec_done(&other.sites);
}

TEST(a_line_that_is_no_entry_is_refused_with_its_number)
{
    struct err err;
    struct suppressions s;
    EXPECT(read_text(&s, "race:a\nrase:b\n", &err) < 0);
    EXPECT(strstr(err.text, ":2: 'rase:b' is no suppression") != NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-report: what the commands that show findings share: the formats, and where the findings
 * of a program lie. */
#ifndef CMD_CMD_REPORT_H
#define CMD_CMD_REPORT_H

#include "cmd/options.h"
#include "report/report.h"

struct format_opts {
    bool json, sarif, junit, codequality, all;
    const char *html; /* file to write */
};

/* Rows of an option table; `format` is the member of the command's options. */
#define FORMAT_ROWS(options)                                       \
    {.type = OPTION_FLAG,                                          \
     .name = "json",                                               \
     .group = "format",                                            \
     .help = "for programs (docs/findings.md)",                    \
     .offset = offsetof(options, format.json)},                    \
        {.type = OPTION_FLAG,                                      \
         .name = "sarif",                                          \
         .group = "format",                                        \
         .help = "SARIF 2.1.0, for editors and code scanning",     \
         .offset = offsetof(options, format.sarif)},               \
        {.type = OPTION_FLAG,                                      \
         .name = "junit",                                          \
         .group = "format",                                        \
         .help = "JUnit XML, for CI systems",                      \
         .offset = offsetof(options, format.junit)},               \
        {.type = OPTION_FLAG,                                      \
         .name = "codequality",                                    \
         .group = "format",                                        \
         .help = "for GitLab's code quality reports",              \
         .offset = offsetof(options, format.codequality)},         \
        {.type = OPTION_TEXT,                                      \
         .name = "html",                                           \
         .value = "FILE",                                          \
         .help = "write one self-contained page as well",          \
         .offset = offsetof(options, format.html)},                \
    {                                                              \
        .type = OPTION_FLAG, .name = "all",                        \
        .help = "also what did no harm or could not be confirmed", \
        .offset = offsetof(options, format.all)                    \
    }

/* The rows of commands that run a program with other schedules: check and verify. */
#define EXPLORE_ROWS(options)                                       \
    {.type = OPTION_COUNT,                                          \
     .name = "jobs",                                                \
     .value = "J",                                                  \
     .help = "runs at a time (one per processor)",                  \
     .offset = offsetof(options, jobs)},                            \
        {.type = OPTION_NUMBER,                                     \
         .name = "seed",                                            \
         .value = "N",                                              \
         .help = "seed of the schedules that are tried",            \
         .offset = offsetof(options, seed)},                        \
        {.type = OPTION_NUMBER,                                     \
         .name = "timeout",                                         \
         .value = "S",                                              \
         .help = "seconds that a run may take (60)",                \
         .offset = offsetof(options, timeout_s)},                   \
        {.type = OPTION_TEXT,                                       \
         .name = "oracle",                                          \
         .value = "CMD",                                            \
         .help = "a run whose output CMD refuses has failed",       \
         .offset = offsetof(options, oracle)},                      \
        {.type = OPTION_TEXT,                                       \
         .name = "expect",                                          \
         .value = "FILE",                                           \
         .help = "a run that prints something else has failed",     \
         .offset = offsetof(options, expect)},                      \
        {.type = OPTION_FLAG,                                       \
         .name = "in-place",                                        \
         .help = "work in this directory, not in copies of it",     \
         .offset = offsetof(options, in_place)},                    \
    {                                                               \
        .type = OPTION_TEXT, .name = "before-each", .value = "CMD", \
        .help = "run by sh -c before each run that explores",       \
        .offset = offsetof(options, before_each)                    \
    }

/* Writes the page if one is wanted and prints the list; returns an exit code, that of what is
 * shown if all went well. */
int report_print(const struct finding_list *l, const struct format_opts *format);

#endif

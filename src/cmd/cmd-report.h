/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd-report: what the commands that show findings share: the formats, and where the findings
 * of a program lie. */
#ifndef CMD_CMD_REPORT_H
#define CMD_CMD_REPORT_H

#include "cmd/options.h"
#include "report/report.h"

struct format_opts {
    bool json, sarif, junit, all;
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

/* Writes the page if one is wanted and prints the list; returns an exit code, that of what is
 * shown if all went well. */
int report_print(const struct told_list *l, const struct format_opts *format);

#endif

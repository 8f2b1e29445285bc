/* SPDX-License-Identifier: Apache-2.0
 *
 * What the commands that look for a failure share: causes, guards. */
#ifndef CMD_CMD_FIX_H
#define CMD_CMD_FIX_H

#include "base/json.h"
#include "cmd/client-options.h"
#include "cmd/delay.h"
#include "cmd/follow.h"
#include "cmd/weak-options.h"
#include "cmd/options.h"
#include "cmd/time-option.h"
#include "fix/fix.h"

/* Part of a command's options. */
struct seek_opts {
    const char *oracle, *expect, *before_each;
    uint64_t seed, timeout_s, time_s, jobs, runs;
    bool in_place, json;
    bool expect_lines; /* no option: of expect, in any order */
    struct delay_opts delay;
    struct client_opts client;
    struct follow_opts follow;
    struct weak_opts weak; /* of causes and fix */
    const char *input;     /* the target's stdin, no option; NULL: our own, for every run */
    const char *peers; /* what comes through connections, no option; NULL: nothing is played */
};

#define SEEK_AT(of, field) .offset = offsetof(of, seek.field)
#define SEEK_ROWS(of, runs_help)                                                  \
    {.type = OPTION_TEXT,                                                         \
     .name = "oracle",                                                            \
     .value = "CMD",                                                              \
     .help = "a run whose output CMD refuses has failed",                         \
     SEEK_AT(of, oracle)},                                                        \
        {.type = OPTION_TEXT,                                                     \
         .name = "expect",                                                        \
         .value = "FILE",                                                         \
         .help = "a run that prints something else has failed",                   \
         SEEK_AT(of, expect)},                                                    \
        {.type = OPTION_COUNT,                                                    \
         .name = "runs",                                                          \
         .value = "N",                                                            \
         .help = runs_help,                                                       \
         SEEK_AT(of, runs)},                                                      \
        {.type = OPTION_COUNT,                                                    \
         .name = "jobs",                                                          \
         .value = "J",                                                            \
         .help = "runs at a time (one per processor)",                            \
         SEEK_AT(of, jobs)},                                                      \
        {.type = OPTION_NUMBER,                                                   \
         .name = "seed",                                                          \
         .value = "N",                                                            \
         .help = "seed of the schedules that are tried",                          \
         SEEK_AT(of, seed)},                                                      \
        {.type = OPTION_NUMBER,                                                   \
         .name = "timeout",                                                       \
         .value = "S",                                                            \
         .help = "seconds that a run may take (60)",                              \
         SEEK_AT(of, timeout_s)},                                                 \
        TIME_ROW(of, seek.time_s, "(any)"),                                       \
        {.type = OPTION_FLAG,                                                     \
         .name = "in-place",                                                      \
         .help = "work in this directory, not in copies of it",                   \
         SEEK_AT(of, in_place)},                                                  \
        {.type = OPTION_TEXT,                                                     \
         .name = "before-each",                                                   \
         .value = "CMD",                                                          \
         .help = "run by sh -c before each run",                                  \
         SEEK_AT(of, before_each)},                                               \
        DELAY_ROWS(of, seek.delay), CLIENT_ROWS(of, seek.client),                 \
        FOLLOW_ROWS(of, seek.follow),                                             \
    {                                                                             \
        .type = OPTION_FLAG, .name = "json", .help = "as JSON", SEEK_AT(of, json) \
    }

/* Reads the options before "--", which is at *own, into `into`, of which seek is a part; checks
 * them, and starts the clock. GO_ON, or the exit code. */
int seek_begin(const struct option_table *table, void *into, const struct seek_opts *seek,
               int argc, char **argv, int *own, int *words);
/* The library's options; progress on stderr. */
struct seek_runs seek_opts_of(const struct seek_opts *o, char *const *argv);
/* file, line, column and function, into an object that is open. */
void json_site(struct json *j, const struct code_site *s);
/* "bank.c:41", without directories in front. */
void add_site(struct str *out, const struct code_site *s);

#endif

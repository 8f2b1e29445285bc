/* SPDX-License-Identifier: Apache-2.0
 *
 * symbolic-rows: what a user can say about the stage that knows values. */
#ifndef CMD_SYMBOLIC_ROWS_H
#define CMD_SYMBOLIC_ROWS_H

#include "check/check.h"
#include "cmd/options.h"

#define SYMBOLIC_ROWS(opts, field)                                      \
    {.type = OPTION_CHOICE,                                             \
     .name = "symbolic",                                                \
     .value = "WHEN",                                                   \
     .help = "reason about values: auto, off or always",                \
     .choices = (const char *const[]){"auto", "off", "always", NULL},   \
     .offset = offsetof(opts, field.when)},                             \
        {.type = OPTION_NUMBER,                                         \
         .name = "symbolic-budget",                                     \
         .value = "MS",                                                 \
         .help = "work for one question about values (200)",            \
         .offset = offsetof(opts, field.budget)},                       \
    {                                                                   \
        .type = OPTION_NUMBER, .name = "symbolic-total", .value = "MS", \
        .help = "work for all of them (by the run's length)",           \
        .offset = offsetof(opts, field.total)                           \
    }

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * weak-options: whether a run shows weak behaviour of atomics, and of which kind. */
#ifndef CMD_WEAK_OPTIONS_H
#define CMD_WEAK_OPTIONS_H

#include "cmd/options.h"
#include "run/run.h"

/* Part of a command's options. */
struct weak_opts {
    unsigned mode; /* position in weak_words, from 1; 0: not said */
    uint64_t history;
};

#define WEAK_WORDS ((const char *const[]){"c11", "x86", "off", NULL})
#define WEAK_ROWS(options, member)                                  \
    {.type = OPTION_CHOICE,                                         \
     .name = "weak",                                                \
     .value = "WHAT",                                               \
     .is_optional = true,                                           \
     .help = "weak behaviour of atomics: c11, x86 or off",          \
     .choices = WEAK_WORDS,                                         \
     .offset = offsetof(options, member.mode)},                     \
    {                                                               \
        .type = OPTION_COUNT, .name = "weak-history", .value = "N", \
        .help = "stores kept of each atomic object (16)",           \
        .offset = offsetof(options, member.history)                 \
    }

static inline int weak_set(struct run_opts *out, const struct weak_opts *o, struct err *err)
{
    static const enum weak_mode modes[] = {WEAK_OFF, WEAK_C11, WEAK_X86, WEAK_OFF};
    if (o->history && (o->history < WEAK_HISTORY_MIN || o->history > WEAK_HISTORY_MAX))
        return err_set(err, "--weak-history takes a number from %d to %d", WEAK_HISTORY_MIN,
                       WEAK_HISTORY_MAX);
    out->weak = modes[o->mode];
    out->weak_history = (uint32_t)o->history;
    return 0;
}

#endif

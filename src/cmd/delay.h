/* SPDX-License-Identifier: Apache-2.0
 *
 * delay: what the commands that run a program with other schedules may assume about time. */
#ifndef CMD_DELAY_H
#define CMD_DELAY_H

#include "cmd/options.h"
#include "run/run.h"

/* Part of a command's options. */
struct delay_opts {
    uint64_t ms; /* 0: the default */
    unsigned expired;
};

enum { EXPIRED_NOTE = 1, EXPIRED_ERROR };

#define DELAY_ROWS(options, member)                                      \
    {.type = OPTION_NUMBER,                                              \
     .name = "delay",                                                    \
     .value = "MS",                                                      \
     .help = "by how much a thread may be late (250)",                   \
     .offset = offsetof(options, member.ms)},                            \
    {                                                                    \
        .type = OPTION_CHOICE, .name = "expired-waits", .value = "WHAT", \
        .help = "what needs longer waits to run out: note, error",       \
        .choices = (const char *const[]){"note", "error", NULL},         \
        .offset = offsetof(options, member.expired)                      \
    }

static inline void delay_set(struct run_opts *out, const struct delay_opts *o)
{
    out->delay_us = (o->ms < UINT32_MAX ? o->ms : UINT32_MAX) * 1000;
    out->expired_waits = o->expired == EXPIRED_ERROR;
}

#endif

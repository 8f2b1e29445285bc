/* SPDX-License-Identifier: Apache-2.0
 *
 * client: who talks to the program in every run of it, for the commands that run programs. */
#ifndef CMD_CLIENT_H
#define CMD_CLIENT_H

#include "cmd/options.h"
#include "run/run.h"

/* Part of a command's options. */
struct client_opts {
    const char *command;
    uint64_t wait_s; /* 0: the default */
};

#define CLIENT_ROWS(options, member)                                \
    {.type = OPTION_TEXT,                                           \
     .name = "client",                                              \
     .value = "CMD",                                                \
     .help = "run by sh -c with each run, once it listens",         \
     .offset = offsetof(options, member.command)},                  \
    {                                                               \
        .type = OPTION_NUMBER, .name = "client-wait", .value = "S", \
        .help = "seconds that the program may take to listen (10)", \
        .offset = offsetof(options, member.wait_s)                  \
    }

static inline void client_set(struct run_opts *out, const struct client_opts *o)
{
    out->client = o->command;
    out->client_wait_s = o->wait_s < UINT32_MAX / 2 ? (uint32_t)o->wait_s : UINT32_MAX / 2;
}

#endif

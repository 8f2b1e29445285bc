/* SPDX-License-Identifier: Apache-2.0
 *
 * client-options: who talks to the program in every run of it, for the commands that run
 * programs: a live client, or whoever talked to an earlier run. */
#ifndef CMD_CLIENT_OPTIONS_H
#define CMD_CLIENT_OPTIONS_H

#include "cmd/options.h"
#include "run/run.h"

/* Part of a command's options. */
struct client_opts {
    const char *command;
    const char *peers; /* directory of a run: who talked to it is played */
    uint64_t wait_s;   /* 0: the default */
};

#define CLIENT_ROWS(options, member)                                 \
    {.type = OPTION_TEXT,                                            \
     .name = "client",                                               \
     .value = "CMD",                                                 \
     .help = "run by sh -c with each run, once it listens",          \
     .offset = offsetof(options, member.command)},                   \
        {.type = OPTION_NUMBER,                                      \
         .name = "client-wait",                                      \
         .value = "S",                                               \
         .help = "seconds that the program may take to listen (10)", \
         .offset = offsetof(options, member.wait_s)},                \
    {                                                                \
        .type = OPTION_TEXT, .name = "peers", .value = "RUN",        \
        .help = "play who talked to the program in this run of it",  \
        .offset = offsetof(options, member.peers)                    \
    }

/* If neither is asked for: who talked to this run (may be NULL), if anybody did. */
struct client_opts client_or_peers(const struct client_opts *o, const char *run);
/* -1: what is asked for is not there, or does not go together. */
int client_set(struct run_opts *out, const struct client_opts *o, struct err *err);

#endif

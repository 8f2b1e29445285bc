/* SPDX-License-Identifier: Apache-2.0
 *
 * follow: whether the children that a program forks are part of what is run. They are, unless
 * the user does not want it. */
#ifndef CMD_FOLLOW_H
#define CMD_FOLLOW_H

#include "cmd/options.h"
#include "run/run.h"

/* Part of a command's options. */
struct follow_opts {
    bool children, no_children;
};

#define FOLLOW_ROWS(options, member)                                      \
    {.type = OPTION_FLAG,                                                 \
     .name = "no-children",                                               \
     .help = "leave alone the children that fork without exec",           \
     .offset = offsetof(options, member.no_children)},                    \
    {                                                                     \
        .type = OPTION_FLAG, .name = "children",                          \
        .help = "run, record and judge them like the program (the rule)", \
        .offset = offsetof(options, member.children)                      \
    }

static inline void follow_set(struct run_opts *out, const struct follow_opts *o)
{
    out->no_children = o->no_children && !o->children;
}

#endif

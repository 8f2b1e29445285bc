/* SPDX-License-Identifier: Apache-2.0
 *
 * time-option: --time, what a command may spend from its first run to its report. */
#ifndef CMD_TIME_OPTION_H
#define CMD_TIME_OPTION_H

#include "base/stop.h"
#include "cmd/options.h"

#define TIME_ROW(options, field, unless_said)              \
    {.type = OPTION_COUNT,                                 \
     .name = "time",                                       \
     .value = "S",                                         \
     .help = "seconds for the whole command " unless_said, \
     .offset = offsetof(options, field)}

/* 0: nothing was said. */
static inline void time_begin(uint64_t seconds)
{
    stop_begin();
    if (seconds > 0)
        stop_after(seconds * 1000);
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * others: what processes contributed that a replay does not start. */
#ifndef CMD_OTHERS_H
#define CMD_OTHERS_H

#include <stdbool.h>

struct others {
    bool started; /* the run had children */
    bool became;  /* it ended as another program */
};

struct others others_find(const char *run);
void others_show(const char *run); /* all that the run printed */
int others_exit_code(const char *run);

#endif

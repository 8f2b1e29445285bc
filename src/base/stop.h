/* SPDX-License-Identifier: Apache-2.0
 *
 * stop: somebody wants us to end (Ctrl-C, SIGTERM). Loops that may take long look at it and
 * come to an end, so that what was found until then can be told. */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <stdbool.h>

/* From here on SIGINT, SIGTERM and SIGHUP do not end us: stop_signal says which one came. */
void stop_catch(void);
int stop_signal(void);    /* 0: none came */
void stop_by(int signal); /* as if it had come */
/* It came some time ago: what is still to be done for the report is left out. */
int stop_is_late(void);
/* 128 and its number if one came, else the code. */
int stop_code(int code);

#endif

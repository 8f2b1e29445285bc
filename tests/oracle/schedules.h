/* SPDX-License-Identifier: Apache-2.0
 *
 * schedules: all schedules of a program, up to equivalence, each looked at. */
#ifndef TESTS_ORACLE_SCHEDULES_H
#define TESTS_ORACLE_SCHEDULES_H

#include "base/err.h"

#include <stdint.h>

/* Runs it in the current directory; see gets the directory of each run. Returns how many there
 * were, 0: more than max. */
uint64_t every_schedule(char *const *argv, uint64_t max, void (*see)(void *, const char *),
                        void *arg);

_Noreturn void give_up(const struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * values: random programs against all of their schedules; see values.c. */
#ifndef TESTS_ORACLE_VALUES_H
#define TESTS_ORACLE_VALUES_H

#include "base/rng.h"
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

/* A file of so many programs; size: about how many shared accesses a thread has. */
void generate(struct str *out, unsigned count, uint64_t seed, unsigned size);

/* Orders of accesses in the programs of a file; see values-orders.c. */
int orders(const char *program, unsigned count);

#endif

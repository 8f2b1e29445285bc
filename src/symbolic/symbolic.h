/* SPDX-License-Identifier: Apache-2.0
 *
 * symbolic: what other schedules of the recorded paths can do, with values: does a branch still
 * go the same way, can an assertion fail? */
#ifndef SYMBOLIC_SYMBOLIC_H
#define SYMBOLIC_SYMBOLIC_H

#include "symbolic/problem.h"

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * section: what ranges, calls that lock and sections share. */
#ifndef SOURCE_SECTION_H
#define SOURCE_SECTION_H

#include "source/lines.h"

bool is_block(const struct unit *u, node_id n);
/* std::lock_guard<...> g(m); and the like. */
bool is_guard(const struct unit *u, node_id statement, const char *expression);
/* A statement that takes or gives back the lock: 1, -1; else 0. */
int lock_step(const struct unit *u, node_id statement, const char *expression);

#endif

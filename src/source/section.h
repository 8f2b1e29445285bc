/* SPDX-License-Identifier: Apache-2.0
 *
 * section: what ranges, calls that lock and sections share. */
#ifndef SOURCE_SECTION_H
#define SOURCE_SECTION_H

#include "source/lines.h"

bool is_block(const struct unit *u, node_id n);
/* std::lock_guard<...> g(m); and the like. */
bool is_guard(const struct unit *u, node_id statement, const char *expression);
/* Does it leave the range: return, break, ...? */
bool leaves(const struct unit *u, struct range r, node_id n);
int unlock_before(struct unit *u, node_id n, const char *unlock, struct patch *out,
                  struct err *err);

#endif

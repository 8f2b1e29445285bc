/* SPDX-License-Identifier: Apache-2.0
 *
 * call-sites: where one function calls another, from what the compiler has kept. */
#ifndef EXPLAIN_CALL_SITES_H
#define EXPLAIN_CALL_SITES_H

#include "explain/stacks.h"

enum { CALL_PLACES_MAX = 4 };

struct call_place {
    const char *file; /* borrowed: lives in the table */
    uint32_t line, column;
};

struct call_places {
    struct call_place at[CALL_PLACES_MAX + 1];
    uint32_t len;
    bool more; /* than there is room for */
};

/* By names, as sites have them; by line. Where a pointer is called it may be any function that
 * pointers may point to. */
struct call_places call_sites_find(const struct call_sites *c, const char *caller,
                                   const char *callee);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * parse: what the files that parse a unit share. */
#ifndef SOURCE_PARSE_H
#define SOURCE_PARSE_H

#include "base/io.h"
#include "source/clang.h"
#include "source/source.h"

struct parse {
    const struct clang *c;
    struct unit *u;
    const struct unit_opts *opts;
    struct map files;        /* CXFile -> index */
    struct map declarations; /* place of a declaration -> node */
    VEC(uint64_t) refers;    /* by node: place of what it refers to, or 0 */
    VEC(uint64_t) records;   /* by node: place of the record it is of, or 0 */
};

typedef VEC(const char *) parse_args;

/* Words for libclang; what they say of the language goes to the unit. */
void parse_words(struct parse *p, parse_args *out);
enum node_kind parse_kind(const struct clang *c, CXCursor at);

#endif

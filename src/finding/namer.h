/* SPDX-License-Identifier: Apache-2.0
 *
 * namer: what people call the things that events act on: the words of the source, and which
 * object is meant by them where those do not say it: "p->count in pool", "c->refs (from malloc
 * at config.c:19)". Where the source is not at hand, what the compiler knew. */
#ifndef FINDING_NAMER_H
#define FINDING_NAMER_H

#include "trace/trace.h"

struct namer {
    const struct trace *t;       /* borrowed */
    struct source_lines *source; /* owned: what was read of it; NULL: nothing yet */
};

void namer_done(struct namer *n);

/* What an event is about. */
struct touched {
    const struct def_site *site;
    unsigned kind;          /* of event */
    const struct object *o; /* NULL: it lies in none that is known */
    uint64_t addr, bytes;   /* bytes 0: not known */
};

/* Appends "p->count", or "" if neither source nor compiler says; then false. */
bool name_expression(struct namer *n, struct str *out, const struct touched *x);
/* Appends "pool", "model+8", "malloc:55": short, and enough to tell it from others. */
void name_object(struct namer *n, struct str *out, const struct object *o, uint64_t addr);
/* Appends both: "p->count in pool". */
void name_both(struct namer *n, struct str *out, const struct touched *x);
/* Of a name that this gave: the expression alone. */
struct text name_without_object(const char *name);
/* The same with quotes, and at length: "'c->refs' (from malloc at config.c:19)". */
void name_quoted(struct namer *n, struct str *out, const struct touched *x);

#endif

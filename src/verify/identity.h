/* SPDX-License-Identifier: Apache-2.0
 *
 * identity: what events and sites are called in every run, of the program before and after: a
 * thread by how it was created, an event by thread, site, kind and how often that happened
 * before. Names are hashes of 64 bits; 0 is none. */
#ifndef VERIFY_IDENTITY_H
#define VERIFY_IDENTITY_H

#include "source/source.h"
#include "trace/trace.h"
#include "verify/verify.h"

struct names {
    uint64_t count;
    uint64_t *of;   /* by number of an event; 0: it has none */
    uint64_t *site; /* the same: name of its site */
    uint16_t *thr;  /* the same: its thread in the trace */
    struct map at;  /* name -> number */
};

/* sites: names of the trace's sites, or NULL: their own. */
int names_make(struct names *out, struct trace *t, const uint64_t *sites, struct err *err);
void names_done(struct names *n);
/* Number of the event in the trace; NONE: it did not happen there. */
uint32_t names_find(const struct names *n, uint64_t name);

uint64_t site_own_name(const struct def_site *s);

/* ---- from the program before to the one after -------------------------------------------- */

struct site_map {
    uint64_t *name; /* by site of the trace before: what it is called after; 0: it is gone */
    uint32_t *to;   /* by site of the trace before: one of the trace after, or NONE */
    uint32_t mapped, gone;
};

void site_map_make(struct site_map *out, const struct trace *before, const struct trace *after,
                   const struct verify_opts *opts);
void site_map_done(struct site_map *m);

/* Turns the lines of a witness of the program before into ones of the program after; lines that
 * cannot be are left out. Returns how many. */
uint32_t witness_map(struct witness_file *w, const struct site_map *m,
                     const struct trace *before, const struct trace *after);

#endif

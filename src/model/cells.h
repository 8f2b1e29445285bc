/* SPDX-License-Identifier: Apache-2.0
 *
 * cells: memory while a model is being built. Every distinct extent (address, length, life)
 * that some access has is a shape; when all are known, memory is cut into cells so that each
 * shape is a run of consecutive cells. Sync objects are shapes too: they have the same lives.
 * */
#ifndef MODEL_CELLS_H
#define MODEL_CELLS_H

#include "model/model.h"

typedef uint32_t shape_id;

struct shape {
    uint64_t addr, len; /* len 0: a sync object */
    uint32_t next;      /* next shape of the same half word, or hash */
    uint32_t sibling;   /* next shape of the same object */
    obj_id object;
    uint16_t thr;  /* who came first */
    uint8_t flags; /* SHAPE_... */
    uint8_t on;    /* sync: enum acts_on */
};

enum {
    SHAPE_SHARED = 1,      /* a second thread came */
    SHAPE_CLASS_SHIFT = 4, /* sync: its CLASS word, if an event told it, else 0 */
};

struct family {
    shape_id first;
    bool mixed; /* shapes may overlap */
};

/* The shapes that start in one half word. Most are accessed in one way only: that one can be
 * recognised here, without looking at the shape. */
struct half {
    shape_id first; /* shape accessed last; its next leads to the others; 0 = none */
    uint16_t thr;   /* of first */
    uint8_t extent; /* of first: offset in the word << 4 | length */
    bool shared;    /* of first */
};

enum { WORD_BYTES = 8, HALF_BYTES = 4, PAGE_BYTES = 4096, HALVES = PAGE_BYTES / HALF_BYTES };

struct page {
    struct half half[HALVES];
};

enum { PAGE_CACHE = 4096 };

struct memory {
    struct space *space; /* borrowed */
    VEC(struct shape) shapes;
    VEC(struct family) families;    /* by object + 1; 0 = memory in no known object */
    struct map page_of;             /* page number -> index into pages */
    VEC(struct page *) pages;       /* owned */
    struct map range_of;            /* hash of (object, addr, len) -> first shape */
    uint64_t cached[PAGE_CACHE];    /* page numbers + 1 ... */
    struct page *cache[PAGE_CACHE]; /* ... and their pages */
};

struct memory *memory_new(struct space *space);
void memory_free(struct memory *m);

/* The extent of one access; it must lie in one object, see memory_piece. */
shape_id memory_shape(struct memory *m, uint64_t addr, uint64_t len, uint32_t thr);
/* The shape of an access inside one word, if it is the one seen last there, else 0. */
static inline shape_id memory_known(const struct memory *m, uint64_t addr, uint64_t len,
                                    uint32_t thr)
{
    uint64_t page = addr / PAGE_BYTES;
    if (m->cached[page % PAGE_CACHE] != page + 1)
        return 0;
    const struct half *h = &m->cache[page % PAGE_CACHE]->half[addr % PAGE_BYTES / HALF_BYTES];
    bool same = h->extent == (addr % WORD_BYTES << 4 | len) && (h->shared || h->thr == thr);
    return same ? h->first : 0;
}

/* How much of an access at addr of len bytes lies in the object where it starts. */
uint64_t memory_piece(const struct memory *m, uint64_t addr, uint64_t len);
/* on = ON_SYNC: whatever sync object is known there, a lock if none is. */
shape_id memory_sync(struct memory *m, uint64_t addr, enum acts_on on, uint32_t thr);
/* A sync object is made here: what was one at this address before is another. */
void memory_anew(struct memory *m, uint64_t addr);
/* Thread thr ends the memory of an object: where others used a sync object in it, it is memory
 * that they share with it. */
void memory_share_syncs(struct memory *m, obj_id object, uint32_t thr);
/* An event tells of which class a sync object is. */
void memory_class(struct memory *m, shape_id id, uint8_t class);
/* New memory begins to live here: what was there before is other memory. */
void memory_begin(struct memory *m, uint64_t addr, uint64_t len);

/* What became of the shapes. */
struct cutting {
    struct cell *cells; /* all owned by the caller */
    struct span *spans;
    uint32_t cell_count, span_count;
    /* by shape: cell, or cell_count + span; NONE if nothing of it is kept */
    uint32_t *obj_of;
    struct sync *syncs;
    uint32_t sync_count; /* obj_of holds the sync_id of a sync shape */
};

/* all: keep what only one thread touched, too */
void memory_cut(struct memory *m, bool all, struct cutting *out);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * objects: sync objects while the checker reads a trace: which one an address stands for, and
 * what its rules ask of each event (docs/predict.md, "Primitives"). */
#ifndef WITNESS_OBJECTS_H
#define WITNESS_OBJECTS_H

#include "witness/steps.h"

#define ON_COUNT (ON_CHANNEL + 1)

struct sync_object;

/* A step that may have been forgotten since, and its thread. */
struct past {
    step_id step; /* NONE: there is none */
    uint32_t thr;
};

enum { KNOWN_LOCKS = 256 }; /* a power of 2 */

/* The lock at an address, while no object of the trace begins. */
struct known_lock {
    uint64_t addr;
    uint32_t begun; /* so many have, and one more: 0 is nothing */
    uint32_t obj;
};

struct objects {
    struct checker *c; /* borrowed */
    /* what a walk over all events has found */
    struct map futexes;   /* where somebody waits on a futex */
    struct map abandoned; /* where somebody died with a lock */
    struct map reading;   /* object << 16 | thread -> its account of shared holds */
    /* where the reading stands */
    struct map by_use[ON_COUNT]; /* where it is -> object, for each way to use one */
    VEC(struct sync_object) all;
    struct known_lock locks[KNOWN_LOCKS];
    step_id *last;       /* by thread: its last step, or NONE */
    struct past *cancel; /* by thread: asked for since that one */
    struct past *seeing; /* by thread: the end of a stretch without accesses, not yet passed */
    step_id *since; /* by thread: if that is told, the cause of its next step is behind this */
    bool *is_told;  /* by thread */
    struct past blind; /* the last step in such a stretch */
    bool is_blind;
    struct past input; /* the last one */
};

/* Every event, before any becomes a step. */
void objects_note(struct objects *o, struct space *space, const struct ev *e);
/* Nothing has become a step yet. */
void objects_restart(struct objects *o);
void objects_done(struct objects *o);

bool is_futex(const struct objects *o, struct space *space, const struct ev *e);
/* The object that an event acts on; an init makes a new one. */
uint32_t object_of(struct objects *o, struct space *space, const struct ev *e);
/* The step id is new: what the rules ask of it. obj is that of a sync event, else NONE. */
void objects_step(struct objects *o, const struct ev *e, step_id id, uint32_t obj);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * misuse: which calls of a recorded run break the rules of what they are about? What only the
 * runtime can know it has marked in the trace; the rest is seen from the events alone. */
#ifndef FINDING_MISUSE_H
#define FINDING_MISUSE_H

#include "base/arena.h"
#include "base/vec.h"
#include "trace/trace.h"

enum misuse_kind {
#define MISUSE(name, ...) MISUSE_##name,
#include "finding/misuse.def"
#undef MISUSE
    MISUSE_COUNT
};

/* A row of misuse.def. */
struct misuse_info {
    const char *word;
    uint8_t mark; /* MARK word; UINT8_MAX: none */
    bool is_note;
    const char *sentence;
};

extern const struct misuse_info misuse_infos[MISUSE_COUNT];

/* An event, and who did it where. */
struct misuse_step {
    uint64_t event; /* NO_EVENT: there is none */
    uint32_t site, thr;
};

struct misuse {
    enum misuse_kind kind;
    struct misuse_step own;   /* the wrong one */
    struct misuse_step other; /* who has the object, waits for it or made it */
    const char *object;       /* "'m'", with where it comes from; "" if there is none */
    uint32_t alike;           /* more of the same kind at the same place */
};

typedef VEC(struct misuse) misuses;

/* One of each kind and place, in the order of the trace; texts live in mem. -1: corrupt. */
int misuse_find(struct trace *t, struct arena *mem, misuses *out, struct err *err);

#endif

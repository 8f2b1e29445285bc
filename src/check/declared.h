/* SPDX-License-Identifier: Apache-2.0
 *
 * declared: which lock the source says guards what (Clang's GUARDED_BY). It is what the author
 * meant: accesses to what has one lock belong together, and a race is told with the lock that
 * should have been held. */
#ifndef CHECK_DECLARED_H
#define CHECK_DECLARED_H

#include "finding/finding.h"
#include "predict/predict.h"

struct declared {
    struct arena mem;
    VEC(struct predict_guard) guards; /* each name once */
    VEC(const char *) locks;          /* as they are written, by number */
};

/* Nothing if the sources say nothing, or cannot be read any more. */
void declared_read(struct declared *out, const char *program);
void declared_done(struct declared *d);

static inline void auto_declared(struct declared *d)
{
    declared_done(d);
}

/* Adds to why it can happen which lock was meant, and who does not hold it. */
void declared_tell(const struct declared *d, struct finding *f, struct arena *mem);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * portfolio: which schedules to try where not all can be. Few switches find what many hide, and
 * the other way round: every list has some of both. */
#ifndef EXPLORE_PORTFOLIO_H
#define EXPLORE_PORTFOLIO_H

#include <stdbool.h>
#include <stdint.h>

enum portfolio_use {
    PORTFOLIO_FURTHER, /* a few runs to predict from, as unlike as possible */
    PORTFOLIO_EXPLORE, /* many, for whatever fails */
    PORTFOLIO_BEFORE,  /* one that fails is looked for */
    PORTFOLIO_AFTER,   /* none should fail */
    PORTFOLIO_CAUSES,  /* both that fail and that pass are wanted */
    PORTFOLIO_PATCH,   /* a quick look at a patch */
    PORTFOLIO_COUNT
};

struct portfolio_row {
    const char *policy;
    uint32_t seed;  /* is added to the one given */
    uint32_t times; /* as many runs, relative to the other rows */
    bool spurious;  /* waits may return unasked; worth it only where there are conditions */
};

enum { PORTFOLIO_ROWS_MAX = 16 };

struct portfolio {
    const struct portfolio_row *at;
    uint32_t len;
};

struct portfolio portfolio_of(enum portfolio_use use);

#endif

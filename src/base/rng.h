/* SPDX-License-Identifier: Apache-2.0
 *
 * rng: the one source of chance, seeded from the command line and passed down
 * (xoshiro-like quality is not needed; splitmix64 is, by Steele, Lea, Flood 2014). */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/* 0 <= result < bound, bound > 0 */
static inline uint32_t rng_below(struct rng *r, uint32_t bound)
{
    return (uint32_t)(((rng_next(r) >> 32) * bound) >> 32);
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-processor: instructions that ask the processor for something that is different in every
 * run; the compiler puts calls of these in their place. The time stamp comes from virtual time,
 * numbers by chance and the processor's own number from where the C library's functions have
 * them, so that a replay sees the same. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <sched.h>
#include <stdlib.h>

enum { STAMPS_PER_NS = 2 };

EXPORT uint64_t __heddle_cpu_stamp(void)
{
    struct timespec now;
    if (!self)
        return arch_stamp();
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) * STAMPS_PER_NS;
}

EXPORT uint32_t __heddle_cpu_number(void)
{
    return (uint32_t)sched_getcpu();
}

EXPORT uint64_t __heddle_cpu_random(void)
{
    uint64_t upper = arc4random();
    return upper << 32 | arc4random();
}

/* Which processor it is that answers says some of them: it is always the first one. */
EXPORT uint64_t __heddle_cpu_id(uint32_t leaf, uint32_t sub, uint32_t upper)
{
    uint32_t out[4];
    arch_cpuid(leaf, sub, out);
    if (leaf == 1)
        out[1] &= 0x00ffffff;
    else if (leaf == 0xb || leaf == 0x1f)
        out[3] = 0;
    else if (leaf == 0x8000001e)
        out[0] = out[1] = out[2] = 0;
    return upper ? (uint64_t)out[3] << 32 | out[2] : (uint64_t)out[1] << 32 | out[0];
}

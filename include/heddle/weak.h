/* SPDX-License-Identifier: Apache-2.0
 *
 * weak: what runtime and tool agree on about weak behaviour of atomics (docs/weak.md): its
 * modes, and how the schedule says what was chosen.
 *
 * A run with --weak has, right behind the first choice of its schedule, one whose `why` is weak
 * and whose count is 0: its step is the mode and the length of histories. Every other one says
 * that at this step this thread took number `number` of `count` things it could do: 0, which is
 * not written, is what an interleaving does. */
#ifndef HEDDLE_WEAK_H
#define HEDDLE_WEAK_H

#include "heddle/format.h"

enum weak_mode {
    WEAK_OFF,
    WEAK_C11, /* what C11 and C++20 allow */
    WEAK_X86, /* of that, what an x86 processor can do */
    WEAK_MODES
};

enum {
    WEAK_HISTORY = 16, /* stores kept of a location */
    WEAK_HISTORY_MIN = 2,
    WEAK_HISTORY_MAX = 250,
};

struct weak_choice {
    uint16_t thr;
    uint8_t number, count; /* count 0: not a choice, see above */
};

static inline bool choice_is_weak(const struct choice *c)
{
    return c->why == WORD_VALUE(SWITCH, WEAK);
}

static inline uint32_t weak_pack(struct weak_choice w)
{
    return w.thr | (uint32_t)w.number << 16 | (uint32_t)w.count << 24;
}

static inline struct weak_choice weak_unpack(const struct choice *c)
{
    return (struct weak_choice){(uint16_t)c->thr, (uint8_t)(c->thr >> 16),
                                (uint8_t)(c->thr >> 24)};
}

/* The step of the choice that says how the run explores, and back. */
static inline uint64_t weak_mode_step(enum weak_mode mode, uint64_t history)
{
    return history << 8 | (uint64_t)mode;
}

/* Of a whole schedule: WEAK_OFF unless it says something else. */
static inline enum weak_mode weak_mode_of(const struct choice *all, uint64_t count)
{
    bool has = count > 1 && choice_is_weak(&all[1]) && !weak_unpack(&all[1]).count;
    uint64_t mode = has ? all[1].step & 255 : 0;
    return mode < WEAK_MODES ? (enum weak_mode)mode : WEAK_OFF;
}

static inline uint64_t weak_history_of(const struct choice *mode)
{
    uint64_t history = mode->step >> 8;
    return history < WEAK_HISTORY_MIN   ? WEAK_HISTORY_MIN
           : history > WEAK_HISTORY_MAX ? WEAK_HISTORY_MAX
                                        : history;
}

#endif

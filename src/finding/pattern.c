/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern: see pattern.h. */
#include "finding/pattern.h"

#include "trace/trace.h"

#include <string.h>

const struct pattern_info pattern_infos[PATTERN_COUNT] = {
#define PATTERN(name, ...) [PATTERN_##name] = {__VA_ARGS__},
#include "finding/pattern.def"
#undef PATTERN
};

enum pattern_id pattern_find(const char *word)
{
    enum pattern_id p = 0;
    while (p < PATTERN_COUNT && strcmp(pattern_infos[p].word, word) != 0)
        p++;
    return p;
}

/* Outcomes are in the order of how bad they are, too. */
_Static_assert(HARM_EXIT + WORD_VALUE(OUTCOME, CRASH) == HARM_CRASH &&
                   HARM_EXIT + WORD_VALUE(OUTCOME, DEADLOCK) == HARM_DEADLOCK,
               "a harm is an outcome and two");

enum harm harm_of(uint8_t outcome)
{
    return outcome <= WORD_VALUE(OUTCOME, CRASH) ? HARM_EXIT + outcome : HARM_NONE;
}

const char *harm_text(enum harm harm)
{
    return harm >= HARM_EXIT     ? word_text(OUTCOME_FIRST, harm - HARM_EXIT)
           : harm == HARM_OUTPUT ? "output"
                                 : "none";
}

enum harm harm_find(const char *word)
{
    enum harm h = HARM_NONE;
    while (h < HARM_COUNT && strcmp(harm_text(h), word) != 0)
        h++;
    return h;
}

const char *effect_text(enum effect effect)
{
    static const char *const words[] = {"", "silent", "visible"};
    return words[effect];
}

enum effect effect_find(const char *word)
{
    enum effect e = EFFECT_UNKNOWN;
    while (e < EFFECT_COUNT && strcmp(effect_text(e), word) != 0)
        e++;
    return e;
}

const char *action_text(enum action action)
{
    static const char *const words[] = {[ACTION_LOCK - EV_COUNT] = "lock",
                                        [ACTION_READ_LOCK - EV_COUNT] = "read-lock",
                                        [ACTION_UNLOCK - EV_COUNT] = "unlock",
                                        [ACTION_UPDATE - EV_COUNT] = "update",
                                        [ACTION_ALLOCATE - EV_COUNT] = "allocate",
                                        [ACTION_WANT - EV_COUNT] = "want",
                                        [ACTION_WAITS_FOR - EV_COUNT] = "waits for",
                                        [ACTION_ABOUT_TO - EV_COUNT] = "about to",
                                        [ACTION_SPINS - EV_COUNT] = "spins",
                                        [ACTION_FAULT - EV_COUNT] = "fault",
                                        [ACTION_CLOSE - EV_COUNT] = "close",
                                        [ACTION_USE - EV_COUNT] = "use"};
    return (unsigned)action < EV_COUNT ? ev_text(action) : words[action - EV_COUNT];
}

enum action action_find(const char *word)
{
    enum action a = EV_NONE + 1;
    while (a < ACTION_COUNT && strcmp(action_text(a), word) != 0)
        a++;
    return a;
}

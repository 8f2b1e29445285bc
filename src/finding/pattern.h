/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern: the closed vocabularies of findings as numbers: which kind of bug it is, what harm
 * it did, what each step does. Their words are made and read where text comes in and goes out;
 * between, nobody compares words. */
#ifndef FINDING_PATTERN_H
#define FINDING_PATTERN_H

#include "base/str.h"
#include "heddle/format.h"

/* ---- patterns -------------------------------------------------------------------------- */

enum pattern_id {
#define PATTERN(name, ...) PATTERN_##name,
#include "finding/pattern.def"
#undef PATTERN
    PATTERN_COUNT
};

enum pattern_trait {
    TRAIT_WRONG = 1,      /* a bug by itself: the program breaks a rule of its language */
    TRAIT_ENDS_RUN = 2,   /* a run that went on has not confirmed it */
    TRAIT_SHOWS = 4,      /* a run shows it by itself: a guess is worth following */
    TRAIT_GRAVE = 8,      /* a patch that brings one is no good, whatever it does */
    TRAIT_ANY_ORDER = 16, /* whose access comes first makes no difference */
    TRAIT_PLAIN = 32,     /* says more than that the same accesses do not belong together ... */
    TRAIT_JOINS = 64,     /* ... which is what this one says */
    TRAIT_UNSEEN = 128,   /* no run can show it: threads that take turns keep it in order */
};

/* The kinds of TSan's suppressions. */
enum tsan_type {
    TSAN_NONE, /* no kind speaks of it */
    TSAN_RACE,
    TSAN_MUTEX,
    TSAN_DEADLOCK,
    TSAN_ELSE, /* of what we do not report */
    TSAN_ANY,  /* of all */
};

/* A row of pattern.def. */
struct pattern_info {
    const char *word, *title;
    unsigned traits;
    enum tsan_type tsan;
    const char *meaning, *mending;
    const char *why, *demo, *picture;
};

extern const struct pattern_info pattern_infos[PATTERN_COUNT];

static inline const char *pattern_text(enum pattern_id p) /* "race" */
{
    return pattern_infos[p].word;
}

static inline bool pattern_is(enum pattern_id p, enum pattern_trait trait)
{
    return pattern_infos[p].traits & trait;
}

/* PATTERN_COUNT: there is none of this name. */
enum pattern_id pattern_find(const char *word);

/* ---- harms ----------------------------------------------------------------------------- */

/* From good to bad: the more, the worse. Behind the second they are outcomes of runs. */
enum harm {
    HARM_NONE,
    HARM_OUTPUT, /* it only prints otherwise */
    HARM_EXIT,
    HARM_ORACLE,
    HARM_HANG,
    HARM_LIVELOCK,
    HARM_DEADLOCK,
    HARM_ASSERT,
    HARM_SANITIZER,
    HARM_CRASH,
    HARM_COUNT
};

enum harm harm_of(uint8_t outcome);    /* none, if that says nothing about the program */
const char *harm_text(enum harm harm); /* "crash" */
enum harm harm_find(const char *word); /* HARM_COUNT: there is none of this name */
/* Sets of them: a bit each. */
static inline bool harm_in(uint32_t set, enum harm harm)
{
    return set >> harm & 1;
}
static inline bool harm_ends(enum harm harm) /* did a run end otherwise than it should? */
{
    return harm > HARM_OUTPUT;
}

/* ---- effects --------------------------------------------------------------------------- */

/* Does it change a value that some read sees? */
enum effect { EFFECT_UNKNOWN, EFFECT_SILENT, EFFECT_VISIBLE, EFFECT_COUNT };

const char *effect_text(enum effect effect); /* "", "silent", "visible" */
enum effect effect_find(const char *word);   /* EFFECT_COUNT: there is none of this name */

/* ---- actions --------------------------------------------------------------------------- */

/* What a step does: an event, by its kind or by what people call it; or what never came. */
enum action {
#define EV(kind, ...) ACTION_##kind = EV_##kind,
#include "heddle/event.def"
#undef EV
    ACTION_LOCK = EV_COUNT,
    ACTION_READ_LOCK,
    ACTION_UNLOCK,
    ACTION_UPDATE,
    ACTION_ALLOCATE,
    ACTION_WANT,
    ACTION_WAITS_FOR,
    ACTION_ABOUT_TO,
    ACTION_SPINS,
    ACTION_FAULT,
    ACTION_CLOSE,
    ACTION_USE,
    ACTION_COUNT
};

const char *action_text(enum action action); /* "waits for" */
enum action action_find(const char *word);   /* ACTION_COUNT: there is none of this name */

#endif

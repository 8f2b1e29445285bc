/* SPDX-License-Identifier: Apache-2.0
 *
 * told: the findings of one program: which are shown, and in which order. */
#include "finding/finding.h"

#include <string.h>

/* From bad to good: what a person wants to see first. */
static const char *const harms[] = {"crash", "sanitizer", "assert", "deadlock", "livelock",
                                    "hang",  "oracle",    "exit",   "output",   NULL};
enum { HARM_COUNT = sizeof harms / sizeof harms[0] - 1 };

/* Patterns that are bugs by themselves: the program breaks a rule of its language. */
static const char *const wrong_anyway[] = {
    "race",        "deadlock",      "lost-wakeup",       "use-after-free",
    "double-free", "uninitialised", "use-after-destroy", "failure",
    "assertion",   "out-of-bounds", "null-dereference",  "division-by-zero",
    NULL};

static uint32_t word_index(const char *const *list, const char *word)
{
    uint32_t i = 0;
    while (list[i] && strcmp(list[i], word) != 0)
        i++;
    return i;
}

const struct pattern_help pattern_helps[] = {
#define PATTERN(word, title, meaning, mending) {word, title, meaning, mending},
#include "finding/pattern.def"
#undef PATTERN
    {0},
};

uint32_t pattern_index(const char *word)
{
    uint32_t i = 0;
    while (pattern_helps[i].word && strcmp(pattern_helps[i].word, word) != 0)
        i++;
    return i;
}

uint32_t told_harm(const struct told *f)
{
    return HARM_COUNT - word_index(harms, f->harm);
}

bool told_is_shown(const struct told *f)
{
    if (!f->is_confirmed || *f->with || f->is_note)
        return false;
    return wrong_anyway[word_index(wrong_anyway, f->pattern)] || told_harm(f) > 1;
}

bool told_is_silent(const struct told *f)
{
    return strcmp(f->values, "silent") == 0;
}

static int compare(const void *left, const void *right)
{
    const struct told *a = left, *b = right;
    if (a->is_confirmed != b->is_confirmed)
        return a->is_confirmed ? -1 : 1;
    if (told_harm(a) != told_harm(b))
        return told_harm(a) > told_harm(b) ? -1 : 1;
    if (told_is_silent(a) != told_is_silent(b))
        return told_is_silent(a) ? 1 : -1;
    return strcmp(a->id, b->id);
}

void told_list_sort(struct told_list *l)
{
    if (l->findings.len > 1)
        qsort(l->findings.at, l->findings.len, sizeof *l->findings.at, compare);
}

struct told told_new(const char *pattern)
{
    return (struct told){.id = "",
                         .pattern = pattern,
                         .harm = "",
                         .message = "",
                         .why = "",
                         .ends = "",
                         .passes = "",
                         .source = "",
                         .doubt = "",
                         .only = "",
                         .values = "",
                         .effect = "",
                         .witness = "",
                         .second = "",
                         .replay = "",
                         .fix = "",
                         .with = ""};
}

void told_done(struct told *f)
{
    vec_done(&f->threads);
    vec_done(&f->sites);
    vec_done(&f->steps);
    for (uint32_t i = 0; i < f->fixes.len; i++) {
        vec_done(&f->fixes.at[i].proof);
        vec_done(&f->fixes.at[i].edits);
    }
    vec_done(&f->fixes);
}

void told_list_done(struct told_list *l)
{
    for (uint32_t i = 0; i < l->findings.len; i++)
        told_done(&l->findings.at[i]);
    vec_done(&l->findings);
    vec_done(&l->accounts);
    vec_done(&l->unseen);
    vec_done(&l->idle);
    arena_done(&l->mem);
}

struct told *told_find(const struct told_list *l, const char *id)
{
    for (uint32_t i = 0; i < l->findings.len; i++)
        if (strcmp(l->findings.at[i].id, id) == 0)
            return &l->findings.at[i];
    return NULL;
}

void told_merge(struct told_list *l, struct told *f)
{
    struct told *old = told_find(l, f->id);
    if (!old) {
        vec_push(&l->findings, *f);
        return;
    }
    uint32_t alike = old->alike + f->alike + 1;
    bool better = f->is_confirmed != old->is_confirmed ? f->is_confirmed
                  : f->is_note != old->is_note         ? old->is_note
                                                       : told_harm(f) > told_harm(old);
    if (better) {
        struct told worse = *old;
        *old = *f;
        *f = worse;
    }
    old->alike = alike;
    told_done(f);
}

void told_rests_on(struct told *f, struct arena *mem, const char *only, bool is_note)
{
    AUTO(str) struct str text = {0};
    str_add(&text, "%s: %s", only, f->message);
    f->message = arena_text(mem, text.at, text.len);
    f->only = arena_text(mem, only, strlen(only));
    f->is_note = is_note;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * told: the findings of one program: which are shown, and in which order. */
#include "finding/finding.h"

#include <string.h>

/* From bad to good: what a person wants to see first. */
static const char *const harms[] = {"crash",    "sanitizer", "assert", "deadlock",
                                    "livelock", "hang",      "oracle", "exit",
                                    "output",   "none",      NULL};

/* Patterns that are bugs by themselves: the program breaks a rule of its language. */
static const char *const wrong_anyway[] = {
    "race",        "deadlock",      "lost-wakeup",       "use-after-free",
    "double-free", "uninitialised", "use-after-destroy", "failure",
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

static bool is_harmless(const struct told *f)
{
    return strcmp(f->harm, "none") == 0 || strcmp(f->harm, "output") == 0;
}

bool told_is_shown(const struct told *f)
{
    if (!f->is_confirmed)
        return false;
    return wrong_anyway[word_index(wrong_anyway, f->pattern)] || !is_harmless(f);
}

static int compare(const void *left, const void *right)
{
    const struct told *a = left, *b = right;
    if (a->is_confirmed != b->is_confirmed)
        return a->is_confirmed ? -1 : 1;
    uint32_t harm_a = word_index(harms, a->harm), harm_b = word_index(harms, b->harm);
    if (harm_a != harm_b)
        return harm_a < harm_b ? -1 : 1;
    return strcmp(a->id, b->id);
}

void told_list_sort(struct told_list *l)
{
    if (l->findings.len > 1)
        qsort(l->findings.at, l->findings.len, sizeof *l->findings.at, compare);
}

void told_done(struct told *f)
{
    vec_done(&f->threads);
    vec_done(&f->sites);
    vec_done(&f->steps);
}

void told_list_done(struct told_list *l)
{
    for (uint32_t i = 0; i < l->findings.len; i++)
        told_done(&l->findings.at[i]);
    vec_done(&l->findings);
    vec_done(&l->accounts);
    vec_done(&l->unseen);
    arena_done(&l->mem);
}

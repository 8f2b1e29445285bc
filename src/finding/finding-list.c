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

uint32_t finding_harm(const struct finding *f)
{
    return HARM_COUNT - word_index(harms, f->harm);
}

bool finding_is_shown(const struct finding *f)
{
    if (!f->is_confirmed || *f->with || f->is_note)
        return false;
    return wrong_anyway[word_index(wrong_anyway, f->pattern)] || finding_harm(f) > 1;
}

bool finding_is_silent(const struct finding *f)
{
    return strcmp(f->values, "silent") == 0;
}

static int compare(const void *left, const void *right)
{
    const struct finding *a = left, *b = right;
    if (a->is_confirmed != b->is_confirmed)
        return a->is_confirmed ? -1 : 1;
    if (finding_harm(a) != finding_harm(b))
        return finding_harm(a) > finding_harm(b) ? -1 : 1;
    if (finding_is_silent(a) != finding_is_silent(b))
        return finding_is_silent(a) ? 1 : -1;
    return strcmp(a->id, b->id);
}

void finding_list_sort(struct finding_list *l)
{
    if (l->findings.len > 1)
        qsort(l->findings.at, l->findings.len, sizeof *l->findings.at, compare);
}

struct finding finding_new(const char *pattern)
{
    return (struct finding){.id = "",
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

void finding_done(struct finding *f)
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

void finding_list_done(struct finding_list *l)
{
    for (uint32_t i = 0; i < l->findings.len; i++)
        finding_done(&l->findings.at[i]);
    vec_done(&l->findings);
    vec_done(&l->accounts);
    vec_done(&l->unseen);
    vec_done(&l->idle);
    arena_done(&l->mem);
}

struct finding *finding_find(const struct finding_list *l, const char *id)
{
    for (uint32_t i = 0; i < l->findings.len; i++)
        if (strcmp(l->findings.at[i].id, id) == 0)
            return &l->findings.at[i];
    return NULL;
}

void finding_merge(struct finding_list *l, struct finding *f)
{
    struct finding *old = finding_find(l, f->id);
    if (!old) {
        vec_push(&l->findings, *f);
        return;
    }
    uint32_t alike = old->alike + f->alike + 1;
    bool better = f->is_confirmed != old->is_confirmed ? f->is_confirmed
                  : f->is_note != old->is_note         ? old->is_note
                                                       : finding_harm(f) > finding_harm(old);
    if (better) {
        struct finding worse = *old;
        *old = *f;
        *f = worse;
    }
    old->alike = alike;
    finding_done(f);
}

void finding_rests_on(struct finding *f, struct arena *mem, const char *only, bool is_note)
{
    AUTO(str) struct str text = {0};
    str_add(&text, "%s: %s", only, f->message);
    f->message = arena_text(mem, text.at, text.len);
    f->only = arena_text(mem, only, strlen(only));
    f->is_note = is_note;
}

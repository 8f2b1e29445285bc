/* SPDX-License-Identifier: Apache-2.0
 *
 * suppress: findings that a project does not want to hear of: by what they are about
 * (ThreadSanitizer's suppression files, read unchanged) and by id (a baseline). */
#ifndef FINDING_SUPPRESS_H
#define FINDING_SUPPRESS_H

#include "finding/finding-list.h"

struct suppression {
    const char *type, *pattern; /* "race", "^worker*" */
    enum tsan_type speaks_of;
    uint32_t line; /* in its file */
    uint32_t hits; /* findings it has matched */
};

struct suppressions {
    struct arena mem;
    const char *path;
    VEC(struct suppression) at;
};

/* "type:pattern" lines; a line with another type than TSan knows is refused. */
int suppressions_read(struct suppressions *out, const char *path, struct err *err);
/* Does an entry match a function, file or variable of the finding? Counts the first hit. */
bool suppressions_match(struct suppressions *s, const struct finding *f);
void suppressions_done(struct suppressions *s);

static inline void auto_suppressions(struct suppressions *s)
{
    suppressions_done(s);
}

/* A text like TSan's patterns: '*' stands for anything, '^' and '$' tie it to the ends; without
 * them it may stand anywhere. */
bool pattern_matches(const char *pattern, const char *text);

/* Ids, one on a line; '#' begins a comment. */
struct baseline {
    struct arena mem;
    VEC(const char *) ids;
};

int baseline_read(struct baseline *out, const char *path, struct err *err);
bool baseline_has(const struct baseline *b, const char *id);
void baseline_done(struct baseline *b);

static inline void auto_baseline(struct baseline *b)
{
    baseline_done(b);
}

#endif

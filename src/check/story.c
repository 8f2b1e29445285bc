/* SPDX-License-Identifier: Apache-2.0
 *
 * story: see story.h. Two bugs of one object in the same functions, or of the same lines, go
 * mostly with one missing lock or order; nothing is lost if they do not: all of them are told,
 * one below the other. */
#include "check/story.h"

#include <string.h>

static bool is_in(const struct finding *f, const char *function)
{
    for (uint32_t i = 0; i < f->steps.len; i++)
        if (f->steps.at[i].is_key && strcmp(f->steps.at[i].place.function, function) == 0)
            return true;
    return false;
}

static bool share_function(const struct finding *a, const struct finding *b)
{
    for (uint32_t i = 0; i < a->steps.len; i++) {
        const struct finding_step *s = &a->steps.at[i];
        if (s->is_key && *s->place.function && is_in(b, s->place.function))
            return true;
    }
    return false;
}

static bool has_key_line(const struct finding *f, const struct place *p)
{
    for (uint32_t i = 0; i < f->steps.len; i++) {
        const struct place *own = finding_own_place(&f->steps.at[i]);
        if (f->steps.at[i].is_key && own->line == p->line && strcmp(own->file, p->file) == 0)
            return true;
    }
    return false;
}

/* Are all lines that matter for b among those of a? Then it is what the same statements do to
 * something else. */
static bool has_lines_of(const struct finding *a, const struct finding *b)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->steps.len; i++) {
        const struct finding_step *s = &b->steps.at[i];
        if (s->is_key && !has_key_line(a, finding_own_place(s)))
            return false;
        count += s->is_key;
    }
    return count > 1;
}

static bool is_one_story(const struct finding *a, const struct finding *b)
{
    bool is_one = *a->about && strcmp(a->about, b->about) == 0 && share_function(a, b);
    return finding_is_aside(a) == finding_is_aside(b) && (is_one || has_lines_of(a, b));
}

/* ---- deadlocks -------------------------------------------------------------------------- */

static bool waits(const struct finding_step *s)
{
    return s->is_key && (s->action == ACTION_WAITS_FOR || s->action == ACTION_ACQUIRE ||
                         s->action == ACTION_REQUEST || s->action == ACTION_WAIT);
}

static bool has_wait(const struct finding *f, const struct place *p)
{
    for (uint32_t i = 0; i < f->steps.len; i++)
        if (waits(&f->steps.at[i]) && f->steps.at[i].place.line == p->line &&
            strcmp(base_name(f->steps.at[i].place.file), base_name(p->file)) == 0)
            return true;
    return false;
}

/* Does each thread of one wait where one of the other does? */
static bool has_waits_of(const struct finding *f, const struct finding *other)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < other->steps.len; i++) {
        const struct finding_step *s = &other->steps.at[i];
        if (waits(s) && !has_wait(f, &s->place))
            return false;
        count += waits(s);
    }
    return count > 1;
}

static bool is_same_deadlock(const struct finding *a, const struct finding *b)
{
    bool may_be = (a->pattern == PATTERN_DEADLOCK || a->pattern == PATTERN_FAILURE) &&
                  b->harm == HARM_DEADLOCK && a->harm == HARM_DEADLOCK &&
                  (b->pattern == PATTERN_DEADLOCK || b->pattern == PATTERN_FAILURE);
    return may_be && (has_waits_of(a, b) || has_waits_of(b, a));
}

/* ---- all of them ------------------------------------------------------------------------ */

void stories_tell(struct finding_list *l)
{
    for (uint32_t i = 0; i < l->findings.len; i++) {
        struct finding *f = &l->findings.at[i];
        f->cause = "";
        for (uint32_t k = 0; k < i && finding_is_shown(f) && !*f->cause; k++) {
            struct finding *worse = &l->findings.at[k];
            if (!finding_is_shown(worse) || *worse->cause)
                continue;
            if (is_same_deadlock(worse, f)) {
                f->with = worse->id;
                worse->alike++;
            } else if (is_one_story(worse, f)) {
                f->cause = worse->id;
            }
        }
    }
}

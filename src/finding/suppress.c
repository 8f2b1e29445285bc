/* SPDX-License-Identifier: Apache-2.0
 *
 * suppress: see suppress.h. Both kinds of file are lists of lines with '#' comments. */
#include "finding/suppress.h"

#include "base/io.h"

#include <string.h>

static const struct {
    const char *word;
    enum tsan_type type;
} types[] = {
    {"race", TSAN_RACE},           {"race_top", TSAN_RACE}, {"mutex", TSAN_MUTEX},
    {"deadlock", TSAN_DEADLOCK},   {"thread", TSAN_ELSE},   {"signal", TSAN_ELSE},
    {"called_from_lib", TSAN_ANY},
};
enum { TYPE_COUNT = sizeof types / sizeof types[0] };

/* ---- lines ----------------------------------------------------------------------------- */

typedef int (*line_fn)(void *arg, struct text line, uint32_t number, struct err *err);

/* Visits the lines that say something. */
static int each_line(const char *path, line_fn visit, void *arg, struct err *err)
{
    AUTO(bytes) struct bytes in = {0};
    if (bytes_read(&in, path, err) < 0)
        return -1;
    const char *at = (const char *)in.at, *end = at + in.len;
    for (uint32_t number = 1; at < end; number++) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        struct text line = {at, (uint32_t)((nl ? nl : end) - at)};
        at = nl ? nl + 1 : end;
        line = text_trim(line);
        if (line.len > 0 && line.at[0] != '#' && visit(arg, line, number, err) < 0)
            return err_in(err, "%s:%u", path, number);
    }
    return 0;
}

/* ---- suppressions ---------------------------------------------------------------------- */

static uint32_t type_index(struct text type)
{
    uint32_t i = 0;
    while (i < TYPE_COUNT && !text_is(type, text_of(types[i].word)))
        i++;
    return i;
}

static int add_suppression(void *arg, struct text line, uint32_t number, struct err *err)
{
    struct suppressions *s = arg;
    const char *colon = memchr(line.at, ':', line.len);
    struct text type = {line.at, colon ? (uint32_t)(colon - line.at) : 0};
    uint32_t index = type_index(type);
    if (!colon || index == TYPE_COUNT)
        return err_set(err, "'%.*s' is no suppression; they look like race:FUNCTION",
                       TEXT_ARG(line));
    struct text pattern = text_trim((struct text){colon + 1, line.len - type.len - 1});
    vec_push(&s->at,
             (struct suppression){.type = types[index].word,
                                  .speaks_of = types[index].type,
                                  .pattern = arena_text(&s->mem, pattern.at, pattern.len),
                                  .line = number});
    return 0;
}

int suppressions_read(struct suppressions *out, const char *path, struct err *err)
{
    struct suppressions s = {0};
    s.path = arena_text(&s.mem, path, strlen(path));
    if (each_line(path, add_suppression, &s, err) < 0) {
        suppressions_done(&s);
        return -1;
    }
    *out = s;
    return 0;
}

void suppressions_done(struct suppressions *s)
{
    vec_done(&s->at);
    arena_done(&s->mem);
}

/* Does the pattern, from here on, fit the text from here on? */
static bool fits(const char *pattern, const char *text)
{
    for (; *pattern; pattern++, text++) {
        if (*pattern == '$' && pattern[1] == 0)
            return *text == 0;
        if (*pattern == '*') {
            for (;; text++) {
                if (fits(pattern + 1, text))
                    return true;
                if (*text == 0)
                    return false;
            }
        }
        if (*pattern != *text)
            return false;
    }
    return true;
}

bool pattern_matches(const char *pattern, const char *text)
{
    if (*pattern == '^')
        return fits(pattern + 1, text);
    for (;; text++) {
        if (fits(pattern, text))
            return true;
        if (*text == 0)
            return false;
    }
}

static bool place_matches(const char *pattern, const struct place *p)
{
    return (*p->function && pattern_matches(pattern, p->function)) ||
           (*p->file && pattern_matches(pattern, p->file)) ||
           (*p->variable && pattern_matches(pattern, p->variable));
}

static bool entry_matches(const struct suppression *e, const struct finding *f)
{
    if (e->speaks_of != TSAN_ANY && e->speaks_of != pattern_infos[f->pattern].tsan)
        return false;
    for (uint32_t i = 0; i < f->sites.len; i++)
        if (place_matches(e->pattern, &f->sites.at[i]))
            return true;
    return false;
}

bool suppressions_match(struct suppressions *s, const struct finding *f)
{
    for (uint32_t i = 0; i < s->at.len; i++) {
        if (!entry_matches(&s->at.at[i], f))
            continue;
        s->at.at[i].hits++;
        return true;
    }
    return false;
}

/* ---- baselines ------------------------------------------------------------------------- */

static int add_id(void *arg, struct text line, uint32_t number, struct err *err)
{
    struct baseline *b = arg;
    (void)number;
    for (uint32_t i = 0; i < line.len; i++) {
        if (line.at[i] == ' ' || line.at[i] == '\t') {
            line.len = i; /* what follows is for people */
            break;
        }
    }
    if (memchr(line.at, ':', line.len))
        return err_set(err, "'%.*s' is no id of a finding", TEXT_ARG(line));
    vec_push(&b->ids, arena_text(&b->mem, line.at, line.len));
    return 0;
}

int baseline_read(struct baseline *out, const char *path, struct err *err)
{
    struct baseline b = {0};
    if (each_line(path, add_id, &b, err) < 0) {
        baseline_done(&b);
        return -1;
    }
    *out = b;
    return 0;
}

bool baseline_has(const struct baseline *b, const char *id)
{
    for (uint32_t i = 0; i < b->ids.len; i++)
        if (strcmp(b->ids.at[i], id) == 0)
            return true;
    return false;
}

void baseline_done(struct baseline *b)
{
    vec_done(&b->ids);
    arena_done(&b->mem);
}

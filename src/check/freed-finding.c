/* SPDX-License-Identifier: Apache-2.0
 *
 * freed-finding: see freed-finding.h. */
#include "check/freed-finding.h"

#include "explain/explain.h"

#include <string.h>

struct freed_seen freed_look(const char *directory, const struct run_result *ended)
{
    AUTO(trace) struct trace t = {0};
    struct freed_seen seen = {0};
    struct err ignored;
    if (ended->outcome != WORD_VALUE(OUTCOME, CRASH) &&
        ended->outcome != WORD_VALUE(OUTCOME, SANITIZER))
        return seen;
    if (trace_open_in(&t, directory, &ignored) < 0 ||
        freed_find(&t, FREED_ANY, &seen.use, &ignored) != 1)
        return seen;
    seen.is_seen = true;
    seen.pattern = seen.use.is_free ? PATTERN_DOUBLE_FREE : PATTERN_USE_AFTER_FREE;
    seen.line = t.sites.at[seen.use.site].line;
    seen.column = t.sites.at[seen.use.site].column;
    return seen;
}

/* One that does no harm where it was confirmed may crash elsewhere. */
static bool is_same(const struct finding *f, const struct freed_seen *seen, enum harm harm)
{
    if (!f->is_confirmed || f->pattern != seen->pattern)
        return false;
    bool is_there = f->harm == harm;
    for (uint32_t i = 0; i < f->sites.len; i++)
        is_there |= f->sites.at[i].line == seen->line && f->sites.at[i].column == seen->column;
    return is_there;
}

bool freed_is_known(const struct finding_list *l, const struct freed_seen *seen, enum harm harm)
{
    for (uint32_t i = 0; i < l->findings.len; i++)
        if (is_same(&l->findings.at[i], seen, harm))
            return true;
    return false;
}

static void say_step(struct str *out, const struct finding *f, const struct finding_step *s)
{
    str_add(out, "%s by %s at %s:%u:%u", action_text(s->action), f->threads.at[s->thread].name,
            s->place.file, s->place.line, s->place.column);
}

/* Memory that was given back to the system is gone: of the access to it there is no event. */
static void name_fault(struct finding *f)
{
    const char *object = NULL;
    for (uint32_t i = 0; i < f->steps.len; i++) {
        struct finding_step *s = &f->steps.at[i];
        if (s->is_key && object && s->action == ACTION_BRANCH) {
            s->action = ACTION_FAULT;
            s->object = object;
        }
        if (s->is_key && !object)
            object = s->object;
    }
}

/* Of the steps: the block's beginning, its end, and what comes behind that. */
void freed_tell(struct finding_list *l, struct finding *f, const struct freed_seen *seen,
                const char *directory, const char *who)
{
    AUTO(str) struct str path = {0}, text = {0}, key = {0};
    const struct finding_step *made = NULL, *freed = NULL, *use = NULL;
    const uint64_t numbers[] = {seen->use.freed, seen->use.use};
    struct err ignored;
    str_add(&path, "%s/trace", directory);
    if (explain_events(f, &l->mem, path.at, numbers, 2, &ignored) < 0)
        return;
    name_fault(f);
    for (uint32_t i = 0; i < f->steps.len; i++) {
        const struct finding_step *s = &f->steps.at[i];
        if (s->action == ACTION_ALLOCATE)
            made = s;
        if (s->is_key && !freed)
            freed = s;
        else if (s->is_key)
            use = s;
        str_add(&key, "%s %s\n", s->place.function, s->is_key ? s->place.variable : "");
    }
    if (!freed || !use)
        return;
    f->pattern = seen->pattern;
    str_add(&text, "%s:%u:%u: ", use->place.file, use->place.line, use->place.column);
    size_t head = text.len;
    str_add(&text, "%s of '%.*s'", seen->use.is_free ? "double free" : "use after free",
            TEXT_ARG(name_without_object(use->object)));
    if (made)
        str_add(&text, " (allocated at %s:%u)", made->place.file, made->place.line);
    str_add(&text, ": ");
    say_step(&text, f, use);
    str_add(&text, " comes after the ");
    say_step(&text, f, freed);
    str_add(&text, "; %s", who);
    f->message = arena_text(&l->mem, text.at, text.len);
    f->rest = f->message + head;
    text.len = 0;
    str_add(&text, "%s-%08x", pattern_text(f->pattern), (uint32_t)hash_bytes(key.at, key.len));
    f->id = arena_text(&l->mem, text.at, text.len);
    vec_push(&f->sites, use->place);
    vec_push(&f->sites, freed->place);
    if (made)
        vec_push(&f->sites, made->place);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * misuse-new: a change that leaves an unlock too many, or takes away the lock before it, need
 * not fail: what the call then does nobody promises. A misuse that an undisturbed run of the
 * program after has, and one of the program before has not, is the change's. */
#include "verify/judge.h"

#include <string.h>

static struct text function_of(const struct trace *t, const struct misuse *m)
{
    const struct def_site *s = &t->sites.at[m->own.site];
    return (struct text){s->function.at, s->function.len};
}

static bool has_alike(const misuses *list, const struct trace *from, const struct misuse *m,
                      const struct trace *t)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (list->at[i].kind == m->kind &&
            text_is(function_of(from, &list->at[i]), function_of(t, m)))
            return true;
    return false;
}

static void tell(struct judge *j, const struct trace *t, const struct misuse *m)
{
    const struct def_site *s = &t->sites.at[m->own.site];
    const char *text =
        judge_text(j, "%.*s:%u: %s of %s, which the program before has not", (int)s->file.len,
                   s->file.at, s->line, misuse_infos[m->kind].word, m->object);
    j->misuse = text;
    vec_push(&j->out->beside,
             (struct verify_beside){text, misuse_infos[m->kind].word, PATTERN_MISUSE, false});
}

int misuse_stage(struct judge *j, struct err *err)
{
    AUTO(str) struct str path = {0};
    AUTO(trace) struct trace before = {0}, after = {0};
    misuses old = {0}, new = {0};
    str_add(&path, "%s/before-fresh", j->o->store);
    int failed = trace_open_in(&before, path.at, err);
    if (!failed)
        failed = trace_open_in(&after, j->fresh.at, err);
    if (!failed)
        failed = misuse_find(&before, &j->out->mem, &old, err);
    if (!failed)
        failed = misuse_find(&after, &j->out->mem, &new, err);
    for (uint32_t i = 0; i < new.len && !failed; i++)
        if (!misuse_infos[new.at[i].kind].is_note &&
            !has_alike(&old, &before, &new.at[i], &after))
            tell(j, &after, &new.at[i]);
    vec_done(&old);
    vec_done(&new);
    return failed;
}

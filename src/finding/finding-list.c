/* SPDX-License-Identifier: Apache-2.0
 *
 * finding-list: see finding-list.h: which findings are shown, and in which order. */
#include "base/stop.h"
#include "finding/finding.h"

#include <string.h>

bool finding_is_shown(const struct finding *f)
{
    if (!f->is_confirmed || *f->with || f->is_note)
        return false;
    return pattern_is(f->pattern, TRAIT_WRONG) || harm_ends(f->harm) ||
           f->label != WEAK_LABEL_NONE;
}

bool finding_is_aside(const struct finding *f)
{
    return f->is_volatile || (f->values == EFFECT_SILENT && f->harm == HARM_NONE);
}

static uint32_t key_steps(const struct finding *f)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->steps.len; i++)
        count += f->steps.at[i].is_key;
    return count;
}

/* Of several that do the same harm those that are easier to understand come first. */
static uint32_t how_plain(enum pattern_id pattern)
{
    return pattern_is(pattern, TRAIT_GRAVE)      ? 0
           : pattern_is(pattern, TRAIT_ENDS_RUN) ? 1
           : pattern == PATTERN_FAILURE          ? 4 /* without a cause */
           : pattern_is(pattern, TRAIT_JOINS)    ? 3
                                                 : 2;
}

static int compare(const void *left, const void *right)
{
    const struct finding *a = left, *b = right;
    if (a->is_confirmed != b->is_confirmed)
        return a->is_confirmed ? -1 : 1;
    if (finding_is_aside(a) != finding_is_aside(b)) /* those stand together */
        return finding_is_aside(a) ? 1 : -1;
    if (a->harm != b->harm)
        return a->harm > b->harm ? -1 : 1;
    bool is_silent = a->values == EFFECT_SILENT;
    if (is_silent != (b->values == EFFECT_SILENT))
        return is_silent ? 1 : -1;
    if (how_plain(a->pattern) != how_plain(b->pattern))
        return how_plain(a->pattern) < how_plain(b->pattern) ? -1 : 1;
    if (a->pattern != b->pattern)
        return a->pattern < b->pattern ? -1 : 1;
    if (key_steps(a) != key_steps(b))
        return key_steps(a) < key_steps(b) ? -1 : 1;
    return strcmp(a->id, b->id);
}

void finding_list_sort(struct finding_list *l)
{
    if (l->findings.len > 1)
        qsort(l->findings.at, l->findings.len, sizeof *l->findings.at, compare);
}

struct finding finding_new(enum pattern_id pattern)
{
    return (struct finding){.id = "",
                            .pattern = pattern,
                            .message = "",
                            .why = "",
                            .ends = "",
                            .passes = "",
                            .source = "",
                            .doubt = "",
                            .only = "",
                            .effect = "",
                            .witness = "",
                            .second = "",
                            .run = "",
                            .replay = "",
                            .fix = "",
                            .about = "",
                            .cause = "",
                            .with = ""};
}

void finding_done(struct finding *f)
{
    vec_done(&f->weak);
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
    for (uint32_t i = 0; i < l->tests.len; i++)
        vec_done(&l->tests.at[i].ids);
    vec_done(&l->tests);
    vec_done(&l->unseen);
    vec_done(&l->idle);
    vec_done(&l->undone);
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
                                                       : f->harm > old->harm;
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
    size_t tail = f->rest ? strlen(f->rest) : 0;
    f->message = arena_text(mem, text.at, text.len);
    f->rest = f->rest ? f->message + text.len - tail : NULL;
    f->only = arena_text(mem, only, strlen(only));
    f->is_note = is_note;
}

struct place place_of_site(struct arena *mem, const struct def_site *s)
{
    return (struct place){.file = arena_text(mem, s->file.at, s->file.len),
                          .function = arena_text(mem, s->function.at, s->function.len),
                          .variable = arena_text(mem, s->name.at, s->name.len),
                          .line = s->line,
                          .column = s->column};
}

struct finding_thread finding_thread_of(const struct trace *t, uint32_t thr, uint32_t created,
                                        struct arena *mem)
{
    AUTO(str) struct str name = {0};
    struct place nowhere = {.file = "", .function = "", .variable = ""};
    const struct def_text *entry = &t->threads.at[thr].name;
    bool is_imported = t->head.flags & TRACE_IMPORTED && entry->len > 0;
    thread_name(&name, t, thr);
    return (struct finding_thread){
        .number = is_imported ? NONE : thr,
        .entry = arena_text(mem, entry->at, entry->len),
        .name = arena_text(mem, name.at, name.len),
        .created = created == NONE ? nowhere : place_of_site(mem, &t->sites.at[created])};
}

uint32_t finding_add_thread(struct finding *f, uint32_t *known, const struct trace *t,
                            uint32_t thr, uint32_t created, struct arena *mem)
{
    for (uint32_t i = 0; i < f->threads.len; i++)
        if (known[i] == thr)
            return i;
    known[f->threads.len] = thr;
    vec_push(&f->threads, finding_thread_of(t, thr, created, mem));
    return f->threads.len - 1;
}

struct account *account_find(struct finding_list *l, enum pattern_id pattern)
{
    for (uint32_t i = 0; i < l->accounts.len; i++)
        if (l->accounts.at[i].pattern == pattern)
            return &l->accounts.at[i];
    return NULL;
}

struct account *account_get(struct finding_list *l, enum pattern_id pattern)
{
    struct account *a = account_find(l, pattern);
    if (a)
        return a;
    vec_push(&l->accounts, (struct account){.pattern = pattern});
    return &l->accounts.at[l->accounts.len - 1];
}

void account_add(struct finding_list *l, const struct account *a)
{
    struct account *b = account_get(l, a->pattern);
    b->candidates += a->candidates;
    b->refuted += a->refuted;
    b->found += a->found;
    b->unknown += a->unknown;
    b->confirmed += a->confirmed;
    b->skipped += a->skipped;
    b->by.locks += a->by.locks;
    b->by.order += a->by.order;
    b->by.sync += a->by.sync;
    b->by.closure += a->by.closure;
    b->by.values += a->by.values;
}

/* ---- what there was no time for ---------------------------------------------------------- */

void undone_add(struct finding_list *l, struct undone u)
{
    for (uint32_t i = 0; i < l->undone.len; i++) {
        struct undone *old = &l->undone.at[i];
        if (strcmp(old->stage, u.stage) != 0 || strcmp(old->what, u.what) != 0)
            continue;
        old->left += u.left;
        old->total += u.total;
        return;
    }
    u.next = arena_text(&l->mem, u.next, strlen(u.next));
    vec_push(&l->undone, u);
}

void unseen_add(struct finding_list *l, const char *text)
{
    for (uint32_t i = 0; i < l->unseen.len; i++)
        if (strcmp(l->unseen.at[i], text) == 0)
            return;
    vec_push(&l->unseen, arena_text(&l->mem, text, strlen(text)));
}

void undone_say(struct str *out, const struct undone *u)
{
    str_add(out, "%s: %llu of %llu %s not done", u->stage, (unsigned long long)u->left,
            (unsigned long long)u->total, u->what);
    if (*u->next)
        str_add(out, "; next: %s", u->next);
}

void finding_list_stop(struct finding_list *l)
{
    int cut = stop_was_cut();
    l->stopped_early = stop_came()          ? STOPPED_BY_SIGNAL
                       : cut == STOP_TIME   ? STOPPED_BY_TIME
                       : cut == STOP_MEMORY ? STOPPED_BY_MEMORY
                                            : STOPPED_BY_NOBODY;
    l->budget_ms = l->stopped_early == STOPPED_BY_TIME ? stop_budget_ms() : 0;
    l->memory_mb = l->stopped_early == STOPPED_BY_MEMORY ? stop_memory_bytes() >> 20 : 0;
}

void stopped_say(struct str *out, const struct finding_list *l)
{
    str_add(out, "stopped early: ");
    if (l->stopped_early == STOPPED_BY_TIME)
        str_add(out, "the %llu s of time were spent (--time): ",
                (unsigned long long)(l->budget_ms + 999) / 1000);
    if (l->stopped_early == STOPPED_BY_MEMORY)
        str_add(out, "the %llu MB of memory were used (--memory): ",
                (unsigned long long)l->memory_mb);
    str_add(out, "not everything was looked at");
}

const char *weak_label_text(enum weak_label label)
{
    static const char *const texts[] = {
        [WEAK_LABEL_NONE] = "",
        [WEAK_LABEL_X86] = "also on x86",
        [WEAK_LABEL_ELSEWHERE] = "only on ARM, POWER, RISC-V, or if the compiler reorders",
    };
    return texts[label];
}

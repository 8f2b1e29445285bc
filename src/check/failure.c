/* SPDX-License-Identifier: Apache-2.0
 *
 * failure: see failure.h. A run of an exploration has switches that have nothing to do with its
 * failure; the run that is told is the smallest that was found in a short time. */
#include "check/failure.h"

#include "check/freed-finding.h"
#include "check/weak-tell.h"
#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHRINK_RUNS = 300,
    SHRINK_MS = 2000,
    EVENTS_TOLD = 7, /* that the table is about, at most */
    WEAK_TOLD = 6,   /* of stale reads and what they do not see, besides */
    WAITINGS_TOLD = 8,
};

/* ---- who waits for whom ---------------------------------------------------------------- */

static const char *object_of(struct finding_list *l, const struct run_wait *w)
{
    AUTO(str) struct str text = {0};
    run_wait_object(&text, w);
    return str_keep(&l->mem, &text);
}

static uint32_t thread_of(struct finding_list *l, struct finding *f, uint32_t number)
{
    AUTO(str) struct str name = {0};
    for (uint32_t i = 0; i < f->threads.len; i++)
        if (f->threads.at[i].number == number)
            return i;
    str_add(&name, "T%u", number);
    vec_push(&f->threads,
             (struct finding_thread){.number = number,
                                     .entry = "",
                                     .name = str_keep(&l->mem, &name),
                                     .created = {.file = "", .function = "", .variable = ""}});
    return f->threads.len - 1;
}

/* The last row of each thread; a thread that another row has standing there needs no more. */
static void tell_waiting(struct finding_list *l, struct finding *f, const struct run_wait *w)
{
    bool spins = run_wait_spins(w);
    struct finding_step step = {
        .thread = thread_of(l, f, w->at.thread),
        .place = {.file = arena_text(&l->mem, w->at.file, strlen(w->at.file)),
                  .function = arena_text(&l->mem, w->at.function, strlen(w->at.function)),
                  .variable = "",
                  .line = w->at.line},
        .action = spins ? ACTION_SPINS : ACTION_WAITS_FOR,
        .object = spins ? "" : object_of(l, w),
        .value = "",
        .event = NO_EVENT,
        .is_key = true};
    for (uint32_t i = 0; i < f->steps.len; i++) {
        struct finding_step *old = &f->steps.at[i];
        if (old->thread == step.thread && old->place.line == w->at.line &&
            old->action == ACTION_REQUEST) {
            step.held = old->held;
            memmove(old, old + 1, (f->steps.len - i - 1) * sizeof *old);
            f->steps.len--;
            break;
        }
    }
    vec_push(&f->steps, step);
    vec_push(&f->sites, step.place);
}

/* Threads that wait for each other are a deadlock, whichever way it was met. */
static void tell_deadlock(struct finding_list *l, struct finding *f, const struct run_result *r)
{
    AUTO(str) struct str name = {0}, text = {0};
    for (uint32_t i = 0; i < r->waits.len; i++) {
        str_add(&name, "%s ", r->waits.at[i].at.function);
        run_wait_object(&name, &r->waits.at[i]);
        str_add(&name, ";");
    }
    f->pattern = PATTERN_DEADLOCK;
    str_add(&text, "deadlock-%08x", (uint32_t)hash_bytes(name.at, name.len));
    f->id = str_keep(&l->mem, &text);
}

static void say_waitings(struct str *out, const struct run_result *r)
{
    for (uint32_t i = 0; i < r->waits.len && i < WAITINGS_TOLD; i++) {
        const struct run_wait *w = &r->waits.at[i];
        AUTO(str) struct str held = {0};
        bool spins = run_wait_spins(w);
        str_add(out, "%sT%u %s at %s:%u", i ? ", " : ": ", w->at.thread,
                spins ? "spins" : "waits", w->at.file, w->at.line);
        if (spins)
            continue;
        str_add(out, " for ");
        run_wait_object(out, w);
        run_wait_held(&held, r, w);
        if (held.len > 0)
            str_add(out, " %s", held.at);
    }
    if (r->waits.len > WAITINGS_TOLD)
        str_add(out, ", and %u more", r->waits.len - WAITINGS_TOLD);
}

/* ---- what is told ---------------------------------------------------------------------- */

static bool concerns(const struct reasons *r, const struct reason *why, uint32_t thr)
{
    for (uint32_t i = 0; i < 3; i++)
        if (why->event[i] != NONE && reason_thread(r, why->event[i]) == thr)
            return true;
    return false;
}

/* The most telling of the switches: of two alike the one of the thread that failed, and then
 * the later one. */
static uint32_t find_best(const struct reasons *r, const struct reason *whys, uint32_t count,
                          uint32_t failed)
{
    uint32_t best = NONE, worth = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = (uint32_t)whys[i].kind * 2 + concerns(r, &whys[i], failed);
        if (best == NONE || own >= worth) {
            best = i;
            worth = own;
        }
    }
    return best;
}

/* Does the end have a place of its own in the source? */
static bool ends_somewhere(const struct run_result *r)
{
    return r->outcome == WORD_VALUE(OUTCOME, CRASH) ||
           r->outcome == WORD_VALUE(OUTCOME, SANITIZER);
}

static void tell_sites(struct finding *f)
{
    for (uint32_t i = 0; i < f->steps.len; i++)
        if (f->steps.at[i].is_key)
            vec_push(&f->sites, f->steps.at[i].place);
}

static void tell_message(struct finding_list *out, struct finding *f,
                         const struct failure *what, const struct reasons *r,
                         const struct reason *best, uint32_t last)
{
    AUTO(str) struct str text = {0}, kind = {0};
    run_kind(&kind, what->result);
    if (last != NONE) {
        reason_place(&text, r, last);
        str_add(&text, ": ");
    }
    str_add(&text, "%s: %s", what->who, kind.at);
    say_waitings(&text, what->result);
    if (best) {
        str_add(&text, ": ");
        reason_say(&text, r, best);
    }
    f->message = str_keep(&out->mem, &text);
}

/* The events of the most telling switches, and the last one of the thread that failed. */
static void tell_steps(struct finding_list *out, struct finding *f, const char *directory,
                       const struct reason *whys, uint32_t count, uint32_t best, uint32_t last)
{
    AUTO(str) struct str path = {0};
    uint64_t numbers[EVENTS_TOLD + 1 + WEAK_TOLD];
    uint32_t chosen = 0;
    struct err ignored;
    if (last != NONE)
        numbers[chosen++] = last;
    for (uint32_t i = 0; i <= count; i++) {
        uint32_t at = i == 0 ? best : count - i; /* the best one is sure of its place */
        for (uint32_t k = 0; at != NONE && k < 3 && chosen < EVENTS_TOLD; k++)
            if (whys[at].kind > REASON_ORDER && whys[at].event[k] != NONE)
                numbers[chosen++] = whys[at].event[k];
    }
    for (uint32_t k = weak_events(directory, &numbers[chosen], WEAK_TOLD); k > 0; k--)
        chosen++;
    str_add(&path, "%s/trace", directory);
    if (chosen > 0 && explain_events(f, &out->mem, path.at, numbers, chosen, &ignored) == 0)
        tell_sites(f);
}

/* Somebody came between a look at something and its use, and without that it does not fail. */
static void tell_atomicity(struct finding_list *out, struct finding *f)
{
    AUTO(str) struct str text = {0}, name = {0};
    for (uint32_t i = 0; i < f->sites.len; i++)
        str_add(&name, "%s %s\n", f->sites.at[i].function, f->sites.at[i].variable);
    f->pattern = PATTERN_ATOMICITY;
    str_add(&text, "atomicity-%08x", (uint32_t)hash_bytes(name.at ? name.at : "", name.len));
    f->id = str_keep(&out->mem, &text);
}

static void tell_schedule(struct finding_list *out, struct finding *f,
                          const struct failure *what, const char *directory,
                          const run_nudges *set)
{
    AUTO(str) struct str text = {0};
    struct reasons *r;
    struct err ignored;
    if (reasons_open(&r, directory, &ignored) < 0)
        return;
    struct reason *whys = mem_zeroed(set->len + 1, sizeof *whys);
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->len; i++)
        if (set->at[i].why != WORD_VALUE(SWITCH, WEAK)) /* those have rows of their own */
            whys[count++] = reason_of(r, &set->at[i]);
    uint32_t switches = count;
    uint32_t last = ends_somewhere(what->result) ? reason_last(r) : NONE;
    if (last != NONE && count > 0)
        whys[count++] = reason_of_end(r, last);
    uint32_t best = find_best(r, whys, count, last == NONE ? NONE : reason_thread(r, last));
    tell_message(out, f, what, r, best == NONE ? NULL : &whys[best], last);
    tell_steps(out, f, directory, whys, count, best, last);
    if (switches > 0 && switches == set->len && what->result->waits.len == 0 &&
        whys[best].kind == REASON_BETWEEN)
        tell_atomicity(out, f);
    if (switches > 0) {
        str_add(&text,
                "%u switch%s between threads %s needed; each in words: heddle minimize %s",
                switches, switches == 1 ? "" : "es", switches == 1 ? "is" : "are", directory);
        f->why = str_keep(&out->mem, &text);
    }
    free(whys);
    reasons_close(r);
}

static const char *id_of(struct finding_list *l, const struct run_result *r)
{
    AUTO(str) struct str kind = {0}, text = {0};
    run_kind(&kind, r);
    str_add(&text, "failure-%08x", (uint32_t)hash_bytes(kind.at, kind.len));
    return str_keep(&l->mem, &text);
}

void failure_tell_plain(struct finding_list *out, const struct run_result *r, uint64_t tried)
{
    AUTO(str) struct str text = {0};
    struct finding *f = finding_find(out, id_of(out, r));
    if (!f)
        return;
    str_add(&text, "%s: fails with one thread too", f->message);
    f->message = str_keep(&out->mem, &text);
    text.len = 0;
    str_add(&text,
            "%llu of %llu other schedules end the same, even those in which a new thread "
            "runs at once and alone, like a function that is called",
            (unsigned long long)tried, (unsigned long long)tried);
    f->why = str_keep(&out->mem, &text);
    f->fix = "";
}

void failure_tell(struct finding_list *out, const struct failure *what)
{
    AUTO(str) struct str kind = {0}, text = {0}, smaller = {0};
    const char *first = what->result->text.at ? what->result->text.at : "";
    run_nudges set = {0};
    struct finding f = finding_new(PATTERN_FAILURE);
    f.is_confirmed = true;
    f.harm = harm_of(what->result->outcome);
    run_kind(&kind, what->result);
    f.id = id_of(out, what->result);
    str_add(&text, "%s: %s", what->who, kind.at);
    f.message = str_keep(&out->mem, &text);
    text.len = 0;
    str_bytes(&text, first, strcspn(first, "\n"));
    f.ends = str_keep(&out->mem, &text);
    struct run_shrink_opts fewer = {
        .run = what->run, .in_place = what->in_place, .runs = SHRINK_RUNS, .ms = SHRINK_MS};
    bool is_smaller = what->shrink && run_shrink(&smaller, &set, what->directory, &fewer) == 0;
    const char *shown = is_smaller ? smaller.at : what->directory;
    if (what->result->waits.len > 0 && what->result->outcome == WORD_VALUE(OUTCOME, DEADLOCK))
        tell_deadlock(out, &f, what->result);
    tell_schedule(out, &f, what, shown, &set);
    weak_tell(out, &f, shown);
    struct freed_seen freed = freed_look(shown, what->result);
    if (freed.is_seen)
        freed_tell(out, &f, &freed, shown, what->who);
    for (uint32_t i = 0; i < what->result->waits.len && i < WAITINGS_TOLD; i++)
        tell_waiting(out, &f, &what->result->waits.at[i]);
    text.len = 0;
    f.run = arena_text(&out->mem, shown, strlen(shown));
    str_add(&text, "heddle replay %s", shown);
    f.replay = str_keep(&out->mem, &text);
    text.len = 0;
    str_add(&text, "heddle fix %s", f.id);
    f.fix = str_keep(&out->mem, &text);
    text.len = 0;
    bool is_long = run_rests_on(&text, what->result);
    if (text.len > 0)
        finding_rests_on(&f, &out->mem, text.at, is_long && !what->run->expired_waits);
    vec_push(&out->findings, f);
    vec_done(&set);
}

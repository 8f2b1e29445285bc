/* SPDX-License-Identifier: Apache-2.0
 *
 * failure: see failure.h. A run of an exploration has switches that have nothing to do with its
 * failure; the run that is told is the smallest that was found in a short time. */
#include "cmd/failure.h"

#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHRINK_RUNS = 300,
    SHRINK_MS = 2000,
    EVENTS_TOLD = 7, /* that the table is about, at most */
};

static const char *keep(struct told_list *l, const struct str *text)
{
    return arena_text(&l->mem, text->at ? text->at : "", text->len);
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

static void tell_sites(struct told *f)
{
    for (uint32_t i = 0; i < f->steps.len; i++)
        if (f->steps.at[i].is_key)
            vec_push(&f->sites, f->steps.at[i].place);
}

static void tell_message(struct told_list *out, struct told *f, const struct failure *what,
                         const struct reasons *r, const struct reason *best, uint32_t last)
{
    AUTO(str) struct str text = {0}, kind = {0};
    run_kind(&kind, what->result);
    if (last != NONE) {
        reason_place(&text, r, last);
        str_add(&text, ": ");
    }
    str_add(&text, "%s: %s", what->who, kind.at);
    if (best) {
        str_add(&text, ": ");
        reason_say(&text, r, best);
    }
    f->message = keep(out, &text);
}

/* The events of the most telling switches, and the last one of the thread that failed. */
static void tell_steps(struct told_list *out, struct told *f, const char *directory,
                       const struct reason *whys, uint32_t count, uint32_t best, uint32_t last)
{
    AUTO(str) struct str path = {0};
    uint64_t numbers[EVENTS_TOLD + 1];
    uint32_t told = 0;
    struct err ignored;
    if (last != NONE)
        numbers[told++] = last;
    for (uint32_t i = 0; i <= count; i++) {
        uint32_t at = i == 0 ? best : count - i; /* the best one is sure of its place */
        for (uint32_t k = 0; at != NONE && k < 3 && told < EVENTS_TOLD; k++)
            if (whys[at].kind > REASON_ORDER && whys[at].event[k] != NONE)
                numbers[told++] = whys[at].event[k];
    }
    str_add(&path, "%s/trace", directory);
    if (told > 0 && explain_events(f, &out->mem, path.at, numbers, told, &ignored) == 0)
        tell_sites(f);
}

static void tell_schedule(struct told_list *out, struct told *f, const struct failure *what,
                          const char *directory, const run_nudges *set)
{
    AUTO(str) struct str text = {0};
    struct reasons *r;
    struct err ignored;
    if (reasons_open(&r, directory, &ignored) < 0)
        return;
    struct reason *whys = mem_zeroed(set->len + 1, sizeof *whys);
    uint32_t count = set->len;
    for (uint32_t i = 0; i < count; i++)
        whys[i] = reason_of(r, &set->at[i]);
    uint32_t last = ends_somewhere(what->result) ? reason_last(r) : NONE;
    if (last != NONE && count > 0)
        whys[count++] = reason_of_end(r, last);
    uint32_t best = find_best(r, whys, count, last == NONE ? NONE : reason_thread(r, last));
    tell_message(out, f, what, r, best == NONE ? NULL : &whys[best], last);
    tell_steps(out, f, directory, whys, count, best, last);
    if (set->len > 0) {
        str_add(&text,
                "%u switch%s between threads %s needed; each in words: heddle minimize %s",
                set->len, set->len == 1 ? "" : "es", set->len == 1 ? "is" : "are", directory);
        f->why = keep(out, &text);
    }
    free(whys);
    reasons_close(r);
}

void failure_tell(struct told_list *out, const struct failure *what)
{
    AUTO(str) struct str kind = {0}, text = {0}, smaller = {0};
    const char *first = what->result->text.at ? what->result->text.at : "";
    run_nudges set = {0};
    struct told f = {.pattern = "failure",
                     .is_confirmed = true,
                     .harm = word_text(OUTCOME_FIRST, what->result->outcome),
                     .why = "",
                     .passes = "",
                     .source = "",
                     .doubt = "",
                     .values = "",
                     .effect = "",
                     .witness = "",
                     .second = "",
                     .with = ""};
    run_kind(&kind, what->result);
    str_add(&text, "failure-%08x", (uint32_t)hash_bytes(kind.at, kind.len));
    f.id = keep(out, &text);
    text.len = 0;
    str_add(&text, "%s: %s", what->who, kind.at);
    f.message = keep(out, &text);
    text.len = 0;
    str_bytes(&text, first, strcspn(first, "\n"));
    f.ends = keep(out, &text);
    struct run_shrink_opts fewer = {
        .run = what->run, .in_place = what->in_place, .runs = SHRINK_RUNS, .ms = SHRINK_MS};
    bool is_smaller = what->shrink && run_shrink(&smaller, &set, what->directory, &fewer) == 0;
    const char *shown = is_smaller ? smaller.at : what->directory;
    tell_schedule(out, &f, what, shown, &set);
    text.len = 0;
    str_add(&text, "heddle replay %s", shown);
    f.replay = keep(out, &text);
    text.len = 0;
    str_add(&text, "heddle fix %s", f.id);
    f.fix = keep(out, &text);
    vec_push(&out->findings, f);
    vec_done(&set);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * failure: see failure.h. A run of an exploration has switches that have nothing to do with its
 * failure; the run that is told is the smallest that was found in a short time. */
#include "cmd/failure.h"

#include "cmd/freed-told.h"
#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHRINK_RUNS = 300,
    SHRINK_MS = 2000,
    EVENTS_TOLD = 7, /* that the table is about, at most */
    WAITINGS_TOLD = 8,
};

static const char *keep(struct told_list *l, const struct str *text)
{
    return arena_text(&l->mem, text->at ? text->at : "", text->len);
}

/* ---- who waits for whom ---------------------------------------------------------------- *
 * A run in which nobody could go on says who waited, where and for what, a line each:
 * "T1 waits at q.c:15 (worker) for condition more", or "T1 spins at q.c:15 (worker)". */

struct waiting {
    struct text thread, file, function, what;
    struct text held; /* "held by T0 since q.c:29 (close)", or nothing */
    uint32_t line;
    bool spins; /* it waits for nothing in particular */
};
typedef VEC(struct waiting) waitings;

/* What stands before `end`, which is taken off too; false: it is not there. */
static bool cut(struct text *rest, const char *end, struct text *out)
{
    size_t len = strlen(end);
    for (uint32_t i = 0; i + len <= rest->len; i++) {
        if (memcmp(rest->at + i, end, len) != 0)
            continue;
        *out = (struct text){rest->at, i};
        *rest = (struct text){rest->at + i + len, rest->len - i - (uint32_t)len};
        return true;
    }
    return false;
}

/* "mutex m, held by T0": an address, which tells nobody anything, is left out. */
static void cut_what(struct text what, struct waiting *out)
{
    struct text word;
    out->what = what;
    if (cut(&what, ", ", &out->what))
        out->held = what;
    what = out->what;
    if (cut(&what, " 0x", &word))
        out->what = word;
}

static bool parse_waiting(struct text line, struct waiting *out)
{
    struct text number;
    uint64_t value;
    *out = (struct waiting){0};
    out->spins = cut(&line, " spins at ", &out->thread);
    if ((!out->spins && !cut(&line, " waits at ", &out->thread)) ||
        !cut(&line, ":", &out->file) || !cut(&line, " (", &number) ||
        !text_number(number, &value))
        return false;
    out->line = (uint32_t)value;
    if (out->spins) {
        out->function = line;
        out->function.len -= line.len > 0; /* the bracket */
        return true;
    }
    if (!cut(&line, ") for ", &out->function))
        return false;
    cut_what(line, out);
    return true;
}

static void find_waitings(waitings *out, const struct run_result *r)
{
    struct text rest = {r->text.at, (uint32_t)r->text.len}, line;
    struct waiting w;
    bool is_stuck = r->outcome == WORD_VALUE(OUTCOME, DEADLOCK) ||
                    r->outcome == WORD_VALUE(OUTCOME, LIVELOCK) ||
                    r->outcome == WORD_VALUE(OUTCOME, HANG);
    while (is_stuck && cut(&rest, "\n", &line))
        if (parse_waiting(line, &w))
            vec_push(out, w);
}

static struct place place_of(struct told_list *l, const struct waiting *w)
{
    return (struct place){.file = arena_text(&l->mem, w->file.at, w->file.len),
                          .function = arena_text(&l->mem, w->function.at, w->function.len),
                          .variable = "",
                          .line = w->line};
}

static uint32_t thread_of(struct told_list *l, struct told *f, struct text name)
{
    for (uint32_t i = 0; i < f->threads.len; i++) {
        const char *known = f->threads.at[i].name;
        if (strncmp(known, name.at, name.len) == 0 &&
            (known[name.len] == 0 || known[name.len] == ' '))
            return i;
    }
    vec_push(&f->threads, (struct told_thread){arena_text(&l->mem, name.at, name.len),
                                               {.file = "", .function = "", .variable = ""}});
    return f->threads.len - 1;
}

/* The last row of each thread; a thread that another row has standing there needs no more. */
static void tell_waiting(struct told_list *l, struct told *f, const struct waiting *w)
{
    struct told_step step = {.thread = thread_of(l, f, w->thread),
                             .place = place_of(l, w),
                             .action = w->spins ? "spins" : "waits for",
                             .object =
                                 w->spins ? "" : arena_text(&l->mem, w->what.at, w->what.len),
                             .value = "",
                             .held = "",
                             .is_key = true};
    for (uint32_t i = 0; i < f->steps.len; i++) {
        struct told_step *old = &f->steps.at[i];
        if (old->thread == step.thread && old->place.line == w->line &&
            strcmp(old->action, "request") == 0) {
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
static void tell_deadlock(struct told_list *l, struct told *f, const waitings *all)
{
    AUTO(str) struct str name = {0}, text = {0};
    for (uint32_t i = 0; i < all->len; i++)
        str_add(&name, "%.*s %.*s;", TEXT_ARG(all->at[i].function), TEXT_ARG(all->at[i].what));
    f->pattern = "deadlock";
    str_add(&text, "deadlock-%08x", (uint32_t)hash_bytes(name.at, name.len));
    f->id = keep(l, &text);
}

static void say_waitings(struct str *out, const waitings *all)
{
    for (uint32_t i = 0; i < all->len && i < WAITINGS_TOLD; i++) {
        const struct waiting *w = &all->at[i];
        str_add(out, "%s%.*s %s at %.*s:%u", i ? ", " : ": ", TEXT_ARG(w->thread),
                w->spins ? "spins" : "waits", TEXT_ARG(w->file), w->line);
        if (w->what.len > 0)
            str_add(out, " for %.*s", TEXT_ARG(w->what));
        if (w->held.len > 0)
            str_add(out, " %.*s", TEXT_ARG(w->held));
    }
    if (all->len > WAITINGS_TOLD)
        str_add(out, ", and %u more", all->len - WAITINGS_TOLD);
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
                         const waitings *waiting, const struct reasons *r,
                         const struct reason *best, uint32_t last)
{
    AUTO(str) struct str text = {0}, kind = {0};
    run_kind(&kind, what->result);
    if (last != NONE) {
        reason_place(&text, r, last);
        str_add(&text, ": ");
    }
    str_add(&text, "%s: %s", what->who, kind.at);
    say_waitings(&text, waiting);
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

/* Somebody came between a look at something and its use, and without that it does not fail. */
static void tell_atomicity(struct told_list *out, struct told *f)
{
    AUTO(str) struct str text = {0}, name = {0};
    for (uint32_t i = 0; i < f->sites.len; i++)
        str_add(&name, "%s %s\n", f->sites.at[i].function, f->sites.at[i].variable);
    f->pattern = "atomicity";
    str_add(&text, "atomicity-%08x", (uint32_t)hash_bytes(name.at ? name.at : "", name.len));
    f->id = keep(out, &text);
}

static void tell_schedule(struct told_list *out, struct told *f, const struct failure *what,
                          const waitings *waiting, const char *directory, const run_nudges *set)
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
    tell_message(out, f, what, waiting, r, best == NONE ? NULL : &whys[best], last);
    tell_steps(out, f, directory, whys, count, best, last);
    if (set->len > 0 && waiting->len == 0 && whys[best].kind == REASON_BETWEEN)
        tell_atomicity(out, f);
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
    waitings waiting = {0};
    struct told f = told_new("failure");
    f.is_confirmed = true;
    f.harm = word_text(OUTCOME_FIRST, what->result->outcome);
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
    find_waitings(&waiting, what->result);
    if (waiting.len > 0 && what->result->outcome == WORD_VALUE(OUTCOME, DEADLOCK))
        tell_deadlock(out, &f, &waiting);
    tell_schedule(out, &f, what, &waiting, shown, &set);
    struct freed_seen freed = freed_look(shown, what->result);
    if (freed.pattern)
        freed_tell(out, &f, &freed, shown, what->who);
    for (uint32_t i = 0; i < waiting.len && i < WAITINGS_TOLD; i++)
        tell_waiting(out, &f, &waiting.at[i]);
    vec_done(&waiting);
    text.len = 0;
    str_add(&text, "heddle replay %s", shown);
    f.replay = keep(out, &text);
    text.len = 0;
    str_add(&text, "heddle fix %s", f.id);
    f.fix = keep(out, &text);
    vec_push(&out->findings, f);
    vec_done(&set);
}

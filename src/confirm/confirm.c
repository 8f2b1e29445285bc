/* SPDX-License-Identifier: Apache-2.0
 *
 * confirm: a witness and near variants of it are followed, until one can be; of those that
 * can, the one that does the most harm is told. */
#include "confirm/acts-alike.h"
#include "confirm/control.h"

#include "base/same-lines.h"

#include <string.h>

enum {
    ORDERS_MAX = 4,  /* of what stands side by side */
    TRIALS_MAX = 10, /* runs for one finding */
    GUESS_TRIALS_MAX = 4,
};

/* ---- variants -------------------------------------------------------------------------- *
 * Which of the events side by side at the end goes first is one choice: a lost update
 * shows in one order and not in the other. If none of those is followed, less is asked: the
 * program may do otherwise on the way to the events that matter than it did when recorded. */

enum asks {
    ASKS_ALL,    /* every stretch that the witness has */
    ASKS_OWN,    /* stretches of the threads that it is about; the others run when they must */
    ASKS_EVENTS, /* its events and nothing between them */
    ASKS_COUNT
};

static bool is_about(const struct witness_file *w, uint32_t thr)
{
    for (uint32_t i = 0; i < w->lines.len; i++)
        if (w->lines.at[i].how != WITNESS_RUN && w->lines.at[i].thr == thr)
            return true;
    return false;
}

/* Keeps the lines that are asked; false: they are all of them. */
static bool choose_lines(struct witness_file *out, const struct witness_file *w, enum asks asks)
{
    out->lines.len = 0;
    for (uint32_t i = 0; i < w->lines.len; i++) {
        const struct witness_line *l = &w->lines.at[i];
        bool kept = asks == ASKS_ALL || l->how != WITNESS_RUN ||
                    (asks == ASKS_OWN && is_about(w, l->thr));
        if (kept)
            out->lines.at[out->lines.len++] = *l;
    }
    return out->lines.len < w->lines.len;
}

static uint32_t frontier(const struct witness_file *w)
{
    uint32_t first = w->lines.len;
    while (first > 0 && w->lines.at[first - 1].how == WITNESS_AT)
        first--;
    return first;
}

static uint32_t order_count(const struct witness_file *w)
{
    uint32_t side_by_side = w->lines.len - frontier(w);
    return side_by_side < 2 ? 1 : side_by_side < ORDERS_MAX ? side_by_side : ORDERS_MAX;
}

/* The last of those at the end goes first. */
static void rotate(struct witness_file *w)
{
    uint32_t first = frontier(w), last = w->lines.len - 1;
    if (first >= last)
        return;
    struct witness_line moved = w->lines.at[last];
    memmove(&w->lines.at[first + 1], &w->lines.at[first], (last - first) * sizeof *w->lines.at);
    w->lines.at[first] = moved;
}

/* The last event but one of those that are to happen in order; the length if there is none. */
static uint32_t last_but_one(const struct witness_file *w)
{
    uint32_t events = 0;
    for (uint32_t i = w->lines.len; i-- > 0;)
        if (w->lines.at[i].how == WITNESS_EVENT && ++events == 2)
            return i;
    return w->lines.len;
}

/* Only one of the last events happens, the which-th of those side by side; its thread goes on
 * alone, and the others stay where they are as long as it can. False: there is no such one. */
static bool choose_alone(struct witness_file *out, const struct witness_file *w, uint32_t which)
{
    uint32_t first = frontier(w), chosen = first + which;
    if (first == w->lines.len)
        first = chosen = which == 0 ? last_but_one(w) : w->lines.len;
    if (chosen >= w->lines.len)
        return false;
    memcpy(out->lines.at, w->lines.at, first * sizeof *w->lines.at);
    out->lines.at[first] = w->lines.at[chosen];
    out->lines.at[first].how = WITNESS_EVENT;
    out->lines.len = first + 1;
    return true;
}

/* ---- judging --------------------------------------------------------------------------- */

struct trial {
    bool followed;
    enum harm harm;
    const char *ends;
    const char *only; /* what about time it rests on, or "" */
    bool is_note;
};

/* The first line of the outcome's text. */
static void add_first_line(struct str *out, const struct run_result *r)
{
    const char *text = r->text.at ? r->text.at : "";
    str_bytes(out, text, strcspn(text, "\n"));
}

static struct trial judge(const struct run_guided *g, const struct confirm_opts *o,
                          const char *directory, struct arena *mem)
{
    AUTO(str) struct str ends = {0};
    struct trial t = {.followed = g->followed};
    add_first_line(&ends, &g->result);
    if (run_is_worse(&g->result, o->expected) && !run_is_own_alarm(&g->result)) {
        t.harm = harm_of(g->result.outcome);
    } else {
        AUTO(str) struct str why = {0};
        if (control_prints_otherwise(o, directory, &why)) {
            t.harm = HARM_OUTPUT;
            str_add(&ends, "; %s", why.at);
        }
    }
    t.ends = arena_text(mem, ends.at ? ends.at : "", ends.len);
    ends.len = 0;
    t.is_note = run_rests_on(&ends, &g->result) && !o->run.expired_waits;
    t.only = arena_text(mem, ends.at ? ends.at : "", ends.len);
    return t;
}

/* Threads that stand before locks, and ends of threads, that they cannot have are stuck.
 * Whoever waits for what another thread does is not, if somebody does it after all. */
static bool must_end_so(const struct finding *f, const struct witness_file *w)
{
    bool locks = f->pattern == PATTERN_DEADLOCK;
    for (uint32_t i = 0; locks && i < w->lines.len; i++) {
        const struct witness_line *l = &w->lines.at[i];
        locks = l->how == WITNESS_RUN ||
                (l->how == WITNESS_AT &&
                 (l->kind == EV_ACQUIRE || l->kind == EV_REQUEST || l->kind == EV_JOIN));
    }
    return f->pattern == PATTERN_LOST_WAKEUP || (f->pattern == PATTERN_DEADLOCK && !locks);
}

struct trials {
    struct finding *f;
    const struct confirm_opts *o;
    struct arena *mem;
    struct str *best; /* directory of the run worth showing */
    uint32_t made, proved;
    struct witness_file shown; /* what that one followed; its lines are ours */
};

/* Is this what the witness is about? */
static bool is_event_of(const struct witness_file *w, const struct def_site *site)
{
    for (uint32_t i = 0; i < w->lines.len; i++)
        if (w->lines.at[i].how != WITNESS_RUN && witness_site_is(&w->lines.at[i].site, site))
            return true;
    return false;
}

/* Has a block been freed twice, or used after its end at one of the places meant? */
static bool shows_freed(const char *directory, const struct witness_file *w,
                        enum freed_what what)
{
    AUTO(trace) struct trace t = {0};
    struct freed_use use;
    struct err ignored;
    return trace_open_in(&t, directory, &ignored) == 0 &&
           freed_find(&t, what, &use, &ignored) == 1 &&
           (use.is_free || is_event_of(w, &t.sites.at[use.site]));
}

/* Where the process that the witness is about left its files. */
static void find_process(struct str *out, const char *directory, const char *process)
{
    run_children children = {0};
    str_add(out, "%s", directory);
    if (process)
        run_children_read(&children, directory);
    for (uint32_t i = 0; i < children.len; i++) {
        AUTO(str) struct str own = {0};
        run_process(&own, children.at[i].path.at);
        if (own.len > 0 && strcmp(own.at, process) == 0) {
            out->len = 0;
            str_add(out, "%s", children.at[i].path.at);
        }
    }
    run_children_done(&children);
}

/* Its steps must act on what the finding says; where they do not, the run says nothing. */
static bool is_about_it(const struct trials *t, const struct witness_file *w,
                        const struct run_guided *g, const char *directory)
{
    AUTO(str) struct str place = {0};
    const char *from = t->o->predicted ? t->o->predicted : t->o->recorded;
    if (!g->followed)
        return true;
    find_process(&place, directory, t->o->run.process);
    return acts_alike(w, from, place.at);
}

/* A wake-up that came too early is lost only if no other comes: the program may do things
 * that the recorded run did not, so the end of the run decides. The second free is something
 * that the recorded run did not do at all. Threads that stand before locks are in a deadlock if
 * they have those of each other, or if the run stops there. */
static bool proves(const struct trials *t, const struct witness_file *w,
                   const struct run_guided *g, const char *directory)
{
    const struct finding *f = t->f;
    uint8_t end = g->result.outcome;
    bool is_stuck = end == WORD_VALUE(OUTCOME, DEADLOCK) || end == WORD_VALUE(OUTCOME, HANG) ||
                    end == WORD_VALUE(OUTCOME, LIVELOCK);
    bool is_guess = t->o->is_guess;
    if (!g->followed || run_unjudged(&g->result) || g->result.is_late)
        return false;
    if (f->pattern == PATTERN_DOUBLE_FREE)
        return shows_freed(directory, w, FREED_TWICE);
    if (is_guess && f->pattern == PATTERN_USE_AFTER_FREE)
        return shows_freed(directory, w, FREED_USED);
    if (f->pattern == PATTERN_DEADLOCK && !is_stuck && !g->conflict)
        return false;
    return is_stuck || (!is_guess && !must_end_so(f, w));
}

static void tell(struct finding *f, const struct trial *t)
{
    f->is_confirmed = true;
    f->harm = t->harm;
    f->ends = t->ends;
    f->doubt = "";
    f->only = t->only;
    f->is_note = t->is_note;
}

/* Why this run does not confirm it. The first run tells, but a run that followed the witness
 * and cannot be judged comes nearer to it than one that did not. */
static void tell_doubt(const struct trials *t, const struct run_guided *g)
{
    const struct run_doubt *unjudged = run_unjudged(&g->result);
    AUTO(str) struct str text = {0};
    if (g->followed && g->result.is_late) {
        t->f->doubt = "followed to its end, but the time limit struck before the run ended";
    } else if (g->followed && unjudged) {
        str_add(&text, "followed to its end, but that run cannot be judged: ");
        run_doubt_say(&text, unjudged);
        t->f->doubt = arena_text(t->mem, text.at, text.len);
    } else if (g->why.len > 0 && t->made == 1) {
        t->f->doubt = arena_text(t->mem, g->why.at, g->why.len);
    } else if (g->followed && t->made == 1) {
        t->f->doubt =
            t->f->pattern == PATTERN_DOUBLE_FREE
                ? "followed to its end, but the second free did not come"
            : t->f->pattern == PATTERN_DEADLOCK
                ? "followed to its end, but there nobody waits for the other"
                : "followed to its end, but nothing waits for ever: another wake-up came";
    }
}

/* ---- all of it ------------------------------------------------------------------------- */

/* The witness file becomes the variant that was followed: replaying it shows the same. */
static int save_variant(const struct trials *t, const struct witness_file *w, struct err *err)
{
    AUTO(str) struct str text = {0};
    if (t->made == 1 || !*t->f->witness)
        return 0;
    witness_file_print(w, &text);
    return file_write(t->f->witness, text.at, text.len, err);
}

/* A few times the steps of the recorded run are enough for most; a run that followed the
 * witness and has spent them may still come to its end, and gets as many as any run. */
static int follow(const struct trials *t, const struct witness_file *w, const char *directory,
                  struct run_guided *out, struct err *err)
{
    struct run_opts run = t->o->run;
    bool is_short = t->o->steps_first > 0 && t->o->steps_first < run.steps_max;
    run.gives_up = true;
    if (is_short)
        run.steps_max = t->o->steps_first;
    if (run_make_directory(directory, err) < 0 ||
        run_witness(out, w, t->o->argv, directory, &run, err) < 0)
        return -1;
    bool is_spent = out->followed && out->result.outcome == WORD_VALUE(OUTCOME, HANG) &&
                    !out->result.is_late;
    if (!is_short || !is_spent || run_signal())
        return 0;
    run_guided_done(out);
    *out = (struct run_guided){0};
    run.steps_max = t->o->run.steps_max;
    run_clear(directory);
    return run_witness(out, w, t->o->argv, directory, &run, err);
}

static int try_variant(struct trials *t, const struct witness_file *w, struct err *err)
{
    AUTO(str) struct str directory = {0};
    struct run_guided g = {0};
    struct finding *f = t->f;
    int result = 0;
    str_add(&directory, "%s/%s-%u", t->o->store, f->id, ++t->made);
    run_remove(directory.at);
    if (follow(t, w, directory.at, &g, err) < 0)
        return -1;
    if (t->o->unseen)
        *t->o->unseen += run_spins_unseen(&g.result);
    if (g.result.outcome == WORD_VALUE(OUTCOME, CUT) && run_signal())
        g.followed = false; /* nobody knows how it would have ended */
    struct trial trial = {.ends = "", .only = ""};
    if (g.followed)
        trial = judge(&g, t->o, directory.at, t->mem);
    bool is_other = !is_about_it(t, w, &g, directory.at);
    trial.followed = !is_other && proves(t, w, &g, directory.at);
    t->proved += trial.followed;
    if (trial.followed && (!t->best->len || trial.harm > f->harm)) {
        tell(f, &trial);
        t->shown.lines.len = w->lines.len;
        memcpy(t->shown.lines.at, w->lines.at, w->lines.len * sizeof *w->lines.at);
        t->best->len = 0;
        str_add(t->best, "%s", directory.at);
        result = save_variant(t, w, err);
    } else if (!f->is_confirmed && is_other) {
        f->doubt = "followed to its end, but there these steps act on different objects";
    } else if (!f->is_confirmed) {
        tell_doubt(t, &g);
    }
    run_guided_done(&g);
    return result;
}

static bool goes_on(const struct confirm_opts *o)
{
    return !run_signal() && !(o->unseen && *o->unseen >= o->unseen_max);
}

/* ---- is the harm of its doing? --------------------------------------------------------- */

/* Runs it once more; does it come to this harm? */
static int shows_harm(struct trials *t, const struct witness_file *w, bool *out,
                      struct err *err)
{
    AUTO(str) struct str directory = {0};
    struct run_guided g = {0};
    str_add(&directory, "%s/%s-control", t->o->store, t->f->id);
    run_remove(directory.at);
    if (follow(t, w, directory.at, &g, err) < 0)
        return -1;
    struct trial trial = {.ends = "", .only = ""};
    if (g.followed)
        trial = judge(&g, t->o, directory.at, t->mem);
    *out = g.followed && !run_unjudged(&g.result) && trial.harm == t->f->harm;
    run_guided_done(&g);
    run_remove(directory.at);
    return 0;
}

/* The run worth showing, once more from its log. */
static bool repeats(const struct trials *t)
{
    struct run_recorded r = {0};
    struct err ignored;
    if (run_recorded_read(&r, t->best->at, &ignored) < 0)
        return false;
    bool same = run_ends_again(t->best->at, &r.outcome, &t->o->run, !t->o->run.in);
    run_recorded_done(&r);
    return same;
}

static void take_harm_back(struct trials *t, const char *why)
{
    AUTO(str) struct str ends = {0};
    str_add(&ends, "%s; %s", t->f->ends, why);
    t->f->harm = HARM_NONE;
    t->f->ends = arena_text(t->mem, ends.at, ends.len);
}

/* It comes again, and does not come the other way round. A thread that is stuck has said all
 * there is to say. */
static int control(struct trials *t, struct err *err)
{
    struct witness_file other = t->shown;
    bool again = true, anyway = false;
    enum harm harm = t->f->harm;
    if (!t->f->is_confirmed || harm == HARM_NONE || harm == HARM_DEADLOCK)
        return 0;
    if (!run_signal() && shows_harm(t, &t->shown, &again, err) < 0)
        return -1;

    other.lines.at = ARENA_NEW(t->mem, struct witness_line, t->shown.lines.len);
    if (again && !run_signal() && control_turn_round(&other, &t->shown) &&
        shows_harm(t, &other, &anyway, err) < 0)
        return -1;
    if (run_signal())
        take_harm_back(t, "stopped early before it was followed again");
    else if (!again)
        take_harm_back(t, "not so when it was followed again");
    else if (anyway)
        take_harm_back(t, "it does the same the other way round");
    return 0;
}

/* A live client does not repeat itself: the run that did harm must, from its own log; and how
 * often it came is told. */
static void tell_client(struct trials *t)
{
    AUTO(str) struct str text = {0};
    if (!run_has_client(&t->o->run) || !t->f->is_confirmed || run_signal())
        return;
    if (t->f->harm != HARM_NONE && !repeats(t))
        take_harm_back(t, "not so when that run was replayed");
    str_add(&text, "%s%s", t->f->only, *t->f->only ? ", and " : "");
    str_add(&text, "with a live client; %u of %u runs", t->proved, t->made);
    t->f->only = arena_text(t->mem, text.at, text.len);
}

int confirm(struct finding *f, const struct witness_file *w, const struct confirm_opts *opts,
            struct arena *mem, struct str *best, struct err *err)
{
    struct witness_file variant = *w; /* the lines are ours to turn, the rest is shared */
    struct trials t = {.f = f, .o = opts, .mem = mem, .best = best};
    variant.lines.at = ARENA_NEW(mem, struct witness_line, w->lines.len);
    t.shown = *w;
    t.shown.lines.at = ARENA_NEW(mem, struct witness_line, w->lines.len);
    if (!goes_on(opts) && !run_signal())
        f->doubt =
            "not followed: a thread waits in a loop for something that Heddle does not see";
    uint32_t trials_max = opts->is_guess ? GUESS_TRIALS_MAX : TRIALS_MAX;
    best->len = 0;
    str_add(best, "%s", "");
    for (enum asks asks = ASKS_ALL; asks < ASKS_COUNT && !f->is_confirmed; asks++) {
        if (!choose_lines(&variant, w, asks) && asks != ASKS_ALL)
            continue;
        uint32_t orders = order_count(&variant);
        for (uint32_t i = 0; i < orders && t.made < trials_max && goes_on(opts); i++) {
            if (try_variant(&t, &variant, err) < 0)
                return -1;
            rotate(&variant);
        }
    }
    for (uint32_t i = 0; f->pattern == PATTERN_DOUBLE_FREE && !f->is_confirmed &&
                         goes_on(opts) && t.made < TRIALS_MAX && choose_alone(&variant, w, i);
         i++)
        if (try_variant(&t, &variant, err) < 0)
            return -1;
    int result = control(&t, err);
    tell_client(&t);
    return result;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * stuck: what a run that ended in a deadlock is about: where its threads wait, and who took
 * what they wait for; for a condition, the last signal before, which nobody heard. */
#include "verify/judge.h"

#include <stdlib.h>

enum { STUCK_MAX = 8 };

/* An event that the end is about. */
struct event {
    uint64_t number;
    uint32_t site;
};

/* What a thread waits for, if it does. */
struct waiting {
    uint64_t addr;
    struct event since;
    bool is_waiting, is_condition;
};

struct stuck {
    VEC(struct waiting) threads;
    VEC(struct event) events; /* that the maps name */
    struct map taken;         /* address of a lock -> the acquire that is not given back */
    struct map signaled;      /* address of a condition -> the last signal */
};

static void wait_for(struct stuck *s, const struct ev *e, uint64_t number)
{
    while (s->threads.len <= e->thr)
        vec_push(&s->threads, (struct waiting){0});
    struct waiting *w = &s->threads.at[e->thr];
    bool is_wait = e->kind == EV_REQUEST || e->kind == EV_WAIT_ENTER;
    bool is_its_release = w->is_waiting && e->kind == EV_RELEASE; /* part of a condition wait */
    if (is_wait)
        *w = (struct waiting){e->addr, {number, e->site}, true, e->kind == EV_WAIT_ENTER};
    else if (!is_its_release)
        w->is_waiting = false;
}

static void note(struct stuck *s, struct map *at, const struct ev *e, uint64_t number)
{
    *map_at(at, e->addr) = s->events.len;
    vec_push(&s->events, (struct event){number, e->site});
}

static void meet(struct stuck *s, const struct ev *e, uint64_t number)
{
    wait_for(s, e, number);
    if (e->kind == EV_ACQUIRE)
        note(s, &s->taken, e, number);
    else if (e->kind == EV_RELEASE && e->number == 0)
        *map_at(&s->taken, e->addr) = NONE;
    else if (e->kind == EV_SIGNAL || e->kind == EV_BROADCAST)
        note(s, &s->signaled, e, number);
}

/* What a thread waits for was done there; NONE: nowhere. */
static uint32_t cause_of(const struct stuck *s, const struct waiting *w)
{
    return map_find(w->is_condition ? &s->signaled : &s->taken, w->addr);
}

static int by_number(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void list(const struct stuck *s, verify_steps *out)
{
    for (uint32_t i = 0; i < s->threads.len && out->len + 2 <= STUCK_MAX; i++) {
        const struct waiting *w = &s->threads.at[i];
        if (!w->is_waiting)
            continue;
        uint32_t cause = cause_of(s, w);
        vec_push(out, w->since.number);
        if (cause != NONE)
            vec_push(out, s->events.at[cause].number);
    }
    if (out->len > 1)
        qsort(out->at, out->len, sizeof *out->at, by_number);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < out->len; i++)
        if (kept == 0 || out->at[kept - 1] != out->at[i])
            out->at[kept++] = out->at[i];
    out->len = kept;
}

static void add_place(struct str *out, const struct trace *t, const struct event *e)
{
    const struct def_site *site = &t->sites.at[e->site];
    struct text file = text_base_name((struct text){site->file.at, site->file.len});
    str_add(out, "%.*s:%u", TEXT_ARG(file), site->line);
}

/* A wait that nobody ends is told before locks: who holds one waits for the signal too. */
static void tell_missing(const struct stuck *s, const struct trace *t, struct str *out)
{
    uint32_t locks = 0;
    for (uint32_t i = 0; i < s->threads.len; i++) {
        const struct waiting *w = &s->threads.at[i];
        uint32_t cause = cause_of(s, w);
        locks += w->is_waiting && !w->is_condition && cause != NONE;
        if (!w->is_waiting || !w->is_condition)
            continue;
        str_add(out, "a signal for the wait at ");
        add_place(out, t, &w->since);
        if (cause != NONE && s->events.at[cause].number < w->since.number) {
            str_add(out, "; the one at ");
            add_place(out, t, &s->events.at[cause]);
            str_add(out, " came before it");
        } else if (cause != NONE) {
            str_add(out, "; the one at ");
            add_place(out, t, &s->events.at[cause]);
            str_add(out, " woke somebody else, or the wait was entered again");
        }
        return;
    }
    if (locks > 1)
        str_add(out, "one order in which all threads take these locks");
}

void stuck_tell(verify_steps *steps, struct str *missing, const char *directory)
{
    AUTO(trace) struct trace t = {0};
    struct stuck s = {0};
    struct ev e;
    struct err ignored;
    int item;
    if (trace_open_in(&t, directory, &ignored) < 0)
        return;
    struct trace_cursor *c = mem_get(sizeof *c);
    cursor_init(c, &t);
    while ((item = trace_next(c, &e, &ignored)) > ITEM_END)
        if (item == ITEM_EVENT)
            meet(&s, &e, c->number - 1);
    if (item == ITEM_END) {
        list(&s, steps);
        tell_missing(&s, &t, missing);
    }
    free(c);
    vec_done(&s.threads);
    vec_done(&s.events);
    map_done(&s.taken);
    map_done(&s.signaled);
}

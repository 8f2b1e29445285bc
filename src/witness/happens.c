/* SPDX-License-Identifier: Apache-2.0
 *
 * happens: does C11's happens-before order two events of an execution? From the first one on,
 * the machine keeps account of who knows of it: its thread, and whoever gets it from there by
 * the release of a lock, a release store that an acquire load sees, and so on. If the second
 * one's thread knows, they are ordered.
 *
 * Beside what C11 says, everything that POSIX calls synchronising counts: semaphores,
 * barriers, signals of conditions. That errs on the side of order. */
#include "witness/happens.h"

#include <stdlib.h>

static bool acquires(uint8_t order)
{
    return order != WORD_VALUE(ORDER, RELAXED) && order != WORD_VALUE(ORDER, RELEASE);
}

static bool releases(uint8_t order)
{
    return order >= WORD_VALUE(ORDER, RELEASE);
}

static void learn(struct checker *c, uint32_t *at, uint32_t known)
{
    if (known && !*at)
        machine_put(c, at, 1);
}

/* An update continues what a release began; so does a store by the same thread. */
static void access_place(struct checker *c, const struct step *s, uint32_t place)
{
    struct happens *h = &c->happens;
    uint32_t *carried = &h->by_place[place];
    if (s->atomic && s->reads)
        learn(c, acquires(s->order) ? &h->knows[s->thr] : &h->heard[s->thr], *carried);
    if (!s->writes)
        return;
    uint32_t gives = releases(s->order) ? h->knows[s->thr] : h->fenced[s->thr];
    bool goes_on = s->reads || (*carried && step_of(c, c->memory[place])->thr == s->thr);
    uint32_t now = s->atomic ? gives | (goes_on ? *carried : 0) : 0;
    if (now != *carried)
        machine_put(c, carried, now);
}

static void fence(struct checker *c, const struct step *s)
{
    struct happens *h = &c->happens;
    if (acquires(s->order))
        learn(c, &h->knows[s->thr], h->heard[s->thr]);
    if (releases(s->order))
        learn(c, &h->fenced[s->thr], h->knows[s->thr]);
}

static void pass_on(struct checker *c, const struct step *s)
{
    struct happens *h = &c->happens;
    uint32_t *knows = &h->knows[s->thr];
    switch (s->op) {
    case STEP_MEMORY:
        for (uint32_t i = s->first; i < s->first + s->count; i++)
            access_place(c, s, c->bytes.at[i]);
        return;
    case STEP_FENCE:
        fence(c, s);
        return;
    case STEP_CREATE:
        learn(c, &h->knows[s->obj], *knows);
        return;
    case STEP_JOIN:
        learn(c, knows, h->knows[s->obj]);
        return;
    default:
        break;
    }
    if (s->gets)
        learn(c, knows, h->by_object[s->obj] | (s->shared ? 0 : h->by_reader[s->obj]));
    if (s->gives)
        learn(c, s->shared ? &h->by_reader[s->obj] : &h->by_object[s->obj], *knows);
}

void happens_step(struct checker *c, step_id id)
{
    struct happens *h = &c->happens;
    const struct step *s = step_of(c, id);
    if (id == h->asked[0] || id == h->asked[1]) {
        if (h->began && h->knows[s->thr])
            machine_put(c, &h->ordered, 1);
        machine_put(c, &h->began, 1);
        learn(c, &h->knows[s->thr], 1);
    }
    if (h->began)
        pass_on(c, s);
}

static uint32_t *account(uint32_t count)
{
    uint32_t *a = calloc(count + 1, sizeof *a);
    CHECK(a);
    return a;
}

void happens_begin(struct checker *c, step_id a, step_id b)
{
    struct happens *h = &c->happens;
    if (!h->knows) {
        h->knows = account(c->thread_count);
        h->heard = account(c->thread_count);
        h->fenced = account(c->thread_count);
        h->by_object = account(c->start_level.len);
        h->by_reader = account(c->start_level.len);
        h->by_place = account(c->place_count);
    }
    h->asked[0] = a;
    h->asked[1] = b;
}

void happens_end(struct checker *c)
{
    c->happens.asked[0] = c->happens.asked[1] = NONE;
}

void happens_done(struct happens *h)
{
    void *parts[] = {h->knows, h->heard, h->fenced, h->by_object, h->by_reader, h->by_place};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
}

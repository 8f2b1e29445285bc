/* SPDX-License-Identifier: Apache-2.0
 *
 * waiting: the threads that could not go on when a run ended, read from its outcome, and how
 * people are told of them. */
#include "run/parts.h"

#include <string.h>

/* ---- reading ---------------------------------------------------------------------------- */

static const char *keep(struct run_result *r, const char *text)
{
    return arena_text(&r->mem, text, strlen(text));
}

void waiting_read(struct run_result *r, const struct log_entry *e)
{
    struct log_wait_said said = log_wait_said(e);
    const struct run_stand at = {keep(r, said.file), keep(r, said.function), e->head.thr,
                                 said.head.line};
    if (e->head.tag == TAG_HOLDER) {
        CHECK(r->waits.len > 0);
        vec_push(&r->holders, (struct run_holder){at, said.head.number != 0});
        r->waits.at[r->waits.len - 1].holder_count++;
        return;
    }
    vec_push(&r->waits, (struct run_wait){.at = at,
                                          .kind = (uint8_t)e->head.ordinal,
                                          .name = keep(r, said.name),
                                          .object = said.head.object,
                                          .number = said.head.number,
                                          .of = said.head.of,
                                          .holder_first = r->holders.len});
}

/* ---- circles ---------------------------------------------------------------------------- */

static const struct run_wait *wait_of(const struct run_result *r, uint32_t thread)
{
    for (uint32_t i = 0; i < r->waits.len; i++)
        if (r->waits.at[i].at.thread == thread)
            return &r->waits.at[i];
    return NULL;
}

/* One who has to do something before it can go on, itself only if it is the only one; NONE:
 * that is nobody in particular. */
static uint32_t waits_for(const struct run_result *r, const struct run_wait *w)
{
    if (w->kind == WORD_VALUE(WAITS, JOIN))
        return w->number;
    for (uint32_t i = 0; i < w->holder_count; i++) {
        uint32_t holder = r->holders.at[w->holder_first + i].at.thread;
        if (holder != w->at.thread || i + 1 == w->holder_count)
            return holder;
    }
    return NONE;
}

static bool is_in_circle(const struct run_result *r, const struct run_wait *w)
{
    const struct run_wait *at = w;
    for (uint32_t i = 0; at && i < r->waits.len; i++) {
        uint32_t next = waits_for(r, at);
        at = next == NONE ? NULL : wait_of(r, next);
        if (at == w)
            return true;
    }
    return false;
}

static void say_circle(struct str *out, const struct run_result *r)
{
    const struct run_wait *first = NULL;
    for (uint32_t i = 0; i < r->waits.len && !first; i++)
        if (is_in_circle(r, &r->waits.at[i]))
            first = &r->waits.at[i];
    if (!first)
        return;
    str_add(out, "cycle: ");
    const struct run_wait *at = first;
    do {
        str_add(out, "T%u waits for ", at->at.thread);
        at = wait_of(r, waits_for(r, at));
        CHECK(at);
    } while (at != first);
    str_add(out, "T%u\n", first->at.thread);
}

/* ---- words ------------------------------------------------------------------------------ */

static void say_stand(struct str *out, const struct run_stand *at)
{
    if (!*at->file) {
        str_char(out, '?');
        return;
    }
    str_add(out, "%s:%u", at->file, at->line);
    if (*at->function)
        str_add(out, " (%s)", at->function);
}

static void say_descriptor(struct str *out, const struct run_wait *w)
{
    if (w->of > 1)
        str_add(out, "one of %u file descriptors", w->of);
    else
        str_add(out, "file descriptor %u%s", w->number,
                w->number == 0 ? " (standard input)" : "");
}

void run_wait_object(struct str *out, const struct run_wait *w)
{
    switch (w->kind + WAITS_FIRST) {
    case WAITS_OUTSIDE:
        str_add(out, "%s", w->name);
        break;
    case WAITS_DESCRIPTOR:
        say_descriptor(out, w);
        break;
    case WAITS_JOIN:
        str_add(out, "%s", word_text(WAITS_FIRST, w->kind));
        if (w->number != NO_ID)
            str_add(out, " T%u", w->number);
        break;
    default:
        str_add(out, "%s%s%s", word_text(WAITS_FIRST, w->kind), *w->name ? " " : "", w->name);
        break;
    }
}

void run_wait_held(struct str *out, const struct run_result *r, const struct run_wait *w)
{
    for (uint32_t i = 0; i < w->holder_count; i++) {
        const struct run_holder *h = &r->holders.at[w->holder_first + i];
        str_add(out, "%sheld by T%u%s since ", i ? ", " : "", h->at.thread,
                h->has_ended ? " (ended)" : "");
        say_stand(out, &h->at);
    }
    if (w->kind == WORD_VALUE(WAITS, BARRIER))
        str_add(out, "%u of %u there", w->number, w->of);
}

static void say_wait(struct str *out, const struct run_result *r, const struct run_wait *w)
{
    AUTO(str) struct str held = {0};
    bool spins = run_wait_spins(w);
    str_add(out, "T%u %s at ", w->at.thread, spins ? "spins" : "waits");
    say_stand(out, &w->at);
    if (!spins) {
        str_add(out, " for ");
        run_wait_object(out, w);
        if (w->object && !*w->name)
            str_add(out, " 0x%llx", (unsigned long long)w->object);
        run_wait_held(&held, r, w);
        if (held.len)
            str_add(out, ", %s", held.at);
    }
    str_char(out, '\n');
}

void run_waits_say(struct str *out, const struct run_result *r)
{
    say_circle(out, r);
    for (uint32_t i = 0; i < r->waits.len; i++)
        say_wait(out, r, &r->waits.at[i]);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * waits: who waits for what, who holds it and since where, in words, and whether some threads
 * wait for each other in a circle. */
#include "rt/rt.h"

static const char *wait_word(enum wait_how how)
{
    static const char *const words[] = {
        [WAIT_NONE] = "nothing",     [WAIT_MUTEX] = "mutex",     [WAIT_READ] = "read lock",
        [WAIT_WRITE] = "write lock", [WAIT_SPIN] = "spin lock",  [WAIT_COND] = "condition",
        [WAIT_SEM] = "semaphore",    [WAIT_BARRIER] = "barrier", [WAIT_ONCE] = "once routine",
        [WAIT_FUTEX] = "futex",      [WAIT_JOIN] = "the end of", [WAIT_SLEEP] = "time",
    };
    return words[how];
}

static void put_holder(struct text *text, const struct thr *holder,
                       const struct __heddle_site *since)
{
    text_put(text, ", held by ");
    text_thread(text, holder);
    if (holder->state == THR_EXITED)
        text_put(text, " (ended)");
    text_put(text, " since ");
    text_site(text, since);
}

static const struct thr *joined_by(const struct thr *t)
{
    for (uint32_t i = 0; i < rt.thread_count; i++)
        if (rt.threads[i].joiner == t)
            return &rt.threads[i];
    return NULL;
}

/* What of the world. Without descriptors only a signal ends it. */
static void put_outside(struct text *text, const struct thr *t)
{
    if (t->wait_test) {
        text_put(text, t->wait_word);
    } else if (t->wait_fd_count == 0) {
        text_put(text, "a signal");
    } else if (t->wait_fd_count == 1) {
        text_put(text, "file descriptor ");
        text_number(text, (uint64_t)t->wait_fds[0].fd);
        if (t->wait_fds[0].fd == 0)
            text_put(text, " (standard input)");
    } else {
        text_put(text, "one of ");
        text_number(text, t->wait_fd_count);
        text_put(text, " file descriptors");
    }
}

static void put_wait(struct text *text, const struct thr *t)
{
    const struct obj *o = t->wait_obj;
    const struct thr *joined = t->wait_how == WAIT_JOIN ? joined_by(t) : NULL;
    text_put(text, "\n");
    text_thread(text, t);
    text_put(text, t->state == THR_SPINNING ? " spins at " : " waits at ");
    text_site(text, t->state == THR_SPINNING ? t->at.site : t->wait_site);
    if (t->state == THR_SPINNING)
        return;
    text_put(text, " for ");
    if (t->wait_how == WAIT_FD)
        put_outside(text, t);
    else
        text_put(text, wait_word(t->wait_how));
    if (joined) {
        text_put(text, " ");
        text_thread(text, joined);
    }
    if (!o)
        return;
    text_put(text, " ");
    text_address(text, o->addr);
    if (o->owner != NO_ID)
        put_holder(text, &rt.threads[o->owner], o->since);
    for (uint32_t i = o->reader_head; i != NO_ID; i = rt.reads[i].next)
        put_holder(text, rt.reads[i].thr, rt.reads[i].since);
    if (t->wait_how == WAIT_BARRIER) {
        text_put(text, ", ");
        text_number(text, o->arrived);
        text_put(text, " of ");
        text_number(text, o->need);
        text_put(text, " there");
    }
}

/* ---- circles ------------------------------------------------------------------------- */

/* One that has to do something before t can go on; null if that is nobody in particular. */
static const struct thr *waits_for(const struct thr *t)
{
    const struct obj *o = t->wait_obj;
    if (t->state != THR_BLOCKED)
        return NULL;
    if (t->wait_how == WAIT_JOIN)
        return joined_by(t);
    if (!o || t->wait_how == WAIT_COND || t->wait_how == WAIT_SEM ||
        t->wait_how == WAIT_BARRIER || t->wait_how == WAIT_FUTEX)
        return NULL;
    if (o->owner != NO_ID)
        return &rt.threads[o->owner];
    uint32_t i = o->reader_head;
    while (i != NO_ID && rt.reads[i].thr == t && rt.reads[i].next != NO_ID)
        i = rt.reads[i].next; /* one that is not t itself, if there is one */
    return i != NO_ID ? rt.reads[i].thr : NULL;
}

/* Does the way from t lead back to it? */
static bool is_in_circle(const struct thr *t)
{
    const struct thr *at = t;
    for (uint32_t i = 0; at && i < rt.thread_count; i++) {
        at = waits_for(at);
        if (at == t)
            return true;
    }
    return false;
}

static void put_circle(struct text *text)
{
    const struct thr *first = NULL;
    for (uint32_t i = 0; i < rt.thread_count && !first; i++)
        if (is_in_circle(&rt.threads[i]))
            first = &rt.threads[i];
    if (!first)
        return;
    text_put(text, "\ncycle: ");
    const struct thr *at = first;
    do {
        text_thread(text, at);
        text_put(text, " waits for ");
        at = waits_for(at);
    } while (at != first);
    text_thread(text, first);
}

void waits_put(struct text *text)
{
    put_circle(text);
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        enum thr_state state = rt.threads[i].state;
        if (state == THR_BLOCKED || state == THR_SPINNING)
            put_wait(text, &rt.threads[i]);
    }
}

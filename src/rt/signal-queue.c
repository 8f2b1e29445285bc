/* SPDX-License-Identifier: Apache-2.0
 *
 * signal-queue: signals of real time do not merge. Each waits here, with what it says, until
 * the one of its number before it was taken; hook-signal makes one of a number pending at a
 * time. Added to from handlers of the kernel's signals, at any moment and in any thread; taken
 * from by who has the token. */
#include "rt/rt.h"

enum { FREE, FILLING, FILLED };

bool signal_is_queued(int signal)
{
    return signal >= SIGRTMIN;
}

bool signal_queue_add(const struct queued *from)
{
    CHECK(signal_is_queued(from->signal) && from->signal <= 64);
    for (uint32_t i = 0; i < QUEUED_MAX; i++) {
        struct queued *q = &rt.queued[i];
        uint32_t state = FREE;
        if (!__atomic_compare_exchange_n(&q->state, &state, FILLING, false, __ATOMIC_SEQ_CST,
                                         __ATOMIC_SEQ_CST))
            continue;
        q->signal = from->signal;
        q->to = from->to;
        q->arrived = from->arrived;
        q->by = from->by;
        q->info = from->info;
        q->order = __atomic_add_fetch(&rt.queued_order, 1, __ATOMIC_SEQ_CST);
        __atomic_store_n(&q->state, FILLED, __ATOMIC_SEQ_CST);
        __atomic_add_fetch(&rt.queued_count, 1, __ATOMIC_SEQ_CST);
        return true;
    }
    return false;
}

/* The oldest that may become pending. */
bool signal_queue_take(bool (*may)(const struct queued *), struct queued *out)
{
    struct queued *best = NULL;
    for (uint32_t i = 0; i < QUEUED_MAX; i++) {
        struct queued *q = &rt.queued[i];
        if (__atomic_load_n(&q->state, __ATOMIC_SEQ_CST) == FILLED &&
            (!best || q->order < best->order) && may(q))
            best = q;
    }
    if (!best)
        return false;
    CHECK(best->to == NO_ID || best->to < rt.thread_count);
    *out = *best;
    __atomic_sub_fetch(&rt.queued_count, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&best->state, FREE, __ATOMIC_SEQ_CST);
    return true;
}

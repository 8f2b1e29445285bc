/* SPDX-License-Identifier: Apache-2.0
 *
 * weak-x86: with --weak=x86 only what store buffers can do. A store that is neither seq_cst nor
 * a read-modify-write may stay in the buffer of its thread for a while; others read what was
 * there before as long as they could not have noticed it. When that is over is not chosen:
 * a store has left the buffer once somebody else has read it, or one that left behind it, or
 * its thread has written plain memory, where nothing is held back. So
 * a load may take an older store if all newer ones are still in buffers of other threads.
 *
 * Stores leave in the order in which they were executed, for one that is older in execution
 * order never waits for one that is newer: that loses what needs another modification order. */
#include "rt/weak.h"

static bool is_buffered(const struct weak_store *s)
{
    return s->number > weak_of(&rt.threads[s->thr])->left;
}

/* All up to this one of that thread have left its buffer, and before them what is older in
 * their objects. */
static void leave_buffer(thr_id thr, uint64_t number)
{
    struct weak_thr *w = weak_of(&rt.threads[thr]);
    while (w->left < number) {
        struct weak_buffered *b = &w->buffer[++w->left % WEAK_BUFFER];
        const struct weak_loc *x = &rt.weak.locs[b->loc];
        const struct weak_store *s = weak_stores(x);
        for (uint32_t i = 0; i < x->len && s[i].rank < b->rank; i++)
            if (is_buffered(&s[i]))
                leave_buffer(s[i].thr, s[i].number);
    }
}

void x86_flush(struct thr *t)
{
    leave_buffer(t->id, weak_of(t)->stored);
}

/* What it reads is in memory, or in its own buffer. */
void x86_read(struct thr *t, const struct weak_store *m)
{
    if (m->thr != t->id && is_buffered(m))
        leave_buffer(m->thr, m->number);
}

/* May a load pass over this store? */
bool x86_may_miss(const struct thr *t, const struct weak_store *s)
{
    return s->thr != t->id && is_buffered(s);
}

void x86_stored(struct thr *t, uint32_t loc, struct weak_store *s, bool is_strong)
{
    struct weak_thr *w = weak_of(t);
    if (w->stored - w->left >= WEAK_BUFFER - 1)
        leave_buffer(t->id, w->left + 1);
    s->thr = t->id;
    s->number = ++w->stored;
    w->buffer[s->number % WEAK_BUFFER] = (struct weak_buffered){loc, s->rank};
    if (is_strong)
        x86_flush(t);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * tiny: random small traces. A scheduler lets random threads do random things that are
 * possible, so the result is an execution: locks need not nest, threads may be forked and
 * joined, may wait, may stop anywhere. */
#include "oracle.h"

#include <string.h>

enum { FRESH, READY, RUNNING, WAITING, OVER };

struct maker {
    struct tiny *t;
    struct rng *rng;
    int state[THREADS_CAP];
    int owner[LOCKS_CAP], acquire[LOCKS_CAP];
    int last[VARS_CAP];
    int wait_cond[THREADS_CAP], wait_lock[THREADS_CAP], wait_pre[THREADS_CAP];
    int notify[THREADS_CAP]; /* -1: not woken yet */
    int queue[THREADS_CAP], queue_len;
    int vars, locks, conds;
    bool forks, waits, branches;
};

static int below(struct maker *m, int n)
{
    return (int)rng_below(m->rng, (uint32_t)n);
}

static int put(struct maker *m, int thr, enum op op, int obj)
{
    struct tiny *t = m->t;
    int e = t->len++;
    t->ev[e] = (struct event){op, thr, obj, t->count[thr], -1, -1, -1, -1};
    t->at[thr][t->count[thr]++] = e;
    return e;
}

static void put_acquire(struct maker *m, int thr, int lock)
{
    m->owner[lock] = thr;
    m->acquire[lock] = put(m, thr, OP_ACQ, lock);
}

static void put_release(struct maker *m, int thr, int lock)
{
    int e = put(m, thr, OP_REL, lock), a = m->acquire[lock];
    m->t->ev[e].match = a;
    m->t->ev[a].match = e;
    m->owner[lock] = -1;
}

static void do_wait(struct maker *m, int thr, int lock)
{
    int cond = below(m, m->conds);
    m->wait_pre[thr] = put(m, thr, OP_WAIT_PRE, cond);
    put_release(m, thr, lock);
    m->wait_cond[thr] = cond;
    m->wait_lock[thr] = lock;
    m->notify[thr] = -1;
    m->state[thr] = WAITING;
    m->queue[m->queue_len++] = thr;
}

static void unqueue(struct maker *m, int at)
{
    memmove(m->queue + at, m->queue + at + 1,
            (size_t)(m->queue_len - at - 1) * sizeof *m->queue);
    m->queue_len--;
}

static void do_notify(struct maker *m, int thr, int cond, bool all)
{
    int e = put(m, thr, all ? OP_NOTIFYALL : OP_NOTIFY, cond);
    for (int i = 0; i < m->queue_len;) {
        if (m->wait_cond[m->queue[i]] != cond) {
            i++;
            continue;
        }
        m->notify[m->queue[i]] = e;
        unqueue(m, i);
        if (!all)
            return;
    }
}

/* The end of a wait: after a notification, or now and then without. */
static void try_wake(struct maker *m, int thr)
{
    int lock = m->wait_lock[thr];
    if (m->owner[lock] >= 0 || (m->notify[thr] < 0 && below(m, 12) > 0))
        return;
    for (int i = 0; i < m->queue_len; i++)
        if (m->queue[i] == thr) {
            unqueue(m, i);
            break;
        }
    put_acquire(m, thr, lock);
    struct event *a = &m->t->ev[m->acquire[lock]];
    if (m->notify[thr] >= 0) {
        a->pre = m->wait_pre[thr];
        a->notify = m->notify[thr];
    }
    put(m, thr, OP_WAIT_POST, m->wait_cond[thr]);
    m->state[thr] = RUNNING;
}

static void do_access(struct maker *m, int thr)
{
    int x = below(m, m->vars);
    bool write = below(m, 2);
    int e = put(m, thr, write ? OP_W : OP_R, x);
    if (write)
        m->last[x] = e;
    else
        m->t->ev[e].obs = m->last[x];
}

static void do_lock(struct maker *m, int thr)
{
    int lock = below(m, m->locks);
    if (m->owner[lock] == -1)
        put_acquire(m, thr, lock);
    else if (m->owner[lock] == thr && m->waits && below(m, 3) == 0)
        do_wait(m, thr, lock);
    else if (m->owner[lock] == thr)
        put_release(m, thr, lock);
}

static void do_thread(struct maker *m, int thr)
{
    int other = below(m, m->t->threads);
    if (m->state[other] == FRESH) {
        m->t->fork[other] = put(m, thr, OP_FORK, other);
        m->state[other] = READY;
    } else if (other != thr && m->t->fork[other] >= 0 && m->state[other] != WAITING) {
        m->state[other] = OVER;
        put(m, thr, OP_JOIN, other);
    }
}

static void act(struct maker *m, int thr)
{
    if (m->state[thr] == FRESH || m->state[thr] == OVER)
        return;
    if (m->state[thr] == WAITING) {
        try_wake(m, thr);
        return;
    }
    int what = below(m, 16);
    if (what < 7)
        do_access(m, thr);
    else if (what < 12)
        do_lock(m, thr);
    else if (what < 14 && m->branches)
        put(m, thr, OP_BR, 0);
    else if (what == 14 && m->forks)
        do_thread(m, thr);
    else if (what == 15 && m->waits)
        do_notify(m, thr, below(m, m->conds), below(m, 3) == 0);
}

void tiny_make(struct tiny *t, struct rng *rng, int threads, int want)
{
    memset(t, 0, sizeof *t);
    t->threads = threads;
    struct maker m = {.t = t, .rng = rng};
    m.vars = 1 + below(&m, VARS_CAP);
    m.locks = 1 + below(&m, LOCKS_CAP);
    m.conds = 1 + below(&m, CONDS_CAP);
    m.forks = below(&m, 2);
    m.waits = below(&m, 2);
    m.branches = below(&m, 3) > 0;
    memset(m.owner, 0xff, sizeof m.owner);
    memset(m.last, 0xff, sizeof m.last);
    memset(t->fork, 0xff, sizeof t->fork);
    for (int i = 1; i < threads; i++)
        m.state[i] = m.forks && below(&m, 2) ? FRESH : READY;
    m.state[0] = READY;
    for (int tries = 0; tries < 40 * want && t->len < want; tries++)
        act(&m, below(&m, threads));
}

void tiny_print(const struct tiny *t, struct str *out)
{
    static const char *const names[] = {"r",         "w",      "acq",      "rel",
                                        "br",        "fork",   "join",     "wait_pre",
                                        "wait_post", "notify", "notifyall"};
    static const char letters[] = "VVLL TTCCCC";
    for (int i = 0; i < t->len; i++) {
        const struct event *e = &t->ev[i];
        if (e->op == OP_BR)
            str_add(out, "T%d|br|%d\n", e->thr, i + 1);
        else
            str_add(out, "T%d|%s(%c%d)|%d\n", e->thr, names[e->op], letters[e->op], e->obj,
                    i + 1);
    }
}

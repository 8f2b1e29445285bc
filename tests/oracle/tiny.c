/* SPDX-License-Identifier: Apache-2.0
 *
 * tiny: random small traces. A scheduler lets random threads do random things that are
 * possible, so the result is an execution: locks need not nest, threads may be forked and
 * joined, may wait, may stop anywhere. A trace in our own notation has some of the primitives
 * that our recorder knows, each with what its rules need. */
#include "oracle.h"

#include <errno.h>
#include <string.h>

enum { FRESH, READY, RUNNING, WAITING, AT_BARRIER, AT_FUTEX, OVER };

/* The primitives beside locks that a trace may have. */
enum {
    HAS_SHARED = 1,
    HAS_TRY = 2,
    HAS_SEMS = 4,
    HAS_BARRIER = 8,
    HAS_ONCE = 16,
    HAS_CHANNEL = 32,
    HAS_OUTSIDE = 64, /* input, handlers, external writes, cancellation */
    HAS_FUTEX = 128,
    HAS_THINGS = 256,
    HAS_ATOMICS = 512,
    HAS_PAUSES = 1024,
};

struct maker {
    struct tiny *t;
    struct rng *rng;
    int state[THREADS_CAP];
    int owner[LOCKS_CAP], readers[LOCKS_CAP];
    int acquire[LOCKS_CAP][THREADS_CAP]; /* under way, or -1 */
    int last[VARS_CAP];
    int wait_cond[THREADS_CAP], wait_lock[THREADS_CAP], wait_pre[THREADS_CAP];
    int notify[THREADS_CAP]; /* -1: not woken yet */
    int queue[THREADS_CAP], queue_len;
    int vars, locks, conds;
    bool forks, waits, branches;

    unsigned has; /* HAS_... */
    int level[SEMS_CAP];
    int crowd, round, arrived;                     /* barrier: how many it waits for */
    int arrives[THREADS_CAP], joined[THREADS_CAP]; /* of this round; by thread: its round */
    int opened[EVENTS_CAP];                        /* by round: who completed it */
    int openers[THREADS_CAP], opened_by;           /* who came before that */
    int runner, left, done;                        /* once: thread; last leave; good leave */
    int written, taken, last_write, last_read;     /* channel: positions, events */
    int write_end[EVENTS_CAP], write_by[EVENTS_CAP], writes;
    int input;                                   /* last one */
    int cancel[THREADS_CAP];                     /* asked for, not yet felt */
    int word[THREADS_CAP], request[THREADS_CAP]; /* futex */
    int heard[THINGS_CAP]; /* things of the system: the change to hear of, or -1 */
    bool paused;
    int resumed; /* the last end of a pause */
};

static int below(struct maker *m, int n)
{
    return (int)rng_below(m->rng, (uint32_t)n);
}

static void need(struct maker *m, int e, int other)
{
    struct event *x = &m->t->ev[e];
    if (other >= 0 && m->t->ev[other].thr != x->thr)
        x->need[x->needs++] = other;
}

/* After everything that has happened. */
static void need_all(struct maker *m, int e)
{
    for (int thr = 0; thr < m->t->threads; thr++)
        if (thr != m->t->ev[e].thr && m->t->count[thr] > 0)
            need(m, e, m->t->at[thr][m->t->count[thr] - 1]);
}

static int put(struct maker *m, int thr, enum op op, int obj)
{
    struct tiny *t = m->t;
    int e = t->len++;
    t->ev[e] = (struct event){
        .op = op, .thr = thr, .obj = obj, .obs = -1, .match = -1, .pre = -1, .notify = -1};
    t->ev[e].idx = t->count[thr];
    t->at[thr][t->count[thr]++] = e;
    if (m->has & HAS_OUTSIDE)
        need(m, e, m->cancel[thr]);
    m->cancel[thr] = -1;
    if (m->paused)
        need(m, e, e - 1);
    else if (m->resumed >= 0)
        need(m, e, m->resumed);
    return e;
}

static void put_acquire(struct maker *m, int thr, int lock, bool shared)
{
    int e = put(m, thr, OP_ACQ, lock);
    m->t->ev[e].shared = shared;
    m->acquire[lock][thr] = e;
    if (shared)
        m->readers[lock]++;
    else
        m->owner[lock] = thr;
}

static void put_release(struct maker *m, int thr, int lock)
{
    int e = put(m, thr, OP_REL, lock), a = m->acquire[lock][thr];
    m->t->ev[e].match = a;
    m->t->ev[a].match = e;
    m->t->ev[e].shared = m->t->ev[a].shared;
    if (m->t->ev[a].shared)
        m->readers[lock]--;
    else
        m->owner[lock] = -1;
    m->acquire[lock][thr] = -1;
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
    if (m->owner[lock] >= 0 || m->readers[lock] > 0 || (m->notify[thr] < 0 && below(m, 12) > 0))
        return;
    for (int i = 0; i < m->queue_len; i++)
        if (m->queue[i] == thr) {
            unqueue(m, i);
            break;
        }
    put_acquire(m, thr, lock, false);
    struct event *a = &m->t->ev[m->acquire[lock][thr]];
    if (m->notify[thr] >= 0) {
        a->pre = m->wait_pre[thr];
        a->notify = m->notify[thr];
    }
    int post = put(m, thr, OP_WAIT_POST, m->wait_cond[thr]);
    m->t->ev[post].number = m->notify[thr];
    m->state[thr] = RUNNING;
}

static void do_access(struct maker *m, int thr)
{
    int x = below(m, m->vars);
    bool write = below(m, 2);
    int e = put(m, thr, write ? OP_W : OP_R, x);
    static const int orders[2][3] = {{RELAXED, ACQUIRE, SEQ_CST}, {RELAXED, RELEASE, SEQ_CST}};
    if ((m->has & HAS_ATOMICS) && (x == 0 || below(m, 8) == 0)) {
        m->t->ev[e].atomic = true;
        m->t->ev[e].order = orders[write][below(m, 3)];
    }
    if (write)
        m->last[x] = e;
    else
        m->t->ev[e].obs = m->last[x];
}

static void do_lock(struct maker *m, int thr)
{
    int lock = below(m, m->locks);
    bool shared = (m->has & HAS_SHARED) && below(m, 2);
    bool taken = m->owner[lock] >= 0 || (!shared && m->readers[lock] > 0);
    if (m->acquire[lock][thr] < 0 && !taken)
        put_acquire(m, thr, lock, shared);
    else if (m->owner[lock] == thr && m->waits && below(m, 3) == 0)
        do_wait(m, thr, lock);
    else if (m->acquire[lock][thr] >= 0)
        put_release(m, thr, lock);
    else if (m->has & HAS_TRY)
        m->t->ev[put(m, thr, OP_TAKEN, lock)].shared = shared;
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

/* ---- other primitives ------------------------------------------------------------------ */

static void do_semaphore(struct maker *m, int thr)
{
    int sem = below(m, SEMS_CAP);
    enum op op = below(m, 2) ? OP_POST : m->level[sem] > 0 ? OP_TAKE : OP_EMPTY;
    if (op == OP_EMPTY && !(m->has & HAS_TRY))
        return;
    m->level[sem] += op == OP_POST ? 1 : op == OP_TAKE ? -1 : 0;
    m->t->ev[put(m, thr, op, sem)].number = m->level[sem];
}

/* Somebody saw that the last round is complete: whoever came last did so in any case. */
static void barrier_seen(struct maker *m)
{
    for (int i = 0; m->round > 0 && i < m->opened_by; i++)
        need(m, m->opened[m->round - 1], m->openers[i]);
    m->opened_by = 0;
}

static void do_arrive(struct maker *m, int thr)
{
    barrier_seen(m);
    int e = put(m, thr, OP_ARRIVE, 0);
    m->t->ev[e].number = m->round;
    if (m->round > 0)
        need(m, e, m->opened[m->round - 1]);
    m->arrives[m->arrived++] = e;
    m->joined[thr] = m->round;
    m->state[thr] = AT_BARRIER;
    if (m->arrived < m->crowd)
        return;
    m->opened_by = m->arrived - 1;
    memcpy(m->openers, m->arrives, sizeof m->arrives);
    m->opened[m->round++] = e;
    m->arrived = 0;
}

static void try_depart(struct maker *m, int thr)
{
    if (m->joined[thr] == m->round)
        return;
    barrier_seen(m);
    int e = put(m, thr, OP_DEPART, 0);
    m->t->ev[e].number = m->joined[thr];
    need(m, e, m->opened[m->joined[thr]]);
    m->state[thr] = RUNNING;
}

static void do_once(struct maker *m, int thr)
{
    if (m->runner == thr) {
        m->left = put(m, thr, OP_ONCE_LEAVE, 0);
        m->t->ev[m->left].failed = below(m, 4) == 0;
        if (!m->t->ev[m->left].failed)
            m->done = m->left;
        m->runner = -1;
    } else if (m->done >= 0) {
        need(m, put(m, thr, OP_ONCE_PASS, 0), m->done);
    } else if (m->runner < 0) {
        m->runner = thr;
        need(m, put(m, thr, OP_ONCE_ENTER, 0), m->left);
    }
}

static void do_channel(struct maker *m, int thr)
{
    int count = 1 + below(m, 2);
    if (below(m, 2)) {
        int e = put(m, thr, OP_CHANNEL_WRITE, count);
        m->t->ev[e].number = m->written;
        need(m, e, m->last_write);
        m->last_write = e;
        m->written += count;
        m->write_end[m->writes] = m->written;
        m->write_by[m->writes++] = e;
    } else if (m->taken + count <= m->written) {
        int e = put(m, thr, OP_CHANNEL_READ, count), i = 0;
        m->t->ev[e].number = m->taken;
        m->taken += count;
        while (m->write_end[i] < m->taken)
            i++;
        need(m, e, m->write_by[i]);
        need(m, e, m->last_read);
        m->last_read = e;
    }
}

static void do_thing(struct maker *m, int thr)
{
    int what = below(m, 4), x = below(m, THINGS_CAP);
    int e = put(m, thr, OP_CHANGE + what, x);
    m->t->ev[e].number = -1;
    if (what == 0)
        m->heard[x] = e;
    for (int by = 0; what == OP_SUM - OP_CHANGE && by < m->t->threads; by++)
        for (int i = m->t->count[by]; i-- > 0;)
            if (m->t->ev[m->t->at[by][i]].op == OP_CHANGE &&
                m->t->ev[m->t->at[by][i]].obj == x) {
                need(m, e, m->t->at[by][i]);
                break;
            }
    if (what == OP_HEAR - OP_CHANGE && m->heard[x] >= 0) {
        m->t->ev[e].number = m->heard[x];
        need(m, e, m->heard[x]);
        m->heard[x] = below(m, 2) ? -1 : m->heard[x];
    }
}

/* Sometimes it is told since when the cause of the next event can have come, which needs then
 * whoever has done something behind that. */
static int put_caused(struct maker *m, int thr, enum op op, int obj)
{
    int since = m->t->len > 0 && below(m, 2) ? below(m, m->t->len) : -1;
    if (since >= 0)
        m->t->ev[put(m, thr, OP_HEAR, THINGS_CAP)].number = since;
    int e = put(m, thr, op, obj);
    for (int by = 0; by < m->t->threads; by++) {
        int last = m->t->count[by] > 0 ? m->t->at[by][m->t->count[by] - 1] : -1;
        if (by != thr && last > since)
            need(m, e, last);
    }
    return e;
}

static void do_outside(struct maker *m, int thr)
{
    int what = below(m, 4), e, other = below(m, m->t->threads);
    if (what == 0) {
        e = put(m, thr, OP_INPUT, 0);
        need(m, e, m->input);
        m->input = e;
    } else if (what == 1) {
        put_caused(m, thr, OP_HANDLER, 0);
    } else if (what == 2) {
        int x = below(m, m->vars);
        e = put_caused(m, thr, OP_W, x);
        m->t->ev[e].external = true;
        m->last[x] = e;
    } else if (other != thr && m->state[other] == RUNNING && m->t->count[other] > 0) {
        e = put(m, thr, OP_CANCEL, other);
        need(m, e, m->t->at[other][m->t->count[other] - 1]);
        m->cancel[other] = e;
    }
}

static void do_pause(struct maker *m, int thr)
{
    int e = put(m, thr, m->paused ? OP_RECORD : OP_PAUSE, 0);
    if (m->paused)
        m->resumed = e;
    else
        need_all(m, e);
    m->paused = !m->paused;
}

static void do_futex(struct maker *m, int thr)
{
    int x = below(m, m->vars), e;
    if (below(m, 2)) {
        e = put(m, thr, OP_FUTEX_REQUEST, x);
        m->t->ev[e].obs = m->last[x];
        m->request[thr] = e;
        m->word[thr] = x;
        m->notify[thr] = -1;
        m->state[thr] = AT_FUTEX;
        return;
    }
    e = put(m, thr, OP_FUTEX_WAKE, x);
    for (int other = 0; other < m->t->threads; other++)
        if (m->state[other] == AT_FUTEX && m->word[other] == x && m->notify[other] < 0) {
            m->notify[other] = e;
            return;
        }
}

static void try_futex(struct maker *m, int thr)
{
    if (m->notify[thr] < 0 && below(m, 8) > 0)
        return;
    int e = put(m, thr, OP_FUTEX_WAIT, m->word[thr]);
    m->t->ev[e].notify = m->notify[thr];
    if (m->notify[thr] >= 0)
        m->t->ev[e].pre = m->request[thr];
    m->state[thr] = RUNNING;
}

static void do_primitive(struct maker *m, int thr)
{
    switch (1u << below(m, 9) & m->has) {
    case HAS_SEMS:
        do_semaphore(m, thr);
        break;
    case HAS_BARRIER:
        do_arrive(m, thr);
        break;
    case HAS_ONCE:
        do_once(m, thr);
        break;
    case HAS_CHANNEL:
        do_channel(m, thr);
        break;
    case HAS_OUTSIDE:
        do_outside(m, thr);
        break;
    case HAS_THINGS:
        do_thing(m, thr);
        break;
    case HAS_FUTEX:
        do_futex(m, thr);
        break;
    default:
        do_lock(m, thr);
    }
}

/* ---- the scheduler --------------------------------------------------------------------- */

static void act(struct maker *m, int thr)
{
    if (m->state[thr] == FRESH || m->state[thr] == OVER)
        return;
    if (m->state[thr] == WAITING) {
        try_wake(m, thr);
        return;
    }
    if (m->state[thr] == AT_BARRIER || m->state[thr] == AT_FUTEX) {
        (m->state[thr] == AT_BARRIER ? try_depart : try_futex)(m, thr);
        return;
    }
    m->state[thr] = RUNNING;
    int what = below(m, 16);
    if ((m->has & HAS_PAUSES) && below(m, 12) == 0)
        do_pause(m, thr);
    else if (m->paused && what < 7)
        return;
    else if (what == 0 && (m->has & HAS_ATOMICS))
        m->t->ev[put(m, thr, OP_FENCE, 0)].order = ACQUIRE + below(m, 4);
    else if (what < 7)
        do_access(m, thr);
    else if (what < 12 && m->has)
        do_primitive(m, thr);
    else if (what < 12)
        do_lock(m, thr);
    else if (what < 14 && m->branches)
        put(m, thr, OP_BR, 0);
    else if (what == 14 && m->forks)
        do_thread(m, thr);
    else if (what == 15 && m->waits)
        do_notify(m, thr, below(m, m->conds), below(m, 3) == 0);
}

static void begin_primitives(struct maker *m)
{
    m->has = 1u << below(m, 9) | 1u << below(m, 9) | (unsigned)below(m, 4);
    m->crowd = 2 + below(m, m->t->threads - 1);
    for (int i = 0; i < SEMS_CAP; i++)
        m->t->level[i] = m->level[i] = below(m, 3);
    if (below(m, 3) == 0)
        m->has |= HAS_ATOMICS;
    if (below(m, 8) == 0)
        m->has |= HAS_PAUSES;
    m->t->has_choices = m->has & (HAS_TRY | HAS_SEMS);
}

void tiny_make(struct tiny *t, struct rng *rng, int threads, int want, bool ours)
{
    memset(t, 0, sizeof *t);
    t->threads = threads;
    t->is_ours = ours;
    struct maker m = {.t = t, .rng = rng};
    m.vars = 1 + below(&m, VARS_CAP);
    m.locks = 1 + below(&m, LOCKS_CAP);
    m.conds = 1 + below(&m, CONDS_CAP);
    m.forks = below(&m, 2);
    m.waits = below(&m, 2);
    m.branches = below(&m, 3) > 0;
    memset(m.owner, 0xff, sizeof m.owner);
    memset(m.acquire, 0xff, sizeof m.acquire);
    memset(m.last, 0xff, sizeof m.last);
    memset(m.cancel, 0xff, sizeof m.cancel);
    memset(m.heard, 0xff, sizeof m.heard);
    memset(t->fork, 0xff, sizeof t->fork);
    m.runner = m.left = m.done = m.last_write = m.last_read = m.input = m.resumed = -1;
    for (int i = 1; i < threads; i++)
        m.state[i] = m.forks && below(&m, 2) ? FRESH : READY;
    m.state[0] = READY;
    if (ours)
        begin_primitives(&m);
    for (int tries = 0; tries < 40 * want && t->len < want; tries++)
        act(&m, below(&m, threads));
}

/* ---- printing -------------------------------------------------------------------------- */

static void print_ours(const struct event *e, struct str *out)
{
    static const char *const names[] = {
        [OP_R] = "read V%d",
        [OP_W] = "write V%d",
        [OP_ACQ] = "acquire L%d",
        [OP_REL] = "release L%d",
        [OP_BR] = "branch",
        [OP_FORK] = "create T%d",
        [OP_JOIN] = "join T%d",
        [OP_WAIT_PRE] = "wait-enter C%d",
        [OP_WAIT_POST] = "wait-leave C%d",
        [OP_NOTIFY] = "signal C%d",
        [OP_NOTIFYALL] = "broadcast C%d",
        [OP_TAKEN] = "refused L%d",
        [OP_POST] = "sem-post S%d",
        [OP_TAKE] = "sem-wait S%d",
        [OP_EMPTY] = "refused S%d",
        [OP_ARRIVE] = "arrive B",
        [OP_DEPART] = "depart B",
        [OP_ONCE_ENTER] = "once-enter O",
        [OP_ONCE_LEAVE] = "once-leave O",
        [OP_ONCE_PASS] = "once-pass O",
        [OP_CHANNEL_WRITE] = "channel-write H",
        [OP_CHANNEL_READ] = "channel-read H",
        [OP_INPUT] = "input 0 len 1",
        [OP_HANDLER] = "handler-enter 10",
        [OP_CANCEL] = "cancel T%d",
        [OP_PAUSE] = "mark pause",
        [OP_RECORD] = "mark record",
        [OP_FUTEX_REQUEST] = "request V%d",
        [OP_FUTEX_WAIT] = "futex-wait V%d 0",
        [OP_FUTEX_WAKE] = "futex-wake V%d 1",
        [OP_FENCE] = "fence",
        [OP_CHANGE] = "change X%d",
        [OP_LOOK] = "look X%d",
        [OP_SUM] = "sum X%d",
        [OP_HEAR] = "hear X%d",
    };
    str_add(out, "T%d ", e->thr);
    static const char *const orders[] = {
        [RELAXED] = "relaxed", [ACQUIRE] = "acquire", [RELEASE] = "release",
        [ACQ_REL] = "acq_rel", [SEQ_CST] = "seq_cst",
    };
    if (e->atomic)
        str_add(out, "%s V%d 0 %s", e->op == OP_W ? "store" : "load", e->obj, orders[e->order]);
    else
        str_add(out,
                e->external                                ? "external-write V%d:8"
                : e->op == OP_HEAR && e->obj == THINGS_CAP ? "hear 0x100000000000000"
                                                           : names[e->op],
                e->obj);
    if (e->op == OP_FENCE)
        str_add(out, " %s", orders[e->order]);
    if (e->shared)
        str_add(out, " shared");
    if (e->failed)
        str_add(out, " failed");
    if (e->op == OP_TAKEN || e->op == OP_EMPTY)
        str_add(out, " try error %d", e->op == OP_TAKEN ? EBUSY : EAGAIN);
    if (e->op == OP_POST || e->op == OP_TAKE || e->op == OP_ARRIVE || e->op == OP_DEPART)
        str_add(out, " %d", e->number);
    if (e->op == OP_CHANNEL_WRITE || e->op == OP_CHANNEL_READ)
        str_add(out, " at %d len %d", e->number, e->obj);
    int by = e->op == OP_WAIT_POST || e->op == OP_HEAR ? e->number
             : e->op == OP_FUTEX_WAIT                  ? e->notify
                                                       : -1;
    if (by >= 0)
        str_add(out, " by #%d", by);
    str_char(out, '\n');
}

void tiny_print(const struct tiny *t, struct str *out)
{
    static const char *const names[] = {"r",         "w",      "acq",      "rel",
                                        "br",        "fork",   "join",     "wait_pre",
                                        "wait_post", "notify", "notifyall"};
    static const char letters[] = "VVLL TTCCCC";
    if (t->is_ours)
        str_add(out, "heddle trace 1 branches values\n");
    for (int i = 0; i < t->len; i++) {
        const struct event *e = &t->ev[i];
        if (t->is_ours)
            print_ours(e, out);
        else if (e->op == OP_BR)
            str_add(out, "T%d|br|%d\n", e->thr, i + 1);
        else
            str_add(out, "T%d|%s(%c%d)|%d\n", e->thr, names[e->op], letters[e->op], e->obj,
                    i + 1);
    }
}

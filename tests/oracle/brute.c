/* SPDX-License-Identifier: Apache-2.0
 *
 * brute: the semantics of docs/predict.md executed in every possible order. States met before
 * are not visited again; nothing else is clever. */
#include "oracle.h"

#include "base/map.h"

#include <string.h>

/* Who knows of the first of two events that are asked about (C11's happens-before). */
struct knowledge {
    uint8_t began, ordered;
    uint8_t knows, heard, fenced;                          /* bits, by thread */
    uint8_t locks, read_locks, sems, conds, words, others; /* bits: given on */
    uint8_t vars; /* bits: the atomic value carries it */
};

struct state {
    struct knowledge k;
    uint8_t pos[THREADS_CAP];
    int8_t mem[VARS_CAP];
    bool taint[THREADS_CAP], wtaint[VARS_CAP];
    uint8_t woken; /* by thread: its current wait was woken after it began */
    int8_t last;   /* event executed last, or -1: only while something must be adjacent */
    uint8_t done;  /* so many of the query's events have happened */
};

struct search {
    const struct tiny *t;
    enum mode mode;
    const struct query *q;
    struct map seen[EVENTS_CAP]; /* by hash of the state; one for each number of events */
    VEC(struct state) states;
};

/* Does some thread hold the lock in a way that keeps this one from having it? */
static bool is_taken(const struct search *s, const struct state *x, int lock, bool shared)
{
    for (int thr = 0; thr < s->t->threads; thr++)
        for (int i = x->pos[thr] - 1; i >= 0; i--) {
            const struct event *e = &s->t->ev[s->t->at[thr][i]];
            if (e->obj != lock || (e->op != OP_ACQ && e->op != OP_REL))
                continue;
            if (e->op == OP_ACQ && !(shared && e->shared))
                return true;
            break;
        }
    return false;
}

static int level(const struct search *s, const struct state *x, int sem)
{
    int now = s->t->level[sem];
    for (int thr = 0; thr < s->t->threads; thr++)
        for (int i = 0; i < x->pos[thr]; i++) {
            const struct event *e = &s->t->ev[s->t->at[thr][i]];
            if (e->obj == sem && (e->op == OP_POST || e->op == OP_TAKE))
                now += e->op == OP_POST ? 1 : -1;
        }
    return now;
}

/* Has a change been made that the trace has behind this? */
static bool is_changed(const struct search *s, const struct state *x, int id)
{
    for (int i = id + 1; i < s->t->len; i++) {
        const struct event *e = &s->t->ev[i];
        if (e->op == OP_CHANGE && e->obj == s->t->ev[id].obj && x->pos[e->thr] > e->idx)
            return true;
    }
    return false;
}

/* Would it have to wait, or not happen as it did? */
static bool is_blocked(const struct search *s, const struct state *x, int id)
{
    const struct event *e = &s->t->ev[id];
    switch (e->op) {
    case OP_ACQ:
        return is_taken(s, x, e->obj, e->shared);
    case OP_TAKEN:
        return !is_taken(s, x, e->obj, e->shared);
    case OP_TAKE:
        return level(s, x, e->obj) == 0;
    case OP_EMPTY:
        return level(s, x, e->obj) != 0;
    case OP_LOOK:
    case OP_SUM:
        return is_changed(s, x, id);
    case OP_JOIN:
        return x->pos[e->obj] < s->t->count[e->obj] || x->taint[e->obj];
    default:
        return false;
    }
}

/* Is its thread there, and known to come here? */
static bool may_stand(const struct search *s, const struct state *x, int id)
{
    const struct event *e = &s->t->ev[id];
    const struct tiny *t = s->t;
    int fork = t->fork[e->thr], joined = e->op == OP_JOIN ? t->fork[e->obj] : -1;
    if (fork >= 0 && x->pos[t->ev[fork].thr] <= t->ev[fork].idx)
        return false;
    if (joined >= 0 && x->pos[t->ev[joined].thr] <= t->ev[joined].idx)
        return false;
    return !(x->taint[e->thr] && s->mode == MODE_CLASSIC);
}

static bool has_needs(const struct search *s, const struct state *x, int id)
{
    const struct event *e = &s->t->ev[id];
    for (int i = 0; i < e->needs; i++)
        if (x->pos[s->t->ev[e->need[i]].thr] <= s->t->ev[e->need[i]].idx)
            return false;
    return true;
}

static bool is_asleep(const struct state *x, const struct event *e)
{
    return e->notify >= 0 && !(x->woken >> e->thr & 1);
}

/* Everything but what it may have to wait for. */
static bool may_try(const struct search *s, const struct state *x, int id)
{
    const struct event *e = &s->t->ev[id];
    if (!may_stand(s, x, id) || !has_needs(s, x, id))
        return false;
    if (x->taint[e->thr] && op_decides(e->op) && s->mode != MODE_SYNC)
        return false;
    return !is_asleep(x, e);
}

/* Does its thread stand there and have to wait? */
static bool waits(const struct search *s, const struct state *x, int id)
{
    const struct event *e = &s->t->ev[id];
    if (!may_stand(s, x, id))
        return false;
    switch (e->op) {
    case OP_ACQ:
        return has_needs(s, x, id) && (is_blocked(s, x, id) || is_asleep(x, e));
    case OP_TAKE:
        return has_needs(s, x, id) && is_blocked(s, x, id);
    case OP_JOIN:
        return has_needs(s, x, id) && x->pos[e->obj] < s->t->count[e->obj];
    case OP_ARRIVE:
    case OP_DEPART:
        return !has_needs(s, x, id);
    default:
        return false;
    }
}

/* Which wait of its thread is this notify about to wake, as it did in the trace? */
static void wake(const struct search *s, struct state *x, int notify)
{
    for (int i = 0; i < s->t->len; i++) {
        const struct event *a = &s->t->ev[i];
        if (a->notify != notify)
            continue;
        const struct event *pre = &s->t->ev[a->pre];
        if (x->pos[pre->thr] > pre->idx)
            x->woken |= (uint8_t)(1 << pre->thr);
    }
}

static void bit_or(uint8_t *bits, int at, bool on)
{
    *bits = (uint8_t)(*bits | on << at);
}

static bool bit(uint8_t bits, int at)
{
    return bits >> at & 1;
}

static void know_access(const struct search *s, struct state *x, const struct event *e)
{
    struct knowledge *k = &x->k;
    bool carried = bit(k->vars, e->obj), acquires = e->order == ACQUIRE || e->order == SEQ_CST;
    bool knows = bit(k->knows, e->thr), fenced = bit(k->fenced, e->thr);
    if (e->op == OP_R && e->atomic)
        bit_or(acquires ? &k->knows : &k->heard, e->thr, carried);
    if (e->op != OP_W)
        return;
    int last = x->mem[e->obj];
    bool goes_on = carried && last >= 0 && s->t->ev[last].thr == e->thr;
    bool now = e->atomic && (goes_on || (e->order >= RELEASE ? knows : fenced));
    k->vars = (uint8_t)(k->vars & ~(1 << e->obj));
    bit_or(&k->vars, e->obj, now);
}

/* By what knowledge is given on, and which bit of it. */
static uint8_t *medium(struct knowledge *k, const struct event *e, int *at, bool *gives)
{
    *at = e->obj;
    *gives = e->op == OP_REL || e->op == OP_POST || e->op == OP_ARRIVE ||
             e->op == OP_ONCE_LEAVE || e->op == OP_CHANNEL_WRITE || e->op == OP_NOTIFY ||
             e->op == OP_NOTIFYALL || e->op == OP_FUTEX_WAKE || e->op == OP_CHANGE;
    switch (e->op) {
    case OP_ACQ:
        return &k->locks;
    case OP_REL:
        return e->shared ? &k->read_locks : &k->locks;
    case OP_POST:
    case OP_TAKE:
        return &k->sems;
    case OP_NOTIFY:
    case OP_NOTIFYALL:
    case OP_WAIT_POST:
        return &k->conds;
    case OP_FUTEX_WAKE:
    case OP_FUTEX_WAIT:
        return &k->words;
    case OP_ARRIVE:
    case OP_DEPART:
        *at = 0;
        return &k->others;
    case OP_ONCE_ENTER:
    case OP_ONCE_LEAVE:
    case OP_ONCE_PASS:
        *at = 1;
        return &k->others;
    case OP_CHANNEL_READ:
    case OP_CHANNEL_WRITE:
        *at = 2;
        return &k->others;
    case OP_CHANGE:
    case OP_LOOK:
    case OP_SUM:
    case OP_HEAR:
        *at = 3 + e->obj;
        return &k->others;
    default:
        return NULL;
    }
}

static void know(const struct search *s, struct state *x, int id)
{
    const struct event *e = &s->t->ev[id];
    struct knowledge *k = &x->k;
    int at;
    bool gives;
    if (s->q->number[0] == (uint64_t)id || s->q->number[1] == (uint64_t)id) {
        k->ordered |= k->began && bit(k->knows, e->thr);
        k->began++;
        bit_or(&k->knows, e->thr, true);
    }
    if (!k->began)
        return;
    know_access(s, x, e);
    if (e->op == OP_FORK)
        bit_or(&k->knows, e->obj, bit(k->knows, e->thr));
    if (e->op == OP_JOIN)
        bit_or(&k->knows, e->thr, bit(k->knows, e->obj));
    if (e->op == OP_FENCE && e->order != RELEASE)
        bit_or(&k->knows, e->thr, bit(k->heard, e->thr));
    if (e->op == OP_FENCE && e->order >= RELEASE)
        bit_or(&k->fenced, e->thr, bit(k->knows, e->thr));
    uint8_t *by = medium(k, e, &at, &gives);
    if (by && gives)
        bit_or(by, at, bit(k->knows, e->thr));
    else if (by)
        bit_or(&k->knows, e->thr,
               bit(*by, at) || (e->op == OP_ACQ && !e->shared && bit(k->read_locks, at)));
}

static void execute(const struct search *s, struct state *x, int id)
{
    const struct event *e = &s->t->ev[id];
    if (s->q->kind == QUERY_UNORDERED)
        know(s, x, id);
    x->pos[e->thr]++;
    if (op_reads(e->op) && s->mode != MODE_SYNC &&
        (x->mem[e->obj] != e->obs || (s->mode == MODE_SOUND && x->wtaint[e->obj])))
        x->taint[e->thr] = true;
    if (e->op == OP_W) {
        x->mem[e->obj] = (int8_t)id;
        x->wtaint[e->obj] = x->taint[e->thr];
    }
    if (e->op == OP_FORK && s->mode == MODE_SOUND)
        x->taint[e->obj] = x->taint[e->thr];
    if (e->op == OP_NOTIFY || e->op == OP_NOTIFYALL || e->op == OP_FUTEX_WAKE)
        wake(s, x, id);
    if (e->op == OP_WAIT_POST || e->op == OP_FUTEX_WAIT)
        x->woken &= (uint8_t)~(1 << e->thr);
}

/* Keeps count of the query's events; false if this order is not what it asks. */
static bool follow(const struct search *s, struct state *x, int id)
{
    const struct query *q = s->q;
    bool asked = false;
    for (uint32_t i = 0; i < query_ordered(q); i++)
        if (q->number[i] == (uint64_t)id) {
            if (i != x->done)
                return false;
            if (i > 0 && (q->adjacent >> (i - 1) & 1) && x->last != (int8_t)q->number[i - 1])
                return false;
            asked = true;
            break;
        }
    x->done = (uint8_t)(x->done + asked);
    x->last = asked ? (int8_t)id : -1;
    return true;
}

static bool is_goal(const struct search *s, const struct state *x)
{
    const struct query *q = s->q;
    if (q->kind == QUERY_UNORDERED)
        return x->k.began == 2 && !x->k.ordered;
    if (x->done < query_ordered(q))
        return false;
    for (uint32_t i = query_ordered(q); i < q->count; i++) {
        const struct event *e = &s->t->ev[q->number[i]];
        bool good = q->kind == QUERY_BLOCKED ? waits(s, x, (int)q->number[i])
                                             : may_try(s, x, (int)q->number[i]);
        if (x->pos[e->thr] != e->idx || !good)
            return false;
    }
    return true;
}

/* True the first time. */
static bool is_new(struct search *s, const struct state *x)
{
    int events = 0;
    for (int thr = 0; thr < s->t->threads; thr++)
        events += x->pos[thr];
    for (uint64_t key = hash_bytes(x, sizeof *x);; key++) {
        uint32_t *slot = map_at(&s->seen[events], key);
        if (*slot == NONE) {
            *slot = s->states.len;
            vec_push(&s->states, *x);
            return true;
        }
        if (memcmp(&s->states.at[*slot], x, sizeof *x) == 0)
            return false;
    }
}

static bool visit(struct search *s, const struct state *x)
{
    if (is_goal(s, x))
        return true;
    for (int thr = 0; thr < s->t->threads; thr++) {
        if (x->pos[thr] == s->t->count[thr])
            continue;
        int id = s->t->at[thr][x->pos[thr]];
        if (!may_try(s, x, id) || is_blocked(s, x, id))
            continue;
        struct state next = *x;
        execute(s, &next, id);
        if (follow(s, &next, id) && is_new(s, &next) && visit(s, &next))
            return true;
    }
    return false;
}

bool brute_force(const struct tiny *t, enum mode mode, const struct query *q)
{
    struct search s = {.t = t, .mode = mode, .q = q};
    struct state start;
    memset(&start, 0, sizeof start);
    memset(start.mem, 0xff, sizeof start.mem);
    start.last = -1;
    bool found = visit(&s, &start);
    for (int i = 0; i < EVENTS_CAP; i++)
        map_done(&s.seen[i]);
    vec_done(&s.states);
    return found;
}

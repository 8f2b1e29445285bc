/* SPDX-License-Identifier: Apache-2.0
 *
 * brute: the semantics of docs/predict.md executed in every possible order. States met before
 * are not visited again; nothing else is clever. */
#include "oracle.h"

#include "base/map.h"

#include <string.h>

struct state {
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
    case OP_JOIN:
        return x->pos[e->obj] < s->t->count[e->obj] || x->taint[e->obj];
    default:
        return false;
    }
}

/* Everything but what it may have to wait for. */
static bool may_try(const struct search *s, const struct state *x, int id)
{
    const struct event *e = &s->t->ev[id];
    const struct tiny *t = s->t;
    int fork = t->fork[e->thr], joined = e->op == OP_JOIN ? t->fork[e->obj] : -1;
    if (fork >= 0 && x->pos[t->ev[fork].thr] <= t->ev[fork].idx)
        return false;
    if (joined >= 0 && x->pos[t->ev[joined].thr] <= t->ev[joined].idx)
        return false;
    if (x->taint[e->thr] && s->mode == MODE_CLASSIC)
        return false;
    if (x->taint[e->thr] && (e->op == OP_BR || e->op == OP_CHANNEL_WRITE) &&
        s->mode != MODE_SYNC)
        return false;
    for (int i = 0; i < e->needs; i++)
        if (x->pos[t->ev[e->need[i]].thr] <= t->ev[e->need[i]].idx)
            return false;
    return !(e->notify >= 0 && !(x->woken >> e->thr & 1));
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

static void execute(const struct search *s, struct state *x, int id)
{
    const struct event *e = &s->t->ev[id];
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
    if (x->done < query_ordered(q))
        return false;
    for (uint32_t i = query_ordered(q); i < q->count; i++) {
        const struct event *e = &s->t->ev[q->number[i]];
        if (x->pos[e->thr] != e->idx || !may_try(s, x, (int)q->number[i]))
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

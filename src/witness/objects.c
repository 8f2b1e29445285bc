/* SPDX-License-Identifier: Apache-2.0
 *
 * objects: the rules of sync objects, turned into what a step needs (other steps that must
 * have been executed) and what it does to a count. An event that the rules do not explain
 * where it stands in the trace cannot be executed there: then the trace is no execution. */
#include "witness/objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct past no_step = {NONE, NONE};

struct sync_object {
    enum acts_on on;
    bool abandoned;           /* lock: an owner dies with it at some time */
    bool known;               /* semaphore: its level was told */
    uint64_t level;           /* semaphore */
    struct past left;         /* once: end of the last attempt; lock: last release */
    uint32_t owners, readers; /* lock: so many have it */
    struct past favour;       /* lock: last refused in favour of a writer */
    struct past done;         /* once: end of the successful attempt */
    struct past wrote;        /* channel: the last write */
    struct past read;         /* channel: the last read */
    struct past opened;       /* barrier: who completed the last round that is complete */
    uint64_t round;           /* barrier: of the arrivals below */
    VEC(struct past) here;    /* barrier: who has arrived */
    VEC(struct past) gates;   /* barrier: by round, who completed it */
    VEC(uint64_t) ends;       /* channel: where each write ended ... */
    VEC(struct past) puts;    /* ... and its step */
    VEC(struct past) changes; /* channel: the last change by each thread that made some */
};

/* ---- which object ------------------------------------------------------------------------ */

static uint64_t place_key(struct space *space, uint64_t addr)
{
    obj_id object = space_find(space, addr);
    if (object == NONE)
        return addr;
    return 1ULL << 63 | (uint64_t)object << 34 | (addr - space_object(space, object)->addr);
}

static enum acts_on use_of(struct objects *o, const struct ev *e, uint64_t key)
{
    enum acts_on on = ev_acts_on(e->kind);
    if (on != ON_SYNC)
        return on;
    if (e->kind == EV_INIT || e->kind == EV_DESTROY)
        return use_of_class(e->word);
    if (e->kind == EV_REFUSED && e->number == EAGAIN) /* what only semaphores answer */
        return ON_SEM;
    for (on = ON_LOCK; on < ON_COUNT; on++)
        if (map_find(&o->by_use[on], key) != NONE)
            return on;
    return ON_LOCK;
}

static uint32_t object_find(struct objects *o, struct space *space, const struct ev *e)
{
    uint64_t key = place_key(space, e->addr);
    if (e->kind == EV_INIT)
        for (enum acts_on on = ON_LOCK; on < ON_COUNT; on++)
            if (map_find(&o->by_use[on], key) != NONE)
                map_remove(&o->by_use[on], key);
    enum acts_on on = use_of(o, e, key);
    uint32_t *slot = map_at(&o->by_use[on], key);
    if (*slot == NONE) {
        struct sync_object new = {.on = on, .left = no_step, .done = no_step};
        new.wrote = new.read = new.opened = new.favour = no_step;
        new.abandoned = map_find(&o->abandoned, key) != NONE;
        *slot = o->all.len;
        vec_push(&o->all, new);
    }
    return *slot;
}

/* Most sync events take or release a lock that was used before. */
uint32_t object_of(struct objects *o, struct space *space, const struct ev *e)
{
    struct known_lock *k = &o->locks[(e->addr >> 3 ^ e->addr >> 9) & (KNOWN_LOCKS - 1)];
    uint32_t begun = space_count(space) + 1;
    if (e->kind == EV_INIT)
        memset(o->locks, 0, sizeof o->locks);
    if (e->kind != EV_ACQUIRE && e->kind != EV_RELEASE)
        return object_find(o, space, e);
    if (k->addr != e->addr || k->begun != begun)
        *k = (struct known_lock){e->addr, begun, object_find(o, space, e)};
    return k->obj;
}

bool is_futex(const struct objects *o, struct space *space, const struct ev *e)
{
    return map_find(&o->futexes, place_key(space, e->addr)) != NONE;
}

/* ---- before any steps -------------------------------------------------------------------- */

/* The first event that tells of a semaphore's value tells what it began with. */
static uint64_t level_before(const struct ev *e)
{
    if (e->kind == EV_SEM_WAIT)
        return e->number + 1;
    return e->kind == EV_SEM_POST && e->number > 0 ? e->number - 1 : 0;
}

void objects_note(struct objects *o, struct space *space, const struct ev *e)
{
    struct checker *c = o->c;
    uint32_t obj = object_of(o, space, e);
    struct sync_object *x = &o->all.at[obj];
    while (c->start_level.len <= obj)
        vec_push(&c->start_level, 0);
    if (!x->known && (x->on == ON_SEM || e->kind == EV_INIT)) {
        x->known = true;
        c->start_level.at[obj] = (uint32_t)level_before(e);
    }
    if (e->kind == EV_FUTEX_WAIT)
        *map_at(&o->futexes, place_key(space, e->addr)) = 1;
    if (e->kind == EV_RELEASE && (e->flags & FLAG(ABANDONED)))
        *map_at(&o->abandoned, place_key(space, e->addr)) = 1;
    if (e->kind == EV_ACQUIRE && (e->flags & FLAG(SHARED))) {
        uint32_t *slot = map_at(&o->reading, (uint64_t)obj << 16 | e->thr);
        if (*slot == NONE)
            *slot = c->reading_count++;
    }
}

/* ---- rules ------------------------------------------------------------------------------- */

static struct past this_step(const struct ev *e, step_id id)
{
    return (struct past){id, e->thr};
}

/* A step that was forgotten has been executed, and so has what it needs. */
static void needs(struct objects *o, struct past step, struct past other)
{
    struct checker *c = o->c;
    if (other.step == NONE || other.thr == step.thr || step.step < c->base)
        return;
    struct step *s = step_of(c, step.step);
    vec_push(&c->needs, (struct step_need){other.step, s->need});
    s->need = c->needs.len - 1;
}

/* Nobody in the trace is its cause: everything before it may be. */
static void pin(struct objects *o, struct past self)
{
    for (uint32_t t = 0; t < o->c->thread_count; t++)
        needs(o, self, (struct past){o->last[t], t});
}

static bool is_cause(const struct ev *e)
{
    return e->kind == EV_HEAR && e->addr == CAUSE_ADDRESS && e->ref != NO_EVENT;
}

/* The first step that comes from this event or a later one; 0: all in memory do. */
static step_id first_since(const struct checker *c, uint64_t number)
{
    step_id first = main_of(c, number);
    while (first == NONE && number >= c->main_base && number - c->main_base < c->main.len)
        first = main_of(c, ++number);
    return first == NONE && number < c->main_base ? 0 : first;
}

/* Its cause is a thread that did something behind this step. */
static void pin_since(struct objects *o, struct past self, step_id since)
{
    for (uint32_t t = 0; t < o->c->thread_count; t++)
        if (o->last[t] != NONE && o->last[t] > since)
            needs(o, self, (struct past){o->last[t], t});
}

/* The last to arrive is told so, and stays the last. */
static void close_round(struct objects *o, struct sync_object *b)
{
    if (b->here.len == 0)
        return;
    b->opened = b->here.at[b->here.len - 1];
    for (uint32_t i = 0; i + 1 < b->here.len; i++)
        needs(o, b->opened, b->here.at[i]);
    while (b->gates.len < b->round)
        vec_push(&b->gates, no_step);
    if (b->gates.len == b->round)
        vec_push(&b->gates, b->opened);
    b->here.len = 0;
}

static void barrier_step(struct objects *o, struct sync_object *b, const struct ev *e,
                         step_id id)
{
    bool arrives = e->kind == EV_ARRIVE;
    struct past self = this_step(e, id);
    if (e->number >= o->c->event_count) /* no barrier that we know */
        return;
    if (arrives != (e->number == b->round)) /* who departs from an earlier one closes nothing */
        close_round(o, b);
    if (arrives) {
        needs(o, self, b->opened);
        b->round = e->number;
        vec_push(&b->here, self);
    } else if (e->number < b->gates.len) {
        needs(o, self, b->gates.at[e->number]);
    }
}

static void once_step(struct objects *o, struct sync_object *once, const struct ev *e,
                      step_id id)
{
    struct past self = this_step(e, id);
    if (e->kind == EV_ONCE_ENTER)
        needs(o, self, once->left);
    if (e->kind == EV_ONCE_PASS)
        needs(o, self, once->done);
    if (e->kind != EV_ONCE_LEAVE)
        return;
    once->left = self;
    if (!(e->flags & FLAG(FAILED)))
        once->done = self;
}

static void channel_step(struct objects *o, struct sync_object *ch, const struct ev *e,
                         step_id id)
{
    uint64_t end = e->value2 + e->len;
    struct past self = this_step(e, id);
    if (e->kind == EV_CHANNEL_WRITE) {
        needs(o, self, ch->wrote);
        ch->wrote = self;
        vec_push(&ch->ends, end);
        vec_push(&ch->puts, self);
        return;
    }
    uint32_t i = 0;
    while (i < ch->ends.len && ch->ends.at[i] < end)
        i++;
    needs(o, self, i < ch->ends.len ? ch->puts.at[i] : no_step);
    needs(o, self, ch->read);
    ch->read = self;
}

/* Of a thing of the system. */
static void change_step(struct sync_object *x, struct past self)
{
    for (uint32_t i = 0; i < x->changes.len; i++)
        if (x->changes.at[i].thr == self.thr) {
            x->changes.at[i] = self;
            return;
        }
    vec_push(&x->changes, self);
}

static void sum_step(struct objects *o, const struct sync_object *x, struct past self)
{
    for (uint32_t i = 0; i < x->changes.len; i++)
        needs(o, self, x->changes.at[i]);
}

/* What was forgotten has happened. */
static void hear_step(struct objects *o, const struct ev *e, struct past self)
{
    step_id other = e->ref == NO_EVENT || is_cause(e) ? NONE : main_of(o->c, e->ref);
    if (other != NONE && other >= o->c->base)
        needs(o, self, (struct past){other, step_of(o->c, other)->thr});
}

static void sem_step(struct objects *o, uint32_t obj, const struct ev *e, step_id id)
{
    struct sync_object *s = &o->all.at[obj];
    struct step *step = step_of(o->c, id);
    bool post = e->kind == EV_SEM_POST;
    if (!s->known)
        s->level = o->c->start_level.at[obj];
    s->known = true;
    step->op = post ? STEP_POST : STEP_TAKE;
    step->count = post && e->number > s->level ? (uint32_t)(e->number - s->level) : 1;
    s->level = e->number;
}

/* It is taken; or a writer waits that is preferred, and has not got it by then. */
static void lock_refused(struct objects *o, struct sync_object *x, const struct ev *e,
                         step_id id)
{
    if (x->owners > 0 || (x->readers > 0 && !(e->flags & FLAG(SHARED)))) {
        step_of(o->c, id)->op = STEP_TAKEN;
        return;
    }
    pin(o, this_step(e, id));
    x->favour = this_step(e, id);
}

/* A refusal because the thing is taken can only be while it is. */
static void refused_step(struct objects *o, struct sync_object *x, const struct ev *e,
                         step_id id)
{
    struct step *step = step_of(o->c, id);
    bool late = e->kind == EV_TIMEOUT;
    if (x->on == ON_SEM && (late || e->number == EAGAIN || e->number == EINVAL))
        step->op = STEP_EMPTY;
    else if (x->on == ON_LOCK && (late || e->number == EBUSY || e->number == EINVAL))
        lock_refused(o, x, e, id);
    else if (x->on == ON_LOCK && e->number == ENOTRECOVERABLE)
        needs(o, this_step(e, id), x->left);
}

/* The next owner is told that the last one died: sections keep their order. */
static void lock_step(struct objects *o, uint32_t obj, const struct ev *e, step_id id)
{
    struct sync_object *x = &o->all.at[obj];
    if (step_of(o->c, id)->shared)
        step_of(o->c, id)->count = map_find(&o->reading, (uint64_t)obj << 16 | e->thr);
    bool release = e->kind == EV_RELEASE, shared = step_of(o->c, id)->shared;
    *(shared ? &x->readers : &x->owners) += release ? UINT32_MAX : 1;
    if (release)
        x->left = this_step(e, id);
    else if (x->abandoned)
        needs(o, this_step(e, id), x->left);
    if (!release && !shared)
        needs(o, this_step(e, id), x->favour);
}

static void sync_step(struct objects *o, const struct ev *e, step_id id, uint32_t obj)
{
    struct sync_object *x = &o->all.at[obj];
    switch (e->kind) {
    case EV_ACQUIRE:
    case EV_RELEASE:
        lock_step(o, obj, e, id);
        break;
    case EV_ARRIVE:
    case EV_DEPART:
        barrier_step(o, x, e, id);
        break;
    case EV_ONCE_ENTER:
    case EV_ONCE_LEAVE:
    case EV_ONCE_PASS:
        once_step(o, x, e, id);
        break;
    case EV_CHANNEL_READ:
    case EV_CHANNEL_WRITE:
        channel_step(o, x, e, id);
        break;
    case EV_CHANGE:
        change_step(x, this_step(e, id));
        break;
    case EV_SUM:
        sum_step(o, x, this_step(e, id));
        break;
    case EV_HEAR:
        hear_step(o, e, this_step(e, id));
        break;
    case EV_SEM_POST:
    case EV_SEM_WAIT:
        sem_step(o, obj, e, id);
        break;
    case EV_REFUSED:
    case EV_TIMEOUT:
        refused_step(o, x, e, id);
        break;
    case EV_INIT:
        x->known = true; /* a semaphore that begins with something is posted to */
        break;
    default:
        break;
    }
}

/* Between the marks "pause" and "record" accesses are missing: steps stay where they are. */
static void blind_step(struct objects *o, const struct ev *e, struct past self)
{
    bool ends = e->kind == EV_MARK && e->word == WORD_VALUE(MARK, RECORD);
    bool begins = e->kind == EV_MARK && e->word == WORD_VALUE(MARK, PAUSE);
    if (!o->is_blind && !begins) {
        needs(o, self, o->seeing[e->thr]);
        o->seeing[e->thr] = no_step;
        return;
    }
    if (o->is_blind)
        needs(o, self, o->blind);
    else
        pin(o, self);
    o->blind = self;
    o->is_blind = !ends;
    for (uint32_t t = 0; ends && t < o->c->thread_count; t++)
        o->seeing[t] = self;
}

void objects_step(struct objects *o, const struct ev *e, step_id id, uint32_t obj)
{
    struct past self = this_step(e, id);
    blind_step(o, e, self);
    needs(o, self, o->cancel[e->thr]);
    o->cancel[e->thr] = no_step;
    if (obj != NONE)
        sync_step(o, e, id, obj);
    if (e->kind == EV_EXTERNAL_WRITE || e->kind == EV_HANDLER_ENTER) {
        if (o->is_told[e->thr])
            pin_since(o, self, o->since[e->thr]);
        else if (!o->c->trace->forgets) /* other processes may be the cause */
            pin(o, self);
    }
    o->is_told[e->thr] = is_cause(e);
    o->since[e->thr] = is_cause(e) ? first_since(o->c, e->ref) : NONE;
    if (e->kind == EV_INPUT && e->len > 0) {
        needs(o, self, o->input);
        o->input = self;
    }
    if (e->kind == EV_CANCEL) {
        needs(o, self, (struct past){o->last[e->peer], e->peer});
        o->cancel[e->peer] = self;
    }
    o->last[e->thr] = id;
}

/* ---- life -------------------------------------------------------------------------------- */

static void forget_all(struct objects *o)
{
    for (uint32_t i = 0; i < o->all.len; i++) {
        vec_done(&o->all.at[i].here);
        vec_done(&o->all.at[i].gates);
        vec_done(&o->all.at[i].ends);
        vec_done(&o->all.at[i].puts);
        vec_done(&o->all.at[i].changes);
    }
    o->all.len = 0;
    memset(o->locks, 0, sizeof o->locks);
    for (enum acts_on on = 0; on < ON_COUNT; on++)
        map_done(&o->by_use[on]);
    free(o->last);
    free(o->cancel);
    free(o->seeing);
    free(o->since);
    free(o->is_told);
    o->last = NULL;
    o->cancel = NULL;
    o->seeing = NULL;
    o->since = NULL;
    o->is_told = NULL;
}

void objects_restart(struct objects *o)
{
    uint32_t count = o->c->thread_count;
    forget_all(o);
    o->last = mem_get((count + 1) * sizeof *o->last);
    o->cancel = mem_get((count + 1) * sizeof *o->cancel);
    o->seeing = mem_get((count + 1) * sizeof *o->seeing);
    o->since = mem_zeroed(count + 1, sizeof *o->since);
    o->is_told = mem_zeroed(count + 1, sizeof *o->is_told);
    for (uint32_t t = 0; t < count; t++) {
        o->last[t] = NONE;
        o->cancel[t] = o->seeing[t] = no_step;
    }
    o->input = o->blind = no_step;
    o->is_blind = false;
    o->c->needs.len = 0;
}

void objects_done(struct objects *o)
{
    forget_all(o);
    map_done(&o->futexes);
    map_done(&o->abandoned);
    map_done(&o->reading);
    vec_done(&o->all);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * witness: executes an order of events on a small machine (memory, locks, taint) and says
 * where it cannot be executed, or that it does not show what it claims. Deliberately plain:
 * every rule is tested at every step, nothing is inferred. */
#include "witness/happens.h"

#include "base/stop.h"

#include <string.h>

static const char *const mode_names[MODE_COUNT] = {"sound", "classic", "sync", "paper"};

const char *mode_text(enum mode mode)
{
    return mode_names[mode];
}

/* ---- the machine ----------------------------------------------------------------------- */

static void machine_start(struct checker *c)
{
    memset(c->at, 0xff, c->thread_count * sizeof *c->at);
    memset(c->taint, 0, c->thread_count * sizeof *c->taint);
    memset(c->memory, 0xff, c->place_count * sizeof *c->memory);
    memset(c->stained, 0, c->place_count * sizeof *c->stained);
    memset(c->owner, 0xff, c->start_level.len * sizeof *c->owner);
    memset(c->readers, 0, c->start_level.len * sizeof *c->readers);
    memset(c->changed, 0, c->start_level.len * sizeof *c->changed);
    memset(c->reading, 0, c->reading_count * sizeof *c->reading);
    for (uint32_t i = 0; i < c->start_level.len; i++)
        c->level[i] = c->start_level.at[i];
    c->now = 0;
    c->recorded = 0;
    c->followed = 0;
    steps_restart(c);
}

/* Must its thread be on the recorded path? Others depend on it. */
static bool is_decision(const struct step *s)
{
    return s->op == STEP_BRANCH || s->op == STEP_CHANGE;
}

/* Is its thread still to be created, or not known to get here? NULL: it is not. */
static const char *absence(const struct checker *c, enum mode mode, const struct step *s)
{
    step_id create = c->create[s->thr];
    if (create != NONE && !when_of(c, create))
        return "its thread does not exist yet";
    if (c->taint[s->thr] && (mode == MODE_CLASSIC || (is_decision(s) && mode != MODE_SYNC)))
        return "its thread has seen another value than recorded";
    if (s->op == STEP_JOIN && c->create[s->obj] != NONE && !when_of(c, c->create[s->obj]))
        return "the thread does not exist yet";
    return NULL;
}

static bool has_needs(const struct checker *c, const struct step *s)
{
    for (uint32_t i = s->need; i != NONE; i = c->needs.at[i].next)
        if (!when_of(c, c->needs.at[i].other))
            return false;
    return true;
}

/* The end of a wait: has nobody ended it? NULL: somebody has, or it is none. */
static const char *sleep_of(const struct checker *c, const struct step *s)
{
    if (s->notify == NONE)
        return NULL;
    if (!when_of(c, s->notify))
        return "nobody has woken it";
    if (!when_of(c, s->enter) || when_of(c, s->enter) > when_of(c, s->notify))
        return "it was woken before it waited";
    return NULL;
}

/* Can its thread not even try it? NULL: it can. */
static const char *refusal(const struct checker *c, enum mode mode, const struct step *s)
{
    const char *why = absence(c, mode, s);
    if (!why && !has_needs(c, s))
        why = "what has to come before it has not happened";
    return why ? why : sleep_of(c, s);
}

static bool is_taken(const struct checker *c, const struct step *s)
{
    return c->owner[s->obj] != NONE || (!s->shared && c->readers[s->obj] > 0);
}

/* Has the thread to wait, or did not come about what it recorded? NULL: it can go on. */
static const char *blockage(const struct checker *c, const struct step *s, step_id id)
{
    switch (s->op) {
    case STEP_LOOK:
        return c->changed[s->obj] > id ? "it would be told of a change that came later" : NULL;
    case STEP_ACQUIRE:
        return is_taken(c, s) ? "the lock is not free" : NULL;
    case STEP_TAKEN:
        return is_taken(c, s) ? NULL : "the lock is free";
    case STEP_TAKE:
        return c->level[s->obj] == 0 ? "the semaphore is at zero" : NULL;
    case STEP_EMPTY:
        return c->level[s->obj] == 0 ? NULL : "the semaphore is above zero";
    case STEP_JOIN:
        if (c->at[s->obj] != NONE || c->ended[s->obj] > c->read)
            return "the thread has not ended";
        return c->taint[s->obj] ? "the thread has seen another value than recorded" : NULL;
    default:
        return NULL;
    }
}

static bool sees_another(const struct checker *c, enum mode mode, const struct step *s)
{
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        if (c->memory[c->bytes.at[i]] != c->seen.at[i])
            return true;
        if (mode != MODE_PAPER && c->stained[c->bytes.at[i]])
            return true;
    }
    return false;
}

static const char *access_memory(struct checker *c, enum mode mode, step_id id)
{
    const struct step *s = step_of(c, id);
    if (s->reads && mode != MODE_SYNC && sees_another(c, mode, s)) {
        if (s->tests)
            return "the compare-exchange sees another value than recorded";
        machine_put(c, &c->taint[s->thr], 1);
    }
    for (uint32_t i = s->first; s->writes && i < s->first + s->count; i++) {
        machine_put(c, &c->memory[c->bytes.at[i]], id);
        machine_put(c, &c->stained[c->bytes.at[i]], c->taint[s->thr]);
    }
    return NULL;
}

static bool holds(const struct checker *c, const struct step *s)
{
    return s->shared ? c->reading[s->count] : c->owner[s->obj] == s->thr;
}

static void hold(struct checker *c, const struct step *s, bool now)
{
    if (!s->shared) {
        machine_put(c, &c->owner[s->obj], now ? s->thr : NONE);
        return;
    }
    machine_put(c, &c->reading[s->count], now);
    machine_put(c, &c->readers[s->obj], c->readers[s->obj] + (now ? 1 : UINT32_MAX));
}

/* NULL: done; else why it cannot happen now. */
static const char *step(struct checker *c, enum mode mode, step_id id)
{
    const struct step *s = step_of(c, id);
    const char *why = refusal(c, mode, s);
    if (!why)
        why = blockage(c, s, id);
    if (why)
        return why;
    if (c->happens.asked[0] != NONE)
        happens_step(c, id);
    switch (s->op) {
    case STEP_MEMORY:
        why = access_memory(c, mode, id);
        break;
    case STEP_ACQUIRE:
        hold(c, s, true);
        break;
    case STEP_RELEASE:
        if (!holds(c, s))
            return "it does not hold the lock";
        hold(c, s, false);
        break;
    case STEP_POST:
        machine_put(c, &c->level[s->obj], c->level[s->obj] + s->count);
        break;
    case STEP_TAKE:
        machine_put(c, &c->level[s->obj], c->level[s->obj] - 1);
        break;
    case STEP_CHANGE:
        if (c->changed[s->obj] <= id)
            machine_put(c, &c->changed[s->obj], id + 1);
        break;
    case STEP_CREATE:
        if (mode == MODE_SOUND)
            machine_put(c, &c->taint[s->obj], c->taint[s->obj] | c->taint[s->thr]);
        break;
    default:
        break;
    }
    if (why)
        return why;
    machine_put(c, &c->now, c->now + 1);
    machine_put(c, &c->when.at[id - c->base], c->now);
    machine_put(c, &c->at[s->thr], s->next);
    return NULL;
}

/* How far to run: to stand before a step, to be able to try it, to have done it. */
enum reach { REACH_PLACE, REACH_TRY, REACH_DONE };

/* Executes thread's steps up to the one given. What a step needs and has been left out happens
 * just before it. */
static int run_to(struct checker *c, enum mode mode, step_id id, enum reach reach,
                  struct err *err)
{
    uint32_t thr = step_of(c, id)->thr;
    for (;;) {
        step_id next = c->at[thr];
        if (next == NONE)
            return err_set(err, "event %llu is not ahead of its thread",
                           (unsigned long long)step_of(c, id)->number);
        if (next == id && reach == REACH_PLACE)
            return 0;
        for (uint32_t i = step_of(c, next)->need; i != NONE; i = c->needs.at[i].next)
            if (!when_of(c, c->needs.at[i].other) &&
                run_to(c, mode, c->needs.at[i].other, REACH_DONE, err) < 0)
                return -1;
        if (next == id && reach == REACH_TRY)
            return 0;
        const char *why = step(c, mode, next);
        if (why)
            return err_set(err, "event %llu cannot happen: %s",
                           (unsigned long long)step_of(c, next)->number, why);
        if (next == id)
            return 0;
    }
}

/* The first part of the event that is still to come. */
static step_id part_of(const struct checker *c, uint64_t number)
{
    step_id last = main_of(c, number);
    if (last == NONE)
        return NONE;
    for (step_id i = c->at[step_of(c, last)->thr]; i != NONE; i = step_of(c, i)->next) {
        if (step_of(c, i)->number == number)
            return i;
        if (step_of(c, i)->number > number)
            break;
    }
    return NONE;
}

/* ---- what the query asks --------------------------------------------------------------- */

static bool share_a_byte(const struct checker *c, const struct step *a, const struct step *b)
{
    for (uint32_t i = a->first; i < a->first + a->count; i++)
        for (uint32_t j = b->first; j < b->first + b->count; j++)
            if (c->bytes.at[i] == c->bytes.at[j])
                return true;
    return false;
}

static int check_race(const struct checker *c, const step_id *at, struct err *err)
{
    const struct step *a = step_of(c, at[0]), *b = step_of(c, at[1]);
    if (a->op != STEP_MEMORY || b->op != STEP_MEMORY || a->thr == b->thr ||
        !(a->writes || b->writes) || (a->atomic && b->atomic) || !share_a_byte(c, a, b))
        return err_set(err, "the two events are no conflicting accesses");
    return 0;
}

/* Does a wait for b's thread: to end, or to give back what a asks for? */
static bool waits_for(const struct checker *c, step_id a, step_id b)
{
    const struct step *s = step_of(c, a);
    uint32_t thr = step_of(c, b)->thr;
    if (thr == s->thr)
        return false;
    if (s->op == STEP_JOIN)
        return s->obj == thr;
    if (s->op != STEP_ACQUIRE && s->op != STEP_REQUEST)
        return false;
    return c->owner[s->obj] == thr || (!s->shared && is_reading(c, s->obj, thr));
}

/* Goes on from the one at place `now` through those not used yet, and round to the first. */
static bool goes_round(const struct checker *c, const struct query *q, const step_id *at,
                       uint32_t now, uint32_t used)
{
    if (used == (uint32_t)((1ULL << q->count) - 1))
        return waits_for(c, at[now], at[0]);
    for (uint32_t i = 1; i < q->count; i++)
        if (!(used >> i & 1) && waits_for(c, at[now], at[i]) &&
            goes_round(c, q, at, i, used | 1u << i))
            return true;
    return false;
}

/* Does its thread stand before it, and has to wait there? Its own result is as recorded, so
 * what others have to do first for that may be missing only at a barrier. NULL: it waits. */
static const char *passage(const struct checker *c, enum mode mode, const struct step *s)
{
    const char *why = absence(c, mode, s);
    if (why)
        return why;
    if (s->op == STEP_NOTHING)
        return has_needs(c, s) ? "it need not wait" : NULL;
    if (!has_needs(c, s))
        return "what has to come before it has not happened";
    if (s->op == STEP_ACQUIRE)
        return sleep_of(c, s) || is_taken(c, s) ? NULL : "the lock is free";
    if (s->op == STEP_TAKE)
        return c->level[s->obj] == 0 ? NULL : "the semaphore is above zero";
    if (s->op != STEP_JOIN)
        return "no thread waits for that";
    return c->at[s->obj] != NONE || c->ended[s->obj] > c->read ? NULL : "the thread has ended";
}

/* Each thread comes to where it stands before any is looked at. */
static int check_blocked(struct checker *c, const struct witness *w, const step_id *at,
                         struct err *err)
{
    const struct query *q = &w->query;
    for (uint32_t i = q->ordered; i < q->count; i++)
        if (run_to(c, w->mode, at[i], REACH_PLACE, err) < 0)
            return -1;
    for (uint32_t i = q->ordered; i < q->count; i++) {
        const struct step *s = step_of(c, at[i]);
        const char *why = c->at[s->thr] == at[i] ? passage(c, w->mode, s)
                                                 : "it is not the next of its thread";
        if (why)
            return err_set(err, "event %llu does not wait: %s", (unsigned long long)s->number,
                           why);
    }
    return 0;
}

static int check_frontier(struct checker *c, const struct witness *w, const step_id *at,
                          struct err *err)
{
    for (uint32_t i = query_ordered(&w->query); i < w->query.count; i++) {
        if (run_to(c, w->mode, at[i], REACH_TRY, err) < 0)
            return -1;
        const char *why = refusal(c, w->mode, step_of(c, at[i]));
        if (why)
            return err_set(err, "event %llu cannot be tried: %s",
                           (unsigned long long)step_of(c, at[i])->number, why);
    }
    for (uint32_t i = query_ordered(&w->query); i < w->query.count; i++)
        if (c->at[step_of(c, at[i])->thr] != at[i])
            return err_set(err, "event %llu is not the next of its thread",
                           (unsigned long long)step_of(c, at[i])->number);
    if (w->query.kind == QUERY_RACE)
        return check_race(c, at, err);
    if (w->query.kind == QUERY_DEADLOCK &&
        (w->query.count < 2 || !goes_round(c, &w->query, at, 0, 1)))
        return err_set(err, "the requests form no cycle");
    return 0;
}

static int check_order(const struct checker *c, const struct query *q, const step_id *at,
                       struct err *err)
{
    uint32_t count = query_ordered(q);
    for (uint32_t i = 0; i < count; i++)
        if (!when_of(c, at[i]))
            return err_set(err, "event %llu does not happen", (unsigned long long)q->number[i]);
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t first = when_of(c, at[i]), second = when_of(c, at[i + 1]);
        if (first >= second)
            return err_set(err, "event %llu does not come before event %llu",
                           (unsigned long long)q->number[i],
                           (unsigned long long)q->number[i + 1]);
        if ((q->adjacent >> i & 1) && first + 1 != second)
            return err_set(err, "something happens between events %llu and %llu",
                           (unsigned long long)q->number[i],
                           (unsigned long long)q->number[i + 1]);
    }
    return 0;
}

/* What the witness leaves out of the two happens at its end. */
static int check_unordered(struct checker *c, const struct witness *w, const step_id *at,
                           struct err *err)
{
    for (uint32_t i = 0; i < 2; i++)
        if (!when_of(c, at[i]) && run_to(c, w->mode, at[i], REACH_DONE, err) < 0)
            return -1;
    if (c->happens.ordered)
        return err_set(err, "one of the two events happens before the other");
    return check_race(c, at, err);
}

/* ---- where a witness leaves the trace ---------------------------------------------------- */

static void take_back(struct checker *c, uint32_t changes)
{
    while (c->journal.len > changes) {
        struct change last = c->journal.at[--c->journal.len];
        *last.at = last.was;
    }
}

/* Back to where the last witness left the trace. */
static void go_back(struct checker *c)
{
    take_back(c, 0);
    c->stages.len = 0;
    c->moved = false;
}

enum { READ_AT_ONCE = 4096 }; /* events */

static int stuck(struct checker *c, uint64_t number, const char *why, struct err *err)
{
    c->stuck_at = number;
    c->stuck_why = why;
    return err_set(err, "event %llu cannot happen as recorded: %s", (unsigned long long)number,
                   why);
}

/* Executes those recorded steps in memory whose events have smaller numbers. */
static int follow_steps(struct checker *c, enum mode mode, uint64_t end, struct err *err)
{
    for (; c->recorded < c->base + c->steps.len; c->recorded++) {
        const struct step *s = step_of(c, c->recorded);
        if (s->number >= end)
            break;
        const char *why = step(c, mode, c->recorded);
        if (why)
            return stuck(c, s->number, why, err);
    }
    return 0;
}

/* The same for an access of which no step is made. */
static const char *plain_step(struct checker *c, enum mode mode, const struct plain *s)
{
    uint32_t *taint = &c->taint[s->thr];
    if (c->create[s->thr] != NONE && !when_of(c, c->create[s->thr]))
        return "its thread does not exist yet";
    if (*taint && mode == MODE_CLASSIC)
        return "its thread has seen another value than recorded";
    if (!s->writes && mode != MODE_SYNC &&
        (c->memory[s->place] != s->seen || (mode != MODE_PAPER && c->stained[s->place])))
        *taint = 1;
    if (s->writes) {
        c->memory[s->place] = s->id;
        c->stained[s->place] = *taint;
    }
    c->now++;
    return NULL;
}

/* Most events are plain accesses: they need not become steps where nothing leaves the trace. */
static int follow_plain(struct checker *c, enum mode mode, uint64_t end, struct err *err)
{
    struct plain s;
    while (c->read < end && steps_plain(c, &s)) {
        const char *why = plain_step(c, mode, &s);
        if (why)
            return stuck(c, c->read - 1, why, err);
        c->recorded++;
    }
    return 0;
}

static bool is_all_executed(const struct checker *c)
{
    return c->recorded == c->base + c->steps.len && !c->moved;
}

/* Goes on to the next events, but not beyond `end`. */
static int follow_some(struct checker *c, enum mode mode, uint64_t end, struct err *err)
{
    bool fresh = is_all_executed(c) && c->followed == c->read;
    if (fresh) {
        steps_forget_all(c);
        if (follow_plain(c, mode, end, err) < 0)
            return -1;
    }
    uint64_t next = c->read > c->followed ? c->read : c->followed + READ_AT_ONCE;
    next = next < end ? next : end;
    steps_read(c, next);
    if (follow_steps(c, mode, next, err) < 0)
        return -1;
    c->followed = next;
    steps_forget(c, c->recorded);
    return 0;
}

/* Executes the trace as it was recorded, up to the event of this number. */
static int follow_trace(struct checker *c, enum mode mode, uint64_t end, struct err *err)
{
    if (end > c->event_count)
        end = c->event_count;
    if (c->recorded_mode != mode)
        c->stuck_at = UINT64_MAX;
    if (end > c->stuck_at)
        return err_set(err, "event %llu cannot happen as recorded: %s",
                       (unsigned long long)c->stuck_at, c->stuck_why);
    if (end < c->followed || c->recorded_mode != mode)
        machine_start(c);
    c->recorded_mode = mode;
    while (c->followed < end) {
        bool is_cut = stop_came() && stop_is_late();
        if (is_cut)
            err_set(err, "stopped");
        if (is_cut || follow_some(c, mode, end, err) < 0) {
            machine_start(c);
            return -1;
        }
    }
    return 0;
}

uint64_t trace_check(struct checker *c, enum mode mode, struct err *err)
{
    go_back(c);
    if (follow_trace(c, mode, c->event_count, err) == 0)
        return c->event_count;
    return c->stuck_at;
}

/* ---- a witness --------------------------------------------------------------------------- */

/* Events before this one happen as recorded. */
static uint64_t base_of(const struct witness *w)
{
    uint64_t base = w->prefix;
    for (uint32_t t = 0; t < w->stop.len; t++)
        base = w->stop.at[t] < base ? w->stop.at[t] : base;
    for (uint32_t i = 0; i < w->query.count; i++)
        base = w->query.number[i] < base ? w->query.number[i] : base;
    return base;
}

/* So many events of the trace have to be known to execute it. */
static uint64_t end_of(const struct witness *w)
{
    uint64_t end = w->stop.len ? 0 : w->prefix;
    for (uint32_t t = 0; t < w->stop.len; t++)
        end = w->stop.at[t] > end ? w->stop.at[t] : end;
    if (w->resume == 0 && w->prefix < end)
        end = w->prefix;
    for (uint32_t i = 0; i < w->order.len; i++)
        end = w->order.at[i] >= end ? w->order.at[i] + 1 : end;
    for (uint32_t i = 0; i < w->query.count; i++)
        end = w->query.number[i] >= end ? w->query.number[i] + 1 : end;
    return end;
}

static bool is_stopped(const struct witness *w, const struct step *s)
{
    return s->thr < w->stop.len && s->number >= w->stop.at[s->thr];
}

enum { STAGE_STEPS = 64 };

/* The events before the list, without those at which their threads stop. */
static int run_first(struct checker *c, const struct witness *w, struct err *err)
{
    step_id id = c->stages.len ? c->stages.at[c->stages.len - 1].next : c->recorded;
    for (step_id begin = id; id < c->base + c->steps.len; id++) {
        const struct step *s = step_of(c, id);
        if (s->number >= w->prefix)
            break;
        if (id > begin && (id - begin) % STAGE_STEPS == 0)
            vec_push(&c->stages, (struct stage){id, c->journal.len});
        if (!is_stopped(w, s) && run_to(c, w->mode, id, REACH_DONE, err) < 0)
            return -1;
    }
    return 0;
}

/* Those behind it. */
static int run_rest(struct checker *c, const struct witness *w, struct err *err)
{
    for (step_id id = c->recorded; id < c->base + c->steps.len; id++) {
        const struct step *s = step_of(c, id);
        if (s->number >= w->resume && !is_stopped(w, s) &&
            run_to(c, w->mode, id, REACH_DONE, err) < 0)
            return -1;
    }
    return 0;
}

static int run_list(struct checker *c, const struct witness *w, struct err *err)
{
    for (uint32_t i = 0; i < w->order.len; i++) {
        step_id id = part_of(c, w->order.at[i]);
        if (id == NONE)
            return err_set(err, "step %u: event %llu is not to come", i,
                           (unsigned long long)w->order.at[i]);
        if (run_to(c, w->mode, id, REACH_DONE, err) < 0)
            return err_in(err, "step %u", i);
    }
    return 0;
}

static int run_witness(struct checker *c, const struct witness *w, const step_id *at,
                       struct err *err)
{
    if (run_first(c, w, err) < 0 || run_list(c, w, err) < 0 ||
        (w->resume > 0 && run_rest(c, w, err) < 0))
        return -1;
    if (w->query.kind == QUERY_UNORDERED)
        return check_unordered(c, w, at, err);
    if (w->query.kind == QUERY_BLOCKED && check_blocked(c, w, at, err) < 0)
        return -1;
    if (w->query.kind != QUERY_ORDER && w->query.kind != QUERY_BLOCKED &&
        check_frontier(c, w, at, err) < 0)
        return -1;
    return check_order(c, &w->query, at, err);
}

/* Up to this event it does what the last one did. */
static uint64_t same_until(const struct checker *c, const struct witness *w)
{
    uint64_t same = w->prefix < c->prefix ? w->prefix : c->prefix;
    for (uint32_t t = 0; t < w->stop.len; t++) {
        uint64_t a = w->stop.at[t], b = c->stop.at[t], first = a < b ? a : b;
        if (a != b && first < same)
            same = first;
    }
    return same;
}

/* What the last witness did in the same way need not be done again, if the machine is where
 * this one leaves the trace and no more steps have to be read. */
static bool go_on(struct checker *c, const struct witness *w, uint64_t end)
{
    uint64_t base = base_of(w);
    if (!c->moved || w->mode != c->recorded_mode || w->query.kind == QUERY_UNORDERED ||
        (base < c->event_count ? base : c->event_count) != c->followed || end > c->read ||
        w->stop.len != c->stop.len)
        return false;
    uint64_t same = same_until(c, w);
    while (c->stages.len > 0 &&
           step_of(c, c->stages.at[c->stages.len - 1].next - 1)->number >= same)
        c->stages.len--;
    take_back(c, c->stages.len ? c->stages.at[c->stages.len - 1].changes : 0);
    return true;
}

/* Brings the machine to where the witness leaves the trace, or farther. */
static int begin(struct checker *c, const struct witness *w, uint64_t end, struct err *err)
{
    if (!go_on(c, w, end)) {
        go_back(c);
        if (follow_trace(c, w->mode, base_of(w), err) < 0)
            return -1;
        steps_read(c, end);
    }
    c->stop.len = 0;
    for (uint32_t t = 0; t < w->stop.len; t++)
        vec_push(&c->stop, w->stop.at[t]);
    c->prefix = w->prefix;
    return 0;
}

/* Who is the last to arrive at a barrier is known once it leaves. */
static void read_behind(struct checker *c, const struct query *q, const step_id *at)
{
    for (uint32_t i = q->ordered; q->kind == QUERY_BLOCKED && i < q->count; i++)
        while (step_of(c, at[i])->next == NONE && c->read < c->event_count)
            steps_read(c, c->read + READ_AT_ONCE);
}

/* Steps are read up to `end`: others that follow may need more of them. */
static int check_one(struct checker *c, const struct witness *w, uint64_t end, struct err *err)
{
    step_id at[QUERY_MAX];
    CHECK(w->query.count <= QUERY_MAX && (w->stop.len == c->thread_count || w->resume == 0));
    bool pair = w->query.kind == QUERY_RACE || w->query.kind == QUERY_UNORDERED;
    if (pair && w->query.count != 2)
        return err_set(err, "a race is of two events");
    if (begin(c, w, end, err) < 0)
        return -1;
    for (uint32_t i = 0; i < w->query.count; i++) {
        at[i] = main_of(c, w->query.number[i]);
        if (at[i] == NONE)
            return err_set(err, "no event %llu", (unsigned long long)w->query.number[i]);
    }
    read_behind(c, &w->query, at);
    c->moved = true;
    if (w->query.kind != QUERY_UNORDERED)
        return run_witness(c, w, at, err);
    happens_begin(c, at[0], at[1]);
    int failed = run_witness(c, w, at, err);
    go_back(c);
    happens_end(c);
    return failed;
}

int witness_check(struct checker *c, const struct witness *w, struct err *err)
{
    return check_one(c, w, end_of(w), err);
}

struct turn {
    uint64_t base;
    const struct witness *w;
    uint32_t which;
};

/* Those that leave the trace at the same place stand together, and then those that go on in the
 * same way. */
static int by_way(const void *left, const void *right)
{
    const struct turn *a = left, *b = right;
    if (a->base != b->base)
        return a->base < b->base ? -1 : 1;
    for (uint32_t t = 0; t < a->w->stop.len && t < b->w->stop.len; t++)
        if (a->w->stop.at[t] != b->w->stop.at[t])
            return a->w->stop.at[t] < b->w->stop.at[t] ? -1 : 1;
    return (a->which > b->which) - (a->which < b->which);
}

/* So much has to be read for all that leave the trace where this one does. */
static uint64_t end_of_group(const struct turn *turns, uint32_t first, uint32_t count)
{
    uint64_t end = 0;
    for (uint32_t i = first; i < count && turns[i].base == turns[first].base; i++) {
        uint64_t own = end_of(turns[i].w);
        end = own > end ? own : end;
    }
    return end;
}

void witness_check_all(struct checker *c, const struct witness *w, uint32_t count, bool *good,
                       struct err *err)
{
    struct turn *turns = mem_get((count + 1) * sizeof *turns);
    struct err why;
    uint64_t end = 0;
    uint32_t last = 0; /* refused, from 1 */
    for (uint32_t i = 0; i < count; i++)
        turns[i] = (struct turn){base_of(&w[i]), &w[i], i};
    qsort(turns, count, sizeof *turns, by_way);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t which = turns[i].which;
        if (i == 0 || turns[i].base != turns[i - 1].base)
            end = end_of_group(turns, i, count);
        good[which] = check_one(c, &w[which], end, &why) == 0;
        if (!good[which] && which >= last) {
            last = which + 1;
            *err = why;
        }
    }
    free(turns);
}

/* ---- life ------------------------------------------------------------------------------ */

static void *state_array(uint64_t count, size_t size)
{
    void *a = calloc(count + 1, size);
    CHECK(a);
    return a;
}

struct checker *checker_new(struct trace *t, struct err *err)
{
    struct checker *c = state_array(0, sizeof *c);
    c->trace = t;
    c->stuck_at = UINT64_MAX;
    happens_end(c);
    if (steps_open(c, err) < 0) {
        checker_free(c);
        return NULL;
    }
    c->at = state_array(c->thread_count, sizeof *c->at);
    c->taint = state_array(c->thread_count, sizeof *c->taint);
    c->memory = state_array(c->place_count, sizeof *c->memory);
    c->stained = state_array(c->place_count, sizeof *c->stained);
    c->owner = state_array(c->start_level.len, sizeof *c->owner);
    c->readers = state_array(c->start_level.len, sizeof *c->readers);
    c->reading = state_array(c->reading_count, sizeof *c->reading);
    c->level = state_array(c->start_level.len, sizeof *c->level);
    c->changed = state_array(c->start_level.len, sizeof *c->changed);
    machine_start(c);
    return c;
}

void checker_free(struct checker *c)
{
    if (!c)
        return;
    steps_close(c);
    happens_done(&c->happens);
    vec_done(&c->journal);
    vec_done(&c->stages);
    vec_done(&c->stop);
    void *parts[] = {c->at,      c->taint,   c->memory, c->stained, c->owner,
                     c->readers, c->reading, c->level,  c->changed};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
    free(c);
}

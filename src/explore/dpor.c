/* SPDX-License-Identifier: Apache-2.0
 *
 * dpor: dynamic partial-order reduction with source sets and sleep sets (Abdulla et al. 2014,
 * "Optimal dynamic partial order reduction", algorithm 1). The tree of choices is walked depth
 * first; a node is the state before one step of the last run. Where two steps of that run
 * conflict and nothing else orders them, a schedule with the second before the first is added
 * to the choices of the node before the first.
 *
 * Deviations: a step that had to wait for another (a lock for its release) cannot come before
 * that one; it is tried before the step that made it wait instead. A wait that the schedule may
 * end at any time (a time-out) is tried before what ended it. Whom a signal wakes is a node of
 * its own with all waiters as choices. */
#include "explore/conflict.h"

enum { STEPS_MAX = 20000 };

/* A choice of a node that was explored, and what it did there. */
struct tried {
    uint32_t thr;
    uint32_t flags;
    VEC(struct access) accesses;
};

struct node {
    uint32_t thr; /* chosen in the last run */
    bool is_choice;
    VEC(uint32_t) todo;       /* choices to be made here, those made included */
    VEC(struct tried) tried;  /* made and finished */
    VEC(struct tried) asleep; /* need not be made: equivalent runs are elsewhere in the tree */
    struct tried now;         /* what the chosen one did */
    bool has_now;
};

struct explore {
    bool all;
    bool is_apart; /* of atomics only what steps_relation says conflicts */
    VEC(struct node) nodes;
    uint32_t planned; /* nodes that the last plan determined */
    struct map classes;
    struct explore_count count;
    struct step_order order;
};

/* ---- conflicts --------------------------------------------------------------------------- */

/* Does it matter for who sleeps that s is done first? */
static bool tried_conflict(const struct explore *x, const struct tried *t,
                           const struct explore_run *r, const struct explore_step *s)
{
    if ((t->flags | s->flags) & STEP_OPAQUE || t->thr == s->thr)
        return true;
    if (x->is_apart) {
        enum relation is = accesses_relation(t->accesses.at, t->accesses.len, NONE,
                                             r->accesses.at + s->access, s->access_count);
        return is == CONFLICTS || is == MISSES;
    }
    return accesses_conflict(t->accesses.at, t->accesses.len, r->accesses.at + s->access,
                             s->access_count);
}

/* ---- small sets -------------------------------------------------------------------------- */

static bool has_tried(const struct tried *at, uint32_t count, uint32_t thr)
{
    for (uint32_t i = 0; i < count; i++)
        if (at[i].thr == thr)
            return true;
    return false;
}

static void todo_add(struct node *n, uint32_t thr)
{
    if (!thr_is_in(n->todo.at, n->todo.len, thr))
        vec_push(&n->todo, thr);
}

static struct tried tried_copy(const struct tried *t)
{
    struct tried c = {.thr = t->thr, .flags = t->flags};
    for (uint32_t i = 0; i < t->accesses.len; i++)
        vec_push(&c.accesses, t->accesses.at[i]);
    return c;
}

/* As it may be in other runs. */
static struct access access_of(const struct explore_run *r, const struct explore_step *s,
                               uint32_t i)
{
    struct access a = r->accesses.at[s->access + i];
    a.from = NONE;
    return a;
}

static bool access_is(const struct access *a, const struct access *b)
{
    return a->obj == b->obj && a->lo == b->lo && a->hi == b->hi && a->mode == b->mode &&
           a->weak == b->weak && a->is_plain == b->is_plain;
}

static void tried_of(struct tried *out, const struct explore_run *r,
                     const struct explore_step *s)
{
    out->thr = s->thr;
    out->flags = s->flags;
    out->accesses.len = 0;
    for (uint32_t i = 0; i < s->access_count; i++)
        vec_push(&out->accesses, access_of(r, s, i));
}

/* The same step with another choice of its own can do something else. */
static void tried_more(struct tried *out, const struct explore_run *r,
                       const struct explore_step *s)
{
    out->flags |= s->flags;
    for (uint32_t i = 0; i < s->access_count; i++) {
        struct access a = access_of(r, s, i);
        uint32_t k = 0;
        while (k < out->accesses.len && !access_is(&out->accesses.at[k], &a))
            k++;
        if (k == out->accesses.len)
            vec_push(&out->accesses, a);
    }
}

static void node_done(struct node *n)
{
    for (uint32_t i = 0; i < n->tried.len; i++)
        vec_done(&n->tried.at[i].accesses);
    for (uint32_t i = 0; i < n->asleep.len; i++)
        vec_done(&n->asleep.at[i].accesses);
    vec_done(&n->now.accesses);
    vec_done(&n->todo);
    vec_done(&n->tried);
    vec_done(&n->asleep);
}

static void cut_nodes(struct explore *x, uint32_t len)
{
    while (x->nodes.len > len)
        node_done(&x->nodes.at[--x->nodes.len]);
}

/* ---- the order of a run ------------------------------------------------------------------ */

static bool is_option(const struct explore_run *r, uint32_t step, uint32_t thr)
{
    const struct explore_step *s = &r->steps.at[step];
    return thr_is_in(r->options.at + s->option, s->option_count, thr);
}

/* Is step i (of thread thr, ordered behind `clock`) one with which a run could go on before
 * the step `first`, on the way to what follows without it? */
static bool can_start(const struct explore *x, const struct explore_run *r, uint32_t first,
                      uint32_t i, const uint32_t *clock)
{
    for (uint32_t j = first + 1; j < i; j++)
        if (!step_is_before(&x->order, r, first, step_clock(&x->order, j)) &&
            step_is_before(&x->order, r, j, clock))
            return false;
    return true;
}

/* The second step could come before the first: somebody who begins what leads there without
 * the first must be among the choices of the node before it. False: it could not, because its
 * thread had to wait there. */
static bool add_race(struct explore *x, const struct explore_run *r, uint32_t first,
                     uint32_t second, const struct explore_step *s, const uint32_t *before)
{
    struct node *n = &x->nodes.at[first];
    uint32_t starter = NONE;
    for (uint32_t i = first + 1; i < second; i++) {
        const struct explore_step *e = &r->steps.at[i];
        if ((e->flags & STEP_CHOICE) ||
            step_is_before(&x->order, r, first, step_clock(&x->order, i)) ||
            !can_start(x, r, first, i, step_clock(&x->order, i)))
            continue;
        if (thr_is_in(n->todo.at, n->todo.len, e->thr))
            return true;
        starter = starter == NONE ? e->thr : starter;
    }
    if (can_start(x, r, first, second, before) && is_option(r, first, s->thr))
        starter = s->thr;
    if (starter != NONE)
        todo_add(n, starter);
    return starter != NONE;
}

/* Of step i and a later one. */
static enum relation relation_of(const struct explore *x, const struct explore_run *r,
                                 uint32_t i, const struct explore_step *s)
{
    const struct explore_step *e = &r->steps.at[i];
    if (e->thr == s->thr || (e->flags & STEP_CHOICE))
        return APART;
    if (x->is_apart)
        return steps_relation(r, i, s);
    return steps_conflict(r, e, s) ? CONFLICTS : APART;
}

/* Step j could come before steps that would read what it stores. Before the first of them it
 * is before all, and what they read now they can read then. */
static void add_missed(struct explore *x, const struct explore_run *r, uint32_t j,
                       const struct explore_step *s, const uint32_t *clock)
{
    for (uint32_t i = 0; i < j; i++)
        if (relation_of(x, r, i, s) == MISSES && !step_is_before(&x->order, r, i, clock) &&
            add_race(x, r, i, j, s, clock))
            return;
}

/* Clock of step j, and the races that it closes with steps before it. */
static void order_step(struct explore *x, const struct explore_run *r, uint32_t j,
                       const struct explore_step *s, uint32_t last_of_thr, bool is_new)
{
    uint32_t *clock = step_clock(&x->order, j);
    uint32_t *late = mem_zeroed(x->order.thread_count, sizeof *late);
    bool misses = false;
    if (last_of_thr != NONE)
        clock_join(&x->order, clock, step_clock(&x->order, last_of_thr));
    for (uint32_t i = 0; i < s->after_count; i++)
        clock_join(&x->order, clock, step_clock(&x->order, r->afters.at[s->after + i]));
    for (uint32_t i = j; i-- > 0;) {
        enum relation is = relation_of(x, r, i, s);
        misses |= is == MISSES;
        if (is == APART || is == MISSES || step_is_before(&x->order, r, i, clock))
            continue;
        bool free = is == SEES || (!step_made_way(r, &r->steps.at[i], s) &&
                                   (!is_new || add_race(x, r, i, j, s, clock)));
        clock_join(&x->order, free ? clock : late, step_clock(&x->order, i));
    }
    if (misses && is_new)
        add_missed(x, r, j, s, clock);
    clock_join(&x->order, clock, late);
    free(late);
}

/* The wait that step s ended might have ended by itself before: what would then have happened
 * conflicts with what s does, and with what woke it. */
static void end_wait_early(struct explore *x, const struct explore_run *r, uint32_t j,
                           const struct explore_step *s, uint32_t last_of_thr)
{
    struct explore_step alone = *s;
    uint32_t *clock = step_clock(&x->order, r->steps.len);
    alone.after_count = 0;
    memset(clock, 0, x->order.thread_count * sizeof *clock);
    if (last_of_thr != NONE)
        clock_join(&x->order, clock, step_clock(&x->order, last_of_thr));
    for (uint32_t i = j; i-- > 0;) {
        const struct explore_step *e = &r->steps.at[i];
        bool woke = thr_is_in(r->afters.at + s->after, s->after_count, i);
        if (e->thr == s->thr || (e->flags & STEP_CHOICE) ||
            step_is_before(&x->order, r, i, clock) || !(woke || steps_conflict(r, e, s)))
            continue;
        if (is_option(r, i, s->thr) && add_race(x, r, i, j, &alone, clock))
            clock_join(&x->order, clock, step_clock(&x->order, i));
    }
}

/* Of the first `count` steps. Races that end before `from` are known already. */
static void order_run(struct explore *x, const struct explore_run *r, uint32_t count,
                      uint32_t from)
{
    step_order_start(&x->order, r);
    uint32_t *last = mem_get(x->order.thread_count * sizeof *last);
    uint32_t *steps = mem_zeroed(x->order.thread_count, sizeof *steps);
    memset(last, 0xff, x->order.thread_count * sizeof *last);
    for (uint32_t j = 0; j < count; j++) {
        uint32_t thr = r->steps.at[j].thr;
        vec_push(&x->order.index, steps[thr]);
        if (r->steps.at[j].flags & STEP_CHOICE)
            continue;
        x->order.index.at[j] = ++steps[thr];
        order_step(x, r, j, &r->steps.at[j], last[thr], j >= from);
        if (j >= from && (r->steps.at[j].flags & STEP_ENDS_WAIT))
            end_wait_early(x, r, j, &r->steps.at[j], last[thr]);
        step_clock(&x->order, j)[thr] = x->order.index.at[j];
        last[thr] = j;
    }
    bool whole = count == r->steps.len && !x->all;
    for (uint32_t i = 0; whole && i < r->pending.len; i++) {
        const struct explore_step *s = &r->pending.at[i];
        memset(step_clock(&x->order, count), 0,
               x->order.thread_count * sizeof *x->order.clocks.at);
        order_step(x, r, count, s, last[s->thr], true);
    }
    free(last);
    free(steps);
}

/* The same number for all runs of a class: who did what, knowing what. */
static uint64_t class_of(const struct explore *x, const struct explore_run *r)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->steps.len; i++) {
        const struct explore_step *s = &r->steps.at[i];
        if (s->flags & STEP_CHOICE)
            continue;
        sum += step_hash(&x->order, s, i);
    }
    return hash_u64(sum);
}

/* ---- the tree ---------------------------------------------------------------------------- */

/* Who sleeps at the node behind n, whose chosen one has just done s. */
static void inherit_sleep(const struct explore *x, struct node *to, const struct node *n,
                          const struct explore_run *r, const struct explore_step *s)
{
    for (uint32_t i = 0; i < n->asleep.len; i++)
        if (n->is_choice || !tried_conflict(x, &n->asleep.at[i], r, s))
            vec_push(&to->asleep, tried_copy(&n->asleep.at[i]));
    for (uint32_t i = 0; !n->is_choice && i < n->tried.len; i++)
        if (!tried_conflict(x, &n->tried.at[i], r, s))
            vec_push(&to->asleep, tried_copy(&n->tried.at[i]));
}

static void add_node(struct explore *x, const struct explore_run *r, uint32_t at)
{
    const struct explore_step *s = &r->steps.at[at];
    struct node n = {.thr = s->thr, .is_choice = s->flags & STEP_CHOICE};
    if (at > 0 && !x->all)
        inherit_sleep(x, &n, &x->nodes.at[at - 1], r, &r->steps.at[at - 1]);
    todo_add(&n, s->thr);
    for (uint32_t i = 0; (n.is_choice || x->all) && i < s->option_count; i++)
        todo_add(&n, r->options.at[s->option + i]);
    vec_push(&x->nodes, n);
}

/* Notes what the run did, up to a step of somebody who should have slept; its index, or the
 * number of steps. */
static uint32_t add_run(struct explore *x, const struct explore_run *r)
{
    uint32_t count = r->steps.len < STEPS_MAX ? r->steps.len : STEPS_MAX;
    x->count.deep |= r->steps.len > STEPS_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (i >= x->nodes.len)
            add_node(x, r, i);
        struct node *n = &x->nodes.at[i];
        if (!n->is_choice && has_tried(n->asleep.at, n->asleep.len, r->steps.at[i].thr)) {
            n->todo.len = 0;
            n->has_now = false;
            return i;
        }
        if (n->has_now && n->now.thr == r->steps.at[i].thr)
            tried_more(&n->now, r, &r->steps.at[i]);
        else
            tried_of(&n->now, r, &r->steps.at[i]);
        n->has_now = true;
    }
    return count;
}

/* Somebody at this node who is not asleep, in the order of the run's options; NONE: nobody. */
static uint32_t awake(const struct node *n, const struct explore_run *r, uint32_t at)
{
    const struct explore_step *s = &r->steps.at[at];
    for (uint32_t i = 0; i < s->option_count; i++)
        if (!has_tried(n->asleep.at, n->asleep.len, r->options.at[s->option + i]))
            return r->options.at[s->option + i];
    return NONE;
}

/* Threads sleep, and what a choice is among need not be threads. */
static uint32_t choice_left(const struct node *n)
{
    for (uint32_t i = 0; i < n->todo.len; i++)
        if (!has_tried(n->tried.at, n->tried.len, n->todo.at[i]) &&
            (n->is_choice || !has_tried(n->asleep.at, n->asleep.len, n->todo.at[i])))
            return n->todo.at[i];
    return NONE;
}

static void make_plan(struct explore *x, struct explore_plan *plan)
{
    const struct node *n = &x->nodes.at[x->nodes.len - 1];
    plan->picks.len = plan->sleep.len = 0;
    for (uint32_t i = 0; i < x->nodes.len; i++)
        vec_push(&plan->picks, x->nodes.at[i].thr);
    for (uint32_t i = 0; i < n->asleep.len; i++)
        vec_push(&plan->sleep, n->asleep.at[i].thr);
    for (uint32_t i = 0; !n->is_choice && i < n->tried.len; i++)
        vec_push(&plan->sleep, n->tried.at[i].thr);
    x->planned = x->nodes.len;
}

/* The deepest node with something left to try. */
static bool turn_back(struct explore *x)
{
    while (x->nodes.len > 0) {
        struct node *n = &x->nodes.at[x->nodes.len - 1];
        if (n->has_now) {
            vec_push(&n->tried, n->now);
            n->now = (struct tried){0};
            n->has_now = false;
        }
        uint32_t next = choice_left(n);
        if (next != NONE) {
            n->thr = next;
            return true;
        }
        cut_nodes(x, x->nodes.len - 1);
    }
    return false;
}

/* From the beginning: something was not offered that conflicts.c counts on. */
static void begin_again(struct explore *x, struct explore_plan *plan)
{
    x->is_apart = false;
    x->planned = 0;
    x->count.runs++;
    x->count.classes = 0;
    cut_nodes(x, 0);
    map_done(&x->classes);
    x->classes = (struct map){0};
    plan->picks.len = plan->sleep.len = 0;
}

/* The first step of which not all is known from the run before. What a step does depends on
 * the choices that it makes. */
static uint32_t first_new(const struct explore *x)
{
    uint32_t from = x->planned ? x->planned - 1 : 0;
    while (from > 0 && x->nodes.at[from].is_choice)
        from--;
    return x->all ? UINT32_MAX : from;
}

bool explore_next(struct explore *x, const struct explore_run *r, struct explore_plan *plan)
{
    x->count.leaves_out |= r->leaves_out;
    x->count.has_sc |= r->has_sc;
    x->count.has_weaker |= r->has_weaker;
    if (x->is_apart && r->leaves_out) {
        begin_again(x, plan);
        return true;
    }
    uint32_t from = first_new(x);
    uint32_t count = add_run(x, r);
    x->count.runs++;
    order_run(x, r, count, from);
    if (count < r->steps.len) {
        x->count.redundant += count < STEPS_MAX;
        cut_nodes(x, count < STEPS_MAX ? count + 1 : count);
        uint32_t other = count < STEPS_MAX ? awake(&x->nodes.at[count], r, count) : NONE;
        if (other != NONE) {
            x->nodes.at[count].thr = other;
            todo_add(&x->nodes.at[count], other);
            make_plan(x, plan);
            return true;
        }
    } else {
        uint32_t *slot = map_at(&x->classes, class_of(x, r));
        x->count.classes += *slot == NONE;
        *slot = 0;
    }
    if (turn_back(x)) {
        make_plan(x, plan);
        return true;
    }
    x->count.complete = !x->count.deep;
    return false;
}

bool explore_skip(struct explore *x, struct explore_plan *plan)
{
    x->count.runs++;
    if (x->nodes.len > 0) {
        struct node *n = &x->nodes.at[x->nodes.len - 1];
        tried_of(&n->now, &(struct explore_run){0},
                 &(struct explore_step){.thr = n->thr, .flags = STEP_OPAQUE});
        n->has_now = true;
    }
    if (!turn_back(x))
        return false;
    make_plan(x, plan);
    return true;
}

/* ---- life -------------------------------------------------------------------------------- */

struct explore *explore_new(bool all)
{
    struct explore *x = mem_zeroed(1, sizeof *x);
    x->all = all;
    x->is_apart = !all;
    return x;
}

void explore_free(struct explore *x)
{
    if (!x)
        return;
    cut_nodes(x, 0);
    vec_done(&x->nodes);
    step_order_done(&x->order);
    map_done(&x->classes);
    free(x);
}

const struct explore_count *explore_counts(const struct explore *x)
{
    return &x->count;
}

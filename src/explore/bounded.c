/* SPDX-License-Identifier: Apache-2.0
 *
 * bounded: all schedules with at most so many preemptions. A preemption is a switch away from a
 * thread that could have gone on; switches where it waits or has ended are free, and so is whom
 * a signal wakes. The tree of choices is walked depth first, with two reductions that lose
 * nothing:
 *
 * - A thread is preempted only before a step that is *open*: one that, in some run, conflicts
 *   with a later step of another thread which nothing else orders behind it. Before any other
 *   step a preemption may as well come behind it: nobody does meanwhile what conflicts with it,
 *   for the first who did would be seen in the run that has it behind the step. A step that
 *   lets others go on is open, too: before it, switches away from those who wait are free.
 *   Steps are known by their place in the program. Where a round finds a new open place,
 *   another round follows.
 * - A state is known by the class of the run that led there (Musuvathi, Qadeer 2007, "Partial-
 *   order reduction for context-bounded state exploration"): who did what, knowing what. Where
 *   the same thread has come to the same state with no more preemptions, nothing is new.
 *
 * Bounds are raised one by one, so that open places are known early. Sleep sets and source
 * sets are no help here: the schedule that stands for a class may need more preemptions than
 * another one of it. */
#include "explore/conflict.h"

enum { STEPS_MAX = 4000 };

struct turn {
    uint32_t thr;     /* chosen in the last run */
    uint32_t running; /* could have gone on here; NONE: nobody, the choice is free */
    uint32_t used;    /* preemptions before it */
    uint64_t place;   /* of the running thread's next step; 0: not known */
    bool is_opaque;
    VEC(uint32_t) options, tried;
};

struct bounded {
    uint32_t bound, bound_max;
    VEC(struct turn) path;
    struct map states; /* -> preemptions used, the fewest */
    struct map open;   /* places */
    bool grew;         /* some of those are new in this round */
    bool refused;      /* a preemption that the bound forbids was left out */
    struct step_order order;
    struct explore_count count;
    uint64_t begun; /* runs before this round */
};

/* ---- open places ------------------------------------------------------------------------- */

static void open_place(struct bounded *x, const struct explore_step *s)
{
    uint32_t *slot = map_at(&x->open, s->place);
    x->grew |= *slot == NONE;
    *slot = 0;
}

/* A pair of steps that could come the other way round. */
static void see_race(struct bounded *x, const struct explore_run *r,
                     const struct explore_step *first, const struct explore_step *second)
{
    open_place(x, first);
    for (uint32_t i = 0; i < first->access_count; i++)
        for (uint32_t k = 0; k < second->access_count; k++) {
            const struct access *a = &r->accesses.at[first->access + i];
            const struct access *b = &r->accesses.at[second->access + k];
            x->count.races += a->is_plain && b->is_plain && access_conflict(a, b);
        }
}

/* Clock of step j, a step of a run or one behind its end. */
static void order_step(struct bounded *x, const struct explore_run *r, uint32_t j,
                       const struct explore_step *s, uint32_t last)
{
    struct step_order *o = &x->order;
    uint32_t *clock = step_clock(o, j);
    uint32_t *known = mem_zeroed(o->thread_count, sizeof *known);
    if (last != NONE)
        clock_join(o, clock, step_clock(o, last));
    for (uint32_t i = 0; i < s->after_count; i++) {
        uint32_t after = r->afters.at[s->after + i];
        open_place(x, &r->steps.at[after]); /* the wait may end otherwise before */
        clock_join(o, known, step_clock(o, after));
    }
    if (!(s->flags & STEP_ENDS_WAIT))
        clock_join(o, clock, known);
    for (uint32_t i = j; i-- > 0;) {
        const struct explore_step *e = &r->steps.at[i];
        if (e->thr == s->thr || (e->flags & STEP_CHOICE) || !steps_conflict(r, e, s) ||
            step_is_before(o, r, i, clock))
            continue;
        if (step_made_way(r, e, s))
            open_place(x, e); /* as long as it is not done, whoever waits is left for free */
        else
            see_race(x, r, e, s);
        clock_join(o, known, step_clock(o, i));
    }
    clock_join(o, clock, known);
    free(known);
}

static void order_run(struct bounded *x, const struct explore_run *r)
{
    struct step_order *o = &x->order;
    step_order_start(o, r);
    uint32_t *last = mem_get(o->thread_count * sizeof *last);
    memset(last, 0xff, o->thread_count * sizeof *last);
    for (uint32_t j = 0; j < r->steps.len; j++) {
        const struct explore_step *s = &r->steps.at[j];
        uint32_t before = last[s->thr];
        vec_push(&o->index, before == NONE ? 0 : o->index.at[before]);
        if (s->flags & STEP_CHOICE)
            continue;
        o->index.at[j]++;
        order_step(x, r, j, s, before);
        step_clock(o, j)[s->thr] = o->index.at[j];
        last[s->thr] = j;
    }
    for (uint32_t i = 0; i < r->pending.len; i++) {
        const struct explore_step *s = &r->pending.at[i];
        memset(step_clock(o, r->steps.len), 0, o->thread_count * sizeof *last);
        order_step(x, r, r->steps.len, s, last[s->thr]);
    }
    free(last);
}

/* ---- the tree ---------------------------------------------------------------------------- */

static void turn_done(struct turn *c)
{
    vec_done(&c->options);
    vec_done(&c->tried);
}

static void cut_path(struct bounded *x, uint32_t len)
{
    while (x->path.len > len)
        turn_done(&x->path.at[--x->path.len]);
}

static struct turn turn_of(const struct explore_run *r, uint32_t at, uint32_t used)
{
    const struct explore_step *s = &r->steps.at[at];
    struct turn c = {.thr = s->thr, .running = NONE, .used = used, .place = s->place};
    c.is_opaque = s->flags & STEP_OPAQUE;
    for (uint32_t i = 0; i < s->option_count; i++)
        vec_push(&c.options, r->options.at[s->option + i]);
    if (at > 0 && (s->flags & STEP_GOES_ON) && !(s->flags & STEP_CHOICE))
        c.running = s->from;
    if (!thr_is_in(c.options.at, c.options.len, c.running))
        c.running = NONE;
    return c;
}

static uint32_t used_behind(const struct turn *c)
{
    return c->used + (c->running != NONE && c->thr != c->running);
}

/* Takes up what the run did behind its plan, up to a state that is known. */
static void add_run(struct bounded *x, const struct explore_run *r)
{
    uint64_t sum = 0, last = 0;
    for (uint32_t i = 0; i < r->steps.len; i++) {
        const struct explore_step *s = &r->steps.at[i];
        bool is_choice = s->flags & STEP_CHOICE;
        if (i >= x->path.len) {
            uint32_t used = i ? used_behind(&x->path.at[i - 1]) : 0;
            struct turn c = turn_of(r, i, used);
            uint64_t state = hash_u64(sum + 3 * (uint64_t)c.running + is_choice);
            uint32_t *slot = map_at(&x->states, hash_u64(state ^ (sum << 1)));
            if (*slot != NONE && *slot <= used) {
                turn_done(&c);
                return;
            }
            *slot = used;
            vec_push(&x->path, c);
        }
        if (!is_choice) {
            last = step_hash(&x->order, s, i);
            sum += last;
        } else {
            sum += hash_u64(last * 31 + s->thr + 1);
        }
    }
    x->count.classes++;
}

/* May this one be chosen, too? */
static bool is_allowed(struct bounded *x, const struct turn *c, uint32_t thr)
{
    if (c->running == NONE || thr == c->running)
        return true;
    bool is_open = c->is_opaque || c->place == 0 || map_find(&x->open, c->place) != NONE;
    if (is_open && c->used >= x->bound)
        x->refused = true;
    return is_open && c->used < x->bound;
}

static bool turn_back(struct bounded *x)
{
    while (x->path.len > 0) {
        struct turn *c = &x->path.at[x->path.len - 1];
        if (!thr_is_in(c->tried.at, c->tried.len, c->thr))
            vec_push(&c->tried, c->thr);
        for (uint32_t i = 0; i < c->options.len; i++) {
            uint32_t thr = c->options.at[i];
            if (!thr_is_in(c->tried.at, c->tried.len, thr) && is_allowed(x, c, thr)) {
                c->thr = thr;
                return true;
            }
        }
        cut_path(x, x->path.len - 1);
    }
    return false;
}

/* True: another round, with all that is open, or with a higher bound. */
static bool next_round(struct bounded *x)
{
    bool again = x->grew, all = !x->grew && !x->refused;
    if (!again && !x->count.deep) {
        x->count.bound = x->bound;
        x->count.has_bound = true;
        x->count.bound_runs = x->count.runs - x->begun;
        x->count.complete = all;
    }
    if (!again && (all || x->count.deep || x->bound == x->bound_max))
        return false;
    x->bound += !again;
    x->grew = x->refused = false;
    x->begun = x->count.runs;
    x->count.classes = 0;
    map_done(&x->states);
    x->states = (struct map){0};
    return true;
}

static bool make_plan(struct bounded *x, struct explore_plan *plan)
{
    plan->picks.len = plan->sleep.len = 0;
    if (!turn_back(x) && !next_round(x))
        return false;
    for (uint32_t i = 0; i < x->path.len; i++)
        vec_push(&plan->picks, x->path.at[i].thr);
    return true;
}

bool bounded_next(struct bounded *x, const struct explore_run *r, struct explore_plan *plan)
{
    x->count.runs++;
    if (r->steps.len > STEPS_MAX) {
        x->count.deep = true;
        return false;
    }
    order_run(x, r);
    add_run(x, r);
    return make_plan(x, plan);
}

bool bounded_skip(struct bounded *x, struct explore_plan *plan)
{
    x->count.runs++;
    x->count.lost++;
    return make_plan(x, plan);
}

/* ---- life -------------------------------------------------------------------------------- */

struct bounded *bounded_new(uint32_t bound)
{
    struct bounded *x = mem_zeroed(1, sizeof *x);
    x->bound_max = bound;
    return x;
}

void bounded_free(struct bounded *x)
{
    if (!x)
        return;
    cut_path(x, 0);
    vec_done(&x->path);
    map_done(&x->states);
    map_done(&x->open);
    step_order_done(&x->order);
    free(x);
}

const struct explore_count *bounded_counts(const struct bounded *x)
{
    return &x->count;
}

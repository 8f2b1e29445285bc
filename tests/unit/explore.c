/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of explore/: random tiny programs on a toy machine, against brute force over all
 * schedules: as many classes, and the same final states. */
#include "explore/explore.h"
#include "base/rng.h"

#include "test.h"

#include <string.h>

enum { THREADS = 4, OPS = 6, PLACES = 3, STEPS = THREADS * OPS };

enum op { OP_READ, OP_WRITE, OP_ADD, OP_LOCK, OP_UNLOCK, OP_POST, OP_WAIT };

struct program {
    uint32_t threads;
    uint32_t len[THREADS];
    uint8_t op[THREADS][OPS], place[THREADS][OPS];
};

/* The machine. Places 0.. are memory, locks and semaphores at the same time. */
struct machine {
    const struct program *p;
    uint32_t at[THREADS], seen[THREADS];
    uint32_t memory[PLACES], owner[PLACES], sem[PLACES];
};

static void machine_start(struct machine *m, const struct program *p)
{
    *m = (struct machine){.p = p};
    memset(m->owner, 0xff, sizeof m->owner);
}

static bool can(const struct machine *m, uint32_t t)
{
    if (m->at[t] >= m->p->len[t])
        return false;
    uint8_t op = m->p->op[t][m->at[t]], place = m->p->place[t][m->at[t]];
    if (op == OP_LOCK)
        return m->owner[place] == NONE;
    return op != OP_WAIT || m->sem[place] > 0;
}

/* Returns how many a semaphore has afterwards. */
static uint32_t step(struct machine *m, uint32_t t)
{
    uint8_t op = m->p->op[t][m->at[t]], place = m->p->place[t][m->at[t]];
    m->at[t]++;
    switch (op) {
    case OP_READ:
        m->seen[t] = m->seen[t] * 7 + m->memory[place];
        break;
    case OP_WRITE:
        m->memory[place] = t * 100 + m->at[t];
        break;
    case OP_ADD:
        m->memory[place] = m->memory[place] * 3 + t + 1 + m->seen[t];
        break;
    case OP_LOCK:
        m->owner[place] = t;
        break;
    case OP_UNLOCK:
        m->owner[place] = NONE;
        break;
    case OP_POST:
        m->sem[place]++;
        break;
    default:
        m->sem[place]--;
    }
    return m->sem[place];
}

static uint64_t state_of(const struct machine *m)
{
    uint64_t h = 1;
    for (uint32_t t = 0; t < m->p->threads; t++)
        h = hash_u64(h * 31 + m->seen[t] * 64 + m->at[t]);
    for (uint32_t i = 0; i < PLACES; i++)
        h = hash_u64(h * 31 + m->memory[i] * 16 + m->sem[i]);
    return h;
}

static struct access access_of(uint8_t op, uint8_t place, uint32_t sem)
{
    struct access a = {.obj = place, .lo = 0, .hi = 1};
    switch (op) {
    case OP_READ:
        a.mode = ACCESS_READ;
        break;
    case OP_LOCK:
        a = (struct access){.obj = 100u + place, .hi = 1, .mode = ACCESS_TAKE};
        break;
    case OP_UNLOCK:
        a = (struct access){.obj = 100u + place, .hi = 1, .mode = ACCESS_GIVE};
        break;
    case OP_WAIT:
        a = (struct access){.obj = 200u + place, .hi = 1, .mode = ACCESS_TAKE};
        break;
    case OP_POST:
        a = (struct access){.obj = 200u + place, .hi = 1, .mode = ACCESS_WRITE};
        if (sem == 1)
            a.mode = ACCESS_GIVE;
        break;
    default:
        a.mode = ACCESS_WRITE;
    }
    return a;
}

/* ---- brute force ------------------------------------------------------------------------- */

struct brute {
    struct map classes, states;
    uint32_t class_count, state_count, schedules;
    uint32_t thr[STEPS], idx[STEPS], len;
    struct access access[STEPS];
};

static void note(struct map *m, uint64_t key, uint32_t *count)
{
    uint32_t *slot = map_at(m, key);
    *count += *slot == NONE;
    *slot = 0;
}

/* All steps, and all ordered pairs that conflict. */
static uint64_t pairs_of(const struct brute *b)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < b->len; i++)
        sum += hash_u64(b->thr[i] * 1000 + b->idx[i] + 5);
    for (uint32_t i = 0; i < b->len; i++)
        for (uint32_t j = i + 1; j < b->len; j++) {
            const struct access *x = &b->access[i], *y = &b->access[j];
            if (x->obj != y->obj || (x->mode == ACCESS_READ && y->mode == ACCESS_READ))
                continue;
            uint64_t pair =
                b->thr[i] * 1000003u + b->idx[i] * 10007u + b->thr[j] * 101u + b->idx[j];
            uint64_t h = hash_u64(pair + 77);
            sum += hash_u64(h * h + pair);
        }
    return sum;
}

/* With at most `left` preemptions; last: who has just run. */
static void brute_with(struct brute *b, const struct machine *m, uint32_t last, uint32_t left)
{
    bool stuck = true;
    for (uint32_t t = 0; t < m->p->threads; t++) {
        if (!can(m, t))
            continue;
        stuck = false;
        bool preempts = last != NONE && t != last && can(m, last);
        if (preempts && left == 0)
            continue;
        struct machine next = *m;
        uint32_t sem = step(&next, t);
        b->thr[b->len] = t;
        b->idx[b->len] = m->at[t];
        b->access[b->len++] = access_of(m->p->op[t][m->at[t]], m->p->place[t][m->at[t]], sem);
        brute_with(b, &next, t, left - preempts);
        b->len--;
    }
    if (!stuck)
        return;
    b->schedules++;
    note(&b->classes, pairs_of(b), &b->class_count);
    note(&b->states, state_of(m), &b->state_count);
}

static void brute(struct brute *b, const struct machine *m)
{
    brute_with(b, m, NONE, STEPS);
}

/* ---- the explorer ------------------------------------------------------------------------ */

static bool asleep(const struct explore_plan *plan, uint32_t thr)
{
    for (uint32_t i = 0; i < plan->sleep.len; i++)
        if (plan->sleep.at[i] == thr)
            return true;
    return false;
}

/* Behind the plan: the same thread, or the first; with manners, those that sleep come last. */
static uint32_t choose(const struct machine *m, const struct explore_plan *plan, uint32_t done,
                       uint32_t last, bool manners)
{
    if (done < plan->picks.len)
        return plan->picks.at[done];
    for (int round = manners ? 0 : 1; round < 2; round++) {
        if (last != NONE && can(m, last) && (round || !asleep(plan, last)))
            return last;
        for (uint32_t t = 0; t < m->p->threads; t++)
            if (can(m, t) && (round || !asleep(plan, t)))
                return t;
    }
    return NONE;
}

static bool run_once(const struct program *p, const struct explore_plan *plan, bool manners,
                     struct explore_run *r, uint64_t *state)
{
    struct machine m;
    uint32_t last = NONE;
    machine_start(&m, p);
    for (uint32_t done = 0;; done++) {
        uint32_t t = choose(&m, plan, done, last, manners);
        if (t == NONE)
            break;
        if (!can(&m, t))
            return false;
        struct explore_step s = {.thr = t,
                                 .access = r->accesses.len,
                                 .access_count = 1,
                                 .option = r->options.len,
                                 .what = m.at[t],
                                 .place = t * 100 + m.at[t] + 1,
                                 .from = last == NONE ? 0 : last,
                                 .flags = last == NONE ? 0 : STEP_GOES_ON};
        for (uint32_t i = 0; i < p->threads; i++)
            if (can(&m, i)) {
                vec_push(&r->options, i);
                s.option_count++;
            }
        uint8_t op = p->op[t][m.at[t]], place = p->place[t][m.at[t]];
        vec_push(&r->accesses, access_of(op, place, step(&m, t)));
        vec_push(&r->steps, s);
        last = t;
    }
    for (uint32_t t = 0; t < p->threads; t++)
        if (m.at[t] < p->len[t]) {
            vec_push(&r->pending, (struct explore_step){
                                      .thr = t, .access = r->accesses.len, .access_count = 1});
            vec_push(&r->accesses, access_of(p->op[t][m.at[t]], p->place[t][m.at[t]], 0));
        }
    *state = state_of(&m);
    return true;
}

static struct explore_count explored(const struct program *p, bool manners, uint32_t *states)
{
    struct explore *x = explore_new(false);
    struct explore_plan plan = {0};
    struct map seen = {0};
    bool more = true;
    *states = 0;
    while (more) {
        struct explore_run r = {0};
        uint64_t state;
        if (!run_once(p, &plan, manners, &r, &state)) {
            FAIL("an impossible plan");
            more = false;
        } else {
            uint64_t before = explore_counts(x)->redundant;
            more = explore_next(x, &r, &plan);
            if (explore_counts(x)->redundant == before)
                note(&seen, state, states);
        }
        explore_run_done(&r);
    }
    struct explore_count count = *explore_counts(x);
    map_done(&seen);
    vec_done(&plan.picks);
    vec_done(&plan.sleep);
    explore_free(x);
    return count;
}

static void compare(const struct program *p, const char *what)
{
    struct brute b = {0};
    struct machine m;
    machine_start(&m, p);
    brute(&b, &m);
    for (int manners = 0; manners < 2; manners++) {
        uint32_t states;
        struct explore_count c = explored(p, manners, &states);
        if (!c.complete || c.classes != b.class_count || states != b.state_count)
            FAIL("%s: %u classes and %u states, found %llu and %u in %llu runs", what,
                 b.class_count, b.state_count, (unsigned long long)c.classes, states,
                 (unsigned long long)c.runs);
        if (c.runs - c.redundant != c.classes)
            FAIL("%s: %llu whole runs for %llu classes", what,
                 (unsigned long long)(c.runs - c.redundant), (unsigned long long)c.classes);
    }
    map_done(&b.classes);
    map_done(&b.states);
}

/* States at the end of all runs of the last round. */
static void bounded(const struct program *p, uint32_t bound, const struct brute *b,
                    const char *what)
{
    struct bounded *x = bounded_new(bound);
    struct explore_plan plan = {0};
    struct map states = {0};
    uint32_t count = 0;
    for (bool more = true; more;) {
        struct explore_run r = {0};
        uint64_t state = 0;
        if (!run_once(p, &plan, false, &r, &state))
            FAIL("an impossible plan");
        more = bounded_next(x, &r, &plan);
        if (map_find(&b->states, state) == NONE)
            FAIL("%s: a state that needs more than %u preemptions", what, bound);
        note(&states, state, &count);
        explore_run_done(&r);
    }
    const struct explore_count *c = bounded_counts(x);
    if (!c->has_bound || (c->bound != bound && !c->complete) || count != b->state_count)
        FAIL("%s: %u states with %u preemptions, found %u in %llu runs, up to %u", what,
             b->state_count, bound, count, (unsigned long long)c->runs, c->bound);
    if (c->bound_runs > b->schedules)
        FAIL("%s: %llu runs for %u schedules", what, (unsigned long long)c->bound_runs,
             b->schedules);
    map_done(&states);
    vec_done(&plan.picks);
    vec_done(&plan.sleep);
    bounded_free(x);
}

static void compare_bounded(const struct program *p, const char *what)
{
    for (uint32_t bound = 0; bound <= 3; bound++) {
        struct brute b = {0};
        struct machine m;
        machine_start(&m, p);
        brute_with(&b, &m, NONE, bound);
        bounded(p, bound, &b, what);
        map_done(&b.classes);
        map_done(&b.states);
    }
}

TEST(three_by_three_writes)
{
    struct program p = {.threads = 3, .len = {3, 3, 3}};
    uint32_t states;
    memset(p.op, OP_WRITE, sizeof p.op);
    struct explore_count c = explored(&p, true, &states);
    EXPECT_EQ(c.classes, 1680);
    EXPECT_EQ(c.runs - c.redundant, 1680);
    EXPECT(c.complete);
}

TEST(independent_threads_need_one_run)
{
    struct program p = {.threads = 3, .len = {4, 4, 4}};
    uint32_t states;
    for (uint8_t t = 0; t < 3; t++)
        memset(p.place[t], t, sizeof p.place[t]);
    memset(p.op, OP_WRITE, sizeof p.op);
    EXPECT_EQ(explored(&p, true, &states).runs, 1);
}

TEST(memory_as_brute_force)
{
    struct rng g = {11};
    for (int i = 0; i < 400; i++) {
        struct program p = {.threads = 2 + (uint32_t)rng_below(&g, 2)};
        char name[32];
        for (uint32_t t = 0; t < p.threads; t++) {
            p.len[t] = 1 + (uint32_t)rng_below(&g, p.threads == 2 ? 4 : 3);
            for (uint32_t k = 0; k < p.len[t]; k++) {
                p.op[t][k] = (uint8_t)rng_below(&g, 3);
                p.place[t][k] = (uint8_t)rng_below(&g, 2);
            }
        }
        snprintf(name, sizeof name, "program %d", i);
        compare(&p, name);
        compare_bounded(&p, name);
    }
}

/* Sections of two locks, possibly nested: deadlocks included. */
TEST(locks_as_brute_force)
{
    struct rng g = {5};
    for (int i = 0; i < 400; i++) {
        struct program p = {.threads = 2 + (uint32_t)rng_below(&g, 2)};
        char name[32];
        for (uint32_t t = 0; t < p.threads; t++) {
            uint8_t first = (uint8_t)rng_below(&g, 2), kind = (uint8_t)rng_below(&g, 3);
            uint8_t other = (uint8_t)(1 - first);
            uint8_t ops[3][4] = {{OP_LOCK, OP_ADD, OP_UNLOCK, OP_READ},
                                 {OP_LOCK, OP_LOCK, OP_UNLOCK, OP_UNLOCK},
                                 {OP_ADD, OP_LOCK, OP_UNLOCK, OP_ADD}};
            uint8_t places[3][4] = {
                {first, 0, first, 1}, {first, other, other, first}, {0, first, first, 0}};
            p.len[t] = 4;
            memcpy(p.op[t], ops[kind], 4);
            memcpy(p.place[t], places[kind], 4);
        }
        snprintf(name, sizeof name, "program %d", i);
        compare(&p, name);
        compare_bounded(&p, name);
    }
}

TEST(semaphores_as_brute_force)
{
    struct rng g = {3};
    for (int i = 0; i < 400; i++) {
        struct program p = {.threads = 2 + (uint32_t)rng_below(&g, 2)};
        char name[32];
        for (uint32_t t = 0; t < p.threads; t++) {
            p.len[t] = 1 + (uint32_t)rng_below(&g, 3);
            for (uint32_t k = 0; k < p.len[t]; k++) {
                static const uint8_t ops[] = {OP_POST, OP_POST, OP_WAIT, OP_ADD};
                p.op[t][k] = ops[rng_below(&g, 4)];
                p.place[t][k] = p.op[t][k] == OP_ADD ? 0 : (uint8_t)rng_below(&g, 2);
            }
        }
        snprintf(name, sizeof name, "program %d", i);
        compare(&p, name);
        compare_bounded(&p, name);
    }
}

/* Longer ones, with all operations: threads that begin, wait and meet in the middle. */
TEST(bounded_as_brute_force)
{
    struct rng g = {17};
    for (int i = 0; i < 600; i++) {
        struct program p = {.threads = 2 + (uint32_t)rng_below(&g, 2)};
        char name[32];
        for (uint32_t t = 0; t < p.threads; t++) {
            uint32_t lock = (uint32_t)rng_below(&g, 2);
            p.len[t] = p.threads == 2 ? 6 : 4;
            for (uint32_t k = 0; k < p.len[t]; k++) {
                static const uint8_t ops[] = {OP_READ, OP_WRITE, OP_ADD,
                                              OP_ADD,  OP_POST,  OP_WAIT};
                p.op[t][k] = ops[rng_below(&g, 6)];
                p.place[t][k] = (uint8_t)rng_below(&g, PLACES);
            }
            if (rng_below(&g, 2)) {
                uint32_t from = (uint32_t)rng_below(&g, 2);
                p.op[t][from] = OP_LOCK;
                p.op[t][p.len[t] - 1] = OP_UNLOCK;
                p.place[t][from] = p.place[t][p.len[t] - 1] = (uint8_t)lock;
            }
        }
        snprintf(name, sizeof name, "program %d", i);
        compare_bounded(&p, name);
    }
}

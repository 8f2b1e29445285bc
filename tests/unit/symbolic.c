/* SPDX-License-Identifier: Apache-2.0
 *
 * symbolic: random small paths against all their interleavings. Whatever the solver says is
 * possible is, and the other way round; every witness is executed by the evaluator. */
#include "symbolic/alone.h"
#include "symbolic/bounds.h"
#include "symbolic/symbolic.h"

#include "base/err.h"
#include "base/rng.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

enum { THREADS = 3, PLACES = 3, LOCKS = 2, CONDS = 1, WIDTH = 3, STEPS_MAX = 8, WIDE = 2 };

/* ---- making a run ------------------------------------------------------------------------ */

enum life { LIFE_NONE, LIFE_RUNS, LIFE_WAITS, LIFE_WOKEN, LIFE_ENDED };

struct thread_state {
    enum life life;
    uint32_t steps;
    term local[8];
    term_bits value[8]; /* recorded, of local */
    uint32_t locals;
    node_id held[LOCKS]; /* acquire, or NONE */
    node_id wait, notify;
    uint32_t lock; /* of the wait */
};

struct maker {
    struct rng rng;
    struct problem p;
    struct term_pool *pool;
    struct term_env *env; /* the recorded values */
    struct thread_state t[THREADS];
    struct {
        bool is_known;
        term_bits value;
        node_id writer;
    } memory[PLACES];
};

static uint32_t below(struct maker *m, uint32_t n)
{
    return rng_below(&m->rng, n);
}

static term some_local(struct maker *m, struct thread_state *t)
{
    if (t->locals == 0 || below(m, 4) == 0)
        return term_const(m->pool, WIDTH, below(m, 4));
    return t->local[below(m, t->locals)];
}

static term some_value(struct maker *m, struct thread_state *t)
{
    static const enum term_op ops[] = {TERM_ADD, TERM_SUB, TERM_AND, TERM_XOR, TERM_MUL};
    term a = some_local(m, t);
    return below(m, 2) ? a : term_binary(m->pool, ops[below(m, 5)], a, some_local(m, t));
}

static term some_condition(struct maker *m, struct thread_state *t)
{
    static const enum term_op ops[] = {TERM_EQ, TERM_ULT, TERM_SLE, TERM_EQ};
    return term_binary(m->pool, ops[below(m, 4)], some_value(m, t), some_local(m, t));
}

static term_bits recorded(struct maker *m, term t)
{
    term_bits value = 0;
    CHECK(term_eval(m->env, t, &value));
    return value;
}

static struct node plain(enum node_op op, uint32_t thr)
{
    return (struct node){.op = (uint8_t)op,
                         .thr = (uint16_t)thr,
                         .link = NONE,
                         .wait = NONE,
                         .notify = NONE,
                         .cond = NONE};
}

static void learn(struct thread_state *t, term var)
{
    if (t->locals < 8)
        t->local[t->locals++] = var;
}

/* Reads of one or two places, writes, and updates. */
static void make_access(struct maker *m, uint32_t thr)
{
    struct thread_state *t = &m->t[thr];
    struct node n = plain(NODE_ACCESS, thr);
    bool reads = below(m, 2), writes = !reads || below(m, 4) == 0;
    uint32_t x = below(m, PLACES), count = below(m, 5) == 0 && x + 1 < PLACES ? 2 : 1;
    bool unknown = below(m, 12) == 0;
    term var = NONE;
    node_id id = m->p.nodes.len;
    n.first = m->p.parts.len;
    n.count = count;
    if (reads) {
        term_bits saw = 0;
        for (uint32_t i = 0; i < count; i++)
            if (!m->memory[x + i].is_known)
                unknown = true;
        if (!unknown) {
            var = term_var(m->pool, WIDTH * count);
            for (uint32_t i = 0; i < count; i++)
                saw |= m->memory[x + i].value << (WIDTH * i);
            n.read_first = m->p.readings.len;
            n.read_count = 1;
            vec_push(&m->p.readings, (struct reading){var, n.first, count, saw});
            term_env_set(m->env, var, saw);
            learn(t, term_extract(m->pool, var, 0, WIDTH));
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        struct part part = {.place = x + i,
                            .reads = reads,
                            .writes = writes,
                            .read = NONE,
                            .write = NONE,
                            .source = m->memory[x + i].writer};
        if (var != NONE) {
            part.read = term_extract(m->pool, var, WIDTH * i, WIDTH);
            part.saw = recorded(m, part.read);
        }
        if (writes && !unknown) {
            part.write = some_value(m, t);
            part.wrote = recorded(m, part.write);
        }
        vec_push(&m->p.parts, part);
    }
    for (uint32_t i = 0; writes && i < count; i++) {
        const struct part *part = &m->p.parts.at[n.first + i];
        m->memory[x + i].is_known = part->write != NONE;
        m->memory[x + i].value = part->wrote;
        m->memory[x + i].writer = id;
    }
    problem_add(&m->p, n);
}

static void make_condition(struct maker *m, uint32_t thr)
{
    struct node n = plain(below(m, 2) ? NODE_GUARD : NODE_CHECK, thr);
    n.cond = some_condition(m, &m->t[thr]);
    if (recorded(m, n.cond) != (n.op == NODE_GUARD))
        n.cond = term_not(m->pool, n.cond);
    problem_add(&m->p, n);
}

static bool is_free(const struct maker *m, uint32_t lock, bool shared)
{
    for (uint32_t i = 0; i < THREADS; i++)
        if (m->t[i].held[lock] != NONE &&
            !(shared && m->p.nodes.at[m->t[i].held[lock]].is_shared))
            return false;
    return true;
}

static void make_release(struct maker *m, uint32_t thr, uint32_t lock)
{
    struct node n = plain(NODE_RELEASE, thr);
    n.obj = lock;
    n.link = m->t[thr].held[lock];
    m->p.nodes.at[n.link].link = m->p.nodes.len;
    m->t[thr].held[lock] = NONE;
    problem_add(&m->p, n);
}

static void make_lock(struct maker *m, uint32_t thr)
{
    struct thread_state *t = &m->t[thr];
    uint32_t lock = below(m, LOCKS);
    bool shared = below(m, 4) == 0;
    if (t->held[lock] != NONE && !m->p.nodes.at[t->held[lock]].is_shared && below(m, 3) == 0) {
        struct node n = plain(NODE_WAIT, thr);
        n.obj = below(m, CONDS);
        t->wait = problem_add(&m->p, n);
        t->lock = lock;
        t->life = LIFE_WAITS;
        make_release(m, thr, lock);
    } else if (t->held[lock] != NONE) {
        make_release(m, thr, lock);
    } else if (is_free(m, lock, shared)) {
        struct node n = plain(NODE_ACQUIRE, thr);
        n.obj = lock;
        n.is_shared = shared;
        t->held[lock] = problem_add(&m->p, n);
    }
}

static void make_notify(struct maker *m, uint32_t thr)
{
    struct node n = plain(below(m, 3) ? NODE_SIGNAL : NODE_BROADCAST, thr);
    node_id id = problem_add(&m->p, n);
    uint32_t first = below(m, THREADS);
    for (uint32_t i = 0; i < THREADS; i++) {
        struct thread_state *t = &m->t[(first + i) % THREADS];
        if (t->life != LIFE_WAITS)
            continue;
        t->life = LIFE_WOKEN;
        t->notify = id;
        if (n.op == NODE_SIGNAL)
            break;
    }
}

static void make_wake(struct maker *m, uint32_t thr)
{
    struct thread_state *t = &m->t[thr];
    struct node n = plain(NODE_ACQUIRE, thr);
    if (!is_free(m, t->lock, false))
        return;
    n.obj = t->lock;
    n.wait = t->wait;
    n.notify = t->notify;
    t->life = LIFE_RUNS;
    t->held[t->lock] = problem_add(&m->p, n);
}

/* T0 creates the others, and may join those that have ended. */
static bool make_life(struct maker *m, uint32_t thr)
{
    uint32_t other = 1 + below(m, THREADS - 1);
    if (thr != 0)
        return false;
    struct node n = plain(NODE_CREATE, 0);
    n.obj = other;
    if (m->t[other].life == LIFE_ENDED && m->p.paths.at[other].nodes.len > 0)
        n.op = NODE_JOIN;
    else if (m->t[other].life != LIFE_NONE)
        return false;
    else
        m->t[other].life = LIFE_RUNS;
    problem_add(&m->p, n);
    return true;
}

static void make_step(struct maker *m, uint32_t thr)
{
    struct thread_state *t = &m->t[thr];
    if (t->life == LIFE_WOKEN) {
        make_wake(m, thr);
        return;
    }
    if (t->life != LIFE_RUNS)
        return;
    if (t->steps++ >= STEPS_MAX || below(m, 12) == 0) {
        t->life = LIFE_ENDED;
        return;
    }
    uint32_t before = m->p.nodes.len, what = below(m, 10);
    if (make_life(m, thr))
        return;
    if (what < 5)
        make_access(m, thr);
    else if (what < 7)
        make_condition(m, thr);
    else if (what < 9)
        make_lock(m, thr);
    else
        make_notify(m, thr);
    if (m->p.nodes.len == before + 1 && below(m, 15) == 0) {
        node_id from = below(m, m->p.nodes.len);
        const struct node *a = &m->p.nodes.at[from], *b = &m->p.nodes.at[before];
        if (a->thr != thr && a->cond == NONE && b->cond == NONE)
            vec_push(&m->p.needs, (struct node_need){from, before});
    }
}

static void make(struct maker *m, uint64_t seed)
{
    *m = (struct maker){.rng = {seed}, .pool = term_pool_new()};
    m->env = term_env_new(m->pool);
    m->p.pool = m->pool;
    m->p.lock_count = LOCKS;
    m->p.cond_count = CONDS;
    for (uint32_t i = 0; i < THREADS; i++) {
        vec_push(&m->p.paths, (struct path){.create = NONE});
        for (uint32_t l = 0; l < LOCKS; l++)
            m->t[i].held[l] = NONE;
    }
    for (uint32_t i = 0; i < PLACES; i++) {
        m->memory[i].is_known = below(m, 8) > 0;
        m->memory[i].writer = NONE;
        m->memory[i].value = below(m, 3);
        vec_push(&m->p.places, (struct sym_place){.width = WIDTH,
                                                  .is_known = m->memory[i].is_known,
                                                  .initial = m->memory[i].value});
    }
    m->t[0].life = LIFE_RUNS;
    uint32_t thr = 0;
    for (uint32_t i = 0; i < 60 && m->p.nodes.len < 22; i++) {
        if (below(m, 3) == 0)
            thr = below(m, THREADS);
        make_step(m, thr);
    }
    for (uint32_t i = 1; i < THREADS; i++)
        if (m->t[i].life == LIFE_NONE) /* it would be there from the start */
            CHECK(m->p.paths.at[i].nodes.len == 0);
    problem_finish(&m->p);
}

static void unmake(struct maker *m)
{
    problem_done(&m->p);
    term_env_free(m->env);
    term_pool_free(m->pool);
}

/* ---- all interleavings ------------------------------------------------------------------- */

enum { NODES_MAX = 32 };

/* Everything that a step can depend on. */
struct state {
    uint8_t at[THREADS];
    uint8_t waits[THREADS]; /* 1 + cond: waits; 0x80: was woken */
    uint8_t owner[LOCKS], readers[LOCKS];
    struct {
        uint8_t is_known, value, writer;
    } memory[PLACES];
    uint8_t var[NODES_MAX]; /* by reading */
    uint8_t progress;       /* of an order goal */
    uint8_t is_over;        /* a check has failed */
    uint32_t done;          /* nodes */
};

struct brute {
    const struct maker *m;
    const struct goal *g;
    struct map seen; /* hash -> state */
    uint32_t count;
    bool found;
};

static term_bits value_of(const struct brute *b, const struct state *s, term t)
{
    const struct term_node *n = term_at(b->m->pool, t);
    switch (n->op) {
    case TERM_CONST:
        return term_value(b->m->pool, t);
    case TERM_VAR:
        for (uint32_t i = 0; i < b->m->p.readings.len; i++)
            if (b->m->p.readings.at[i].var == t)
                return s->var[i];
        return 0;
    case TERM_NOT:
        return ~value_of(b, s, n->a) & term_mask(n->width);
    case TERM_ITE:
        return value_of(b, s, value_of(b, s, n->a) ? n->b : n->c);
    case TERM_ZEXT:
        return value_of(b, s, n->a);
    case TERM_EXTRACT:
        return value_of(b, s, n->a) >> n->low & term_mask(n->width);
    default:
        CHECK(n->op >= TERM_ADD && n->op <= TERM_SLE);
        return term_fold(n->op, term_width(b->m->pool, n->a), value_of(b, s, n->a),
                         value_of(b, s, n->b));
    }
}

static bool mentions(const struct brute *b, term t, term var)
{
    if (t == NONE || t == var)
        return t == var;
    const struct term_node *n = term_at(b->m->pool, t);
    const term child[] = {n->a, n->b, n->c};
    for (unsigned i = 0; i < term_child_count(n); i++)
        if (mentions(b, child[i], var))
            return true;
    return false;
}

/* Does it need that value? */
static bool uses(const struct brute *b, const struct node *n, term var)
{
    for (uint32_t i = 0; i < n->count; i++)
        if (mentions(b, b->m->p.parts.at[n->first + i].write, var))
            return true;
    return mentions(b, n->cond, var);
}

static const struct node *next_node(const struct brute *b, const struct state *s, uint32_t t,
                                    node_id *id)
{
    const struct path *path = &b->m->p.paths.at[t];
    bool live = path->create == NONE || s->done >> path->create & 1;
    if (!live || s->at[t] >= path->nodes.len)
        return NULL;
    *id = path->nodes.at[s->at[t]];
    const struct node *n = &b->m->p.nodes.at[*id], *read = &b->m->p.nodes.at[b->g->node[0]];
    if (b->g->kind == GOAL_EARLY && s->done >> b->g->node[0] & 1 && read->thr == t &&
        (read->read_count != 1 || uses(b, n, b->m->p.readings.at[read->read_first].var)))
        return NULL;
    return n;
}

static bool goal_holds(const struct brute *b, const struct state *s)
{
    node_id id;
    if (goal_happens(b->g))
        return s->progress == b->g->count && (b->g->also == NONE || value_of(b, s, b->g->also));
    for (uint32_t i = 0; i < b->g->count; i++) {
        const struct node *want = &b->m->p.nodes.at[b->g->node[i]];
        if (next_node(b, s, want->thr, &id) != want)
            return false;
        if (b->g->kind == GOAL_CHECK && !value_of(b, s, want->cond))
            return false;
    }
    return true;
}

/* Sees the recorded write, with the recorded value. */
static bool as_recorded(const struct brute *b, const struct state *s, const struct part *part)
{
    uint8_t writer = s->memory[part->place].writer;
    if (writer != (part->source == NONE ? 0xff : part->source))
        return false;
    if (writer == 0xff || !s->memory[part->place].is_known)
        return true;
    const struct node *w = &b->m->p.nodes.at[writer];
    for (uint32_t i = 0; i < w->count; i++)
        if (b->m->p.parts.at[w->first + i].place == part->place)
            return b->m->p.parts.at[w->first + i].wrote == s->memory[part->place].value;
    return false;
}

static bool do_access(const struct brute *b, struct state *s, node_id id, const struct node *n)
{
    const struct part *parts = b->m->p.parts.at + n->first;
    term_bits value = 0;
    for (uint32_t i = 0; goal_is_blind(b->g, id) && i < n->count; i++)
        if (s->memory[parts[i].place].writer != 0xff)
            return false;
    if (goal_is_blind(b->g, id))
        return true;
    for (uint32_t i = 0; i < n->count; i++) {
        if (!parts[i].reads)
            continue;
        bool known = s->memory[parts[i].place].is_known;
        if ((!known || parts[i].read == NONE) && !as_recorded(b, s, &parts[i]))
            return false;
        value |= (known ? s->memory[parts[i].place].value : parts[i].saw) << (WIDTH * i);
    }
    if (n->read_count)
        s->var[n->read_first] = (uint8_t)value;
    for (uint32_t i = 0; i < n->count; i++) {
        if (!parts[i].writes)
            continue;
        s->memory[parts[i].place].is_known = parts[i].write != NONE;
        s->memory[parts[i].place].writer = (uint8_t)id;
        s->memory[parts[i].place].value =
            parts[i].write == NONE ? 0 : (uint8_t)value_of(b, s, parts[i].write);
    }
    return true;
}

static bool do_node(const struct brute *b, struct state *s, node_id id, const struct node *n)
{
    switch (n->op) {
    case NODE_ACCESS:
        return do_access(b, s, id, n);
    case NODE_GUARD:
        return value_of(b, s, n->cond) == 1;
    case NODE_CHECK:
        return value_of(b, s, n->cond) == 0;
    case NODE_ACQUIRE:
        if (s->owner[n->obj] || (!n->is_shared && s->readers[n->obj]))
            return false;
        if (n->wait != NONE && !(s->waits[n->thr] & 0x80))
            return false;
        s->waits[n->thr] = 0;
        *(n->is_shared ? &s->readers[n->obj] : &s->owner[n->obj]) += 1;
        return true;
    case NODE_RELEASE:
        *(b->m->p.nodes.at[n->link].is_shared ? &s->readers[n->obj] : &s->owner[n->obj]) -= 1;
        return true;
    case NODE_JOIN:
        return s->at[n->obj] == b->m->p.paths.at[n->obj].nodes.len;
    case NODE_WAIT:
        s->waits[n->thr] = (uint8_t)(1 + n->obj);
        return true;
    case NODE_BROADCAST:
        for (uint32_t t = 0; t < THREADS; t++)
            if (s->waits[t] == 1 + n->obj)
                s->waits[t] |= 0x80;
        return true;
    default:
        return true;
    }
}

static void explore(struct brute *b, const struct state *s);

static bool fails_now(const struct brute *b, const struct state *s, uint32_t t)
{
    node_id id;
    struct state ahead = *s;
    for (;; ahead.at[t]++) {
        const struct node *n = next_node(b, &ahead, t, &id);
        if (!n || (n->op != NODE_GUARD && n->op != NODE_CHECK))
            return false;
        if (value_of(b, s, n->cond) != (n->op == NODE_GUARD))
            return n->op == NODE_CHECK;
    }
}

static void after(struct brute *b, struct state *s, node_id id, const struct node *n)
{
    s->at[n->thr]++;
    s->done |= 1u << id;
    s->is_over |= fails_now(b, s, n->thr);
    for (uint32_t i = 0; goal_happens(b->g) && i < b->g->count; i++) {
        if (b->g->node[i] != id)
            continue;
        if (i != s->progress)
            return;
        s->progress++;
    }
    explore(b, s);
}

static void try_thread(struct brute *b, const struct state *s, uint32_t t)
{
    node_id id;
    const struct node *n = next_node(b, s, t, &id);
    if (!n)
        return;
    for (uint32_t i = 0; i < b->m->p.needs.len; i++)
        if (b->m->p.needs.at[i].to == id && !(s->done >> b->m->p.needs.at[i].from & 1))
            return;
    bool lost = true;
    for (uint32_t w = 0; n->op == NODE_SIGNAL && w < THREADS; w++) {
        struct state next = *s;
        if (s->waits[w] != 1 + n->obj)
            continue;
        lost = false;
        next.waits[w] |= 0x80;
        after(b, &next, id, n);
    }
    struct state next = *s;
    if (lost && do_node(b, &next, id, n))
        after(b, &next, id, n);
}

static void explore(struct brute *b, const struct state *s)
{
    if (b->found)
        return;
    uint32_t *at = map_at(&b->seen, hash_bytes(s, sizeof *s));
    if (*at != NONE)
        return;
    *at = b->count++;
    b->found = goal_holds(b, s);
    for (uint32_t t = 0; !b->found && t < THREADS; t++) {
        node_id id;
        const struct node *n = next_node(b, s, t, &id);
        if (n && (!s->is_over || n->op == NODE_GUARD || n->op == NODE_CHECK))
            try_thread(b, s, t);
    }
}

static bool brute_force(const struct maker *m, const struct goal *g)
{
    struct brute b = {.m = m, .g = g};
    struct state s;
    memset(&s, 0, sizeof s);
    for (uint32_t i = 0; i < PLACES; i++) {
        s.memory[i].is_known = m->p.places.at[i].is_known;
        s.memory[i].value = (uint8_t)m->p.places.at[i].initial;
        s.memory[i].writer = 0xff;
    }
    explore(&b, &s);
    map_done(&b.seen);
    return b.found;
}

/* ---- comparing --------------------------------------------------------------------------- */

struct tally {
    uint32_t goals, possible, frozen, explained, reasons, excluded, passed, forwarded;
};

static bool some_goal(struct maker *m, struct goal *g)
{
    node_id a = below(m, m->p.nodes.len), b = below(m, m->p.nodes.len);
    const struct node *x = &m->p.nodes.at[a], *y = &m->p.nodes.at[b];
    *g = (struct goal){.kind = below(m, 4), .count = 1, .node = {a, b}, .also = NONE};
    if (g->kind == GOAL_CHECK)
        return x->op == NODE_CHECK;
    g->count = 2;
    if (x->thr == y->thr || x->op != NODE_ACCESS || y->op != NODE_ACCESS)
        return false;
    if (g->kind == GOAL_ORDER)
        for (node_id c = 0; c < m->p.nodes.len && g->count == 2; c++)
            if (m->p.nodes.at[c].thr == x->thr && m->p.nodes.at[c].idx > x->idx &&
                m->p.nodes.at[c].op == NODE_ACCESS)
                g->node[g->count++] = c;
    if (g->kind == GOAL_ORDER && below(m, 2))
        g->also = symbolic_visible(&m->p, g);
    if (g->kind == GOAL_EARLY) /* a read, and a write of the same */
        return !m->p.parts.at[x->first].writes && m->p.parts.at[y->first].writes &&
               m->p.parts.at[x->first].place == m->p.parts.at[y->first].place;
    return true;
}

static void compare(struct maker *m, uint64_t seed, const struct goal *g,
                    const struct engine *engine, struct tally *tally)
{
    AUTO(sym_witness) struct sym_witness w = {0};
    struct err err = {0};
    bool truth = brute_force(m, g);
    struct encode_opts opts = {.engine = engine, .from = 0, .end = m->p.nodes.len};
    enum verdict_sat answer = encode_solve(&m->p, g, &opts, &w, NULL);
    tally->goals++;
    tally->possible += truth;
    if (answer != (truth ? SAT_YES : SAT_NO))
        FAIL("%s, seed %lu, goal %d %u %u %u: %s", engine->name, (unsigned long)seed, g->kind,
             g->node[0], g->node[1], g->node[2], truth ? "missed" : "wrong");
    if (g->kind == GOAL_CHECK &&
        ranges_exclude(m->p.ranges, &m->p, m->p.nodes.at[g->node[0]].cond)) {
        tally->excluded++;
        if (truth)
            FAIL("seed %lu: excluded by what places can hold", (unsigned long)seed);
    }
    uint64_t given;
    if (g->kind == GOAL_CHECK && !alone_can_fail(&m->p, g->node[0], engine, 0, &given)) {
        tally->passed++;
        if (truth)
            FAIL("seed %lu: excluded by what its thread has passed", (unsigned long)seed);
    }
    if (answer == SAT_YES && !problem_evaluate(&m->p, g, &w, NULL, &err))
        FAIL("seed %lu: witness refused: %s", (unsigned long)seed, err.text);
    hinder_list reasons = {0};
    bool explain = seed % 20 == 0; /* which solves again and again */
    tally->explained += explain && answer == SAT_NO;
    if (explain && encode_why(&m->p, g, &opts, &reasons) != answer)
        FAIL("%s, seed %lu: another answer with reasons", engine->name, (unsigned long)seed);
    EXPECT(answer == SAT_NO || reasons.len == 0);
    tally->reasons += reasons.len > 0;
    vec_done(&reasons);
    opts.from = below(m, m->p.nodes.len);
    opts.end = opts.from + below(m, m->p.nodes.len);
    if (encode_solve(&m->p, g, &opts, &w, NULL) == SAT_YES) {
        tally->frozen++;
        if (!truth)
            FAIL("seed %lu: a frozen beginning allows more", (unsigned long)seed);
        if (!problem_evaluate(&m->p, g, &w, NULL, &err))
            FAIL("seed %lu: frozen witness refused: %s", (unsigned long)seed, err.text);
    }
}

static void compare_many(uint64_t first, uint64_t count, const struct engine *engine)
{
    struct tally tally = {0};
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct maker m;
        make(&m, seed);
        for (uint32_t i = 0; i < m.p.parts.len; i++)
            tally.forwarded += m.p.parts.at[i].is_forwarded;
        for (uint32_t i = 0; m.p.nodes.len > 0 && i < 20; i++) {
            struct goal g;
            if (some_goal(&m, &g))
                compare(&m, seed, &g, engine, &tally);
        }
        unmake(&m);
    }
    printf("# %s: %u goals, %u possible, %u with a frozen beginning; %u of %u with reasons; %u "
           "excluded by what places can hold, %u by what the thread has passed; %u reads "
           "forwarded\n",
           engine->name, tally.goals, tally.possible, tally.frozen, tally.reasons,
           tally.explained, tally.excluded, tally.passed, tally.forwarded);
    EXPECT(tally.excluded > 0 && tally.passed > tally.excluded && tally.forwarded > 0);
    EXPECT(tally.goals > count / 2 && tally.reasons > tally.explained / 10);
    EXPECT(tally.possible > tally.goals / 10 && tally.possible < tally.goals);
}

/* ---- what a violation does --------------------------------------------------------------- */

/* Three accesses to one place, "R", "W" or "U" (an update) each, by T0, T1, T0; a write puts
 * this, or one more than its thread's last read if that is 0. */
static enum effect effect_of(const char *shape, const int *puts, int initial)
{
    struct term_pool *pool = term_pool_new();
    struct problem p = {.pool = pool};
    struct goal g = {.kind = GOAL_ORDER, .count = 3, .also = NONE};
    term last[2] = {NONE, NONE};
    for (uint32_t t = 0; t < 2; t++)
        vec_push(&p.paths, (struct path){.create = NONE});
    vec_push(&p.places,
             (struct sym_place){.width = 32, .is_known = true, .initial = (term_bits)initial});
    static const uint32_t recorded[] = {0, 2, 1}; /* T0 first */
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t at = recorded[i], thr = at == 1;
        struct node n = plain(NODE_ACCESS, thr);
        struct part part = {.reads = shape[at] != 'W',
                            .writes = shape[at] != 'R',
                            .read = NONE,
                            .write = NONE,
                            .source = NONE};
        n.first = p.parts.len;
        n.count = 1;
        n.site = at;
        if (part.reads) {
            part.read = last[thr] = term_var(pool, 32);
            n.read_first = p.readings.len;
            n.read_count = 1;
            vec_push(&p.readings, (struct reading){part.read, n.first, 1, 0});
        }
        if (part.writes && puts[at] != 0)
            part.write = term_const(pool, 32, (term_bits)puts[at]);
        else if (part.writes)
            part.write = term_binary(pool, TERM_ADD, last[thr], term_const(pool, 32, 1));
        vec_push(&p.parts, part);
        g.node[at] = problem_add(&p, n);
    }
    problem_finish(&p);
    AUTO(sym_witness) struct sym_witness w = {0};
    struct symbolic_stat stat = {0};
    enum effect effect =
        symbolic_effect(&p, &g, &(struct symbolic_opts){0}, UINT64_MAX, &w, &stat);
    problem_done(&p);
    term_pool_free(pool);
    return effect;
}

TEST(a_violation_that_changes_nothing_is_silent)
{
    /* the other thread writes what is there */
    EXPECT(effect_of("RWR", (int[]){0, 5, 0}, 5) == EFFECT_SILENT);
    EXPECT(effect_of("RWR", (int[]){0, 5, 0}, 4) == EFFECT_VISIBLE);
    EXPECT(effect_of("WWR", (int[]){5, 5, 0}, 0) == EFFECT_SILENT);
    EXPECT(effect_of("WWR", (int[]){5, 6, 0}, 0) == EFFECT_VISIBLE);
    /* it sees what will be there in the end, or what nobody should see */
    EXPECT(effect_of("WRW", (int[]){7, 0, 7}, 0) == EFFECT_SILENT);
    EXPECT(effect_of("WRW", (int[]){7, 0, 8}, 0) == EFFECT_VISIBLE);
    /* the last write wins whoever comes first */
    EXPECT(effect_of("WWW", (int[]){1, 2, 3}, 0) == EFFECT_SILENT);
    /* an update is lost, or was the same */
    EXPECT(effect_of("RUW", (int[]){0, 0, 0}, 0) == EFFECT_VISIBLE);
    EXPECT(effect_of("RWW", (int[]){0, 9, 9}, 0) == EFFECT_SILENT);
    EXPECT(effect_of("RWW", (int[]){0, 9, 8}, 9) == EFFECT_SILENT);
    EXPECT(effect_of("RWW", (int[]){0, 9, 8}, 0) == EFFECT_VISIBLE);
}

TEST(the_solver_finds_what_enumeration_does)
{
    for (uint32_t i = 0; engines[i]; i++)
        compare_many(1, i == 0 ? 12000 : 200, engines[i]);
}

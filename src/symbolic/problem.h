/* SPDX-License-Identifier: Apache-2.0
 *
 * problem: the recorded paths of all threads, with terms for what they read, write and depend
 * on; and what is asked about other orders of them.
 *
 * A thread executes a prefix of its path: it goes on past a guard if its condition holds, and
 * stops there otherwise, with what it holds. What is not executed constrains nothing. Guards
 * and checks belong to the event before them; a check that fails is the end of the program:
 * nothing happens after that event, in no thread. */
#ifndef SYMBOLIC_PROBLEM_H
#define SYMBOLIC_PROBLEM_H

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "smt/smt.h"

typedef uint32_t node_id;  /* index into nodes: the recorded order */
typedef uint32_t place_id; /* a piece of memory that no access splits */

enum node_op {
    NODE_ACCESS, /* of memory, at once */
    NODE_GUARD,  /* the thread goes on if cond holds */
    NODE_CHECK,  /* the thread fails if cond holds, and goes on otherwise */
    NODE_ACQUIRE,
    NODE_RELEASE,
    NODE_CREATE, /* obj: the thread */
    NODE_JOIN,   /* obj: the thread, which has executed all of its path */
    NODE_WAIT,   /* a wait for condition obj begins; its release and acquire follow */
    NODE_SIGNAL, /* wakes one waiter of obj, if there is one */
    NODE_BROADCAST,
    NODE_OTHER, /* always possible */
};

struct node {
    uint8_t op;
    uint8_t why;    /* guard, check: for people, from whoever made the problem */
    bool is_shared; /* acquire: for reading, others may too */
    bool is_idle;   /* guard, check: it passes in any order; problem_finish finds out */
    uint16_t thr;
    uint32_t idx;   /* position in its thread */
    uint32_t obj;   /* lock, thread or condition */
    node_id link;   /* acquire: its release, or NONE; release: its acquire */
    node_id wait;   /* acquire: where the wait began that it ends; NONE: no wait, or one that
                       * ends without being woken */
    node_id notify; /* acquire with wait: what woke it in the trace */
    uint32_t first, count;           /* access: parts */
    uint32_t read_first, read_count; /* access: variables that it gives values to */
    term cond;                       /* guard, check: of width 1 */
    uint32_t site;
    uint64_t event; /* in the trace; guard, check: of the last event before it */
};

/* What an access does to one place. A term NONE: only that it is as recorded is known. */
struct part {
    place_id place;
    bool reads, writes;
    bool is_forwarded; /* it reads what its thread did there last; problem_finish says so */
    term read, write;
    term_bits saw, wrote; /* recorded, for terms that are there */
    node_id source;       /* reads: the write it saw, NONE: what was there at the start */
};

/* A variable and the parts that make up its value, lowest bits first. */
struct reading {
    term var;
    uint32_t first, count; /* of parts */
    term_bits saw;
};

/* to can only happen after from. */
struct node_need {
    node_id from, to;
};

struct sym_place {
    unsigned width; /* in bits */
    bool is_known;  /* what was there at the start */
    term_bits initial;
    bool is_odd; /* some of what it may hold is not known; problem_finish finds out */
};

struct path {
    VEC(node_id) nodes;
    node_id create; /* NONE: live from the start */
};

struct problem {
    struct term_pool *pool; /* borrowed */
    VEC(struct node) nodes;
    VEC(struct part) parts;
    VEC(struct reading) readings;
    VEC(struct node_need) needs; /* by to */
    VEC(struct sym_place) places;
    VEC(struct path) paths; /* by thread */
    uint32_t lock_count, cond_count;
    /* Some orders are kept as recorded although the program does not ask for it (semaphores,
     * tries of locks), or some values are unknown: a no is then no proof. */
    bool is_partial;
    struct ranges *ranges; /* owned; what places can hold in any order; NULL: not known */
    struct lean *lean;     /* owned; terms without reads that are forwarded; NULL: not known */
};

void problem_done(struct problem *p);

static inline void auto_problem(struct problem *p)
{
    problem_done(p);
}

/* Puts a node at the end of its thread's path; idx is filled in. */
node_id problem_add(struct problem *p, struct node n);
/* The node of an event, not counting guards and checks; NONE: it has none. */
node_id problem_find(const struct problem *p, uint64_t event);
/* After the last node. */
void problem_finish(struct problem *p);
/* The same value, with fewer variables: reads that are forwarded are not in it. */
term problem_lean(const struct problem *p, term t);
uint32_t problem_needs(const struct problem *p,
                       node_id to); /* the first one, or where it'd be */

/* ---- what is asked ----------------------------------------------------------------------- */

enum goal_kind {
    GOAL_CHECK, /* the thread comes to this check, and its condition holds */
    GOAL_RACE,  /* both accesses are next in their threads at once */
    GOAL_ORDER, /* these happen in this order */
    GOAL_EARLY, /* the first, a read, happens before any write there; then the other does */
};

enum { GOAL_MAX = 4 };

struct goal {
    enum goal_kind kind;
    uint32_t count;
    node_id node[GOAL_MAX];
    term also; /* NONE, or of width 1: holds besides */
};

/* Its nodes happen; otherwise they are next in their threads. */
static inline bool goal_happens(const struct goal *g)
{
    return g->kind == GOAL_ORDER || g->kind == GOAL_EARLY;
}

/* Is it the read of a goal that comes too early? What it reads is not known: its thread goes on
 * as far as nothing depends on that. */
static inline bool goal_is_blind(const struct goal *g, node_id n)
{
    return g->kind == GOAL_EARLY && g->node[0] == n;
}

/* An order that shows it: everything before `from` as recorded, then the list, in which guards
 * and checks are left out. */
struct sym_witness {
    node_id from;
    VEC(node_id) order;
};

static inline void sym_witness_done(struct sym_witness *w)
{
    vec_done(&w->order);
}

static inline void auto_sym_witness(struct sym_witness *w)
{
    sym_witness_done(w);
}

/* ---- who answers ------------------------------------------------------------------------- */

struct encode_opts {
    const struct engine *engine; /* NULL: the first */
    uint64_t work;               /* in microseconds, counted; 0: no limit */
    uint32_t clauses_max;        /* about; 0: no limit */
    uint64_t given_max;          /* with those of terms, about; 0: no limit */
    /* What lies before from happens as recorded, what lies at end or behind does not happen. */
    node_id from, end;
};

struct encode_stat {
    uint32_t rounds, orders, clauses, reads;
    uint64_t given;   /* clauses to the solver, those of the terms too */
    bool is_too_much; /* a limit on clauses was met */
};

/* Is there an order of the nodes of the stretch in which the goal is reached? out is it. */
enum { ROUNDS_MOST = 16 }; /* circles are forbidden so often, if there are limits */
enum verdict_sat encode_solve(const struct problem *p, const struct goal *g,
                              const struct encode_opts *opts, struct sym_witness *out,
                              struct encode_stat *stat);

/* What keeps a goal from being reached. */
enum hinder_kind {
    HINDER_GUARD,  /* a node: guard or check */
    HINDER_PLACE,  /* what a place can hold */
    HINDER_LOCK,   /* its sections exclude each other */
    HINDER_WAIT,   /* a node, the acquire: it has to be woken */
    HINDER_CREATE, /* a thread: it has to be created */
    HINDER_JOIN,   /* a node: what it joins has to end */
    HINDER_NEED,   /* a node: what it needs has to happen */
};

struct hinder {
    enum hinder_kind kind;
    uint32_t what;
};
typedef VEC(struct hinder) hinder_list;

/* As encode_solve; after a no, out is a set of reasons that is enough for it and from which, if
 * the work allows, none can be left out. */
enum verdict_sat encode_why(const struct problem *p, const struct goal *g,
                            const struct encode_opts *opts, hinder_list *out);

/* Executes a witness step by step, with values. false: it is none, err says where it fails.
 * env, if not NULL, gets the values of all variables read on the way. */
bool problem_evaluate(const struct problem *p, const struct goal *g,
                      const struct sym_witness *w, struct term_env *env, struct err *err);

#endif

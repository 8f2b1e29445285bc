/* SPDX-License-Identifier: Apache-2.0
 *
 * engine: what the parts of prediction share. SEQCHECK numbers in comments name the rules of
 * docs/predict.md.
 *
 * A cut is a union of thread prefixes: how many events of each thread (len) and up to where
 * each thread's reads must see what they saw in the trace (firm). firm 0 means nowhere, else
 * the reads with idx < firm - 1 are meant; they are called firm. */
#ifndef PREDICT_ENGINE_H
#define PREDICT_ENGINE_H

#include "predict/predict.h"

#include <pthread.h>

/* len of every thread, then firm of every thread. */
typedef uint32_t *cut;

struct mark {
    uint32_t p;  /* after so many events of the thread */
    uint32_t at; /* in the pool, in entries */
};

typedef VEC(struct mark) marks;

/* What being at a place implies: the least cut that contains the first p events of a thread.
 * Stored only where a component of another thread changes. */
struct prefix {
    uint32_t thread_count;
    enum mode mode;
    VEC(uint32_t) pool;
    marks *must;             /* by thread: for its first p events */
    marks *full;             /* by thread: and all reads among them firm; sound, classic */
    VEC(struct mark) * firm; /* by thread: own firm (at) from p events on; sound, paper */
};

struct edge {
    ev_id from, to;
};

/* The posts and waits of one semaphore: sem_events[first .. + count), by thread, program
 * order. */
struct semaphore {
    sync_id sync;
    uint32_t first, count;
};

/* What became of an attempt to close the window. */
enum closure { FAILED, GREW, WIDER, DONE };

/* Part of the trace order that has to be rearranged, and what precedes what in it. */
struct window {
    ev_id lo, hi;        /* events lo <= e <= hi of the cut; empty if lo > hi */
    uint32_t *a, *b;     /* by thread: idx a <= i < b are in it */
    uint32_t *base;      /* by thread: place of idx a */
    uint32_t count;      /* places */
    VEC(uint32_t) clock; /* by place, thread: so many of its events come before */
    VEC(uint32_t) head;  /* by place: first of its out edges, or NONE */
    VEC(uint32_t) next;  /* by edge */
    VEC(ev_id) target;   /* by edge */
    VEC(ev_id) queue;    /* events whose rules have to be looked at */
    VEC(bool) queued;    /* by place */
    VEC(ev_id) spread;   /* events whose clock has to be passed on */
};

/* Who is told the answer. */
struct asked {
    struct predicted x;
    predicted_fn found;
    void *arg;
};

/* What a cell held before a write. */
struct undo {
    cell_id cell;
    ev_id holds;
    uint32_t left;
};

struct predictor {
    const struct model *m;
    enum mode mode;
    uint32_t k; /* threads */
    struct prefix prefix;
    struct prefix sync;        /* the same if data did not matter */
    ev_id *create;             /* by thread: what created it before it began, or NONE */
    uint32_t *lock_first;      /* by sync: into lock_acquires */
    ev_id *lock_acquires;      /* by thread, program order */
    ev_id *lock_exclusive;     /* those that are not shared ... */
    uint32_t *exclusive_first; /* ... by sync */
    VEC(uint32_t) starts;      /* where the threads' parts of long lists begin ... */
    struct map starts_of;      /* ... by list */
    struct map wait_of;        /* the event that ends a wait -> wait */

    /* semaphores and refusals */
    bool has_choices; /* there are some */
    VEC(struct semaphore) semaphores;
    struct map semaphore_of; /* sync -> semaphore */
    ev_id *sem_events;
    int64_t *nets, *nets_best; /* what sem_events has given before i; most of each block */
    uint32_t net_count;
    VEC(ev_id) busy; /* refusals because something was taken */
    marks *wants;    /* by thread: what the trace gave its first p events, in wants_pool */
    VEC(uint32_t) wants_pool;
    uint32_t *supply_from, *supply_to; /* scratch */
    int64_t *supply_amount;
    struct checker *checker;
    pthread_mutex_t *checking; /* held while it checks; shared with the workers */
    struct str unmodelled, broken;
    ev_id good_end;  /* so much of the trace can happen as recorded ... */
    bool is_checked; /* ... or is thought to: nobody has looked yet */
    struct predict_stat stat;
    struct err refusal;

    /* the query under way */
    enum query_kind kind;
    uint32_t count;
    ev_id goal[QUERY_MAX]; /* the events that it asks about */
    uint32_t adjacent;
    uint32_t ordered; /* so many of goal happen in this order, the others are next */
    cut now;          /* the cut it needs */
    uint32_t *limit;  /* by thread: it may not execute more events */
    bool whole;       /* the window is to be everything */
    uint32_t budget;
    uint64_t work, work_max; /* what it has cost, about in nanoseconds; no more than that */
    bool spent;
    VEC(ev_id) keep;        /* acquires of sections that stay open and have rivals */
    VEC(struct edge) seeds; /* edges of the query and of what stays open */
    VEC(struct edge) pairs;
    VEC(ev_id) order; /* of the events of the window, if there is one */
    struct window w;

    /* answers whose witnesses are still to be checked */
    VEC(struct witness) claims;
    VEC(struct asked) asked; /* by claim */
    uint64_t claims_size;

    struct predict_guards declared;
    struct predict_part part; /* of the everyday search */
    bool is_cut;              /* what is made once per trace is not whole: nothing is decided */
    int (*stop)(void);        /* or NULL */
    void (*watch)(uint32_t done, uint32_t all); /* or NULL */

    /* several threads */
    uint32_t jobs;
    struct predictor **workers; /* one for each, once there are some */
    bool gathers;               /* what is asked for later is gathered, and answered by them */
    VEC(struct asked) gathered;
    VEC(uint64_t) skipped;       /* by pattern: instances that its search did not look at */
    VEC(struct refuted) refuted; /* by pattern, as skipped */

    /* while a witness is put in order */
    uint32_t *ptr; /* by thread: idx of its next event */
    uint32_t stamp;
    uint32_t *cell_stamp, *cell_left; /* by cell: firm reads of what it holds still to come */
    ev_id *cell_holds;
    uint32_t *sync_stamp;
    thr_id *lock_owner;
    uint32_t *lock_readers;
    int64_t *sem_level;
    bool unproved;   /* some way was given up without a contradiction */
    bool exhausted;  /* the search for an order met its limit */
    uint64_t state;  /* hash of where the threads are and what cells hold */
    struct map dead; /* states that lead nowhere */
    VEC(struct undo) undo;
    VEC(uint32_t) units; /* how many events each step of the order has */
};

/* ---- prefix.c -------------------------------------------------------------------------- */
/* p->prefix for its mode and p->sync; all that lookup_init makes is there. */
void prefix_init(struct predictor *p);
void prefix_done(struct prefix *x);
/* into becomes the least cut that also contains the first n events of thread t; full: with
 * all reads among them firm. */
void prefix_join(const struct prefix *x, thr_id t, uint32_t n, bool full, cut into);
/* What the first n events of thread t need, in the pool; NONE: nothing of other threads. */
uint32_t prefix_place(const struct prefix *x, thr_id t, uint32_t n);
/* Of an entry in the pool: so many events of a thread. */
uint32_t prefix_entry(const struct prefix *x, uint32_t at, thr_id of);
/* The first place of thread t, as a number of its events, that needs n events of another; NONE:
 * no place does. */
uint32_t prefix_first(const struct prefix *x, thr_id t, thr_id of, uint32_t n);
/* An entry by thread; a number of events is shifted by so much in it. */
const uint32_t *prefix_row(const struct prefix *x, uint32_t at, unsigned *shift);
/* So many events of thread `of` have to happen for the first n of thread t to. */
uint32_t prefix_must(const struct prefix *x, thr_id t, uint32_t n, thr_id of);

/* ---- lookup.c -------------------------------------------------------------------------- */
void lookup_init(struct predictor *p);
void lookup_done(struct predictor *p);
/* In a list by thread and program order: how many entries come before idx n of thread t. */
uint32_t list_before(const struct model *m, const ev_id *list, uint32_t len, thr_id t,
                     uint32_t n);
/* The last entry of thread t with from <= idx < n, and the first; NONE. */
ev_id list_last(const struct model *m, const ev_id *list, uint32_t len, thr_id t, uint32_t from,
                uint32_t n);
ev_id list_first(const struct model *m, const ev_id *list, uint32_t len, thr_id t,
                 uint32_t from, uint32_t n);
/* Acquires of the same lock as that of acquire e, in a way that e excludes. */
ev_id last_rival(const struct predictor *p, ev_id e, thr_id t, uint32_t from, uint32_t n);
ev_id first_rival(const struct predictor *p, ev_id e, thr_id t, uint32_t from, uint32_t n);
/* What e needs besides: needs[..] from here on with to = e. */
uint32_t needs_of(const struct model *m, ev_id e);
uint32_t bars_of(const struct model *m, ev_id e); /* the same of its bars */
ev_id last_acquire(const struct predictor *p, sync_id lock, thr_id t, uint32_t from,
                   uint32_t n);
ev_id last_write(const struct predictor *p, cell_id c, thr_id t, uint32_t from, uint32_t n);
ev_id first_write(const struct predictor *p, cell_id c, thr_id t, uint32_t from, uint32_t n);
/* A thread's writes of a cell, or its reads, in program order: at[first .. end). */
struct lane {
    const ev_id *at;
    uint32_t first, end;
};
struct lane lane_of(const struct predictor *p, cell_id c, thr_id t, bool writes);
/* A place between two entries of a lane. */
struct lane_place {
    struct lane in;
    uint32_t at; /* the next entry */
};
struct lane_place lane_before(const struct lane *x, ev_id e);
/* All accesses of a thread to a cell, an update once: from a place on, and from it back. */
struct lanes {
    struct lane_place writes, reads;
};
ev_id lanes_on(struct lanes *x); /* NONE: no more */
ev_id lanes_back(struct lanes *x);
/* The reads of a cell that see one write: those behind it, up to the next one in the trace. */
struct readers {
    const ev_id *list; /* all reads of the cell */
    uint32_t len;
    const uint32_t *starts; /* of each thread's part, or NULL */
    ev_id from, end;
};
/* Of write w, or of the initial value (NONE). */
struct readers readers_of(const struct predictor *p, cell_id c, ev_id w);
/* Those of thread t with from <= idx < n: how many, and the last one, or NONE. */
uint32_t readers_count(const struct predictor *p, const struct readers *r, thr_id t,
                       uint32_t from, uint32_t n);
ev_id readers_last(const struct predictor *p, const struct readers *r, thr_id t, uint32_t from,
                   uint32_t n);
const struct wait *wait_ended_by(const struct predictor *p, ev_id e);

/* Counts work. Once it is too much, nothing goes on: everything fails, and that is no proof. */
static inline bool afford(struct predictor *p, uint64_t work)
{
    p->work += work;
    p->spent |= p->work > p->work_max;
    return !p->spent;
}

static inline thr_id thread_of(const struct predictor *p, ev_id e)
{
    return p->m->ev[e].thr;
}

static inline uint32_t len_of(const struct predictor *p, thr_id t)
{
    return p->now[t];
}

static inline bool in_cut(const struct predictor *p, ev_id e)
{
    return p->m->idx[e] < p->now[thread_of(p, e)];
}

/* So many of the first events of t are firm if they are reads. */
static inline uint32_t firm_of(const struct predictor *p, thr_id t)
{
    uint32_t firm = p->now[p->k + t];
    firm = firm ? firm - 1 : 0;
    return firm < p->now[t] ? firm : p->now[t];
}

static inline bool is_firm(const struct predictor *p, ev_id e)
{
    return p->m->idx[e] < firm_of(p, thread_of(p, e));
}

/* ---- need.c: growing the cut ----------------------------------------------------------- */
bool within_limits(const struct predictor *p);
bool need_events(struct predictor *p, thr_id t, uint32_t n);
bool cut_need(struct predictor *p, ev_id e);
/* Does no more than its acquire happen of this section? It may never end. */
bool is_stuck(const struct predictor *p, ev_id acquire);
bool has_rival(const struct predictor *p, ev_id acquire);
ev_id latest_rival(const struct predictor *p, ev_id acquire);

/* ---- supply.c: semaphores and refusals ------------------------------------------------- */
enum { SUPPLY_CHOICES_MAX = 64 };
void supply_init(struct predictor *p);
void supply_done(struct predictor *p);
bool is_busy(const struct predictor *p, ev_id e);
/* What a semaphore holds when each thread has executed so many events. */
int64_t supply_level(const struct predictor *p, sync_id id, const uint32_t *at);
/* The section that a refused thread met in the trace; NONE: its own, or a semaphore's. */
ev_id supply_taker(const struct predictor *p, ev_id e);
/* At a post or wait; at a refusal. */
enum closure supply_rule(struct predictor *p, ev_id e);
enum closure supply_busy_rule(struct predictor *p, ev_id e);
/* Does the cut post as much as it takes? It grows if only one thread can help. */
enum closure supply_all(struct predictor *p);
/* Has the cut what the trace gave its waits and refusals? Then its order there will do. */
bool supply_is_recorded(const struct predictor *p);
bool supply_as_recorded(struct predictor *p); /* grows it; false: beyond a limit */
/* Posts of which one has to be added; 0: none. */
uint32_t supply_choices(const struct predictor *p, ev_id *out);
/* Posts and acquires of which one may be of use. */
uint32_t supply_more(const struct predictor *p, ev_id *out);

/* ---- window.c, choose.c ---------------------------------------------------------------- */
void window_init(struct predictor *p);
void window_done(struct predictor *p);
static inline bool in_window(const struct window *w, thr_id t, uint32_t idx)
{
    return idx >= w->a[t] && idx < w->b[t];
}
enum closure window_close(struct predictor *p, bool choose);
enum closure window_add(struct predictor *p, ev_id from, ev_id to);
enum closure window_settle(struct predictor *p);
bool window_before(const struct predictor *p, ev_id a, ev_id b);
const uint32_t *window_clock(const struct predictor *p, ev_id e);
/* The section that begins at a1 must end before a2 begins. */
enum closure window_end_before(struct predictor *p, ev_id a1, ev_id a2);
/* First idx of thread t, at most n, whose event is at or behind e in the trace. */
uint32_t idx_from(const struct predictor *p, thr_id t, uint32_t n, ev_id e);
enum closure choose_all(struct predictor *p);
enum closure choose_pairs(struct predictor *p);

/* ---- linear.c -------------------------------------------------------------------------- */
void linear_init(struct predictor *p);
void linear_done(struct predictor *p);
/* Puts the window in order; false if the rules leave nothing that can happen next. */
bool linear_order(struct predictor *p);

/* ---- blocked.c: what threads wait for -------------------------------------------------- */
/* May a thread have to wait for this? */
bool blocked_can_be_asked(const struct model *m, ev_id e);
/* Is it asked whether what e needs is missing? */
bool blocked_by_needs(const struct predictor *p, ev_id e);
/* The cut is in order: can none of the events be done that are asked to wait? */
bool blocked_as_asked(struct predictor *p);

/* ---- provide.c: waits that end by what others do later --------------------------------- */
/* Up to its event at idx `until` a thread may still do what ends a wait there. */
struct provider {
    sync_id sync;
    thr_id thr;
    uint32_t until;
};
typedef VEC(struct provider) providers;
void providers_find(const struct model *m, providers *out);
/* Is it thread t, standing before its event n, that a wait at this object may be for? */
bool provider_can_end(const struct model *m, ev_id wait, thr_id t, uint32_t n);
/* Every event before which a thread waits for a signal, a post or others at a barrier. */
void provider_waits(const struct model *m, void (*visit)(void *arg, ev_id e, sync_id s),
                    void *arg);
/* Can the threads stand before these for ever? out gets the events of the query, at most
 * QUERY_MAX; false: there are too many. */
bool provider_query(const struct predictor *p, const ev_id *wait, uint32_t count, ev_id *out,
                    struct predicted *x);

/* ---- uses.c: of sync objects, behind their end ------------------------------------------ */
struct ending {
    ev_id end; /* the object is destroyed, or its memory ends */
    sync_id sync;
    bool is_memory; /* the latter: then there is nothing left to make or to destroy */
};
void uses_behind(struct scan *s, const struct ending *x);
void uses_before(struct scan *s, ev_id init); /* as uses before initialisation */

/* ---- claim.c: witnesses ---------------------------------------------------------------- */
/* The witness of the query that has just been decided with yes. */
void claim_make(const struct predictor *p, const struct query *q, struct witness *out);
/* Behind the last event of the cut. */
ev_id cut_end(const struct predictor *p);

/* ---- intent.c: what the program means --------------------------------------------------- */
struct intent;
struct intent *intent_new(const struct model *m);
void intent_free(struct intent *in);
/* Is this access not to be reported: in an ignored stretch, or to memory marked as benign? */
bool intent_ignores(const struct intent *in, ev_id e);
/* Are there neither marked regions nor statements, so that only sections say what belongs
 * together? */
bool intent_is_plain(const struct intent *in);
/* The marked region that it lies in, or NONE. */
uint32_t intent_region(const struct intent *in, ev_id e);
/* Two accesses of a thread, a before b: the strongest of region, section and statement. */
enum group intent_group(const struct intent *in, ev_id a, ev_id b);
bool intent_one_statement(const struct intent *in, ev_id a, ev_id b);
/* The sites, from their ordinals in the unit, whose values site may depend on: calls visit for
 * each that the trace knows. */
typedef void (*site_fn)(void *arg, uint32_t site);
void intent_sources(const struct intent *in, uint32_t site, site_fn visit, void *arg);
bool same_function(const struct model *m, uint32_t site_a, uint32_t site_b);

/* How the value of a read is used first, as far as the trace tells. */
enum use {
    USE_UNKNOWN,
    USE_TEST,    /* the program looks what it is, and may go another way */
    USE_VALUE,   /* it is stored, computed with, printed */
    USE_POINTER, /* as an address, a function or a lock */
};
enum use intent_use(const struct intent *in, ev_id r);

/* ---- locksets.c: locks held, as one number --------------------------------------------- */
struct locksets;
struct locksets *locksets_new(const struct model *m);
void locksets_free(struct locksets *l);
/* What thread t holds after its first n events; 0: nothing. */
uint32_t lockset_at(struct locksets *l, thr_id t, uint32_t n);
/* A set and the lock that is taken by this acquire. */
uint32_t lockset_with(struct locksets *l, uint32_t set, ev_id acquire);
/* What it holds from before its event a until b. */
uint32_t lockset_around(struct locksets *l, ev_id a, ev_id b);
/* Is there a lock in both that two threads cannot hold at once in these ways? */
bool locksets_exclude(struct locksets *l, uint32_t a, uint32_t b);
/* The locks that are in both; who has one for reading only in one of them has it so. */
uint32_t lockset_common(struct locksets *l, uint32_t a, uint32_t b);

/* ---- access-ways.c --------------------------------------------------------------------- */

/* The last access under these locks: how many events the thread had done behind it. */
struct under {
    uint32_t locks, done; /* done 0: there is none */
};

/* A way in which a thread comes to a cell. */
struct way {
    thr_id thr;
    uint32_t site;
    bool writes;
    uint32_t done;       /* the last one of all */
    uint32_t common;     /* the locks that it always has */
    struct under *slots; /* owned */
    uint32_t slot_count;
    VEC(uint32_t) rivals; /* owned: the ways that it is to be compared with */
};

struct cell_ways {
    struct way *at; /* owned, as in vec.h */
    uint32_t len, cap;
    struct map by_key;
};

/* The way of this thread, site and direction, which is made if there is none; NONE: there are
 * too many. */
uint32_t way_of(struct cell_ways *c, const struct way *like);
/* The thread has come there so, with these locks. */
void way_note(struct way *w, struct locksets *l, uint32_t locks, uint32_t done);
/* Its rival with this index is not compared any more. */
void way_forget(struct way *w, uint32_t rival);
void cell_ways_done(struct cell_ways *c);

/* ---- scan.c: the everyday search --------------------------------------------------------- */
enum {
    TRIES_MAX = 8,      /* for the same places, or for each of several ways to come there ... */
    TRIES_ALL_MAX = 64, /* ... and for all of these together */
    TRIES_FOUND = UINT32_MAX - 1,
};

/* The same places in the source come again and again. Once they are confirmed, or have failed
 * a few times, they are left alone. */
struct tries {
    struct map by_key;
};
bool tries_left(const struct tries *t, uint64_t key);
/* The same for one way to come to those places. */
bool tries_left_of_way(const struct tries *t, uint64_t key, uint64_t way);
/* None left, and none was a yes: what is not asked may have been one. */
bool tries_gave_up(const struct tries *t, uint64_t key);
void tries_note(struct tries *t, uint64_t key, enum answer answer);

struct scan {
    struct predictor *p;
    const struct pattern *pattern;
    uint64_t shares;    /* of the cells: a bit for each that is looked at (races only) */
    struct asked_at at; /* where the search is */
    const struct intent *intent;
    struct locksets *locksets;
    struct tries tries;
    uint64_t skipped; /* instances that were not looked at */
    struct refuted by;
    predicted_fn found;
    void *arg;
};

/* Counts a no on top of the others, or takes it back. */
void count_refuter(struct refuted *by, enum refuter refuter, int64_t times);

/* Nobody waits for more: the search ends where it is. */
static inline bool scan_stops(const struct scan *s)
{
    return s->p->stop && s->p->stop();
}

/* Asks whether x, with the events e, can happen, unless this key has been settled (then it is
 * unknown). The query's count says how many events there are; their numbers, and the pattern,
 * are filled in. */
enum answer scan_ask(struct scan *s, struct predicted *x, const ev_id *e, uint64_t key);
/* The same where the threads came to these places in a way that has a key of its own. */
enum answer scan_ask_way(struct scan *s, struct predicted *x, const ev_id *e, uint64_t key,
                         uint64_t way);
/* False: about these places nothing would be asked any more, whatever the way. */
bool scan_asks(const struct scan *s, uint64_t key);
/* The same; if that is not possible, because a thread that has seen another value than recorded
 * would have to go on, as far as to where `next` is about to be done while the thread of the
 * last event stands before it. `ordered` of the events come before. */
enum answer scan_ask_up_to(struct scan *s, struct predicted *x, const ev_id *e,
                           uint32_t ordered, ev_id next, uint64_t key);
uint64_t sites_key(const struct predictor *p, const ev_id *e, uint32_t count);
bool share_a_lock(const struct model *m, ev_id a, ev_id b);
/* Does one section of a lock hold a and b, events of a thread, while r is done under that
 * lock? Then r cannot come between them. */
bool is_kept_out(const struct model *m, ev_id a, ev_id b, ev_id r);
/* Has a, of another thread, to happen for e's thread to get behind e? */
bool must_precede(const struct predictor *p, ev_id a, ev_id e);

/* ---- parts.c: which part of a search looks at what --------------------------------------- */
enum { CELL_SHARES = 64 };
/* The share that a cell belongs to. */
static inline uint32_t share_of(cell_id c)
{
    return c * 0x9e3779b1u >> 26;
}
/* Has the part this search, from 0? Of the one that is cut: a bit for each share of the cells.
 */
uint64_t part_shares(const struct predict_part *part, uint32_t search);

/* ---- findings.c: answers become findings ------------------------------------------------- */
struct gathering {
    struct findings *out;
    struct map by_id;          /* hash of the id -> index */
    struct map by_places;      /* of two sites -> index of a bug between them */
    VEC(struct part_row) rows; /* by finding */
};
void gather_begin(struct gathering *g, struct findings *out);
/* f: of a yes, and taken over; else NULL. True: it is one that was not there. */
bool gather(struct gathering *g, const struct part_row *row, struct finding *f);
void gather_end(struct gathering *g);
/* Counts what the searches did not come to ask. */
void add_skipped(const struct predictor *p, struct finding_list *l);
void add_unseen(const struct predictor *p, struct finding_list *l);
struct part_row row_of(const struct model *m, const struct predicted *x, enum answer answer);
/* What a list says of a trace. */
void describe_list(const struct predictor *p, struct finding_list *l);

/* ---- predictor.c ----------------------------------------------------------------------- */
/* Finds out, once, whether the trace is an execution. */
void check_trace(struct predictor *p);
/* A yes is still to be checked. */
enum answer predict_unchecked(struct predictor *p, const struct query *q);
/* Decides, and has found called with the answer: for a yes later, when many witnesses can be
 * checked together. What is returned is the answer before that. */
enum answer ask_later(struct predictor *p, const struct predicted *x, predicted_fn found,
                      void *arg);
void ask_end(struct predictor *p); /* after the last one */
void check_claims(struct predictor *p, bool *good);
/* So many witnesses were not accepted. */
void claims_refused(struct predictor *p, uint32_t count);
/* What a query needs for itself. */
void scratch_init(struct predictor *p);
void scratch_done(struct predictor *p);

/* ---- workers.c: the same by several threads -------------------------------------------- */
/* Shares everything with p that no query changes. */
struct predictor *worker_new(const struct predictor *p);
/* Its queries count as p's; its claims are its owner's. */
void worker_free(struct predictor *w, struct predictor *p);
void workers_done(struct predictor *p);
void workers_answer(struct predictor *p, const struct query *q, uint32_t count,
                    enum answer *answers);
void workers_gather(struct predictor *p, const struct predicted *x, predicted_fn found,
                    void *arg);
void workers_answer_rest(struct predictor *p);

/* ---- decide.c -------------------------------------------------------------------------- */
enum answer query_decide(struct predictor *p);

#endif

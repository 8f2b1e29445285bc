/* SPDX-License-Identifier: Apache-2.0
 *
 * turns: who runs next, and what threads wait for. */
#ifndef RT_TURNS_H
#define RT_TURNS_H

#include "rt/state.h"

/* ---- object.c: the table of sync objects --------------------------------------------- */
struct obj *obj_get(const volatile void *addr, unsigned class); /* made if it is new */
struct obj *obj_find(const volatile void *addr, unsigned class);
void obj_reset(struct obj *o);
void obj_drop(struct obj *o);
enum { /* marks in a lock's memory; no thread has such an id */
       LOCK_IS_HELD = 1 << 30,
       LOCK_IS_LEFT, /* robust: the process that had it has ended */
       LOCK_IS_LOST, /* and nobody made it consistent */
};
bool obj_is_stale(const struct obj *o); /* another lock began its life there */
bool obj_is_there(const struct obj *o);
void obj_unmark(const struct obj *o);
void obj_leave(const struct obj *o); /* robust, and its owner has ended */
void obj_renew(struct obj *o);
void obj_unhold(struct obj *o); /* off its owner's list of robust mutexes */
struct read_hold *read_find(struct obj *o, const struct thr *t);
void read_add(struct obj *o, struct thr *t, struct __heddle_site *site);
void read_remove(struct obj *o, struct read_hold *h);

/* ---- sched.c ------------------------------------------------------------------------- */
void sched_start(void);
struct thr *sched_new_thread(struct thr *parent);
void sched_slow(struct thr *t, struct __heddle_site *site, uint64_t addr, uint64_t len,
                unsigned kind, unsigned how);
bool sched_would_wait(const struct thr *t); /* if it went on from the point it stands at */
void sched_ready(struct thr *t);
void sched_unready(struct thr *t);
bool sched_is_timed(const struct thr *t);
bool sched_expire_first(void);
bool sched_has_world(void); /* does anybody wait for more than what threads do here? */
void sched_deadlines_changed(void);
void sched_serve_logged(const struct thr *by, uint64_t step);
void sched_unspin(struct thr *t);
bool sched_watches_clock(const struct thr *t); /* and spins */
void sched_until(struct thr *t);
void sched_ensure_ready(struct thr *t, uint16_t *why);
enum wake_how sched_block(struct thr *t, struct obj *o, enum wait_how how, uint64_t deadline);
void sched_wake_logged(struct thr *w, bool is_at_point);
struct thr *sched_wake_first(struct obj *o, uint64_t by);
void sched_wake_one(struct obj *o, uint64_t by);
void sched_wake_unasked(struct thr *w);
void sched_wake(struct thr *w, enum wake_how how);
void sched_leave_waiting(struct obj *o); /* they go on waiting, for nothing that comes */
void sched_changed(struct obj *o);
void sched_let_have(struct thr *t);
void sched_yielded(struct thr *t);
void sched_tried(struct thr *t); /* in vain, over and over: it rests until something changes */
void sched_before_end(struct thr *t, bool is_over);
void sched_exit(struct thr *t);
void sched_park_first(struct thr *t);
/* Until one of the descriptors is ready, for the thread's own call not to wait then. */
enum wake_how sched_block_fds(struct thr *t, struct pollfd *fds, uint32_t count,
                              uint64_t deadline);
/* The same until a test holds, which is made again and again. word: what is waited for. */
enum wake_how sched_block_test(struct thr *t, bool (*test)(struct thr *), const void *what,
                               const char *word, uint64_t deadline);
void sched_look_at_fds(void); /* something may have changed that others wait for */
bool sched_goes_outside(const struct thr *t, bool would_wait);
bool sched_follows(void); /* a schedule, and it is not at its end */
void sched_outside_begin(struct thr *t);
void sched_outside_end(struct thr *t);
bool sched_outside_wait(uint64_t max_ns);
void sched_collect(void);
void sched_pass_time(uint64_t ns);
uint64_t sched_now(void);
uint64_t sched_steps(void);

/* Around a call outside. Cancellation may unwind it: its thread needs the token again before
 * its cleanup handlers run. */
struct outside {
    struct thr *thr;
    bool is_out;
};

static inline struct outside outside_begin(struct thr *t, bool goes)
{
    if (goes)
        sched_outside_begin(t);
    return (struct outside){t, goes};
}

static inline void outside_end(struct outside *o)
{
    if (o->is_out)
        sched_outside_end(o->thr);
    o->is_out = false;
}

static inline void outside_unwind(struct outside *o)
{
    if (!o->is_out)
        return;
    sched_outside_end(o->thr);
    o->thr->cancel_pending = false;
    o->thr->cancel_off = true;
}

#define OUTSIDE(name, t, goes) \
    __attribute__((cleanup(outside_unwind))) struct outside name = outside_begin(t, goes)

enum { POINT_IS_WATCHED = 256 }; /* beside the enum wait_how */

/* A switch is allowed here. Plain numbers, for they cost nothing on the usual way. */
static inline void point_to(struct thr *t, struct __heddle_site *site,
                            const volatile void *addr, uint64_t len, unsigned kind,
                            unsigned how)
{
    if (UNLIKELY(++t->step >= t->until))
        sched_slow(t, site, (uint64_t)(uintptr_t)addr, len, kind, how);
}

static inline void point(struct thr *t)
{
    point_to(t, __heddle_here, NULL, 0, 0, WAIT_NONE);
}

/* Before something is done to a sync object. */
static inline void point_on(struct thr *t, const volatile void *obj)
{
    point_to(t, __heddle_here, obj, 0, 0, WAIT_NONE);
}

/* Before waiting for it, for as long as it takes. */
static inline void point_wait(struct thr *t, const volatile void *obj, enum wait_how how)
{
    point_to(t, __heddle_here, obj, 0, 0, how);
}

/* At a place that a waiting loop would come back to. */
static inline void point_at(struct thr *t, const volatile void *addr,
                            struct __heddle_site *site)
{
    point_to(t, site, addr, 0, 0, POINT_IS_WATCHED);
}

/* Right before an access whose step is counted already; kind 0: an atomic one. */
static inline void point_reached(struct thr *t, unsigned kind, const volatile void *addr,
                                 uint64_t len, struct __heddle_site *site)
{
    if (UNLIKELY(t->step >= t->until))
        sched_slow(t, site, (uint64_t)(uintptr_t)addr, len, kind,
                   kind != EV_WRITE && kind != EV_WRITE_RANGE ? POINT_IS_WATCHED : WAIT_NONE);
}

static inline void point_access(struct thr *t, unsigned kind, const volatile void *addr,
                                uint64_t len, struct __heddle_site *site)
{
    t->step++;
    point_reached(t, kind, addr, len, site);
}

static inline bool is_on_stack(const struct thr *t, uint64_t addr)
{
    return addr >= t->stack_low && addr < t->stack_high;
}

/* It changed something that others can see. */
static inline void stir(struct thr *t)
{
    t->last_write = t->step;
}

/* ---- late.c -------------------------------------------------------------------------- */
void sched_expire(struct thr *t);
/* How much a wait that knows of rt.late_ns since *from ends later than it was to. */
uint64_t late_put_off(uint64_t *from);
bool late_strike(void);
void late_tell(void);

/* ---- spin.c -------------------------------------------------------------------------- */
void spin_start(void);
bool spin_probe(const struct thr *t);
const struct thr *spin_on_shared(void);

/* ---- policies ------------------------------------------------------------------------ */
#define POLICY(name, ...) extern const struct policy policy_##name;
#include "heddle/policy.def"
#undef POLICY
struct thr *policy_random_waiter(struct obj *o);
struct thr *policy_expires(uint32_t times);
struct thr *policy_latest(void);
struct thr *policy_in_vain(void);
void policy_wakes_unasked(void);
bool can_expire(const struct thr *t);
/* temper.c: all as without --weak if that is off */
void temper_start(void);
bool temper_holds(const struct thr *t); /* not begun, and better not chosen now */
struct thr *temper_any(struct thr *t);  /* who can run; if nobody, t, or null */
uint32_t temper_weak(struct thr *t, uint32_t count, struct __heddle_site *site);
bool place_conflict(const struct place *a, const struct place *b);
const struct policy *policy_find(const char *name, size_t len);
uint64_t random_next(void);
uint64_t random_below(uint64_t n);

/* ---- hook-futex.c ------------------------------------------------------------------- */
long futex_call(struct thr *t, const long *arguments); /* 0 or more, or -errno */

/* What belongs to a record in a run's file follows it. */
void log_put(int fd, struct log_record *r, const char *data, uint32_t len);

/* ---- waits.c ------------------------------------------------------------------------- */
void waits_write(int fd); /* records of the outcome: every thread that could not go on */

/* ---- thread.c ------------------------------------------------------------------------ */
uint32_t *thread_tid_word(void); /* of the only thread there is; null: not found */
void thread_start_main(void);
void thread_reap(struct thr *t);
void thread_await_end(struct thr *t);
struct thr *thread_find(pthread_t handle);
void cancel_check(struct thr *t);
int thread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *),
                  void *arg, bool c11);

/* ---- hook-time.c --------------------------------------------------------------------- */
struct timespec;
/* When an absolute time of a clock comes, in virtual time; 0 if it is not a valid time. */
uint64_t time_deadline(int clock, const struct timespec *when);
bool time_is_span(const struct timespec *span);
uint64_t time_span_ns(const struct timespec *span);
uint64_t time_real_ns(void);

/* ---- mutexes, for conditions and C11 --------------------------------------------------- */
int mutex_lock(struct thr *t, pthread_mutex_t *m, unsigned flags, uint64_t deadline);
/* Is the mutex to be left free when it is locked here? Then the thread pretends to hold it. */
bool guided_pretend(const struct thr *t, const void *mutex, const struct __heddle_site *site);
/* Does it? Not any more. */
bool guided_unpretend(const struct thr *t, const void *mutex);
/* It was refused, for what it was asked of is none: for a witness of that use it happened. */
void guided_attempt(struct thr *t, unsigned kind, const struct __heddle_site *site);
int mutex_unlock(struct thr *t, pthread_mutex_t *m, unsigned flags);
int mutex_trylock(struct thr *t, pthread_mutex_t *m);
void mutex_abandon(struct thr *t);
void mutex_abandon_all(void);
int cond_wait(struct thr *t, pthread_cond_t *c, pthread_mutex_t *m, unsigned flags,
              uint64_t deadline);
int once_call(struct thr *t, pthread_once_t *control, void (*routine)(void));
int join_thread(struct thr *t, pthread_t handle, void **result, unsigned flags,
                uint64_t deadline);

#endif

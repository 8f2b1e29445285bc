/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp: OpenMP as the target sees it while it is recorded. LLVM's library waits and tells by
 * words that nobody sees; so none of it runs then: teams are threads of ours, critical sections
 * and locks are locks, and what else one thread learns from another is told as of things
 * (thing.c). Each order that OpenMP makes is known exactly, and no other one is.
 *
 *    hook-openmp.c, hook-omp.c     what compiled code calls, and what the program does
 *          |
 *    openmp-loop.c  openmp-task.c  who gets which iterations, which task
 *          |
 *    openmp.c                      threads, teams, waiting, barriers */
#ifndef RT_OPENMP_H
#define RT_OPENMP_H

#include "rt/rt.h"

enum {
    OMP_WORKERS_MAX = 1024,
    OMP_TEAM_MAX = 64, /* threads of one team: OpenMP may give fewer than are asked for */
    OMP_TEAM_USUAL = 4,
    OMP_TEAMS_MAX = 1024,
    OMP_MEMBERS_MAX = 8192,
    OMP_LOOPS_MAX = 8, /* that threads of a team may be in at a time: the loops are nowait */
    OMP_TASKS_MAX = 1 << 14,
    OMP_QUEUED_MAX = 1 << 10, /* tasks of a team; more are run where they are made */
    OMP_LINKS_MAX = 1 << 16,
    OMP_GROUPS_MAX = 1 << 12,
    OMP_DIMENSIONS_MAX = 8,
    OMP_POSTED_MAX = 1 << 16, /* iterations of a loop that says what each of them waits for */
};

struct ident;
typedef void omp_microtask(int32_t *, int32_t *, ...);

#define OMP_LIST(f)                                                                         \
    f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8), f(9), f(10), f(11), f(12), f(13), \
        f(14), f(15), f(16), f(17), f(18), f(19), f(20), f(21), f(22), f(23)
enum { OMP_SHARED_MAX = 24 }; /* variables of a region */

/* A task's part in the target's memory, as clang lays it out; more follows. */
struct omp_block {
    void *shared;
    int32_t (*run)(int32_t, void *);
    int32_t part;
    union {
        int32_t priority;
        int32_t (*destroy)(int32_t, void *);
    } one, two;
};

/* A dependence of a task on its siblings, an event to come after, or a task to tell. */
struct omp_link {
    uint32_t next; /* 0: none */
    uint8_t kind;
    uint64_t addr, event;
    struct omp_task *task;
};

struct omp_group {
    struct omp_group *outer;
    uint32_t tasks; /* not done */
    thing_id ended;
    bool is_used;
};

struct omp_task {
    struct omp_block *block; /* null: what a thread of a team does itself */
    struct omp_task *parent, *next;
    struct omp_group *group;
    uint32_t children; /* not done */
    uint32_t refs;
    uint32_t needs;   /* tasks that are to be done before */
    uint32_t tells;   /* links: tasks that need it */
    uint32_t after;   /* links: events that it comes after */
    uint32_t given;   /* links: what its children depend on, newest first */
    uint64_t done_by; /* the event */
    thing_id ended;   /* what its children change */
    bool is_final, is_done, goes_on, has_destroy, is_used;
};

/* A loop whose parts are given out while it runs. */
struct omp_loop {
    uint64_t number;     /* which of its team's; 0: unused */
    uint64_t next, turn; /* iterations */
    uint32_t left;       /* members that are through */
    thing_id given, ordered;
};

struct omp_team {
    struct thr *thr[OMP_TEAM_MAX];
    struct omp_member *outer; /* who has made it; null: nobody */
    uint32_t size, level, active;
    uint64_t forked; /* the event */
    thing_id fork, barrier[2], single, taken, posted;
    uint32_t arrived;
    uint64_t round;
    bool is_ending;
    uint32_t tasks, queued; /* not done; of those, waiting to be run */
    struct omp_task *first, *last;
    uint64_t singles;
    void *copied; /* what copyprivate gives to all */
    struct omp_loop loops[OMP_LOOPS_MAX];
    bool is_used;
};

/* A thread in a team. */
struct omp_member {
    struct omp_worker *worker;
    struct omp_team *team;
    struct omp_member *outer;
    uint32_t number;
    struct omp_task own, *task;
    const struct omp_task *awaited_task;
    uint64_t rounds; /* barriers that are over */
    bool is_over;    /* its team may be gone */
    uint64_t singles, loops;

    /* the loop it is in */
    struct omp_loop *loop;
    uint32_t how;
    uint64_t low, trips, chunk, at;
    int64_t step;
    bool is_ordered, was_ordered;
    uint64_t parts; /* it was given */
    uint64_t posting,
        awaited; /* loops whose iterations wait for others; for which one it does */
};

struct omp_worker {
    struct thr *thr;
    struct omp_member *now;
    struct omp_member *job; /* it is to begin with */
    omp_microtask *run;
    void **given;
    bool is_idle;
    uint32_t id, wanted, usual, levels;
    uint32_t schedule, chunk;

    /* while it waits in a team */
    bool (*done)(const struct omp_member *);
    unsigned takes;
};

struct openmp {
    struct omp_worker workers[OMP_WORKERS_MAX];
    struct omp_team teams[OMP_TEAMS_MAX];
    struct omp_member members[OMP_MEMBERS_MAX];
    bool member_used[OMP_MEMBERS_MAX];
    struct omp_task tasks[OMP_TASKS_MAX];
    struct omp_link links[OMP_LINKS_MAX];
    struct omp_group groups[OMP_GROUPS_MAX];
    uint32_t worker_count, link_count, free_link, task_hint, usual;

    struct omp_team *posting; /* whose loop says what its iterations wait for */
    uint64_t posted[OMP_POSTED_MAX];
    uint64_t posting_number;
    int64_t dimensions[OMP_DIMENSIONS_MAX][3];
    uint32_t dimension_count, posters;
};

struct call omp_call(struct thr *t);
struct omp_member *omp_me(void); /* of the thread that runs */

enum { TAKES_NOTHING, TAKES_OWN, TAKES_ANY }; /* tasks that a thread may run while it waits */
void omp_wait(struct omp_member *m, bool (*done)(const struct omp_member *), unsigned takes);
void omp_stir(const struct omp_team *team); /* who waits in it may go on */
void omp_barrier(struct omp_member *m);
void omp_barrier_look(struct omp_team *team);
void omp_fork(omp_microtask *run, void **given, bool together);
void omp_serial_begin(void);
void omp_serial_end(void);

/* openmp-loop.c */
void omp_dispatch_init(uint32_t how, uint64_t low, uint64_t high, int64_t step, int64_t chunk,
                       bool is_signed);
bool omp_dispatch_next(uint64_t *low, uint64_t *high, bool *is_last);
void omp_dispatch_fini(void);
void omp_ordered_begin(void);
void omp_ordered_end(void);
void omp_doacross_init(int32_t count, const int64_t *dimensions);
void omp_doacross_wait(const int64_t *at);
void omp_doacross_post(const int64_t *at);
void omp_doacross_fini(void);
#define OMP_STATIC_INIT(suffix, type, signed_type)                                   \
    void omp_static_init_##suffix(int32_t how, int32_t *last, type *low, type *high, \
                                  signed_type *stride, signed_type step, signed_type chunk);
OMP_STATIC_INIT(4, int32_t, int32_t)
OMP_STATIC_INIT(4u, uint32_t, int32_t)
OMP_STATIC_INIT(8, int64_t, int64_t)
OMP_STATIC_INIT(8u, uint64_t, int64_t)

/* openmp-task.c */
struct omp_task *omp_task_next(struct omp_member *m, unsigned takes, bool take);
void omp_task_run(struct omp_member *m, struct omp_task *x);
void omp_task_forget(struct omp_task *x);
void *omp_task_alloc(int32_t flags, size_t bytes, size_t shared_bytes,
                     int32_t (*run)(int32_t, void *));
struct omp_depend {
    uint64_t addr;
    size_t len;
    uint8_t flags;
};
void omp_task_make(void *block, int32_t count, const struct omp_depend *depends, bool at_once);
void omp_task_begin(void *block);
void omp_task_end(void *block);
void omp_task_wait(void);
void omp_task_await(int32_t count, const struct omp_depend *depends);
void omp_task_yield(void);
void omp_group_begin(void);
void omp_group_end(void);
struct omp_bounds { /* of a loop of tasks */
    const uint64_t *low, *high;
    int64_t step;
    uint64_t grain;
    int how; /* 0: as we like; 1: grain iterations each; 2: so many tasks */
    void (*copy)(void *, void *, int32_t);
};
void omp_task_loop(void *block, bool is_deferred, const struct omp_bounds *b, bool has_group);

#endif

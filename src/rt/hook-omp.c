/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-omp: what programs call of OpenMP by name: who am I, how many are we, locks. */
#include "rt/omp-library.h"
#include "rt/openmp.h"
#include "rt/real.h"

#include <time.h>

#define ASKED(name, ...) OMP_GIVES(int, name, (void), (), __VA_ARGS__)
#define TOLD(name, ...) OMP_DONE(void, name, (int value), (value), __VA_ARGS__)

static struct omp_worker *me(void)
{
    return omp_me()->worker;
}

static uint32_t counted(int value)
{
    return value <= 0 ? 1 : value < OMP_TEAM_MAX ? (uint32_t)value : OMP_TEAM_MAX;
}

/* ---- teams ------------------------------------------------------------------------------ */

ASKED(omp_get_thread_num, (int)omp_me()->number)
ASKED(omp_get_num_threads, (int)omp_me()->team->size)
ASKED(omp_get_max_threads, (int)me()->usual)
ASKED(omp_get_num_procs, (int)me()->usual)
ASKED(omp_get_thread_limit, OMP_TEAM_MAX)
ASKED(omp_in_parallel, omp_me()->team->active > 0)
ASKED(omp_in_final, omp_me()->task->is_final)
ASKED(omp_in_explicit_task, omp_me()->task->block != NULL)
ASKED(omp_get_level, (int)omp_me()->team->level)
ASKED(omp_get_active_level, (int)omp_me()->team->active)
ASKED(omp_get_max_active_levels, (int)me()->levels)
ASKED(omp_get_supported_active_levels, OMP_TEAM_MAX)
ASKED(omp_get_nested, me()->levels > 1)
ASKED(omp_get_dynamic, 0)
ASKED(omp_get_cancellation, 0)
ASKED(omp_get_proc_bind, 0)
ASKED(omp_get_num_places, 0)
ASKED(omp_get_num_teams, 1)
ASKED(omp_get_team_num, 0)
ASKED(omp_get_num_devices, 0)
ASKED(omp_get_default_device, 0)
ASKED(omp_get_initial_device, 0)
ASKED(omp_is_initial_device, 1)
ASKED(omp_get_max_task_priority, 0)
TOLD(omp_set_num_threads, me()->usual = counted(value))
TOLD(omp_set_nested, me()->levels = value ? OMP_TEAM_MAX : 1)
TOLD(omp_set_max_active_levels, me()->levels = value > 0 ? (uint32_t)value : 0)
TOLD(omp_set_dynamic, (void)value)
TOLD(omp_set_default_device, (void)value)

/* In the region that is so many levels deep, around the one that the thread is in. */
static const struct omp_member *around(int level)
{
    const struct omp_member *m = omp_me();
    while (m && (int)m->team->level > level)
        m = m->team->outer;
    return m && (int)m->team->level == level ? m : NULL;
}

OMP_GIVES(int, omp_get_ancestor_thread_num, (int level), (level),
          around(level) ? (int)around(level)->number : -1)
OMP_GIVES(int, omp_get_team_size, (int level), (level),
          around(level) ? (int)around(level)->team->size : -1)

enum { KIND_STATIC = 1, KIND_AUTO = 4 };

static void set_schedule(int kind, int chunk)
{
    kind &= 7; /* without what says that the order matters */
    me()->schedule = kind >= KIND_STATIC && kind <= KIND_AUTO ? (uint32_t)kind : KIND_STATIC;
    me()->chunk = chunk > 0 ? (uint32_t)chunk : 0;
}

static void get_schedule(int *kind, int *chunk)
{
    OMP_FILL(kind, me()->schedule ? me()->schedule : KIND_STATIC);
    OMP_FILL(chunk, me()->chunk);
}

OMP_DONE(void, omp_set_schedule, (int kind, int chunk), (kind, chunk),
         set_schedule(kind, chunk))
OMP_DONE(void, omp_get_schedule, (int *kind, int *chunk), (kind, chunk),
         get_schedule(kind, chunk))

/* ---- time -------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

OMP_GIVES(double, omp_get_wtime, (void), (), seconds())
OMP_GIVES(double, omp_get_wtick, (void), (), 1e-9)

/* ---- locks ------------------------------------------------------------------------- *
 * They have the size of a pointer, in which a spin lock has room, and of a nested one who has
 * it and how often. */

struct nest {
    pthread_spinlock_t lock;
    uint16_t owner, depth;
};
_Static_assert(sizeof(struct nest) <= sizeof(void *), "what omp.h has room for");

static pthread_spinlock_t *lock_of(void *p)
{
    return p;
}

OMP_DONE(void, omp_init_lock, (void **lock), (lock), pthread_spin_init(lock_of(lock), 0))
OMP_DONE(void, omp_init_lock_with_hint, (void **lock, UNUSED int hint), (lock, hint),
         pthread_spin_init(lock_of(lock), 0))
OMP_DONE(void, omp_destroy_lock, (void **lock), (lock), pthread_spin_destroy(lock_of(lock)))
OMP_DONE(void, omp_set_lock, (void **lock), (lock), pthread_spin_lock(lock_of(lock)))
OMP_DONE(void, omp_unset_lock, (void **lock), (lock), pthread_spin_unlock(lock_of(lock)))
OMP_GIVES(int, omp_test_lock, (void **lock), (lock), pthread_spin_trylock(lock_of(lock)) == 0)

static void nest_init(void *lock)
{
    *(struct nest *)lock = (struct nest){0};
    pthread_spin_init(lock_of(lock), 0);
}

static int nest_take(struct nest *n, bool may_wait)
{
    uint16_t id = (uint16_t)(me()->id + 1);
    if (n->owner == id)
        return ++n->depth;
    if (may_wait)
        pthread_spin_lock(&n->lock);
    else if (pthread_spin_trylock(&n->lock) != 0)
        return 0;
    n->owner = id;
    return n->depth = 1;
}

static void nest_leave(struct nest *n)
{
    if (n->owner == me()->id + 1 && --n->depth)
        return;
    n->owner = 0;
    pthread_spin_unlock(&n->lock);
}

OMP_DONE(void, omp_init_nest_lock, (void **lock), (lock), nest_init(lock))
OMP_DONE(void, omp_init_nest_lock_with_hint, (void **lock, UNUSED int hint), (lock, hint),
         nest_init(lock))
OMP_DONE(void, omp_destroy_nest_lock, (void **lock), (lock),
         pthread_spin_destroy(lock_of(lock)))
OMP_DONE(void, omp_set_nest_lock, (void **lock), (lock), nest_take((struct nest *)lock, true))
OMP_DONE(void, omp_unset_nest_lock, (void **lock), (lock), nest_leave((struct nest *)lock))
OMP_GIVES(int, omp_test_nest_lock, (void **lock), (lock), nest_take((struct nest *)lock, false))

/* ---- memory ------------------------------------------------------------------------------ */

OMP_GIVES(void *, omp_alloc, (size_t size, UNUSED uintptr_t by), (size, by), malloc(size))
OMP_GIVES(void *, omp_calloc, (size_t count, size_t size, UNUSED uintptr_t by),
          (count, size, by), calloc(count, size))
OMP_DONE(void, omp_free, (void *p, UNUSED uintptr_t by), (p, by), free(p))

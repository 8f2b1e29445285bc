/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-openmp: what code that clang compiled for OpenMP calls. While the target is recorded it
 * is all done here (openmp.h); else LLVM's library does it. That of GCC has its futexes inline:
 * its threads would wait with the token in hand. */
#include "rt/openmp.h"
#include "rt/omp-library.h"
#include "rt/real.h"

#include <stdarg.h>

void *omp_library(const char *name)
{
    static const char *const libraries[] = {"libomp.so.5", "libomp.so", "libiomp5.so"};
    void *p = dlsym(RTLD_NEXT, name);
    for (size_t i = 0; !p && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        p = library ? dlsym(library, name) : NULL;
    }
    if (!p)
        outcome_unsupported("OpenMP by a library that is not libomp");
    return p;
}

#define AT struct ident *at, UNUSED int32_t thread
#define PASS at, thread

/* ---- regions ---------------------------------------------------------------------------- */

#define PARAMETER(i) void *a##i
#define ARGUMENT(i) a##i
#define ELEMENT(i) given[i]

/* Without us: the target's own function behind one of ours that passes on as many. */
static void run_plain(int32_t *thread, int32_t *bound, omp_microtask *run, OMP_LIST(PARAMETER))
{
    run(thread, bound, OMP_LIST(ARGUMENT));
    __asm__ volatile(""); /* no jump, which would use room that the library has not made */
}

static void take_given(void **given, int32_t count, va_list list)
{
    if (count > OMP_SHARED_MAX)
        outcome_unsupported("an OpenMP region that shares more than 24 variables");
    for (int32_t i = 0; i < count; i++)
        given[i] = va_arg(list, void *);
}

#define FORK(name, with_team)                                                           \
    void name(struct ident *at, int32_t count, omp_microtask *run, ...);                \
    EXPORT void name(struct ident *at, int32_t count, omp_microtask *run, ...)          \
    {                                                                                   \
        void *given[OMP_SHARED_MAX] = {0};                                              \
        va_list list;                                                                   \
        va_start(list, run);                                                            \
        take_given(given, count, list);                                                 \
        va_end(list);                                                                   \
        if (!self) {                                                                    \
            LIBRARY(name)                                                               \
            real_##name(at, count + 1, (omp_microtask *)(void (*)(void))run_plain, run, \
                        OMP_LIST(ELEMENT));                                             \
        } else {                                                                        \
            omp_fork(run, given, with_team);                                            \
        }                                                                               \
    }

FORK(__kmpc_fork_call, true)
FORK(__kmpc_fork_teams, false)

/* Newer compilers: in this thread alone unless `together`. */
OMP_DONE(void, __kmpc_fork_call_if,
         (struct ident * at, int32_t count, omp_microtask *run, int32_t together, void *given),
         (at, count, run, together, given), omp_fork(run, &given, together))
OMP_DONE(void, __kmpc_serialized_parallel, (AT), (PASS), omp_serial_begin())
OMP_DONE(void, __kmpc_end_serialized_parallel, (AT), (PASS), omp_serial_end())
OMP_DONE(void, __kmpc_push_num_threads, (AT, int32_t count), (PASS, count),
         omp_me()->worker->wanted = count > 0 ? (uint32_t)count : 0)
OMP_DONE(void, __kmpc_push_num_teams, (AT, int32_t teams, int32_t threads),
         (PASS, teams, threads), (void)teams;
         omp_me()->worker->wanted = threads > 0 ? (uint32_t)threads : 0)
OMP_DONE(void, __kmpc_push_num_teams_51, (AT, int32_t low, int32_t high, int32_t threads),
         (PASS, low, high, threads), (void)low;
         (void)high; omp_me()->worker->wanted = threads > 0 ? (uint32_t)threads : 0)
OMP_DONE(void, __kmpc_push_proc_bind, (AT, UNUSED int32_t how), (PASS, how), )
OMP_GIVES(int32_t, __kmpc_global_thread_num, (struct ident * at), (at),
          (int32_t)omp_me()->worker->id)
OMP_GIVES(int32_t, __kmpc_global_num_threads, (struct ident * at), (at),
          (int32_t)rt.openmp->worker_count)
OMP_GIVES(int32_t, __kmpc_bound_thread_num, (struct ident * at), (at),
          (int32_t)omp_me()->number)
OMP_GIVES(int32_t, __kmpc_bound_num_threads, (struct ident * at), (at),
          (int32_t)omp_me()->team->size)
OMP_GIVES(int32_t, __kmpc_in_parallel, (struct ident * at), (at), omp_me()->team->active > 0)
OMP_GIVES(int32_t, __kmpc_ok_to_fork, (struct ident * at), (at), 1)
OMP_DONE(void, __kmpc_begin, (struct ident * at, UNUSED int32_t flags), (at, flags), )
OMP_DONE(void, __kmpc_end, (struct ident * at), (at), )

/* ---- barriers, and who does what --------------------------------------------------------- */

/* Nothing is ever cancelled, as if OMP_CANCELLATION were not set. */
OMP_DONE(void, __kmpc_barrier, (AT), (PASS), omp_barrier(omp_me()))
OMP_GIVES(int32_t, __kmpc_cancel_barrier, (AT), (PASS), (omp_barrier(omp_me()), 0))
OMP_GIVES(int32_t, __kmpc_cancel, (AT, UNUSED int32_t kind), (PASS, kind), 0)
OMP_GIVES(int32_t, __kmpc_cancellationpoint, (AT, UNUSED int32_t kind), (PASS, kind), 0)
OMP_GIVES(int32_t, __kmpc_master, (AT), (PASS), omp_me()->number == 0)
OMP_DONE(void, __kmpc_end_master, (AT), (PASS), )
OMP_GIVES(int32_t, __kmpc_masked, (AT, int32_t which), (PASS, which),
          omp_me()->number == (uint32_t)which)
OMP_DONE(void, __kmpc_end_masked, (AT), (PASS), )
OMP_DONE(void, __kmpc_scope, (AT, UNUSED void *unused), (PASS, unused), )
OMP_DONE(void, __kmpc_end_scope, (AT, UNUSED void *unused), (PASS, unused), )

/* Whoever comes first; that is kept. */
static int32_t is_first(void)
{
    struct omp_member *m = omp_me();
    struct call c = omp_call(m->worker->thr);
    point(c.thr);
    if (m->team->size > 1)
        thing_update(&c, m->team->single);
    if (++m->singles <= m->team->singles)
        return 0;
    m->team->singles = m->singles;
    stir(c.thr);
    return 1;
}

OMP_GIVES(int32_t, __kmpc_single, (AT), (PASS), is_first())
OMP_DONE(void, __kmpc_end_single, (AT), (PASS), )

typedef void combiner(void *, void *);

/* All get what the one that did it has. */
static void give_to_all(void *data, combiner *copy, int32_t did)
{
    struct omp_member *m = omp_me();
    if (did)
        m->team->copied = data;
    omp_barrier(m);
    if (!did)
        copy(data, m->team->copied);
    omp_barrier(m);
}

OMP_DONE(void, __kmpc_copyprivate,
         (AT, UNUSED size_t size, void *data, combiner *copy, int32_t did),
         (PASS, size, data, copy, did), give_to_all(data, copy, did))

/* ---- one at a time ----------------------------------------------------------------------- */

static pthread_spinlock_t *lock_at(void *p)
{
    return (pthread_spinlock_t *)p;
}

OMP_DONE(void, __kmpc_critical, (AT, void *lock), (PASS, lock),
         pthread_spin_lock(lock_at(lock)))
OMP_DONE(void, __kmpc_critical_with_hint, (AT, void *lock, UNUSED uint32_t hint),
         (PASS, lock, hint), pthread_spin_lock(lock_at(lock)))
OMP_DONE(void, __kmpc_end_critical, (AT, void *lock), (PASS, lock),
         pthread_spin_unlock(lock_at(lock)))
OMP_DONE(void, __kmpc_flush, (struct ident * at), (at),
         __heddle_fence(WORD_VALUE(ORDER, SEQ_CST), __heddle_here))
OMP_DONE(void, __kmpc_ordered, (AT), (PASS), omp_ordered_begin())
OMP_DONE(void, __kmpc_end_ordered, (AT), (PASS), omp_ordered_end())

/* A reduction: each thread adds its part to the variable itself, under the lock. */
#define REDUCES \
    UNUSED int32_t count, UNUSED size_t size, UNUSED void *data, UNUSED combiner *f, void *lock
#define REDUCED count, size, data, f, lock
OMP_GIVES(int32_t, __kmpc_reduce, (AT, REDUCES), (PASS, REDUCED),
          (pthread_spin_lock(lock_at(lock)), 1))
OMP_GIVES(int32_t, __kmpc_reduce_nowait, (AT, REDUCES), (PASS, REDUCED),
          (pthread_spin_lock(lock_at(lock)), 1))
OMP_DONE(void, __kmpc_end_reduce, (AT, void *lock), (PASS, lock),
         pthread_spin_unlock(lock_at(lock));
         omp_barrier(omp_me()))
OMP_DONE(void, __kmpc_end_reduce_nowait, (AT, void *lock), (PASS, lock),
         pthread_spin_unlock(lock_at(lock)))

/* ---- loops ------------------------------------------------------------------------------- */

#define LOOP(suffix, type, signed_type, is_signed)                                           \
    OMP_DONE(void, __kmpc_for_static_init_##suffix,                                          \
             (AT, int32_t how, int32_t *last, type *low, type *high, signed_type *stride,    \
              signed_type step, signed_type chunk),                                          \
             (PASS, how, last, low, high, stride, step, chunk),                              \
             omp_static_init_##suffix(how, last, low, high, stride, step, chunk))            \
    OMP_DONE(void, __kmpc_dist_for_static_init_##suffix,                                     \
             (AT, int32_t how, int32_t *last, type *low, type *high, type *high_all,         \
              signed_type *stride, signed_type step, signed_type chunk),                     \
             (PASS, how, last, low, high, high_all, stride, step, chunk), *high_all = *high; \
             omp_static_init_##suffix(how, last, low, high, stride, step, chunk))            \
    OMP_DONE(void, __kmpc_dispatch_init_##suffix,                                            \
             (AT, int32_t how, type low, type high, signed_type step, signed_type chunk),    \
             (PASS, how, low, high, step, chunk),                                            \
             omp_dispatch_init((uint32_t)how, (uint64_t)low, (uint64_t)high, step, chunk,    \
                               is_signed))                                                   \
    OMP_GIVES(int, __kmpc_dispatch_next_##suffix,                                            \
              (AT, int32_t *last, type *low, type *high, signed_type *step),                 \
              (PASS, last, low, high, step), next_##suffix(last, low, high, step))           \
    OMP_DONE(void, __kmpc_dispatch_fini_##suffix, (AT), (PASS), omp_dispatch_fini())

#define NEXT(suffix, type, signed_type)                                               \
    static int next_##suffix(int32_t *last, type *low, type *high, signed_type *step) \
    {                                                                                 \
        uint64_t from, to;                                                            \
        bool is_last;                                                                 \
        if (!omp_dispatch_next(&from, &to, &is_last))                                 \
            return 0;                                                                 \
        OMP_FILL(low, from);                                                          \
        OMP_FILL(high, to);                                                           \
        OMP_FILL(step, omp_me()->step);                                               \
        if (last)                                                                     \
            OMP_FILL(last, is_last);                                                  \
        return 1;                                                                     \
    }

NEXT(4, int32_t, int32_t)
NEXT(4u, uint32_t, int32_t)
NEXT(8, int64_t, int64_t)
NEXT(8u, uint64_t, int64_t)
LOOP(4, int32_t, int32_t, true)
LOOP(4u, uint32_t, int32_t, false)
LOOP(8, int64_t, int64_t, true)
LOOP(8u, uint64_t, int64_t, false)
OMP_DONE(void, __kmpc_for_static_fini, (AT), (PASS), )
OMP_DONE(void, __kmpc_dispatch_deinit, (AT), (PASS), )
OMP_DONE(void, __kmpc_doacross_init, (AT, int32_t count, const int64_t *dimensions),
         (PASS, count, dimensions), omp_doacross_init(count, dimensions))
OMP_DONE(void, __kmpc_doacross_wait, (AT, const int64_t *v), (PASS, v), omp_doacross_wait(v))
OMP_DONE(void, __kmpc_doacross_post, (AT, const int64_t *v), (PASS, v), omp_doacross_post(v))
OMP_DONE(void, __kmpc_doacross_fini, (AT), (PASS), omp_doacross_fini())

/* ---- tasks ------------------------------------------------------------------------------- */

typedef int32_t task_entry(int32_t, void *);
#define DEPENDS \
    int32_t count, const struct omp_depend *list, UNUSED int32_t more, UNUSED void *others
#define DEPENDED count, list, more, others

OMP_GIVES(void *, __kmpc_omp_task_alloc,
          (AT, int32_t flags, size_t size, size_t shared, task_entry *entry),
          (PASS, flags, size, shared, entry), omp_task_alloc(flags, size, shared, entry))
OMP_GIVES(int32_t, __kmpc_omp_task, (AT, void *task), (PASS, task),
          (omp_task_make(task, 0, NULL, false), 0))
OMP_GIVES(int32_t, __kmpc_omp_task_with_deps, (AT, void *task, DEPENDS), (PASS, task, DEPENDED),
          (omp_task_make(task, count, list, false), 0))
OMP_DONE(void, __kmpc_omp_task_begin_if0, (AT, void *task), (PASS, task), omp_task_begin(task))
OMP_DONE(void, __kmpc_omp_task_complete_if0, (AT, void *task), (PASS, task), omp_task_end(task))
OMP_DONE(void, __kmpc_omp_wait_deps, (AT, DEPENDS), (PASS, DEPENDED),
         omp_task_await(count, list))
OMP_DONE(void, __kmpc_omp_taskwait_deps_51, (AT, DEPENDS, UNUSED int32_t no_wait),
         (PASS, DEPENDED, no_wait), omp_task_await(count, list))
OMP_GIVES(int32_t, __kmpc_omp_taskwait, (AT), (PASS), (omp_task_wait(), 0))
OMP_GIVES(int32_t, __kmpc_omp_taskyield, (AT, UNUSED int end), (PASS, end),
          (omp_task_yield(), 0))
OMP_DONE(void, __kmpc_taskgroup, (AT), (PASS), omp_group_begin())
OMP_DONE(void, __kmpc_end_taskgroup, (AT), (PASS), omp_group_end())

typedef void task_copy(void *, void *, int32_t);
#define TASK_LOOP                                                                         \
    AT, void *task, int is_if, uint64_t *low, uint64_t *high, int64_t step, int no_group, \
        int how, uint64_t grain
#define TASK_LOOPED PASS, task, is_if, low, high, step, no_group, how, grain

static void loop_of_tasks(void *task, bool is_if, const struct omp_bounds *b, bool has_group)
{
    omp_task_loop(task, is_if, b, has_group);
}

OMP_DONE(void, __kmpc_taskloop, (TASK_LOOP, task_copy *copy), (TASK_LOOPED, copy),
         loop_of_tasks(task, is_if, &(struct omp_bounds){low, high, step, grain, how, copy},
                       !no_group))
OMP_DONE(void, __kmpc_taskloop_5, (TASK_LOOP, UNUSED int is_strict, task_copy *copy),
         (TASK_LOOPED, is_strict, copy),
         loop_of_tasks(task, is_if, &(struct omp_bounds){low, high, step, grain, how, copy},
                       !no_group))

/* ---- memory ------------------------------------------------------------------------------ */

OMP_GIVES(void *, __kmpc_alloc, (UNUSED int thread, size_t size, UNUSED void *by),
          (thread, size, by), malloc(size))
OMP_GIVES(void *, __kmpc_aligned_alloc,
          (UNUSED int thread, size_t alignment, size_t size, UNUSED void *by),
          (thread, alignment, size, by), aligned_alloc(alignment, size))
OMP_DONE(void, __kmpc_free, (UNUSED int thread, void *p, UNUSED void *by), (thread, p, by),
         free(p))

/* ---- what is not done -------------------------------------------------------------------- */

#define REFUSED(name, parameters, arguments, what) \
    OMP_GIVES(void *, name, parameters, arguments, (outcome_unsupported(what), NULL))

#define OVER_TASKS "reductions over OpenMP tasks"
REFUSED(__kmpc_taskred_init, (int thread, int count, void *data), (thread, count, data),
        OVER_TASKS)
REFUSED(__kmpc_task_reduction_init, (int thread, int count, void *data), (thread, count, data),
        OVER_TASKS)
REFUSED(__kmpc_taskred_modifier_init,
        (struct ident * at, int thread, int is_loop, int count, void *data),
        (at, thread, is_loop, count, data), OVER_TASKS)
REFUSED(__kmpc_task_reduction_modifier_init,
        (struct ident * at, int thread, int is_loop, int count, void *data),
        (at, thread, is_loop, count, data), OVER_TASKS)
REFUSED(__kmpc_task_allow_completion_event, (AT, void *task), (PASS, task),
        "OpenMP tasks that are detached")
REFUSED(__kmpc_threadprivate_cached, (AT, void *data, size_t size, void ***cache),
        (PASS, data, size, cache), "OpenMP variables of threads that are not thread-local")
REFUSED(__kmpc_atomic_start, (void), (), "atomic operations of OpenMP in its library")

void refuse_thread(void *(*start)(void *))
{
    Dl_info info;
    const char *name;
    if (!dladdr((void *)start, &info) || !info.dli_fname)
        return;
    name = strrchr(info.dli_fname, '/');
    if (strncmp(name ? name + 1 : info.dli_fname, "libgomp", 7) == 0)
        outcome_unsupported("OpenMP by libgomp; clang's libomp is supported");
}

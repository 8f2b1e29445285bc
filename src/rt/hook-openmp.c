/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-openmp: OpenMP by LLVM's library. It waits by functions that are modelled; by what else
 * its threads tell each other nobody sees. So each of its calls that synchronises is pinned
 * (channel.c), and so is each function of the target that it calls: what comes behind one of
 * these stays behind all that came before. That of GCC has its futexes inline: its threads
 * would wait with the token in hand. */
#include "rt/rt.h"
#include "rt/real.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <string.h>

typedef void microtask(int32_t *, int32_t *, ...);
typedef int32_t task_entry(int32_t, void *);
typedef void combiner(void *, void *);
struct ident;
struct task;

static void pin(void)
{
    struct call c = {.thr = self, .site = __heddle_here};
    if (!c.thr)
        return;
    c.thr->learnt = true;
    stir(c.thr);
    channel_pin(&c);
}

static void enter(void)
{
    struct thr *t = self;
    if (!t)
        return;
    point(t);
    pin();
}

static void *in_library(const char *name)
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

/* The library's own function of this name, looked up once. */
#define LIBRARY(name)                       \
    static __typeof__(name) *real_##name;   \
    if (!real_##name) {                     \
        void *p = in_library(#name);        \
        memcpy(&real_##name, &p, sizeof p); \
    }

#define SYNC(type, name, parameters, arguments) \
    type name parameters;                       \
    EXPORT type name parameters                 \
    {                                           \
        LIBRARY(name)                           \
        enter();                                \
        type result = real_##name arguments;    \
        pin();                                  \
        return result;                          \
    }

#define SYNC_VOID(name, parameters, arguments) \
    void name parameters;                      \
    EXPORT void name parameters                \
    {                                          \
        LIBRARY(name)                          \
        enter();                               \
        real_##name arguments;                 \
        pin();                                 \
    }

/* ---- calls ------------------------------------------------------------------------------- */

#define AT struct ident *at, int32_t thread
#define PASS at, thread

SYNC_VOID(__kmpc_barrier, (AT), (PASS))
SYNC(int32_t, __kmpc_cancel_barrier, (AT), (PASS))
SYNC(int32_t, __kmpc_cancel, (AT, int32_t kind), (PASS, kind))
SYNC(int32_t, __kmpc_cancellationpoint, (AT, int32_t kind), (PASS, kind))
SYNC_VOID(__kmpc_critical, (AT, void *lock), (PASS, lock))
SYNC_VOID(__kmpc_critical_with_hint, (AT, void *lock, uint32_t hint), (PASS, lock, hint))
SYNC_VOID(__kmpc_end_critical, (AT, void *lock), (PASS, lock))
SYNC(int32_t, __kmpc_single, (AT), (PASS))
SYNC_VOID(__kmpc_end_single, (AT), (PASS))
SYNC_VOID(__kmpc_ordered, (AT), (PASS))
SYNC_VOID(__kmpc_end_ordered, (AT), (PASS))
SYNC_VOID(__kmpc_doacross_wait, (AT, const int64_t *v), (PASS, v))
SYNC_VOID(__kmpc_doacross_post, (AT, const int64_t *v), (PASS, v))

/* Who gets which part of a loop depends on what the others got. */
SYNC(int, __kmpc_dispatch_next_4,
     (AT, int32_t *last, int32_t *low, int32_t *high, int32_t *step),
     (PASS, last, low, high, step))
SYNC(int, __kmpc_dispatch_next_4u,
     (AT, int32_t *last, uint32_t *low, uint32_t *high, int32_t *step),
     (PASS, last, low, high, step))
SYNC(int, __kmpc_dispatch_next_8,
     (AT, int32_t *last, int64_t *low, int64_t *high, int64_t *step),
     (PASS, last, low, high, step))
SYNC(int, __kmpc_dispatch_next_8u,
     (AT, int32_t *last, uint64_t *low, uint64_t *high, int64_t *step),
     (PASS, last, low, high, step))

SYNC_VOID(omp_set_lock, (void **lock), (lock))
SYNC_VOID(omp_unset_lock, (void **lock), (lock))
SYNC(int, omp_test_lock, (void **lock), (lock))
SYNC_VOID(omp_set_nest_lock, (void **lock), (lock))
SYNC_VOID(omp_unset_nest_lock, (void **lock), (lock))
SYNC(int, omp_test_nest_lock, (void **lock), (lock))

/* ---- teams ------------------------------------------------------------------------------- *
 * The function that all threads of a team run gets the target's own as its first argument. */

#define LIST(f)                                                                             \
    f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8), f(9), f(10), f(11), f(12), f(13), \
        f(14), f(15), f(16), f(17), f(18), f(19), f(20), f(21), f(22), f(23)
#define PARAMETER(i) void *a##i
#define ARGUMENT(i) a##i
#define ELEMENT(i) given[i]
enum { SHARED_MAX = 24 };

static void run_in_team(int32_t *thread, int32_t *bound, microtask *run, LIST(PARAMETER))
{
    pin();
    run(thread, bound, LIST(ARGUMENT));
    pin();
}

void __kmpc_fork_call(struct ident *at, int32_t count, microtask *run, ...);

EXPORT void __kmpc_fork_call(struct ident *at, int32_t count, microtask *run, ...)
{
    LIBRARY(__kmpc_fork_call)
    void *given[SHARED_MAX] = {0};
    va_list list;
    if (count > SHARED_MAX)
        outcome_unsupported("an OpenMP region that shares more than 24 variables");
    va_start(list, run);
    for (int32_t i = 0; i < count; i++)
        given[i] = va_arg(list, void *);
    va_end(list);
    enter();
    real___kmpc_fork_call(at, count + 1, (microtask *)(void (*)(void))run_in_team, run,
                          LIST(ELEMENT));
    pin();
}

/* ---- tasks ------------------------------------------------------------------------------- *
 * Each function that a task runs has one here that is called in its place. */

enum { TASKS_MAX = 64 };
static task_entry *entries[TASKS_MAX];

static int32_t run_task(uint32_t i, int32_t thread, void *task)
{
    pin();
    int32_t result = entries[i](thread, task);
    pin();
    return result;
}

#define EIGHT(f, i) f(i##0) f(i##1) f(i##2) f(i##3) f(i##4) f(i##5) f(i##6) f(i##7)
#define ALL(f)   \
    EIGHT(f, 00) \
    EIGHT(f, 01) EIGHT(f, 02) EIGHT(f, 03) EIGHT(f, 04) EIGHT(f, 05) EIGHT(f, 06) EIGHT(f, 07)
#define STAND_IN(i)                                     \
    static int32_t task_##i(int32_t thread, void *task) \
    {                                                   \
        return run_task(i, thread, task);               \
    }
#define NAME(i) task_##i,
ALL(STAND_IN)
static task_entry *const stand_ins[TASKS_MAX] = {ALL(NAME)};

static task_entry *stand_in(task_entry *entry)
{
    if (!entries[0] && self)
        outcome_doubt(DOUBT_UNMODELLED_CALL,
                      "OpenMP tasks side by side (each is run where it is made)");
    for (uint32_t i = 0; i < TASKS_MAX; i++) {
        if (!entries[i])
            entries[i] = entry;
        if (entries[i] == entry)
            return stand_ins[i];
    }
    outcome_unsupported("more than 64 OpenMP constructs that make tasks");
}

SYNC(struct task *, __kmpc_omp_task_alloc,
     (AT, int32_t flags, size_t size, size_t shared, task_entry *entry),
     (PASS, flags, size, shared, stand_in(entry)))
SYNC(int32_t, __kmpc_omp_task, (AT, struct task *task), (PASS, task))
SYNC(int32_t, __kmpc_omp_task_with_deps,
     (AT, struct task *task, int32_t count, void *list, int32_t more, void *others),
     (PASS, task, count, list, more, others))
SYNC_VOID(__kmpc_omp_wait_deps, (AT, int32_t count, void *list, int32_t more, void *others),
          (PASS, count, list, more, others))
SYNC_VOID(__kmpc_omp_taskwait_deps_51,
          (AT, int32_t count, void *list, int32_t more, void *others, int32_t no_wait),
          (PASS, count, list, more, others, no_wait))
SYNC(int32_t, __kmpc_omp_taskwait, (AT), (PASS))
SYNC(int32_t, __kmpc_omp_taskyield, (AT, int end), (PASS, end))
SYNC_VOID(__kmpc_taskgroup, (AT), (PASS))
SYNC_VOID(__kmpc_end_taskgroup, (AT), (PASS))
SYNC_VOID(__kmpc_taskloop,
          (AT, struct task *task, int is_if, uint64_t *low, uint64_t *high, int64_t step,
           int no_group, int how, uint64_t grain, void *copy),
          (PASS, task, is_if, low, high, step, no_group, how, grain, copy))

/* ---- reductions -------------------------------------------------------------------------- *
 * The function that combines reads what other threads have left. */

static void combine(void *into, void *from)
{
    pin();
    self->combine(into, from);
    pin();
}

/* The function to hand over in place of this one. */
static combiner *combined_by(combiner *f)
{
    if (!self)
        return f;
    self->combine = f;
    return combine;
}

#define REDUCES int32_t count, size_t size, void *data, combiner *f, void *lock
SYNC(int32_t, __kmpc_reduce, (AT, REDUCES), (PASS, count, size, data, combined_by(f), lock))
SYNC(int32_t, __kmpc_reduce_nowait, (AT, REDUCES),
     (PASS, count, size, data, combined_by(f), lock))
SYNC_VOID(__kmpc_end_reduce, (AT, void *lock), (PASS, lock))
SYNC_VOID(__kmpc_end_reduce_nowait, (AT, void *lock), (PASS, lock))
SYNC_VOID(__kmpc_copyprivate, (AT, size_t size, void *data, combiner *f, int32_t did),
          (PASS, size, data, combined_by(f), did))

/* ---- what is not done -------------------------------------------------------------------- */

#define REFUSED(name, what)        \
    void *name(void);              \
    EXPORT void *name(void)        \
    {                              \
        outcome_unsupported(what); \
    }

REFUSED(__kmpc_taskred_init, "reductions over OpenMP tasks")
REFUSED(__kmpc_taskred_modifier_init, "reductions over OpenMP tasks")
REFUSED(__kmpc_task_reduction_init, "reductions over OpenMP tasks")
REFUSED(__kmpc_task_reduction_modifier_init, "reductions over OpenMP tasks")
REFUSED(__kmpc_fork_teams, "teams of OpenMP")

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

/* How long LLVM's threads spin before they wait is real time: not at all, so that it is the
 * same in every run. Who waits for tasks spins without a call of which we would know: tasks
 * are run at once, by who makes them. */
__attribute__((constructor)) static void calm_openmp(void)
{
    struct thr *t = self;
    self = NULL; /* the text of a search that fails is allocated, and not by the program */
    bool has_openmp = t && dlsym(RTLD_NEXT, "__kmpc_fork_call");
    self = t;
    if (!has_openmp)
        return;
    setenv("KMP_BLOCKTIME", "0", 0);
    setenv("KMP_TASKING", "0", 0);
}

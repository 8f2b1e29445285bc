/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-process: ends, what a forked child has to forget, and shared objects that come and
 * go. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/sys.h"

#include <assert.h>
#include <stdlib.h>

/* ---- ends ---------------------------------------------------------------------------- */

static void before_end(bool is_last)
{
    struct thr *t = self;
    if (t && rt.on && !rt.ended && sys_getpid() == rt.pid)
        sched_before_end(t, is_last);
}

static void at_exit_begins(int code, void *arg)
{
    (void)code, (void)arg;
    before_end(false);
}

/* What is registered last runs first: before anything has been taken down that was there when
 * the first thread came. */
void process_watch_exit(void)
{
    if (rt.ending.watches_exit)
        return;
    rt.ending.watches_exit = true;
    on_exit(at_exit_begins, NULL);
}

EXPORT void _exit(int code)
{
    before_end(false);
    outcome_exit(code);
    sys_exit(code);
}

EXPORT void _Exit(int code)
{
    before_end(false);
    outcome_exit(code);
    sys_exit(code);
}

/* Registered before all others: it comes behind them, and other threads run beside them. */
static void at_quick_exit_ends(void)
{
    before_end(true);
    outcome_exit(rt.ending.quick_code);
}

void process_watch_quick_exit(void)
{
    at_quick_exit(at_quick_exit_ends);
}

EXPORT void quick_exit(int code)
{
    before_end(false);
    rt.ending.quick_code = code;
    real.quick_exit(code);
    __builtin_unreachable();
}

EXPORT void __assert_fail(const char *expression, const char *file, unsigned line,
                          const char *function)
{
    char at[TEXT_MAX_BYTES];
    struct text text = {at, 0, sizeof at};
    text_put(&text, file);
    text_put(&text, ":");
    text_number(&text, line);
    text_put(&text, ": ");
    text_put(&text, function);
    text_put(&text, ": Assertion `");
    text_put(&text, expression);
    text_put(&text, "' failed.");
    outcome_assert(at);
    self = NULL;
    real.assert_fail(expression, file, line, function);
    __builtin_unreachable();
}

/* HEDDLE_EXPECT of heddle/annotate.h. */
EXPORT void __heddle_failed(const char *expression, const char *file, unsigned line,
                            const char *function);
EXPORT void __heddle_failed(const char *expression, const char *file, unsigned line,
                            const char *function)
{
    __assert_fail(expression, file, line, function);
}

/* ---- fork ---------------------------------------------------------------------------- */

/* The child's thread has another id than its owner had: where that is asked, it is not ours. */
static void hold_mutex(const struct obj *o)
{
    pthread_mutex_t *m = (pthread_mutex_t *)(uintptr_t)o->addr;
    m->__data.__owner = 0;
    real.pthread_mutex_lock(m);
    m->__data.__owner = LOCK_IS_HELD;
    if ((m->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE)
        m->__data.__count = o->depth;
}

static void hold_rwlock(const struct obj *o)
{
    pthread_rwlock_t *l = (pthread_rwlock_t *)(uintptr_t)o->addr;
    l->__data.__pad3 = 0;
    if (o->owner != NO_ID)
        real.pthread_rwlock_wrlock(l);
    for (uint32_t n = 0; n < o->readers; n++)
        real.pthread_rwlock_rdlock(l);
}

/* In the child: what was held becomes really held, as it is after a fork, by whomever. libc
 * makes its streams free. */
static void materialise(const struct thr *t)
{
    for (uint32_t i = 0; i < rt.object_used; i++) {
        const struct obj *o = &rt.objects[i];
        bool is_held = o->owner != NO_ID || o->readers, is_mine = o->owner == t->id;
        if (!is_held || o->is_stream || (o->is_shared && !is_mine) || !obj_is_there(o))
            continue;
        if (o->class == WORD_VALUE(CLASS, MUTEX) + 1)
            hold_mutex(o);
        else if (o->class == WORD_VALUE(CLASS, RWLOCK) + 1)
            hold_rwlock(o);
        else if (o->class == WORD_VALUE(CLASS, SPIN) + 1 && is_mine)
            real.pthread_spin_lock((pthread_spinlock_t *)(uintptr_t)o->addr);
    }
}

/* Registered first: runs in a child before any handler of the target does. A child that is not
 * followed is off. */
void process_off(void)
{
    const struct thr *t = self;
    if (!rt.on)
        return;
    if (t && rt.forking != FORK_OFF) {
        forked_begin();
        return;
    }
    self = NULL;
    __heddle_news = &rt.no_news;
    rt.on = false;
    record_off();
    input_off();
    if (t)
        materialise(t);
    if (rt.pinned)
        sys_call(SYS_sched_setaffinity, 0, sizeof rt.cpus, (long)rt.cpus, 0, 0, 0);
    signal_off(t);
}

/* Around the start of another program: what it inherits is what it would without us. */
void process_lend(struct thr *t, bool on)
{
    signal_mask_real(t, on);
    if (!rt.pinned)
        return;
    if (on)
        sys_call(SYS_sched_setaffinity, 0, sizeof rt.cpus, (long)rt.cpus, 0, 0, 0);
    else
        process_pin_again();
}

/* ---- shared objects ------------------------------------------------------------------ */

EXPORT void *dlopen(const char *path, int flags)
{
    struct thr *t = self;
    void *handle = real.dlopen(path, flags);
    if (t && handle)
        globals_after_dlopen();
    return handle;
}

EXPORT int dlclose(void *handle)
{
    struct thr *t = self;
    int e = real.dlclose(handle);
    if (t) {
        record_forget_texts();
        globals_after_dlclose();
    }
    return e;
}

/* ---- functions by name --------------------------------------------------------------- *
 * A target may ask libc itself for its functions. Those that synchronise are then given as the
 * target would call them, which is ours: the ones of libc would wait with the turn in hand. */

typedef void *lookup_fn(void *handle, const char *name);

__attribute__((visibility("hidden"))) lookup_fn dlsym_named, dlsym_first;
__attribute__((visibility("hidden"))) lookup_fn *dlsym_real = dlsym_first;

/* Who asks for the next one behind itself is told apart by where the call comes from. */
__asm__(".pushsection .text\n"
        ".weak dlsym\n"
        ".type dlsym, @function\n"
        "dlsym:\n"
        "  cmpq $-1, %rdi\n"
        "  jne dlsym_named\n"
        "  jmp *dlsym_real(%rip)\n"
        ".size dlsym, . - dlsym\n"
        ".popsection\n");

/* Before start-up. */
void *dlsym_first(void *handle, const char *name)
{
    void *p = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!p)
        p = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    __builtin_memcpy(&dlsym_real, &p, sizeof p);
    return dlsym_real(handle, name);
}

static bool synchronises(const char *name)
{
    static const char *const families[] = {"pthread_", "sem_",  "mtx_",
                                           "cnd_",     "thrd_", "call_once"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (__builtin_strncmp(name, families[i], __builtin_strlen(families[i])) == 0)
            return true;
    return false;
}

static bool is_of_libc(const void *p)
{
    Dl_info that, libc;
    void *known;
    __builtin_memcpy(&known, &real.pthread_create, sizeof known);
    return dladdr(p, &that) && dladdr(known, &libc) && that.dli_fbase == libc.dli_fbase;
}

void *dlsym_named(void *handle, const char *name)
{
    void *p = dlsym_real(handle, name);
    return self && p && synchronises(name) && is_of_libc(p) ? dlsym_real(RTLD_DEFAULT, name)
                                                            : p;
}

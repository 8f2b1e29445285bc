/* SPDX-License-Identifier: Apache-2.0
 *
 * thread: the lives of threads. A new one sleeps until it is chosen. One that ends hands the
 * token over in the last round of its key destructors, and whoever gets the token waits for
 * its real end first: stacks and malloc's caches are then reused in the same order every time.
 * All threads are really joinable; being detached is something that only we remember. */
#include "rt/rt.h"
#include "rt/real.h"
#include "rt/seen.h"
#include "rt/sys.h"

#include <limits.h>

/* glibc's description of a thread, which lies at the upper end of its stack. */
enum { DESCRIPTOR_BYTES = 2304 };

/* What hooks may need of the stack of whom they work for: paths, directories, messages. One
 * that the target provides and that is twice as large is left to it. */
enum { HOOKS_STACK_BYTES = 128 << 10, PROVIDED_STACK_BYTES = 2 * HOOKS_STACK_BYTES };

/* Of the frames that a thread had, so much is left alone when it ends. */
enum { LEFT_FRAMES_BYTES = 16 << 10 };

/* Threads that could run before one that makes yet another has to give way: they would become
 * more and more, and each is a real one. */
enum { CROWD_MAX = 128 };

/* ---- the end ------------------------------------------------------------------------- */

static uint32_t *tid_word(const struct thr *t)
{
    return (uint32_t *)(void *)((char *)t->handle + rt.thread.tid_offset);
}

/* The kernel sets the word to 0 and wakes it, for pthread_join's sake. */
void thread_await_end(struct thr *t)
{
    uint32_t tid;
    if (rt.thread.tid_offset == 0)
        return;
    while ((tid = __atomic_load_n(tid_word(t), __ATOMIC_ACQUIRE)) != 0)
        sys_call(SYS_futex, (long)tid_word(t), FUTEX_WAIT, tid, 0, 0, 0);
}

/* t has no token any more: let it get out of the way. */
void thread_reap(struct thr *t)
{
    if (t->detached && !t->joined && !t->is_main) {
        real.pthread_join(t->handle, NULL);
        t->joined = true;
    } else {
        thread_await_end(t);
    }
    CHECK(t != rt.running && t->state == THR_EXITED);
    slot_free(t->slot);
}

/* What others still read of frames that were left here must be the same in a replay, whose
 * way through the scheduler is another one: that happens farther down. */
static __attribute__((noinline)) void end_below(struct thr *t)
{
    char gap[LEFT_FRAMES_BYTES];
    __asm__ volatile("" : : "r"(gap) : "memory");
    record_sync(t, EV_EXIT, NULL, 0, 0, __heddle_here);
    sched_exit(t);
    __asm__ volatile("" : : "r"(gap) : "memory");
}

/* Key destructors run in rounds; ours wants the last one. */
static void at_thread_end(void *round)
{
    struct thr *t = self;
    uintptr_t n = (uintptr_t)round;
    if (!t)
        return;
    if (n < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(rt.thread.key, (void *)(n + 1));
        return;
    }
    t->step++;
    mutex_abandon(t);
    end_below(t);
}

/* ---- the beginning ------------------------------------------------------------------- */

static bool is_used_again(const struct thr *t)
{
    for (uint32_t i = 0; i < t->id; i++) {
        const struct thr *other = &rt.threads[i];
        if (other->stack_low < t->stack_high && t->stack_low < other->stack_high)
            return true;
    }
    return false;
}

/* The stack of a thread that has ended, with its thread-local variables at the upper end, is
 * given to the next one: it is other memory from here on. What is above the first frame never
 * has an object of its own. */
static void stack_begins(struct thr *t, uint64_t frame)
{
    if (!rt.accesses)
        return;
    map_taken(t, t->stack_low, t->stack_high);
    CHECK(t->stack_low <= frame && frame < t->stack_high);
    if (!is_used_again(t))
        return;
    const uint64_t parts[] = {t->stack_low, frame, t->stack_high};
    for (unsigned i = 0; i < 2; i++)
        record_event(t,
                     &(struct ev){.kind = EV_STACK_ENTER,
                                  .addr = parts[i],
                                  .len = parts[i + 1] - parts[i]},
                     NULL);
    seen_forget(frame, t->stack_high - frame);
}

static void *run_thread(void *arg)
{
    struct thr *t = arg;
    t->tid = sys_gettid();
    outcome_signal_stack(t);
    self = t;
    pthread_setspecific(rt.thread.key, (void *)1);
    t->stack_high = ((uint64_t)pthread_self() + DESCRIPTOR_BYTES + 4095) & ~4095ULL;
    t->stack_low = t->stack_high - t->stack_bytes;
    sched_park_first(t);
    shadow_thread_begins(t);
    if (UNLIKELY(rt.weak.on))
        weak_ends(t->stack_low, t->stack_high - t->stack_low);
    __heddle_here = NULL;
    t->step++;
    record_sync(t, EV_START, NULL, 0, 0, NULL);
    stack_begins(t, (uint64_t)(uintptr_t)__builtin_frame_address(0));
    if (!t->c11)
        return t->start(t->start_arg);
    int (*start)(void *);
    __builtin_memcpy(&start, &t->start, sizeof start);
    return (void *)(intptr_t)start(t->start_arg);
}

/* What the stack of a thread with these attributes will have. */
static uint64_t stack_bytes(const pthread_attr_t *attr)
{
    size_t bytes = 0;
    if (attr && pthread_attr_getstacksize(attr, &bytes) == 0)
        return bytes;
    pthread_attr_t standard;
    if (pthread_getattr_default_np(&standard) == 0) {
        pthread_attr_getstacksize(&standard, &bytes);
        pthread_attr_destroy(&standard);
    }
    return bytes;
}

/* Does the target provide a stack that has no room for our frames? */
static bool has_small_stack(const pthread_attr_t *attr)
{
    void *low = NULL;
    size_t bytes = 0;
    return pthread_attr_getstack(attr, &low, &bytes) == 0 && (uintptr_t)low + bytes != 0 &&
           bytes < PROVIDED_STACK_BYTES;
}

/* The same attributes without the stack: the library makes one as large. */
static void leave_stack(pthread_attr_t *out, const pthread_attr_t *attr)
{
    struct sched_param param;
    size_t bytes = 0;
    int word = 0;
    pthread_attr_init(out);
    if (pthread_attr_getstacksize(attr, &bytes) == 0)
        pthread_attr_setstacksize(out, bytes);
    if (pthread_attr_getschedpolicy(attr, &word) == 0)
        pthread_attr_setschedpolicy(out, word);
    if (pthread_attr_getschedparam(attr, &param) == 0)
        pthread_attr_setschedparam(out, &param);
    if (pthread_attr_getinheritsched(attr, &word) == 0)
        pthread_attr_setinheritsched(out, word);
}

/* As the target wants it, but joinable, and with room for our own frames if the library makes
 * the stack: a thread may ask for as little as it needs itself. */
static void change_attributes(pthread_attr_t *own)
{
    void *low = NULL;
    size_t bytes = 0;
    pthread_attr_setdetachstate(own, PTHREAD_CREATE_JOINABLE);
    if (pthread_attr_getstack(own, &low, &bytes) == 0 && bytes > 0 &&
        (uintptr_t)low + bytes == 0)
        pthread_attr_setstacksize(own, bytes + HOOKS_STACK_BYTES);
}

int thread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *),
                  void *arg, bool c11)
{
    struct thr *t = self, *child;
    struct __heddle_site *site = __heddle_here;
    pthread_attr_t own;
    int detached = PTHREAD_CREATE_JOINABLE;
    point(t);
    if (attr) {
        pthread_attr_getdetachstate(attr, &detached);
        if (has_small_stack(attr))
            leave_stack(&own, attr);
        else
            __builtin_memcpy(&own, attr, sizeof own);
        change_attributes(&own);
        attr = &own;
    }
    process_pin();
    process_watch_exit();
    child = sched_new_thread(t);
    child->stack_bytes = rt.shadow_mask || rt.recording ? stack_bytes(attr) : 0;
    child->mask = t->mask;
    child->start = start;
    child->start_arg = arg;
    child->c11 = c11;
    child->detached = detached == PTHREAD_CREATE_DETACHED;
    int e = real.pthread_create(&child->handle, attr, run_thread, child);
    if (e) {
        CHECK(child->id == rt.thread_count - 1);
        slot_free(child->slot);
        rt.thread_count--;
        rt.live_count--;
        return e;
    }
    stir(t);
    if (handle) {
        *handle = child->handle;
        memory_filled(t, handle, sizeof *handle, site); /* before it runs, as libc does */
    }
    shadow_create(t, child);
    if (UNLIKELY(rt.weak.on))
        weak_created(t, child);
    record_thread(child, NULL);
    record_peer(t, EV_CREATE, child->id, site);
    if (child->detached)
        record_peer(t, EV_DETACH, child->id, site);
    CHECK(child->state == THR_FREE && child->spawn == t->spawned);
    t->spawned++;
    sched_ready(child);
    bool let_in = rt.set.policy->created && rt.set.policy->created(child);
    if (UNLIKELY(let_in || rt.ready_count >= CROWD_MAX))
        sched_yielded(t);
    return 0;
}

/* Newest first: a handle may be used again once its thread is joined. */
struct thr *thread_find(pthread_t handle)
{
    for (uint32_t i = rt.thread_count; i-- > 0;)
        if (rt.threads[i].handle == handle && !rt.threads[i].joined)
            return &rt.threads[i];
    return NULL;
}

/* ---- cancellation -------------------------------------------------------------------- */

void cancel_check(struct thr *t)
{
    if (!t->cancel_pending || t->cancel_off)
        return;
    t->cancel_pending = false;
    t->cancel_off = true;
    real.pthread_exit(PTHREAD_CANCELED);
}

/* ---- main ---------------------------------------------------------------------------- */

/* Where does glibc keep a thread's kernel id? Behind its handle, behind a pair of pointers, and
 * it is the only such word in there with that value. Not every second word is looked at: the
 * upper halves of pointers are 0x7fff or 0x5555, and some thread has that number. */
static void find_tid_word(pthread_t handle, int tid)
{
    for (uint32_t offset = 256; offset < 2048; offset += 8) {
        int value;
        __builtin_memcpy(&value, (const char *)handle + offset, sizeof value);
        if (value == tid) {
            rt.thread.tid_offset = offset;
            return;
        }
    }
}

uint32_t *thread_tid_word(void)
{
    pthread_t handle = pthread_self();
    find_tid_word(handle, sys_gettid());
    return rt.thread.tid_offset ? (uint32_t *)(void *)((char *)handle + rt.thread.tid_offset)
                                : NULL;
}

void thread_start_main(void)
{
    struct thr *t = rt.running;
    t->handle = pthread_self();
    t->tid = sys_gettid();
    find_tid_word(t->handle, t->tid);
    pthread_key_create(&rt.thread.key, at_thread_end);
    pthread_setspecific(rt.thread.key, (void *)1);
    outcome_signal_stack(t);
    record_thread(t, "main");
    self = t;
    __heddle_news = &t->learnt;
    record_sync(t, EV_START, NULL, 0, 0, NULL);
}

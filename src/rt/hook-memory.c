/* SPDX-License-Identifier: Apache-2.0
 *
 * hook-memory: what instrumented code says about its accesses, branches and calls. These are
 * the hot functions: a step, a comparison, and a few bytes of trace. */
#include "rt/repeat.h"
#include "rt/rt.h"
#include "rt/seen.h"

enum { PIECES_MAX_BYTES = 1 << 16 }; /* of a range that a window takes apart */

/* Without values, the trace still says which are equal. */
static inline uint64_t shown(uint64_t value, unsigned size_log2)
{
    if (LIKELY(rt.set.values))
        return value;
    value *= 0x9e3779b97f4a7c15ULL;
    return fmt_low_bytes(value ^ value >> 32, 1u << size_log2);
}

/* The cell of the address holds what only this thread's segment leaves there: nobody else has
 * touched it since. The usual case, and all that it costs. */
static inline struct cell *cell_at(const void *addr)
{
    return (struct cell *)(void *)(rt.shadow + ((uintptr_t)addr & rt.shadow_mask));
}

static inline bool is_own(const struct thr *t, const void *addr)
{
    return __builtin_memcmp(cell_at(addr), &t->own, sizeof t->own) == 0;
}

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE static __attribute__((noinline))
#define NOT_ALIGNED(addr, size) ((uintptr_t)(addr) & ((size) - 1))

/* Somebody has written there of whom nothing was recorded, a thread that ran since: other
 * processes cannot, unless they share the memory. */
static void changed_since(struct thr *t, uint64_t at, unsigned size, uint64_t event,
                          struct __heddle_site *site)
{
    if (LIKELY(event == NO_EVENT))
        return;
    if (event < rt.trace.event_count && !rt.has_children && !rt.mapped_count)
        record_cause(t, event, site);
    record_external(t, at, size, site);
}

static void note_value(struct thr *t, unsigned is_write, const void *addr, unsigned size,
                       uint64_t value, struct __heddle_site *site)
{
    uint64_t at = (uint64_t)(uintptr_t)addr;
    if (UNLIKELY(!rt.set.check))
        return;
    if (UNLIKELY(at & (size - 1)))
        seen_forget(at, size);
    else if (is_write)
        seen_write(at, size, value);
    else
        changed_since(t, at, size, seen_read(at, size, value), site);
}

/* Known to be shared, or everything is recorded. */
static void put_recorded(struct thr *t, unsigned is_write, const void *addr, unsigned size_log2,
                         uint64_t value, struct __heddle_site *site)
{
    if (!rt.accesses || ((site->flags & HEDDLE_SITE_PRIVATE) && !rt.in_window))
        return;
    uint32_t id = record_site(site);
    note_value(t, is_write, addr, 1u << size_log2, value, site);
    trace_put_thread(&rt.trace, t->id);
    trace_put_access(&rt.trace, is_write, id, (uint64_t)(uintptr_t)addr, size_log2,
                     shown(value, size_log2));
    t->learnt |= !is_write;
}

/* The same where nothing about it is unusual, and what repeats itself is noticed. False:
 * nothing has been done. In a leaf: whatever else has to be done is done elsewhere. */
INLINE bool put_usual(struct thr *t, unsigned is_write, const void *addr, unsigned size_log2,
                      uint64_t value, struct __heddle_site *site)
{
    struct trace_writer *w = &rt.trace;
    uint64_t at = (uint64_t)(uintptr_t)addr;
    if (UNLIKELY(!rt.accesses || !rt.values_kept || !site->id ||
                 (site->flags & HEDDLE_SITE_PRIVATE) || w->guess.thr != t->id ||
                 w->at > w->limit))
        return false;
    if (is_write)
        seen_write(at, 1u << size_log2, value);
    else if (UNLIKELY(!seen_has(at, 1u << size_log2, value)))
        return false;
    t->learnt |= !is_write;
    const uint8_t *start = w->at;
    if (access_is_still(trace_store_access(w, is_write, site->id - 1, at, size_log2, value)))
        repeat_learn(start, site, repeat_access(addr, is_write, size_log2), value);
    return true;
}

INLINE bool goes_on(struct thr *t, unsigned is_write, const void *addr, unsigned size_log2,
                    uint64_t value, struct __heddle_site *site)
{
    if (!repeat_goes_on(t, site, repeat_access(addr, is_write, size_log2), value))
        return false;
    t->learnt |= !is_write;
    return true;
}

/* All cases, none of them quickly. */
INLINE void put_access(struct thr *t, unsigned is_write, const void *addr, unsigned size_log2,
                       uint64_t value, struct __heddle_site *site)
{
    if (goes_on(t, is_write, addr, size_log2, value, site) ||
        !shadow_touch(t, (uint64_t)(uintptr_t)addr, 1u << size_log2, is_write, site))
        return;
    if (NOT_ALIGNED(addr, 1u << size_log2) ||
        !put_usual(t, is_write, addr, size_log2, value, site))
        put_recorded(t, is_write, addr, size_log2, value, site);
}

INLINE bool is_shared(const void *addr, unsigned size)
{
    return cell_at(addr)->w >= CELL_ALWAYS && !NOT_ALIGNED(addr, size);
}

INLINE bool is_claimed(struct thr *t, unsigned is_write, const void *addr, unsigned size)
{
    return !rt.everything && !NOT_ALIGNED(addr, size) && cell_claim(t, cell_at(addr), is_write);
}

/* Each hook is a leaf, and goes on in another where it is not the usual case: is the memory the
 * thread's own? _seen: is it known to be shared, and the event the next one of a cycle, or has
 * nobody had the memory who matters? _put: into the trace with it. _rest: all that is unusual;
 * the scheduler wants a word.
 *
 * A run that records nothing needs no more word of a read of shared memory by this thread. */
#define READ(bytes, log2, type)                                                      \
    NOINLINE void read##bytes##_put(struct thr *t, const void *addr, uint64_t value, \
                                    struct __heddle_site *site)                      \
    {                                                                                \
        if (put_usual(t, 0, addr, log2, value, site))                                \
            return;                                                                  \
        put_recorded(t, 0, addr, log2, value, site);                                 \
        if (!rt.recording)                                                           \
            cell_at(addr)->r = t->own.r;                                             \
    }                                                                                \
    NOINLINE void read##bytes##_rest(struct thr *t, const void *addr,                \
                                     struct __heddle_site *site)                     \
    {                                                                                \
        type value;                                                                  \
        point_reached(t, EV_READ, addr, bytes, site);                                \
        if (UNLIKELY(rt.weak.on))                                                    \
            weak_plain(t, (uint64_t)(uintptr_t)addr, bytes, false, site);            \
        __builtin_memcpy(&value, addr, sizeof value);                                \
        put_access(t, 0, addr, log2, value, site);                                   \
    }                                                                                \
    EXPORT void __heddle_read##bytes##_seen(void *hot, const void *addr,             \
                                            struct __heddle_site *site)              \
    {                                                                                \
        struct thr *t = hot;                                                         \
        type value;                                                                  \
        if (UNLIKELY(t->step >= t->until || rt.weak.on)) {                           \
            read##bytes##_rest(t, addr, site);                                       \
        } else if (is_shared(addr, bytes)) {                                         \
            __builtin_memcpy(&value, addr, sizeof value);                            \
            if (!goes_on(t, 0, addr, log2, value, site))                             \
                read##bytes##_put(t, addr, value, site);                             \
        } else if (!is_claimed(t, 0, addr, bytes)) {                                 \
            read##bytes##_rest(t, addr, site);                                       \
        }                                                                            \
    }                                                                                \
    EXPORT void __heddle_read##bytes(const void *addr, struct __heddle_site *site)   \
    {                                                                                \
        struct thr *t = self;                                                        \
        if (LIKELY(t && ++t->step < t->until && cell_at(addr)->r == t->own.r &&      \
                   !NOT_ALIGNED(addr, bytes)))                                       \
            return;                                                                  \
        if (t)                                                                       \
            __heddle_read##bytes##_seen(t, addr, site);                              \
    }

#define WRITE(bytes, log2, type)                                                              \
    NOINLINE void write##bytes##_put(struct thr *t, void *addr, uint64_t value,               \
                                     struct __heddle_site *site)                              \
    {                                                                                         \
        if (!put_usual(t, 1, addr, log2, value, site))                                        \
            put_recorded(t, 1, addr, log2, value, site);                                      \
    }                                                                                         \
    NOINLINE void write##bytes##_rest(struct thr *t, void *addr, uint64_t value,              \
                                      struct __heddle_site *site)                             \
    {                                                                                         \
        point_reached(t, EV_WRITE, addr, bytes, site);                                        \
        if (UNLIKELY(rt.weak.on))                                                             \
            weak_plain(t, (uint64_t)(uintptr_t)addr, bytes, true, site);                      \
        stir(t);                                                                              \
        put_access(t, 1, addr, log2, (type)value, site);                                      \
    }                                                                                         \
    EXPORT void __heddle_write##bytes##_seen(void *hot, void *addr, uint64_t value,           \
                                             struct __heddle_site *site)                      \
    {                                                                                         \
        struct thr *t = hot;                                                                  \
        if (UNLIKELY(t->step >= t->until || rt.weak.on)) {                                    \
            write##bytes##_rest(t, addr, value, site);                                        \
        } else if (is_shared(addr, bytes)) {                                                  \
            stir(t);                                                                          \
            if (!goes_on(t, 1, addr, log2, (type)value, site))                                \
                write##bytes##_put(t, addr, (type)value, site);                               \
        } else if (is_claimed(t, 1, addr, bytes)) {                                           \
            stir(t);                                                                          \
        } else {                                                                              \
            write##bytes##_rest(t, addr, value, site);                                        \
        }                                                                                     \
    }                                                                                         \
    EXPORT void __heddle_write##bytes(void *addr, uint64_t value, struct __heddle_site *site) \
    {                                                                                         \
        struct thr *t = self;                                                                 \
        if (LIKELY(t && ++t->step < t->until && is_own(t, addr) &&                            \
                   !NOT_ALIGNED(addr, bytes))) {                                              \
            stir(t);                                                                          \
            return;                                                                           \
        }                                                                                     \
        if (t)                                                                                \
            __heddle_write##bytes##_seen(t, addr, value, site);                               \
    }

READ(1, 0, uint8_t)
READ(2, 1, uint16_t)
READ(4, 2, uint32_t)
READ(8, 3, uint64_t)
WRITE(1, 0, uint8_t)
WRITE(2, 1, uint16_t)
WRITE(4, 2, uint32_t)
WRITE(8, 3, uint64_t)

EXPORT void __heddle_table(void *addr, uint64_t value, struct __heddle_site *site)
{
    volatile const uint64_t *now = addr;
    if (*now == value)
        __heddle_read8(addr, site);
    if (*now != value) /* or another thread has changed it by then */
        __heddle_write8(addr, value, site);
}

/* A window says what was in a range, byte for byte: as many aligned accesses. */
static void put_pieces(struct thr *t, unsigned is_write, const uint8_t *at, uint64_t len,
                       struct __heddle_site *site)
{
    while (len > 0) {
        unsigned log2 = 3;
        while (((uintptr_t)at & ((1u << log2) - 1)) || (1u << log2) > len)
            log2--;
        uint64_t value = 0;
        __builtin_memcpy(&value, at, 1u << log2);
        put_access(t, is_write, at, log2, value, site);
        at += 1u << log2;
        len -= 1u << log2;
    }
}

static uint64_t contents_sum(const uint8_t *at, uint64_t len)
{
    uint64_t sum = 0;
    for (uint64_t done = 0; done < len; done += UINT32_MAX)
        sum = sum * 31 + block_sum(at + done, len - done < UINT32_MAX ? (uint32_t)(len - done)
                                                                      : UINT32_MAX);
    return sum;
}

static void put_range(struct thr *t, unsigned kind, const void *addr, uint64_t len,
                      bool has_contents, struct __heddle_site *site)
{
    bool is_write = kind == EV_WRITE_RANGE;
    if (UNLIKELY(rt.weak.on))
        weak_plain(t, (uint64_t)(uintptr_t)addr, len, is_write, site);
    if (rt.in_window && len <= PIECES_MAX_BYTES) {
        put_pieces(t, is_write, addr, len, site);
        return;
    }
    if (len == 0 ||
        (rt.shadow_mask && !shadow_touch(t, (uint64_t)(uintptr_t)addr, len, is_write, site)))
        return;
    if (!rt.accesses || ((site->flags & HEDDLE_SITE_PRIVATE) && !rt.in_window))
        return;
    t->learnt |= !is_write;
    if (is_write)
        seen_forget((uint64_t)(uintptr_t)addr, len);
    record_event(t,
                 &(struct ev){.kind = (uint8_t)kind,
                              .addr = (uint64_t)(uintptr_t)addr,
                              .len = len,
                              .value = has_contents ? contents_sum(addr, len) : 0},
                 site);
}

/* What an outside call filled in. */
void memory_filled(struct thr *t, const void *addr, uint64_t len, struct __heddle_site *site)
{
    put_range(t, EV_WRITE_RANGE, addr, len, true, site ? site : &rt.nowhere);
}

/* Some of it, nobody says how much: the rest may be anything, also in a replay. */
void memory_touched(struct thr *t, unsigned kind, const void *addr, uint64_t len,
                    struct __heddle_site *site)
{
    put_range(t, kind, addr, len, false, site);
}

void memory_read(struct thr *t, const void *addr, uint64_t len, struct __heddle_site *site)
{
    put_range(t, EV_READ_RANGE, addr, len, true, site);
}

EXPORT void __heddle_read_range(const void *addr, uint64_t len, struct __heddle_site *site)
{
    struct thr *t = self;
    if (!t)
        return;
    point_access(t, EV_READ_RANGE, addr, len, site);
    put_range(t, EV_READ_RANGE, addr, len, true, site);
}

EXPORT void __heddle_write_begin(void *addr, uint64_t len, struct __heddle_site *site)
{
    struct thr *t = self;
    if (t)
        point_access(t, EV_WRITE_RANGE, addr, len, site);
}

EXPORT void __heddle_write_range(void *addr, uint64_t len, struct __heddle_site *site)
{
    struct thr *t = self;
    if (!t)
        return;
    t->step++;
    stir(t);
    put_range(t, EV_WRITE_RANGE, addr, len, true, site);
}

/* ---- what a call changes ------------------------------------------------------------- */

static uint64_t words_of(uint64_t len)
{
    return len / 8 < SAVED_WORDS ? len / 8 : SAVED_WORDS;
}

EXPORT void __heddle_compare_begin(void *addr, uint64_t len, struct __heddle_site *site)
{
    struct thr *t = self;
    (void)site;
    if (!t)
        return;
    struct saved *s = &t->saved[t->saved_count++ % SAVED_MAX];
    s->at = (uint64_t)(uintptr_t)addr;
    __builtin_memcpy(s->words, addr, words_of(len) * 8);
}

static const struct saved *saved_of(const struct thr *t, const void *addr)
{
    for (uint32_t i = 1; i <= SAVED_MAX; i++)
        if (t->saved[(t->saved_count - i) % SAVED_MAX].at == (uint64_t)(uintptr_t)addr)
            return &t->saved[(t->saved_count - i) % SAVED_MAX];
    return NULL;
}

/* Each has a point of its own: right behind the call is as good as right before it. */
EXPORT void __heddle_compare(void *addr, uint64_t len, struct __heddle_site *site)
{
    struct thr *t = self;
    const struct saved *s = t ? saved_of(t, addr) : NULL;
    if (!t)
        return;
    t->step++;
    for (uint64_t i = 0; s && i < words_of(len); i++) {
        uint64_t *word = (uint64_t *)addr + i;
        if (*word == s->words[i])
            continue;
        point_access(t, EV_WRITE_RANGE, word, sizeof *word, site);
        stir(t);
        put_range(t, EV_WRITE_RANGE, word, sizeof *word, true, site);
    }
}

/* ---- atomics ------------------------------------------------------------------------- */

EXPORT void __heddle_atomic_point(void *addr, uint32_t how, uint64_t expected,
                                  struct __heddle_site *site)
{
    struct thr *t = self;
    if (!t)
        return;
    if (UNLIKELY(rt.weak.on)) {
        rt.weak.about = how >> HEDDLE_ATOMIC_KIND_SHIFT & HEDDLE_ATOMIC_FIELD;
        point_access(t, 0, addr, 8, site);
        rt.weak.about = 0;
        weak_before(t, addr, how, expected, site);
        return;
    }
    point_access(t, 0, addr, 8, site);
}

/* What it did is not what memory shows (weak): nobody else has written there. */
INLINE void put_atomic(struct thr *t, struct ev *e, void *addr, uint32_t size, uint32_t order,
                       bool is_stale, struct __heddle_site *site)
{
    t->step++;
    if (rt.shadow_mask &&
        !shadow_touch(t, (uint64_t)(uintptr_t)addr, size, e->kind != EV_ATOMIC_LOAD, site))
        return;
    if (!rt.accesses)
        return;
    t->learnt |= e->kind != EV_ATOMIC_STORE;
    if (size > 8)
        seen_forget((uint64_t)(uintptr_t)addr, size);
    else if (LIKELY(!is_stale))
        note_value(t, e->kind != EV_ATOMIC_LOAD, addr, size, ev_left_value(e), site);
    if (!rt.set.values) {
        e->value = shown(e->value, 3);
        e->value2 = shown(e->value2, 3);
    }
    e->addr = (uint64_t)(uintptr_t)addr;
    e->size = (uint8_t)size;
    e->order = (uint8_t)order;
    record_event(t, e, site);
}

/* The store that it made is told which event says so. */
NOINLINE void put_weak(struct thr *t, struct ev *e, void *addr, uint32_t size, uint32_t order,
                       struct weak_done done, struct __heddle_site *site)
{
    uint64_t before = record_next();
    put_atomic(t, e, addr, size, order, done.is_stale, site);
    if (done.store && record_next() != before)
        weak_is_event(&done, record_next() - 1);
}

EXPORT void __heddle_atomic_load(void *addr, uint32_t size, uint64_t value, uint32_t order,
                                 struct __heddle_site *site)
{
    struct thr *t = self;
    if (!t)
        return;
    struct ev e = {.kind = EV_ATOMIC_LOAD, .value = value};
    if (UNLIKELY(rt.weak.on))
        put_weak(t, &e, addr, size, order, weak_loaded(t, value, order, site), site);
    else
        put_atomic(t, &e, addr, size, order, false, site);
}

EXPORT void __heddle_atomic_store(void *addr, uint32_t size, uint64_t value, uint32_t order,
                                  struct __heddle_site *site)
{
    struct thr *t = self;
    if (!t)
        return;
    struct ev e = {.kind = EV_ATOMIC_STORE, .value = value};
    if (UNLIKELY(rt.weak.on))
        put_weak(t, &e, addr, size, order, weak_stored(t, value, order, site), site);
    else
        put_atomic(t, &e, addr, size, order, false, site);
    stir(t);
}

enum {
    TRIES_MAX = 8,      /* in vain, one after the other */
    TRY_STEPS_MAX = 16, /* between two of them: who does more works meanwhile */
};

/* Who tries again and again in vain to change a word waits for somebody. It is not found
 * spinning if it keeps a count of its tries, and backing off takes long without a step. */
static void tried(struct thr *t, const void *addr, bool has_changed, struct __heddle_site *site)
{
    bool again = t->tried == addr && t->step <= t->try_step + TRY_STEPS_MAX;
    t->tried = has_changed ? NULL : addr;
    t->try_step = t->step;
    t->tries = again && !has_changed ? t->tries + 1 : 1;
    if (t->tries <= TRIES_MAX)
        return;
    point_at(t, &rt, site);
    sched_tried(t);
    t->tries = TRIES_MAX; /* if it was in vain again, it rests again */
    t->try_step = t->step;
}

EXPORT void __heddle_rmw(void *addr, uint32_t size, uint64_t before, uint64_t after,
                         uint32_t order, struct __heddle_site *site)
{
    struct thr *t = self;
    if (!t)
        return;
    struct ev e = {.kind = EV_RMW, .value = before, .value2 = after};
    if (UNLIKELY(rt.weak.on))
        put_weak(t, &e, addr, size, order, weak_changed(t, before, after, order, site), site);
    else
        put_atomic(t, &e, addr, size, order, false, site);
    if (before != after)
        stir(t);
    tried(t, addr, before != after, site);
}

EXPORT void __heddle_cas(void *addr, uint32_t size, uint64_t seen, uint64_t wanted,
                         uint32_t stored, uint32_t order, struct __heddle_site *site)
{
    struct thr *t = self;
    if (!t)
        return;
    struct ev e = {
        .kind = EV_CAS, .value = seen, .value2 = wanted, .flags = stored ? 0 : FLAG(FAILED)};
    if (UNLIKELY(rt.weak.on))
        put_weak(t, &e, addr, size, order,
                 stored ? weak_changed(t, seen, wanted, order, site)
                        : weak_loaded(t, seen, order, site),
                 site);
    else
        put_atomic(t, &e, addr, size, order, false, site);
    if (stored)
        stir(t);
    tried(t, addr, stored, site);
}

EXPORT void __heddle_fence(uint32_t order, struct __heddle_site *site)
{
    struct thr *t = self;
    if (!t)
        return;
    point_to(t, site, NULL, 0, 0, WAIT_NONE);
    if (UNLIKELY(rt.weak.on))
        weak_fence(t, order);
    if (rt.recording)
        record_event(t, &(struct ev){.kind = EV_FENCE, .order = (uint8_t)order}, site);
}

/* ---- control ------------------------------------------------------------------------- */

NOINLINE void branch(struct thr *t, uint32_t why, struct __heddle_site *site)
{
    if (!rt.accesses)
        return;
    uint32_t id = record_site(site);
    struct trace_writer *w = &rt.trace;
    if (!trace_put_thread(w, t->id) || !trace_room(w, EVENT_MAX_BYTES))
        return;
    const uint8_t *start = w->at;
    uint8_t *p = fmt_put_site(&w->guess, w->at + 1, id);
    *p++ = (uint8_t)why;
    w->event_count++;
    trace_commit(w, p, EV_BRANCH);
    repeat_learn(start, site, REPEAT_BRANCH | why, 0);
}

/* It tells nothing new if the thread has seen nothing new since the last one; the first one
 * checks what the thread was given when it was created. */
EXPORT void __heddle_branch(uint32_t why, struct __heddle_site *site)
{
    struct thr *t = self;
    if (UNLIKELY(!t))
        return;
    if (!t->learnt && !rt.in_window)
        return;
    t->learnt = false;
    if (!repeat_goes_on(t, site, REPEAT_BRANCH | why, 0))
        branch(t, why, site);
}

#define TOLD(bytes)                                                                     \
    EXPORT void __heddle_told_read##bytes(const void *addr, struct __heddle_site *site) \
    {                                                                                   \
        __heddle_branch(WORD_VALUE(BRANCH, ADDRESS), site);                             \
        __heddle_read##bytes(addr, site);                                               \
    }                                                                                   \
    EXPORT void __heddle_told_write##bytes(void *addr, uint64_t value,                  \
                                           struct __heddle_site *site)                  \
    {                                                                                   \
        __heddle_branch(WORD_VALUE(BRANCH, ADDRESS), site);                             \
        __heddle_write##bytes(addr, value, site);                                       \
    }
TOLD(1)
TOLD(2)
TOLD(4)
TOLD(8)

EXPORT void __heddle_result(uint64_t value, struct __heddle_site *site)
{
    struct thr *t = self;
    if (t && rt.in_window && rt.accesses)
        record_event(t, &(struct ev){.kind = EV_RESULT, .value = value}, site);
}

static void put_call(struct thr *t, unsigned kind, struct __heddle_site *site)
{
    if (rt.set.calls && rt.recording)
        record_event(t, &(struct ev){.kind = (uint8_t)kind}, site);
}

EXPORT uint32_t __heddle_enter(struct __heddle_site *site)
{
    struct thr *t = self;
    if (UNLIKELY(!t))
        return 0;
    uint32_t depth = t->depth++;
    if (LIKELY(depth < FRAMES_MAX))
        t->frames[depth] = site;
    if (LIKELY(depth < LOWS_MAX))
        t->lows[depth] = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    if (UNLIKELY(rt.set.calls))
        put_call(t, EV_ENTER, site);
    return depth;
}

EXPORT void __heddle_leave(uint32_t depth, struct __heddle_site *site)
{
    struct thr *t = self;
    if (UNLIKELY(!t))
        return;
    t->depth = depth;
    if (UNLIKELY(rt.set.calls))
        put_call(t, EV_LEAVE, site);
}

EXPORT void __heddle_resume(uint32_t depth)
{
    struct thr *t = self;
    if (t)
        t->depth = depth + 1;
}

/* ---- stack objects, marks ------------------------------------------------------------ */

EXPORT void __heddle_stack_enter(void *addr, uint64_t len, struct __heddle_site *site)
{
    struct thr *t = self;
    if (!t)
        return;
    t->step++;
    if (UNLIKELY(rt.weak.on))
        weak_ends((uint64_t)(uintptr_t)addr, len);
    seen_forget((uint64_t)(uintptr_t)addr, len);
    if (rt.accesses && shadow_is_shared((uint64_t)(uintptr_t)addr, len))
        frames_begin(t, (uint64_t)(uintptr_t)addr, len, site);
}

EXPORT void __heddle_stack_leave(void *addr, uint64_t len, struct __heddle_site *site)
{
    struct thr *t = self;
    if (!t || !addr)
        return;
    t->step++;
    if (UNLIKELY(rt.weak.on))
        weak_ends((uint64_t)(uintptr_t)addr, len);
    if (rt.accesses && shadow_is_shared((uint64_t)(uintptr_t)addr, len))
        frames_end(t, (uint64_t)(uintptr_t)addr, len, site);
}

EXPORT void __heddle_mark(unsigned what, const volatile void *addr, unsigned long len);
EXPORT void __heddle_mark(unsigned what, const volatile void *addr, unsigned long len)
{
    struct thr *t = self;
    bool is_misuse =
        what >= WORD_VALUE(MARK, UNLOCK_FREE) && what <= WORD_VALUE(MARK, DESTROY_AWAITED);
    if (!t || what >= MARK_COUNT || is_misuse) /* that is ours to say */
        return;
    t->step++;
    if (what == WORD_VALUE(MARK, RECORD))
        stretch_resume(t);
    else if (what == WORD_VALUE(MARK, PAUSE))
        stretch_pause(t);
    else if (rt.recording)
        record_event(t,
                     &(struct ev){.kind = EV_MARK,
                                  .word = (uint8_t)what,
                                  .addr = (uint64_t)(uintptr_t)addr,
                                  .len = len},
                     __heddle_here);
}

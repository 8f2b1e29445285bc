/* SPDX-License-Identifier: Apache-2.0
 *
 * recording: which accesses are recorded, what weak atomics may show, and how events get into
 * the files of the run. */
#ifndef RT_RECORDING_H
#define RT_RECORDING_H

#include "rt/turns.h"

/* ---- frames.c: the lives of variables ------------------------------------------------- */
void frames_begin(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site);
void frames_end(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site);
void frames_part(struct thr *t); /* others run from here on */

/* ---- memory.c: address space of our own ---------------------------------------------- */
enum {
    SLOT_FRAMES_BYTES = FRAMES_MAX * 8,
    SLOT_SIGNAL_BYTES = 64 << 10,
    SLOT_LOWS_BYTES = LOWS_MAX * 8,
    SLOT_BYTES = SLOT_FRAMES_BYTES + SLOT_SIGNAL_BYTES + SLOT_LOWS_BYTES,
};
int memory_start(void);
void *memory_reserve(uint64_t where, uint64_t len);
void *memory_window(unsigned which); /* place for a file's window, 64 MiB each */
/* A whole file, to read; or null. */
void *memory_file(const char *path, unsigned window, uint64_t *bytes);
void *memory_far(unsigned which); /* place for something large, 64 GiB each */
struct log_map {
    struct log_head *head; /* null: it is no file of that kind */
    uint64_t bytes;
    bool is_there;
};
struct log_map memory_log(const char *path, void *where, unsigned kind, int protection);
uint32_t slot_get(void);
void slot_free(uint32_t slot);

/* ---- shadow.c, sharing.c ------------------------------------------------------------- */
void shadow_start(struct thr *main);
void shadow_everything(bool all); /* private accesses too, from now on, or no longer */
void shadow_create(struct thr *parent, struct thr *child);
void shadow_thread_begins(struct thr *t);
void shadow_join(struct thr *t, const struct thr *peer);
void shadow_map(uint64_t addr, uint64_t len);
void shadow_alloc(uint64_t addr, uint64_t len);
void shadow_free(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site);
/* An access: is it to be recorded? */
bool shadow_touch(struct thr *t, uint64_t addr, uint64_t len, bool is_write,
                  struct __heddle_site *site);
bool shadow_is_shared(uint64_t addr, uint64_t len);

/* The usual accesses to memory that is not shared: all that was done there was done by this
 * segment or before all that is not known to be before it, or it is read once more by many.
 * False: shadow_touch has to look. */
static inline bool cell_claim(const struct thr *t, struct cell *c, bool is_write)
{
    struct cell now = *c;
    uint32_t own = t->segment, floor = t->floor;
    if (now.w >= floor && now.w != own)
        return false;
    if (now.r >= floor && now.r != own)
        return !is_write && now.r == (CELL_MANY | rt.segment_count) && now.w < floor &&
               rt.segment_count >= floor;
    if (is_write)
        c->w = own;
    c->r = own;
    return true;
}
int sharing_start(struct thr *main, bool finds_out);
void sharing_note(uint64_t addr, uint64_t len);
void sharing_block_begins(uint64_t addr, uint64_t len);
void sharing_block_ends(uint64_t addr, uint64_t len);
void sharing_thread_begins(const struct thr *t);

/* ---- weak.c, weak-sync.c ------------------------------------------------------------- *
 * Only if rt.weak.on. */
struct weak_store;
struct weak_done {
    struct weak_store *store; /* that the access made; or null */
    bool is_stale;            /* what it did is not what memory shows */
};
void weak_start(struct thr *main);
void weak_tell(void); /* at the end: what was left out */
void weak_before(struct thr *t, void *addr, uint32_t how, uint64_t expected,
                 struct __heddle_site *site);
struct weak_done weak_loaded(struct thr *t, uint64_t value, uint32_t order,
                             struct __heddle_site *site);
struct weak_done weak_stored(struct thr *t, uint64_t value, uint32_t order,
                             struct __heddle_site *site);
struct weak_done weak_changed(struct thr *t, uint64_t before, uint64_t after, uint32_t order,
                              struct __heddle_site *site);
void weak_is_event(const struct weak_done *d, uint64_t event);
void weak_fence(struct thr *t, uint32_t order);
void weak_fence_all(struct thr *t); /* as t has the kernel do it: in every thread */
void weak_created(struct thr *parent, struct thr *child);
void weak_joined(struct thr *t, struct thr *peer);
/* Plain accesses; what they write is no atomic object any more. */
void weak_plain(struct thr *t, uint64_t addr, uint64_t len, bool is_write,
                struct __heddle_site *site);
void weak_ends(uint64_t addr, uint64_t len); /* other objects may begin to live there */
void weak_freed(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site);
void weak_sync_start(void);
void weak_sync(struct thr *t, unsigned kind, uint64_t addr, unsigned flags);
void weak_thing(struct thr *t, unsigned kind); /* something of the system */
void weak_pin(struct thr *t);

/* ---- stretch.c ----------------------------------------------------------------------- */
void stretch_start(struct thr *main);
void stretch_resume(struct thr *t);
void stretch_pause(struct thr *t);
void stretch_look(struct thr *t);
uint64_t stretch_until(const struct thr *t);
const uint8_t *stretch_news(const struct thr *t);

/* ---- record.c ------------------------------------------------------------------------ */
void record_start(void);
void record_end(void);
void record_off(void);
/* e: -errno, or 0 */
void record_failed(const char *name, long e) __attribute__((noreturn));
uint32_t record_site_slow(struct __heddle_site *site);
void record_freed(void); /* from here on locks are not what they seem */
void record_event(struct thr *t, struct ev *e, struct __heddle_site *site);
void record_lock(struct thr *t, unsigned kind, uint64_t addr, unsigned flags, uint32_t number,
                 struct __heddle_site *site);
void record_thread(const struct thr *t, const char *name);
void record_cause(struct thr *t, uint64_t event, struct __heddle_site *site);
void record_external(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site);
/* 0, or -errno. */
int run_file_create(struct run_file *f, const char *name, const void *head, uint64_t head_bytes,
                    unsigned window, uint64_t window_bytes);
bool run_file_room(struct run_file *f, uint64_t bytes);
void record_choice(uint64_t step, thr_id next, uint16_t why);
void record_weak(const struct thr *t, uint32_t number, uint32_t count);
void record_weak_mode(void);
void record_flag(uint32_t flag); /* of the trace */
void record_arrival(uint64_t step, uint32_t connection);
bool replay_arrives(const struct thr *t, uint32_t *connection);
void record_forget_texts(void);
void record_limits(void); /* is there more than was asked for? */

static inline uint32_t record_site(struct __heddle_site *site)
{
    return LIKELY(site && site->id) ? site->id - 1 : record_site_slow(site);
}

/* Number that the next event will have. */
static inline uint64_t record_next(void)
{
    return rt.recording ? rt.trace.event_count : NO_EVENT;
}

static inline void record_sync(struct thr *t, unsigned kind, const volatile void *addr,
                               unsigned flags, uint64_t number, struct __heddle_site *site)
{
    if (UNLIKELY(rt.weak.on))
        weak_sync(t, kind, (uint64_t)(uintptr_t)addr, flags);
    if (rt.recording)
        record_event(t,
                     &(struct ev){.kind = (uint8_t)kind,
                                  .addr = (uint64_t)(uintptr_t)addr,
                                  .flags = (uint8_t)flags,
                                  .number = number,
                                  .ref = NO_EVENT},
                     site);
}

/* REQUEST, ACQUIRE and RELEASE. */
static inline void record_held(struct thr *t, unsigned kind, const volatile void *addr,
                               unsigned flags, uint32_t number, struct __heddle_site *site)
{
    if (UNLIKELY(rt.weak.on))
        weak_sync(t, kind, (uint64_t)(uintptr_t)addr, flags);
    if (LIKELY(rt.recording))
        record_lock(t, kind, (uint64_t)(uintptr_t)addr, flags, number, site);
}

static inline void record_peer(struct thr *t, unsigned kind, thr_id peer,
                               struct __heddle_site *site)
{
    if (rt.recording)
        record_event(t, &(struct ev){.kind = (uint8_t)kind, .peer = peer}, site);
}

static inline void record_class(struct thr *t, unsigned kind, const volatile void *addr,
                                unsigned class, struct __heddle_site *site)
{
    if (rt.recording)
        record_event(t,
                     &(struct ev){.kind = (uint8_t)kind,
                                  .addr = (uint64_t)(uintptr_t)addr,
                                  .word = (uint8_t)class},
                     site);
}

/* On an address. */
static inline void record_mark(struct thr *t, unsigned mark, const volatile void *addr,
                               struct __heddle_site *site)
{
    if (rt.recording)
        record_event(t,
                     &(struct ev){.kind = EV_MARK,
                                  .word = (uint8_t)mark,
                                  .addr = (uint64_t)(uintptr_t)addr,
                                  .len = 1},
                     site);
}

#endif

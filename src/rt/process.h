/* SPDX-License-Identifier: Apache-2.0
 *
 * process: how a run ends; processes of a family; signals, timers and what else belongs to a
 * process. */
#ifndef RT_PROCESS_H
#define RT_PROCESS_H

#include "rt/outside.h"

/* ---- hook-cxx.c ------------------------------------------------------------------------ */
void exception_made(const void *block, const void *from);
bool exception_ends(const void *block);

/* ---- globals.c ----------------------------------------------------------------------- */
void globals_start(void);
/* Is this code libc's or the dynamic linker's, which may hold locks that are not modelled? */
bool globals_is_libc(const void *code);
void globals_after_dlopen(void);
void globals_after_dlclose(void);
const struct __heddle_global *globals_find(uint64_t addr); /* of the program itself */

/* ---- outcome.c ----------------------------------------------------------------------- */
struct text {
    char *at;
    uint32_t len, cap;
};
void text_put(struct text *t, const char *s);
void text_put_len(struct text *t, const char *s, size_t len);
void text_number(struct text *t, uint64_t n);
void text_hex(struct text *t, uint64_t n);
void text_site(struct text *t, const struct __heddle_site *site);
void text_address(struct text *t, uint64_t addr);
void text_thread(struct text *t, const struct thr *thr);

void outcome_start(void);
void outcome_exit(int code);
void outcome_stuck(void);
void outcome_all_stuck(void) __attribute__((noreturn));
void outcome_left(void) __attribute__((noreturn));
void __attribute__((noreturn)) outcome_given_up(void);
void outcome_hang(void);
void outcome_late(void) __attribute__((noreturn));
void __heddle_stop(void);
uint64_t __heddle_event(void);
uint64_t __heddle_tid(uint64_t thread);
uint64_t __heddle_stop_at(uint64_t event);
void outcome_watch(void); /* is this the event that a debugger, or the end, waits for? */
void outcome_livelock(void);
void outcome_assert(const char *text);
void outcome_diverged(const char *text) __attribute__((noreturn));
void outcome_unsupported(const char *name) __attribute__((noreturn));
/* The detail may be NULL. Of a reason that forbids to judge the run, the first is enough. */
void outcome_doubt(enum doubt doubt, const char *detail);
void outcome_sanitizer(const char *summary); /* once the target exits */
void outcome_fatal_signals(void);
void outcome_signal_stack(const struct thr *t);
/* fault, context: NULL if the signal was sent */
void outcome_crash(int signal, const siginfo_t *fault, const void *context);

/* ---- hook-refuse.c ------------------------------------------------------------------- */
bool refuse_syscall(long number); /* true: the caller is told that there is none */
void refuse_futex(long operation) __attribute__((noreturn));
void refuse_thread(void *(*start)(void *));

/* ---- family.c ------------------------------------------------------------------------ */
/* Makes a directory for this process in that of the run. -1: it cannot be. */
int family_join(char **argv, char **envp);

/* ---- turn.c: which process of a family runs ------------------------------------------- */
bool turn_yield(bool has_world);
bool turn_is_stuck(void);
bool turn_has(int pid);
bool turn_is_over(void);
void turn_strangers(void);
bool turn_is_left(uint64_t waited_ns);
void turn_used(void);
void turn_pause(void);
void turn_out(void);
void turn_in(void);
void turn_leave(bool ends);
void turn_stops(void);
void turn_tell(int signal);
uint32_t turn_place(void);
uint32_t turn_records(void);
void turn_begin(uint32_t place);
void turn_await_child(uint32_t place, int pid);

/* ---- company.c ------------------------------------------------------------------------ */
bool company_may_act(void);
bool company_is_stopped(int pid);

/* ---- shared-memory.c --------------------------------------------------------------------- */

bool shared_is_mapped(uint64_t addr);
void shared_mapped(const void *p, uint64_t len);
void shared_keep(void);
void shared_look(void);
void shared_put(uint64_t at, const void *bytes, uint64_t len);

/* ---- forked.c: forked children ----------------------------------------------------------- */
void forked_begin(void);
int64_t forked_make(struct thr *t);
void forked_stranger(const char *name);
void forked_replay(void);
bool child_awaited(const struct thr *t); /* hook-child.c: it waits for the end of a child */

/* ---- serve.c ------------------------------------------------------------------------- */
const char *serve(int fd);

/* ---- shared.c ------------------------------------------------------------------------ */
bool shared_counts(const struct obj *o);
#define SHARED_WORD "another process, which has "
bool shared_await(struct thr *t, bool (*test)(struct thr *), const void *what, const char *word,
                  uint64_t deadline);
bool shared_awaited(const struct thr *t);
void shared_lock(struct obj *o, bool is_shared);
void shared_memory(void);
void shared_with_child(void);
void shared_ends_stuck(void);

/* ---- hook-process.c ------------------------------------------------------------------ */
void process_off(void);
void process_watch_exit(void);
void process_watch_quick_exit(void);
void process_lend(struct thr *t, bool on);

/* ---- hook-ids.c ---------------------------------------------------------------------- */
void process_pin(void);
void process_pin_again(void);

/* ---- hook-signal.c ------------------------------------------------------------------- */
void signal_early(void);
void signal_end_properly(int signal);
void signal_start(void);
void signal_off(const struct thr *t);
void signal_ends_wait(struct thr *t);
void signal_give_back(struct thr *t, uint64_t which);
void signal_deliver(struct thr *t, enum signal_where where);
void signal_unsafe(struct thr *t); /* it calls what is not async-signal-safe */
bool signal_wakes(void);
bool signal_awaited(const struct thr *t); /* it waits for one, and for nothing else */
void signal_due(struct thr *t);
void signal_prompt(void);
void signal_mask_real(const struct thr *t, bool on);
bool signal_fire(int signal, thr_id to, const siginfo_t *info, uint64_t by);

/* ---- signal-queue.c ------------------------------------------------------------------ */
bool signal_is_queued(int signal);
bool signal_queue_add(const struct queued *from);
bool signal_queue_take(bool (*may)(const struct queued *), struct queued *out);

/* ---- hook-signalfd.c ----------------------------------------------------------------- */
bool signalfd_takes(int signal, const siginfo_t *info);

/* ---- hook-timer.c --------------------------------------------------------------------- */
uint64_t timer_next(void);
uint64_t timer_first(uint64_t *late_from);
void timer_put_off(void);
bool timer_only_kills(void);
void timer_expire(uint64_t now);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * stretch: from where to where a run is recorded. It may begin late (after so many steps or so
 * much time), be switched by the target's own marks or by a signal, or be a window between two
 * steps in which everything is recorded: private accesses, every branch, calls, beginning
 * with the frames that are active there. None of this changes a step: the schedule stays the
 * same. */
#include "rt/rt.h"
#include "rt/real.h"

enum { LOOK_STEPS = 1000 }; /* between two looks at the time */

static const uint8_t always = 1;

static void put_mark(struct thr *t, unsigned word)
{
    if (rt.recording)
        record_event(t, &(struct ev){.kind = EV_MARK, .word = (uint8_t)word}, __heddle_here);
}

/* What happened while nothing was recorded may have changed any memory. */
void stretch_resume(struct thr *t)
{
    if (!rt.recording || rt.accesses)
        return;
    rt.accesses = true;
    rt.pause_told = false;
    put_mark(t, WORD_VALUE(MARK, RECORD));
    record_event(
        t, &(struct ev){.kind = EV_EXTERNAL_WRITE, .addr = 4096, .len = ADDRESS_MASK - 8191},
        __heddle_here);
}

void stretch_pause(struct thr *t)
{
    if (!rt.accesses)
        return;
    put_mark(t, WORD_VALUE(MARK, PAUSE));
    rt.pause_told = true;
    rt.accesses = false;
}

/* A handler of the target's, as far as the scheduler is concerned. */
static void on_signal(int signal)
{
    struct thr *t = self;
    (void)signal;
    if (!t)
        return;
    if (rt.accesses)
        stretch_pause(t);
    else
        stretch_resume(t);
}

/* ---- window -------------------------------------------------------------------------- */

static void put_frames(struct thr *t)
{
    uint32_t depth = t->depth < FRAMES_MAX ? t->depth : FRAMES_MAX;
    for (uint32_t i = 0; i < depth && t->state != THR_EXITED; i++)
        record_event(t, &(struct ev){.kind = EV_ENTER}, t->frames[i]);
}

static void window_begin(struct thr *t)
{
    CHECK(!rt.in_window);
    rt.in_window = true;
    rt.window_outside = rt.accesses;
    rt.window_calls = rt.set.calls != 0;
    rt.set.calls = 1;
    stretch_resume(t);
    for (uint32_t i = 0; i < rt.thread_count; i++)
        put_frames(&rt.threads[i]);
    shadow_everything(true);
    __heddle_news = &always;
}

static void window_end(struct thr *t)
{
    CHECK(rt.in_window && t->state == THR_RUNNING);
    rt.in_window = false;
    rt.stretch_pending = false;
    rt.set.calls = rt.window_calls;
    if (!rt.window_outside)
        stretch_pause(t);
    shadow_everything(!rt.set.shared[0]);
    __heddle_news = &t->learnt;
}

/* A window from the first step on needs no mark: nothing was missed. */
static bool is_whole_run(const struct settings *s)
{
    return s->window && s->window_thr == 0 && s->window_step == 0;
}

/* ---- when ---------------------------------------------------------------------------- */

static bool is_at(const struct thr *t, uint64_t thr, uint64_t step)
{
    return t->id == thr && t->step >= step;
}

/* At a point of t, while something is still to come. */
void stretch_look(struct thr *t)
{
    const struct settings *s = &rt.set;
    if (s->window) {
        if (!rt.in_window && is_at(t, s->window_thr, s->window_step))
            window_begin(t);
        else if (rt.in_window && s->window_end_step &&
                 is_at(t, s->window_end_thr, s->window_end_step))
            window_end(t);
        return;
    }
    if (sched_steps() >= s->after && rt.now_ns - TIME_START_NS >= s->after_ns) {
        rt.stretch_pending = false;
        stretch_resume(t);
    }
}

/* The step of t at which it wants to look. */
uint64_t stretch_until(const struct thr *t)
{
    const struct settings *s = &rt.set;
    if (s->window) {
        uint64_t thr = rt.in_window ? s->window_end_thr : s->window_thr;
        uint64_t step = rt.in_window ? s->window_end_step : s->window_step;
        return t->id == thr && step ? step : NEVER;
    }
    uint64_t past = rt.steps_past, left = s->after > past ? s->after - past : 0;
    return s->after_ns ? t->step + LOOK_STEPS : t->in_step + left;
}

/* The pointer that branches look at, when t gets its turn. */
const uint8_t *stretch_news(const struct thr *t)
{
    return rt.in_window ? &always : &t->learnt;
}

void stretch_start(struct thr *main)
{
    const struct settings *s = &rt.set;
    rt.stretch_pending = s->window || s->after || s->after_ns;
    if (is_whole_run(s))
        window_begin(main);
    else if ((s->window && !s->shared[0]) || s->after || s->after_ns)
        stretch_pause(main);
    if (s->signal) {
        struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        sigaction((int)s->signal, &act, NULL);
        stretch_pause(main);
    }
}

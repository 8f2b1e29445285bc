/* SPDX-License-Identifier: Apache-2.0
 *
 * policy guided: follows a witness, line by line. The thread of the line runs until it has
 * done what the line says, or stands right before it; a thread whose turn it is and that has
 * to wait lets others run until it need not. Behind the last line the events that everybody
 * stands before are done one after the other; then fifo.
 *
 * A greedy guide is followed as far as it goes: what a thread cannot come to any more is
 * dropped, and nothing is given up.
 *
 * Events are counted by site, kind and thread: plain accesses when their thread leaves the
 * point before them, everything else when it is recorded. */
#include "rt/rt.h"
#include "rt/sys.h"
#include "heddle/guide.h"

#include <fcntl.h>
#include <sys/mman.h>

enum {
    WINDOW_GUIDE = 8,
    WINDOW_STATE = 9,
    WINDOW_REPORT = 10,
    CACHE_COUNT = 1 << 16,
    BESIDE_MAX = 2000000, /* steps of others while the right thread waits */
    BESIDE_SHARE = 4,
    BESIDE_GREEDY = 100000,
    CALLS_MAX = 20000, /* of the outside, between two lines */
    CALLS_GREEDY = 2000,
    CALL_STEPS = 16, /* that one of them takes the time of */
    NAPS_MAX = 1000, /* waits of the right thread that time has ended */
    REPORT_BYTES = 4096,
    OUTSIDE_NS = 10000000, /* between looks for a thread that is outside */
    OUTSIDE_LOOKS = 10,
    PRETENDED_MAX = 256,
};

struct cached {
    const struct __heddle_site *site;
    uint32_t id; /* guide site, or NO_ID */
};

/* A mutex that a thread would hold if it were not left free. */
struct pretended {
    const void *mutex;
    thr_id thr;
};

struct guide {
    const struct guide_head *head;
    const struct guide_line *lines;
    const struct guide_thread *threads;
    const struct guide_site *sites;
    const struct guide_counter *counters;
    const uint32_t *paths;
    const uint8_t *reach;
    const char *texts;
    uint32_t now;     /* line */
    uint32_t perform; /* line, once all are reached */
    bool done;        /* nothing more to follow */
    uint64_t beside;  /* steps of others since the last line */
    uint64_t naps;    /* waits that time has ended since then */
    uint64_t asked;   /* calls of the outside before that */
    uint32_t cached;
    struct guide_report *report;
    uint64_t *counts;
    uint32_t *moved; /* by site: another line to look at; 0: the site itself is there */
    struct cached cache[CACHE_COUNT];
    struct pretended pretended[PRETENDED_MAX];
    uint32_t pretended_count;
};

/* ---- sites --------------------------------------------------------------------------- */

extern struct __heddle_site __start_heddle_sites[] __attribute__((weak, visibility("hidden")));
extern struct __heddle_site __stop_heddle_sites[] __attribute__((weak, visibility("hidden")));

static bool same_text(const char *a, const char *b)
{
    return __builtin_strcmp(a, b) == 0;
}

static const char *base_name(const char *file)
{
    const char *base = file;
    for (const char *p = base; *p; p++)
        if (*p == '/')
            base = p + 1;
    return base;
}

static bool same_function(const struct guide *g, const struct __heddle_site *s,
                          const struct __heddle_unit *unit, const struct guide_site *w)
{
    return s->column == w->column && same_text(unit->texts + s->name, g->texts + w->name) &&
           same_text(unit->texts + s->function, g->texts + w->function) &&
           same_text(base_name(unit->texts + s->file), g->texts + w->file);
}

static bool is_site(const struct guide *g, const struct __heddle_site *s, uint32_t id)
{
    const struct guide_site *w = &g->sites[id];
    if (!same_function(g, s, __heddle_site_unit(s), w))
        return false;
    return g->moved[id] ? s->line == g->moved[id] : s->statement == w->statement;
}

/* A statement was put in or taken out before it: the nearest site that is like it. */
static void find_moved(struct guide *g, uint32_t id)
{
    const struct guide_site *w = &g->sites[id];
    uint32_t best = 0, distance = UINT32_MAX;
    const struct __heddle_unit *unit = NULL;
    for (struct __heddle_site *s = __start_heddle_sites; s < __stop_heddle_sites; s++) {
        unit = s->unit ? s->unit : unit;
        if (!same_function(g, s, unit, w))
            continue;
        if (s->statement == w->statement)
            return;
        uint32_t d = s->line > w->line ? s->line - w->line : w->line - s->line;
        if (d < distance) {
            distance = d;
            best = s->line;
        }
    }
    g->moved[id] = best;
}

static uint32_t site_of(struct guide *g, const struct __heddle_site *s)
{
    if (!s)
        s = &rt.nowhere;
    uint32_t i = (uint32_t)((uint64_t)(uintptr_t)s * 0x9e3779b97f4a7c15ULL >> 48);
    for (; g->cache[i].site; i = (i + 1) % CACHE_COUNT)
        if (g->cache[i].site == s)
            return g->cache[i].id;
    CHECK(g->cached <= CACHE_COUNT / 2); /* a probe ends */
    uint32_t id = 0;
    while (id < g->head->site_count && !is_site(g, s, id))
        id++;
    if (id == g->head->site_count)
        id = NO_ID;
    if (g->cached < CACHE_COUNT / 2) {
        g->cached++;
        g->cache[i] = (struct cached){s, id};
    }
    return id;
}

/* ---- threads ------------------------------------------------------------------------- */

static bool has_path(const struct guide *g, const struct thr *t, const struct guide_thread *w)
{
    for (uint32_t i = w->depth; i-- > 1; t = &rt.threads[t->parent])
        if (t->parent == NO_ID || t->spawn != g->paths[w->path + i])
            return false;
    return t->parent == NO_ID && g->paths[w->path] == 0;
}

static struct thr *thread_of(const struct guide *g, const struct guide_line *l)
{
    uint32_t id = g->counters[l->counter].thr;
    for (uint32_t i = 0; i < rt.thread_count; i++)
        if (rt.threads[i].guide == id)
            return &rt.threads[i];
    return NULL;
}

static void guided_born(struct thr *t)
{
    t->guide = NO_ID;
    for (uint32_t i = 0; i < rt.guide->head->thread_count; i++)
        if (has_path(rt.guide, t, &rt.guide->threads[i]))
            t->guide = i;
}

/* ---- counting ------------------------------------------------------------------------ */

static void count(struct thr *t, unsigned kind, const struct __heddle_site *site)
{
    struct guide *g = rt.guide;
    if (g->done || t->guide == NO_ID)
        return;
    uint32_t id = site_of(g, site);
    for (uint32_t c = id == NO_ID ? NO_ID : g->sites[id].counter; c != NO_ID;
         c = g->counters[c].next)
        if (g->counters[c].thr == t->guide && g->counters[c].kind == kind)
            g->counts[c]++;
}

/* ---- where we are -------------------------------------------------------------------- */

static void stop(const struct thr *t, const char *why)
{
    struct guide_report *r = rt.guide->report;
    struct text text = {r->why, 0, sizeof r->why};
    if (t) {
        text_put(&text, "T");
        text_number(&text, t->id);
        text_put(&text, " ");
    }
    text_put(&text, why);
    CHECK(rt.guide->now <= rt.guide->head->line_count);
    r->line = rt.guide->now;
    rt.guide->done = true;
    __atomic_store_n(&r->state, GUIDE_STOPPED, __ATOMIC_RELEASE);
    if (rt.guide->head->gives_up)
        outcome_given_up();
}

static bool is_done(const struct guide *g, const struct guide_line *l)
{
    return g->counts[l->counter] >= l->count;
}

/* It stands right before what the line says. */
static bool stands(struct guide *g, const struct thr *t, const struct guide_line *l)
{
    const struct guide_counter *c = &g->counters[l->counter];
    if (!t || !t->stands || g->counts[l->counter] + 1 != l->count)
        return false;
    return (!t->at.kind || t->at.kind == c->kind) && site_of(g, t->at.site) == c->site;
}

static bool conflict(const struct place *a, const struct place *b)
{
    bool writes = (a->kind != EV_READ && a->kind != EV_READ_RANGE) ||
                  (b->kind != EV_READ && b->kind != EV_READ_RANGE);
    return a->len && b->len && writes && a->addr < b->addr + b->len &&
           b->addr < a->addr + a->len;
}

/* Does it stand before a lock that another one has who stands so too? */
static bool is_held_up(const struct guide *g, uint32_t first, const struct thr *t)
{
    static const uint8_t classes[] = {WORD_VALUE(CLASS, MUTEX), WORD_VALUE(CLASS, SPIN),
                                      WORD_VALUE(CLASS, RWLOCK)};
    for (size_t i = 0; i < sizeof classes; i++) {
        const struct obj *o = obj_find((const void *)(uintptr_t)t->at.addr, classes[i]);
        for (uint32_t k = first; o && o->owner != NO_ID && k < g->head->line_count; k++) {
            const struct thr *other = thread_of(g, &g->lines[k]);
            if (other && other != t && other->id == o->owner)
                return true;
        }
    }
    return false;
}

static bool is_circle(const struct guide *g, uint32_t first)
{
    uint32_t end = g->head->line_count;
    for (uint32_t i = first; i < end; i++) {
        uint8_t kind = (uint8_t)g->counters[g->lines[i].counter].kind;
        const struct thr *t = thread_of(g, &g->lines[i]);
        if ((kind != EV_REQUEST && kind != EV_ACQUIRE) || !t || !is_held_up(g, first, t))
            return false;
    }
    return end - first >= 2;
}

static void reached_end(struct guide *g)
{
    CHECK(g->now == g->head->line_count && g->perform <= g->now);
    uint32_t first = 0, end = g->head->line_count;
    while (first < end && g->lines[first].how != GUIDE_AT)
        first++;
    g->perform = first;
    g->report->line = end;
    if (end - first == 2) {
        const struct thr *a = thread_of(g, &g->lines[first]);
        const struct thr *b = thread_of(g, &g->lines[first + 1]);
        g->report->conflict = conflict(&a->at, &b->at);
        if (a->at.len && b->at.len && !g->report->conflict) {
            g->now = end - 1;
            stop(b, "is about to touch other memory");
            return;
        }
    }
    g->report->conflict |= is_circle(g, first);
    __atomic_store_n(&g->report->state, GUIDE_FOLLOWED, __ATOMIC_RELEASE);
}

/* The line will not come true. */
static void drop(struct guide *g)
{
    CHECK(g->head->is_greedy && g->now < g->head->line_count);
    g->now++;
    g->report->dropped++;
    g->report->beside += g->beside;
    g->beside = g->naps = 0;
    g->asked = rt.input.count;
}

/* Can the thread, from where it stands, still do what the line says? */
static bool can_reach(struct guide *g, const struct thr *t, const struct guide_line *l)
{
    uint64_t targets = g->head->target_count, to = g->counters[l->counter].site;
    if (!targets || to >= targets || !t->stands)
        return true;
    uint32_t from = site_of(g, t->at.site);
    CHECK(from == NO_ID || from < g->head->site_count);
    uint64_t bit = (uint64_t)from * targets + to;
    return from == NO_ID || from == to || (g->reach[bit / 8] >> bit % 8 & 1);
}

/* Goes past the lines that have come true. */
static void advance(struct guide *g)
{
    uint32_t before = g->now;
    while (!g->done && g->now < g->head->line_count) {
        const struct guide_line *l = &g->lines[g->now];
        struct thr *t = thread_of(g, l);
        if (l->how == GUIDE_AT && is_done(g, l)) {
            stop(t, "went past without standing there");
            return;
        }
        if (l->how == GUIDE_AT ? !stands(g, t, l) : !is_done(g, l))
            break;
        if (l->how == GUIDE_EVENT && g->now > before && !g->head->is_greedy &&
            g->counters[l->counter].thr != g->counters[l[-1].counter].thr) {
            stop(t, "did it too early");
            return;
        }
        g->now++;
        g->report->beside += g->beside;
        g->beside = g->naps = 0;
        g->asked = rt.input.count;
    }
    g->report->line = g->now;
    if (g->now == g->head->line_count && g->now > before)
        reached_end(g);
}

/* The last line may be the last that the program does: it must not wait for the next point. */
static void happens(struct thr *t, unsigned kind, const struct __heddle_site *site)
{
    struct guide *g = rt.guide;
    count(t, kind, site);
    if (!g->done && g->now + 1 == g->head->line_count && g->lines[g->now].how != GUIDE_AT &&
        is_done(g, &g->lines[g->now]))
        advance(g);
}

static void guided_event(struct thr *t, unsigned kind, const struct __heddle_site *site)
{
    if (kind != EV_READ && kind != EV_WRITE)
        happens(t, kind, site);
}

void guided_attempt(struct thr *t, unsigned kind, const struct __heddle_site *site)
{
    happens(t, kind, site);
}

/* It leaves its point: a plain access follows at once. */
static void guided_passes(struct thr *t)
{
    if (t->at.kind == EV_READ || t->at.kind == EV_WRITE)
        happens(t, t->at.kind, t->at.site);
}

/* The thread whose turn it is; null: nobody's any more, or it does not exist yet. */
static struct thr *wanted(struct guide *g)
{
    advance(g);
    while (!g->done && g->now == g->head->line_count) {
        if (g->perform == g->head->line_count) {
            g->done = true;
            return NULL;
        }
        struct thr *t = thread_of(g, &g->lines[g->perform]);
        if (!is_done(g, &g->lines[g->perform]) &&
            (t->state == THR_READY || t->state == THR_RUNNING))
            return t;
        g->perform++;
    }
    return g->done ? NULL : thread_of(g, &g->lines[g->now]);
}

/* ---- choosing ------------------------------------------------------------------------ */

/* May it run although it is not its turn? Not past what it stands before. */
static bool may_go(struct guide *g, const struct thr *t)
{
    for (uint32_t i = 0; t->guide != NO_ID && i < g->head->line_count; i++)
        if (g->lines[i].how == GUIDE_AT && stands(g, t, &g->lines[i]))
            return false;
    return true;
}

/* Whose end of waiting is the nearest: the owner of what w waits for, then whoever comes next
 * in the witness, then anybody. */
static struct thr *someone(struct guide *g, const struct thr *w)
{
    for (int i = 0; w && i < 8 && w->state == THR_BLOCKED && w->wait_obj; i++) {
        if (w->wait_obj->owner == NO_ID)
            break;
        w = &rt.threads[w->wait_obj->owner];
        if (w->state == THR_READY && may_go(g, w))
            return (struct thr *)(uintptr_t)w;
    }
    for (uint32_t i = g->now; i < g->head->line_count; i++) {
        struct thr *t = thread_of(g, &g->lines[i]);
        if (t && t->state == THR_READY && may_go(g, t))
            return t;
    }
    for (uint32_t i = 0; i < rt.ready_count; i++)
        if (may_go(g, rt.ready[i]))
            return rt.ready[i];
    return NULL;
}

/* A wait that ends by time: it is the thread's turn, so its time has come. One that looks and
 * sleeps again and again waits for what another one does, and that one's turn does not come. */
static void let_time_pass(struct guide *g, struct thr *w)
{
    bool is_timeout = g->now < g->head->line_count &&
                      g->counters[g->lines[g->now].counter].kind == EV_TIMEOUT;
    if (w->state == THR_BLOCKED && sched_is_timed(w) &&
        (w->wait_how == WAIT_SLEEP || is_timeout)) {
        sched_expire(w);
        if (++g->naps > NAPS_MAX && !g->head->is_greedy)
            stop(w, "sleeps again and again, and what it waits for does not come");
    }
    if (sched_watches_clock(w)) /* it waits for nobody */
        sched_unspin(w);
}

/* Nobody may go on, but time may: of w, or of whoever comes next in the witness, or of a timer
 * that wakes somebody. */
static struct thr *by_time(struct guide *g, struct thr *w)
{
    struct thr *late = w;
    for (uint32_t i = g->now; i < g->head->line_count && !(late && sched_is_timed(late)); i++)
        late = thread_of(g, &g->lines[i]);
    if (sched_has_world())
        return NULL;
    if (!late || late->state != THR_BLOCKED || !sched_is_timed(late))
        return late_strike() ? someone(g, w) : NULL;
    sched_expire(late);
    return late->state == THR_READY && may_go(g, late) ? late : someone(g, w);
}

/* Nobody may go on; w may wait for what another process does, which goes on by itself. */
static struct thr *by_world(struct thr *w)
{
    uint64_t end = time_real_ns() + OUTSIDE_LOOKS * OUTSIDE_NS;
    while (w && w->state == THR_BLOCKED && w->wait_how == WAIT_FD && !rt.play &&
           sched_has_world() && time_real_ns() < end)
        sched_outside_wait(OUTSIDE_NS);
    return w && w->state == THR_READY ? w : NULL;
}

/* A part of what the run may take at all: more than the recorded run took. */
static uint64_t part_of_steps(uint64_t most)
{
    uint64_t part = rt.set.steps ? rt.set.steps / BESIDE_SHARE : most;
    return part < most ? part : most;
}

/* w's turn has come and it cannot run. Null: neither can anybody else. */
static struct thr *instead(struct guide *g, struct thr *t, struct thr *w)
{
    if (w && w->state == THR_EXITED) {
        stop(w, "has ended");
        return NULL;
    }
    if (g->beside++ > (g->head->is_greedy ? BESIDE_GREEDY : part_of_steps(BESIDE_MAX))) {
        stop(w, w ? "waits, and nobody ends that" : "the thread is not created");
        return NULL;
    }
    if (t->state == THR_RUNNING && may_go(g, t))
        return t;
    struct thr *next = someone(g, w);
    if (!next && (rt.ready_count || t->state == THR_RUNNING))
        next = by_time(g, w);
    if (!next && (rt.ready_count || t->state == THR_RUNNING))
        next = by_world(w);
    if (!next && (rt.ready_count || t->state == THR_RUNNING))
        stop(w, w ? "waits for one that may not go on" : "the thread is not created");
    return next;
}

/* The world is given a moment: others would change what the witness is about. */
static void let_it_return(struct thr *w)
{
    for (int i = 0; i < OUTSIDE_LOOKS && w->state == THR_OUTSIDE; i++)
        sched_outside_wait(OUTSIDE_NS);
}

/* Calls of the system take longer than other steps: who makes so many of them looks again and
 * again for what another one has to do. */
static bool asks_in_vain(const struct guide *g)
{
    uint64_t most = g->head->is_greedy ? CALLS_GREEDY : CALLS_MAX;
    return rt.input.count - g->asked > part_of_steps(most * CALL_STEPS) / CALL_STEPS;
}

/* The same for a greedy guide: lines that cannot come true any more are dropped first. */
static struct thr *wanted_still(struct guide *g)
{
    struct thr *w = wanted(g);
    while (g->head->is_greedy && !g->done && g->now < g->head->line_count) {
        bool is_stuck = g->beside > BESIDE_GREEDY || g->naps > NAPS_MAX || asks_in_vain(g) ||
                        (w && w->state == THR_EXITED);
        bool is_lost = w && (w->state == THR_READY || w->state == THR_RUNNING) &&
                       !can_reach(g, w, &g->lines[g->now]);
        if (!is_stuck && !is_lost)
            break;
        drop(g);
        if (g->now == g->head->line_count)
            reached_end(g);
        w = wanted(g);
    }
    return w;
}

static struct thr *choose(struct thr *t)
{
    struct guide *g = rt.guide;
    struct thr *w = wanted_still(g);
    if (!g->done && !g->head->is_greedy && asks_in_vain(g))
        stop(w, "looks again and again, and what it waits for does not come");
    if (g->done)
        return NULL;
    if (w) {
        let_it_return(w);
        let_time_pass(g, w);
    }
    if (w && (w->state == THR_READY || w->state == THR_RUNNING))
        return w;
    return instead(g, t, w);
}

static uint64_t guided_ask(struct thr *t)
{
    return rt.guide->done ? policy_fifo.ask(t) : t->step + 1;
}

static struct thr *guided_point(struct thr *t)
{
    bool was_done = rt.guide->done; /* then it has run for long: others have a turn */
    sched_collect();
    t->stands = true;
    struct thr *next = choose(t);
    if (!next)
        next = rt.guide->done && !was_done ? t : policy_fifo.point(t);
    if (next == t)
        t->stands = false;
    return next;
}

static struct thr *guided_pick(struct thr *t, uint16_t *why)
{
    sched_collect();
    struct thr *next = choose(t);
    return next ? next : policy_fifo.pick(t, why);
}

static void guided_chosen(struct thr *t, struct thr *next, uint16_t why)
{
    (void)t, (void)why;
    next->stands = false;
}

/* The waiter whose next line comes first. */
static struct thr *guided_waiter(struct obj *o)
{
    const struct guide *g = rt.guide;
    for (uint32_t i = g->now; !g->done && i < g->head->line_count; i++)
        for (struct thr *w = o->first; w; w = w->wait_next)
            if (w->guide == g->counters[g->lines[i].counter].thr)
                return w;
    return o->first;
}

/* ---- locks that are left free -------------------------------------------------------- */

bool guided_pretend(const struct thr *t, const void *mutex, const struct __heddle_site *site)
{
    struct guide *g = rt.guide;
    if (g->pretended_count == PRETENDED_MAX)
        return false;
    uint32_t id = site_of(g, site);
    if (id == NO_ID || !g->sites[id].is_free)
        return false;
    g->pretended[g->pretended_count++] = (struct pretended){mutex, t->id};
    return true;
}

bool guided_unpretend(const struct thr *t, const void *mutex)
{
    struct guide *g = rt.guide;
    for (uint32_t i = g->pretended_count; i-- > 0;) {
        if (g->pretended[i].mutex != mutex || g->pretended[i].thr != t->id)
            continue;
        CHECK(i < g->pretended_count && g->pretended_count <= PRETENDED_MAX);
        g->pretended[i] = g->pretended[--g->pretended_count];
        return true;
    }
    return false;
}

/* ---- start --------------------------------------------------------------------------- */

static struct guide_report *map_report(void)
{
    char path[PATH_BYTES + 32];
    struct text text = {path, 0, sizeof path};
    text_put(&text, rt.set.dir);
    text_put(&text, "/guided");
    int fd = sys_open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || sys_truncate(fd, REPORT_BYTES) < 0)
        return NULL;
    void *at = sys_map(memory_window(WINDOW_REPORT), REPORT_BYTES, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    sys_close(fd);
    return at;
}

/* Each number in a table is one of the table that it is about. */
static bool guide_fits(const struct guide *g)
{
    const struct guide_head *h = g->head;
    bool fits = guide_has_texts(h, g->sites, g->texts);
    for (uint32_t i = 0; i < h->line_count; i++)
        fits &= g->lines[i].counter < h->counter_count;
    for (uint32_t i = 0; i < h->thread_count; i++)
        fits &= g->threads[i].depth > 0 &&
                (uint64_t)g->threads[i].path + g->threads[i].depth <= h->path_count;
    for (uint32_t i = 0; i < h->site_count; i++)
        fits &= g->sites[i].counter == NO_ID || g->sites[i].counter < h->counter_count;
    for (uint32_t i = 0; i < h->counter_count; i++) /* the one before: a chain ends */
        fits &= g->counters[i].site < h->site_count && g->counters[i].thr < h->thread_count &&
                (g->counters[i].next == NO_ID || g->counters[i].next < i);
    return fits && h->target_count <= h->site_count;
}

static void guided_start(void)
{
    uint64_t bytes = 0;
    const struct guide_head *head = memory_file(rt.set.schedule, WINDOW_GUIDE, &bytes);
    if (!head || bytes < sizeof *head || head->magic != GUIDE_MAGIC ||
        guide_bytes(head) > bytes)
        outcome_diverged("cannot read the guide");
    uint64_t counts = head->counter_count * sizeof(uint64_t);
    struct guide *g = sys_map(
        memory_window(WINDOW_STATE), sizeof *g + counts + head->site_count * sizeof *g->moved,
        PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    struct guide_report *report = map_report();
    if (!g || !report)
        outcome_diverged("no memory for the guide");
    g->head = head;
    g->lines = (const void *)(head + 1);
    g->threads = (const void *)(g->lines + head->line_count);
    g->sites = (const void *)(g->threads + head->thread_count);
    g->counters = (const void *)(g->sites + head->site_count);
    g->paths = (const void *)(g->counters + head->counter_count);
    g->reach = (const void *)(g->paths + head->path_count);
    g->texts = (const char *)g->reach + guide_reach_bytes(head);
    if (!guide_fits(g))
        outcome_diverged("cannot read the guide");
    g->counts = (void *)(g + 1);
    g->moved = (void *)(g->counts + head->counter_count);
    g->report = report;
    report->magic = GUIDE_MAGIC;
    for (uint32_t i = 0; i < head->site_count; i++)
        if (g->sites[i].counter != NO_ID)
            find_moved(g, i);
    rt.guide = g;
}

const struct policy policy_guided = {
    .start = guided_start,
    .ask = guided_ask,
    .point = guided_point,
    .pick = guided_pick,
    .born = guided_born,
    .chosen = guided_chosen,
    .waiter = guided_waiter,
    .passes = guided_passes,
    .event = guided_event,
};

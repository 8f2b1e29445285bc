/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp-loop: who gets which iterations. Loops that are divided beforehand need nobody else;
 * of the others each part is given out in an order that is kept. */
#include "rt/omp-library.h"
#include "rt/openmp.h"

/* As compilers say it, without what says that the order may be any. */
enum {
    HOW_CHUNKED = 33,
    HOW_STATIC = 34,
    HOW_DYNAMIC = 35,
    HOW_GUIDED = 36,
    HOW_RUNTIME = 37,
    HOW_AUTO = 38,
    HOW_BALANCED = 45,
    HOW_ORDERED = 32, /* added */
    HOW_ANY_ORDER = 128,
    HOW_TEAMS_CHUNKED = 91,
    HOW_TEAMS = 92,
    HOW_MODIFIERS = 3 << 29,
};

/* Iterations from `low` to `high` by `step`, as numbers of 64 bits. */
static uint64_t trips_of(uint64_t low, uint64_t high, int64_t step, bool is_signed)
{
    bool is_empty = is_signed ? (step > 0 ? (int64_t)high<(int64_t)low : (int64_t)high>(int64_t)
                                                low) : (step > 0 ? high < low : high > low);
    if (is_empty || step == 0)
        return 0;
    return step > 0 ? (high - low) / (uint64_t)step + 1
                    : (low - high) / (0 - (uint64_t)step) + 1;
}

/* ---- divided beforehand ----------------------------------------------------------------- */

struct share {
    uint64_t first, count, trips, span; /* span: from one part of its to the next */
    bool is_last;
};

static struct share share_of(uint64_t trips, uint32_t number, uint32_t size, uint64_t chunk)
{
    struct share s = {.trips = trips};
    if (chunk) {
        s.first = number * chunk;
        s.count = chunk;
        s.span = size * chunk;
        s.is_last = trips && (trips - 1) / chunk % size == number;
        return s;
    }
    uint64_t each = trips / size, more = trips % size;
    s.first = number * each + (number < more ? number : more);
    s.count = each + (number < more);
    s.span = trips;
    s.is_last = s.count && s.first + s.count == trips;
    return s;
}

static struct share share_for(uint32_t how, uint64_t trips, uint64_t chunk)
{
    struct omp_member *m = omp_me();
    how &= ~(uint32_t)HOW_MODIFIERS;
    if (how == HOW_TEAMS || how == HOW_TEAMS_CHUNKED) /* there is one team */
        return share_of(trips, 0, 1, 0);
    bool is_chunked = how == HOW_CHUNKED || how == HOW_BALANCED;
    return share_of(trips, m->number, m->team->size, is_chunked ? (chunk ? chunk : 1) : 0);
}

#define STATIC_INIT(suffix, type, signed_type, is_signed)                                   \
    void omp_static_init_##suffix(int32_t how, int32_t *last, type *low, type *high,        \
                                  signed_type *stride, signed_type step, signed_type chunk) \
    {                                                                                       \
        uint64_t base = (uint64_t)*low;                                                     \
        uint64_t trips = trips_of(base, (uint64_t)*high, step, is_signed);                  \
        struct share s = share_for((uint32_t)how, trips, chunk > 0 ? (uint64_t)chunk : 0);  \
        uint64_t by = (uint64_t)(int64_t)step;                                              \
        if (last)                                                                           \
            OMP_FILL(last, s.is_last);                                                      \
        if (!trips)                                                                         \
            return;                                                                         \
        OMP_FILL(low, base + s.first * by);                                                 \
        OMP_FILL(high, base + (s.first + s.count - 1) * by);                                \
        OMP_FILL(stride, s.span *by);                                                       \
    }

STATIC_INIT(4, int32_t, int32_t, true)
STATIC_INIT(4u, uint32_t, int32_t, false)
STATIC_INIT(8, int64_t, int64_t, true)
STATIC_INIT(8u, uint64_t, int64_t, false)

/* ---- given out while it runs ------------------------------------------------------------ */

static bool has_room(const struct omp_member *m)
{
    const struct omp_loop *l = &m->team->loops[m->loops % OMP_LOOPS_MAX];
    return l->number == 0 || l->number == m->loops;
}

static void update(struct omp_member *m, thing_id *thing)
{
    struct call c = omp_call(m->worker->thr);
    if (!*thing)
        *thing = thing_new(THING_OPENMP);
    thing_update(&c, *thing);
}

static uint32_t plain_kind(struct omp_member *m, uint32_t how, uint64_t *chunk)
{
    how &= ~(uint32_t)HOW_MODIFIERS;
    how -= how >= HOW_CHUNKED + HOW_ANY_ORDER ? HOW_ANY_ORDER : 0;
    m->is_ordered = how >= HOW_CHUNKED + HOW_ORDERED && how < HOW_TEAMS_CHUNKED;
    how -= m->is_ordered ? HOW_ORDERED : 0;
    if (how == HOW_RUNTIME) {
        *chunk = m->worker->chunk;
        how = m->worker->schedule ? HOW_STATIC + m->worker->schedule - 1 : HOW_STATIC;
    }
    return how == HOW_AUTO ? HOW_STATIC : how;
}

void omp_dispatch_init(uint32_t how, uint64_t low, uint64_t high, int64_t step, int64_t chunk,
                       bool is_signed)
{
    struct omp_member *m = omp_me();
    m->chunk = chunk > 0 ? (uint64_t)chunk : 0;
    m->how = plain_kind(m, how, &m->chunk);
    m->low = low;
    m->step = step;
    m->trips = trips_of(low, high, step, is_signed);
    m->parts = 0;
    m->was_ordered = false;
    m->loops++;
    omp_wait(m, has_room, TAKES_NOTHING);
    m->loop = &m->team->loops[m->loops % OMP_LOOPS_MAX];
    if (m->loop->number == m->loops)
        return;
    m->loop->number = m->loops;
    m->loop->next = m->loop->turn = 0;
    m->loop->left = 0;
}

/* The next part: its first iteration and how many. */
static uint64_t part_of(struct omp_member *m, uint64_t *count)
{
    uint32_t size = m->team->size;
    uint64_t first, chunk = m->chunk ? m->chunk : 1;
    if (m->how == HOW_STATIC || m->how == HOW_CHUNKED) {
        struct share s =
            share_of(m->trips, m->number, size, m->how == HOW_CHUNKED || m->chunk ? chunk : 0);
        first = s.first + m->parts * s.span;
        *count = first < m->trips ? s.count : 0;
    } else {
        struct omp_loop *l = m->loop;
        uint64_t left = l->next < m->trips ? m->trips - l->next : 0;
        uint64_t guided = left / (2 * (uint64_t)size);
        update(m, &l->given);
        first = l->next;
        *count = m->how == HOW_GUIDED && guided > chunk ? guided : chunk;
        l->next += left ? *count : 0;
        *count = left ? *count : 0;
    }
    if (*count && first + *count > m->trips)
        *count = m->trips - first;
    m->parts++;
    return first;
}

static void loop_left(struct omp_member *m)
{
    struct omp_loop *l = m->loop;
    if (++l->left < m->team->size)
        return;
    l->number = 0;
    omp_stir(m->team);
}

/* Others are let in first, so that one thread does not do all. */
bool omp_dispatch_next(uint64_t *low, uint64_t *high, bool *is_last)
{
    struct omp_member *m = omp_me();
    uint64_t count, by = (uint64_t)m->step;
    if (!m->loop)
        return false;
    point(m->worker->thr);
    if (m->how != HOW_STATIC && m->how != HOW_CHUNKED && m->team->size > 1)
        sched_yielded(m->worker->thr);
    uint64_t first = part_of(m, &count);
    if (!count) {
        loop_left(m);
        m->loop = NULL;
        return false;
    }
    m->at = first;
    *low = m->low + first * by;
    *high = m->low + (first + count - 1) * by;
    *is_last = first + count == m->trips;
    return true;
}

/* ---- in the order of the iterations ------------------------------------------------------ */

static bool has_turn(const struct omp_member *m)
{
    return m->loop->turn >= m->at;
}

void omp_ordered_begin(void)
{
    struct omp_member *m = omp_me();
    point(m->worker->thr);
    if (!m->loop || !m->is_ordered)
        return;
    omp_wait(m, has_turn, TAKES_NOTHING);
    update(m, &m->loop->ordered);
}

void omp_ordered_end(void)
{
    struct omp_member *m = omp_me();
    point(m->worker->thr);
    if (!m->loop || !m->is_ordered)
        return;
    update(m, &m->loop->ordered);
    m->loop->turn = m->at + 1;
    m->was_ordered = true;
    stir(m->worker->thr);
    omp_stir(m->team);
}

/* The end of an iteration, of which it is known now that it had nothing to do in order. */
void omp_dispatch_fini(void)
{
    struct omp_member *m = omp_me();
    if (!m->loop || !m->is_ordered)
        return;
    if (!m->was_ordered) {
        omp_ordered_begin();
        omp_ordered_end();
    }
    m->was_ordered = false;
    m->at++;
}

/* ---- iterations that wait for certain others --------------------------------------------- */

/* The loop before it is over. */
static bool can_post(const struct omp_member *m)
{
    const struct openmp *o = rt.openmp;
    return !o->posting || o->posting_number == m->posting;
}

void omp_doacross_init(int32_t count, const int64_t *dimensions)
{
    struct openmp *o = rt.openmp;
    struct omp_member *m = omp_me();
    uint64_t all = 1;
    if (o->posting && o->posting != m->team)
        outcome_unsupported("two teams of OpenMP whose iterations wait for certain others");
    m->posting++;
    omp_wait(m, can_post, TAKES_NOTHING);
    if (o->posting)
        return;
    for (int32_t i = 0; i < count && i < OMP_DIMENSIONS_MAX; i++) { /* low, high, step */
        const int64_t *d = &dimensions[3 * i];
        __builtin_memcpy(o->dimensions[i], d, sizeof o->dimensions[i]);
        all *= trips_of((uint64_t)d[0], (uint64_t)d[1], d[2], true);
    }
    if (count > OMP_DIMENSIONS_MAX || all > OMP_POSTED_MAX)
        outcome_unsupported("more than 65536 OpenMP iterations that wait for certain others");
    __builtin_memset(o->posted, 0, sizeof o->posted);
    o->posting = m->team;
    o->posting_number = m->posting;
    o->dimension_count = (uint32_t)count;
    o->posters = m->team->size;
}

/* Of an iteration, from 0 on; NO_EVENT: there is none such. */
static uint64_t place_of(const int64_t *at)
{
    const struct openmp *o = rt.openmp;
    uint64_t place = 0;
    for (uint32_t i = 0; i < o->dimension_count; i++) {
        const int64_t *d = o->dimensions[i];
        uint64_t trips = trips_of((uint64_t)d[0], (uint64_t)d[1], d[2], true);
        uint64_t n = (uint64_t)((at[i] - d[0]) / d[2]);
        if (n >= trips || (at[i] - d[0]) % d[2])
            return NO_EVENT;
        place = place * trips + n;
    }
    return place;
}

static bool is_posted(const struct omp_member *m)
{
    return rt.openmp->posted[m->awaited] != 0;
}

void omp_doacross_wait(const int64_t *at)
{
    struct omp_member *m = omp_me();
    struct call c = omp_call(m->worker->thr);
    point(c.thr);
    m->awaited = place_of(at);
    if (m->awaited == NO_EVENT)
        return;
    omp_wait(m, is_posted, TAKES_NOTHING);
    uint64_t by = rt.openmp->posted[m->awaited];
    thing_hear(&c, m->team->posted, by == NO_EVENT ? by : by - 1);
}

void omp_doacross_post(const int64_t *at)
{
    struct omp_member *m = omp_me();
    struct call c = omp_call(m->worker->thr);
    uint64_t place = place_of(at);
    point(c.thr);
    if (place == NO_EVENT)
        return;
    uint64_t event = thing_change(&c, m->team->posted);
    rt.openmp->posted[place] = event == NO_EVENT ? NO_EVENT : event + 1;
    stir(c.thr);
    omp_stir(m->team);
}

void omp_doacross_fini(void)
{
    struct openmp *o = rt.openmp;
    struct omp_member *m = omp_me();
    if (o->posting != m->team || --o->posters)
        return;
    o->posting = NULL;
    omp_stir(m->team);
}

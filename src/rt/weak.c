/* SPDX-License-Identifier: Apache-2.0
 *
 * weak: with --weak an atomic load may find an older store, and a store may take an earlier
 * place in the modification order, wherever C11 (RC11: Lahav and others, PLDI 2017, with the
 * release sequences of C++20) allows it. Which one is a choice of the schedule.
 *
 * Memory holds the newest store of every object. The hook before an atomic instruction chooses,
 * and puts the value of an older store there; the program's own instruction runs; the hook
 * behind it takes in what it did and puts the newest value back. Nothing comes between the
 * two: no point, no signal, no other thread.
 *
 * Stores have ranks, with room between them for those that come early: what a thread may not
 * read any more is one number for each object, its view. Whatever there is no room for (stores,
 * maps, objects) is left out in the safe direction: fewer stale reads. Departure from C++20:
 * the order S of seq_cst operations is that of their execution. */
#include "rt/weak.h"
#include "rt/sys.h"

#define WEAK_AT 0x430000000000ULL
#define RANK_STEP (1ULL << 32)

enum {
    LOCS_MAX = 1 << 16,
    BUCKETS = 1 << 17,
    PAGES = 1 << 12, /* how many objects lie in the pages of one hash */
    SPIN_MAX = 8,    /* times that a place reads the same stale store, one after the other */
    OVERFLOW_LOC = 0,
};

/* ---- memory of the target ---------------------------------------------------------------- */

static uint64_t memory_get(const void *addr, uint32_t size)
{
    switch (size) {
    case 1:
        return __atomic_load_n((const uint8_t *)addr, __ATOMIC_RELAXED);
    case 2:
        return __atomic_load_n((const uint16_t *)addr, __ATOMIC_RELAXED);
    case 4:
        return __atomic_load_n((const uint32_t *)addr, __ATOMIC_RELAXED);
    default:
        return __atomic_load_n((const uint64_t *)addr, __ATOMIC_RELAXED);
    }
}

static void memory_put(void *addr, uint32_t size, uint64_t value)
{
    switch (size) {
    case 1:
        __atomic_store_n((uint8_t *)addr, (uint8_t)value, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((uint16_t *)addr, (uint16_t)value, __ATOMIC_RELAXED);
        break;
    case 4:
        __atomic_store_n((uint32_t *)addr, (uint32_t)value, __ATOMIC_RELAXED);
        break;
    default:
        __atomic_store_n((uint64_t *)addr, value, __ATOMIC_RELAXED);
    }
}

/* ---- objects ----------------------------------------------------------------------------- */

struct weak_store *weak_stores(const struct weak_loc *x)
{
    uint64_t number = (uint64_t)(x - rt.weak.locs);
    return &rt.weak.stores[number * 2 * rt.set.history + x->first];
}

static struct weak_store *newest(const struct weak_loc *x)
{
    return &weak_stores(x)[x->len - 1];
}

static uint32_t *bucket_of(uint64_t addr)
{
    uint64_t word = addr >> 3;
    return &rt.weak.buckets[(word ^ word >> 17) & (BUCKETS - 1)];
}

static uint16_t *page_of(uint64_t addr)
{
    return &rt.weak.pages[addr >> 12 & (PAGES - 1)];
}

/* Fewer choices than are allowed, which whoever wants to see all of them must know. */
static void leave_out(uint64_t *counter)
{
    ++*counter;
    rt.weak.left_out = true;
}

static void forget_stores(struct weak_loc *x)
{
    for (uint32_t i = 0; i < x->len; i++)
        know_drop(&weak_stores(x)[i].k);
    x->first = x->len = 0;
}

/* All that there is of it is this value, which everybody may read and who learns nothing. */
static void restart(struct weak_loc *x, uint64_t value)
{
    forget_stores(x);
    x->rank += RANK_STEP;
    x->len = 1;
    *newest(x) = (struct weak_store){.rank = x->rank, .value = value, .event = NO_EVENT};
}

static void unlink_loc(uint32_t number)
{
    struct weak_loc *x = &rt.weak.locs[number];
    uint32_t *link = bucket_of(x->addr);
    while (*link != number)
        link = &rt.weak.locs[*link].next;
    *link = x->next;
    --*page_of(x->addr);
    forget_stores(x);
    x->next = rt.weak.free_loc;
    x->size = 0;
    rt.weak.free_loc = number;
}

static bool overlaps(const struct weak_loc *x, uint64_t addr, uint64_t len)
{
    return x->size && x->addr < addr + len && addr < x->addr + x->size;
}

/* Those in one aligned word. What their newest stores let others know is joined to *k. */
static bool word_ends(uint64_t addr, uint64_t len, struct know *k)
{
    bool any = false;
    for (uint32_t i = *bucket_of(addr), next; i; i = next) {
        next = rt.weak.locs[i].next;
        if (overlaps(&rt.weak.locs[i], addr, len)) {
            if (k)
                know_join(k, newest(&rt.weak.locs[i])->k);
            unlink_loc(i);
            any = true;
        }
    }
    return any;
}

void weak_overwritten(uint64_t addr, uint64_t len)
{
    uint64_t end = addr + len;
    if (len / 8 > rt.weak.loc_count) {
        for (uint32_t i = 1; i < rt.weak.loc_count; i++)
            if (overlaps(&rt.weak.locs[i], addr, len))
                unlink_loc(i);
        return;
    }
    for (uint64_t at = addr; at < end;) {
        uint64_t next = (at | 7) + 1;
        if (*page_of(at))
            word_ends(at, (next < end ? next : end) - at, NULL);
        at = *page_of(at) ? next : (at | 4095) + 1;
    }
}

void weak_ends(uint64_t addr, uint64_t len)
{
    weak_overwritten(addr, len);
    weak_words_end(addr, len);
}

static uint32_t loc_new(uint64_t addr, uint32_t size, uint64_t value)
{
    uint32_t number = rt.weak.free_loc;
    if (number)
        rt.weak.free_loc = rt.weak.locs[number].next;
    else if (rt.weak.loc_count < LOCS_MAX)
        number = rt.weak.loc_count++;
    else {
        rt.weak.left_out = true;
        return OVERFLOW_LOC;
    }
    struct know k = weak_left_at(addr);
    if (word_ends(addr, size, &k))
        leave_out(&rt.weak.mixed);
    struct weak_loc *x = &rt.weak.locs[number];
    *x = (struct weak_loc){.addr = addr,
                           .rank = x->rank,
                           .next = *bucket_of(addr),
                           .behind = NO_ID,
                           .size = (uint8_t)size,
                           .is_plain = shared_is_mapped(addr)};
    rt.weak.left_out |= x->is_plain;
    *bucket_of(addr) = number;
    ++*page_of(addr);
    restart(x, value);
    newest(x)->k = k;
    return number;
}

struct know weak_publish(struct thr *t)
{
    struct weak_thr *w = weak_of(t);
    tree_raise(&w->cur.clock, t->id, w->clock);
    w->clock++;
    return know_hold(w->cur);
}

/* Somebody wrote there whom we do not see. What he knew is not known: it may be all. */
static void restart_foreign(struct weak_loc *x, uint64_t value)
{
    struct know all = weak_left_at(x->addr);
    bool is_modelled = all.view || all.clock;
    for (uint32_t i = 0; i < rt.thread_count && !is_modelled; i++) {
        struct know own = weak_publish(&rt.threads[i]);
        know_join(&all, own);
        know_drop(&own);
    }
    if (!is_modelled)
        leave_out(&rt.weak.foreign);
    restart(x, value);
    newest(x)->k = all;
}

/* The object at this address; made if it is new, made again if somebody else wrote there. */
static uint32_t loc_at(void *at, uint32_t size)
{
    uint64_t addr = (uint64_t)(uintptr_t)at, value = memory_get(at, size);
    uint32_t number = *bucket_of(addr);
    while (number && (rt.weak.locs[number].addr != addr || rt.weak.locs[number].size != size))
        number = rt.weak.locs[number].next;
    if (!number)
        return loc_new(addr, size, value);
    struct weak_loc *x = &rt.weak.locs[number];
    if (UNLIKELY(newest(x)->value != value))
        restart_foreign(x, value);
    return number;
}

/* ---- what threads know ------------------------------------------------------------------- */

/* An object without a history: who stores passes on all he knows, who loads gets it. */
static void exchange_all(struct thr *t, struct know *k, bool reads, bool writes)
{
    struct weak_thr *w = weak_of(t);
    if (reads)
        know_join(&w->cur, *k);
    if (!writes)
        return;
    struct know own = weak_publish(t);
    know_join(k, own);
    know_drop(&own);
}

/* Where an object stands in a view: from 0 on, so that a few of them are one node. */
static uint32_t place_in_view(uint32_t number)
{
    return number - 1;
}

static void weak_see(struct know *into, uint32_t number, uint64_t rank)
{
    tree_raise(&into->view, place_in_view(number), rank);
}

/* The rank that this view has of it. */
static uint64_t rank_in(uint32_t view, uint32_t number)
{
    return tree_get(view, place_in_view(number));
}

/* The rank below which it may not read. */
static uint64_t low_of(const struct thr *t, uint32_t number, uint32_t order)
{
    uint64_t low = rank_in(weak_of(t)->cur.view, number);
    uint64_t sc = order_is_sc(order) ? rank_in(rt.weak.sc, number) : 0;
    return low > sc ? low : sc;
}

/* ---- choices ----------------------------------------------------------------------------- */

struct wanted {
    uint32_t kind, order, failed;
    uint64_t expected;
};

/* There is room for a store right before this one, and nothing says that there is none. */
static bool takes_before(const struct weak_store *s)
{
    rt.weak.left_out |= !s->is_rmw && s[0].rank - s[-1].rank < 2;
    return !s->is_rmw && s[0].rank - s[-1].rank >= 2;
}

/* Places that a store may go before, from the newest on; x->len is behind all. */
static uint32_t places_of_store(const struct weak_loc *x, uint64_t low, uint8_t *places)
{
    const struct weak_store *s = weak_stores(x);
    uint32_t count = 0;
    places[count++] = (uint8_t)x->len;
    if (rt.set.weak == WEAK_X86)
        return count;
    for (uint32_t q = x->len - 1; q >= 1 && s[q - 1].rank >= low; q--)
        if (takes_before(&s[q]))
            places[count++] = (uint8_t)q;
    return count;
}

static uint32_t places_of_load(const struct thr *t, uint32_t number, const struct wanted *o,
                               uint8_t *places)
{
    const struct weak_loc *x = &rt.weak.locs[number];
    const struct weak_store *s = weak_stores(x);
    bool is_cas = o->kind == HEDDLE_ATOMIC_CAS;
    uint64_t low = low_of(t, number, o->order);
    uint64_t failed = is_cas ? low_of(t, number, o->failed) : low;
    uint32_t count = 0;
    for (uint32_t m = x->len; m-- > 0;) {
        if (rt.set.weak == WEAK_X86 && m + 1 < x->len &&
            (o->kind != HEDDLE_ATOMIC_LOAD || !x86_may_miss(t, &s[m + 1])))
            break;
        bool is_equal = !is_cas || s[m].value == o->expected;
        bool writes = is_equal && o->kind != HEDDLE_ATOMIC_LOAD;
        if (s[m].rank < low && s[m].rank < failed)
            break;
        if (s[m].rank < (is_equal ? low : failed))
            continue;
        if (writes && m + 1 < x->len && !takes_before(&s[m + 1]))
            continue;
        places[count++] = (uint8_t)m;
    }
    return count;
}

static struct weak_spin *spin_of(struct weak_thr *w, uint32_t number,
                                 const struct __heddle_site *site)
{
    return &w->spins[(number * 31 + site->ordinal) % WEAK_SPINS];
}

/* One that reads the same stale store at the same place for ever would never end. */
static void note_stale(struct weak_spin *s, const struct __heddle_site *site, uint64_t rank)
{
    bool is_same = s->site == site && s->rank == rank;
    *s = (struct weak_spin){site, rank, is_same ? s->count + 1 : 1};
}

static bool spins_on(const struct weak_spin *s, const struct __heddle_site *site)
{
    return s->site == site && s->count >= SPIN_MAX;
}

static uint32_t choose(struct thr *t, uint32_t count, struct __heddle_site *site)
{
    uint32_t number = 0;
    if (rt.set.policy->weak)
        number = rt.set.policy->weak(t, count, site);
    CHECK(number < count);
    if (number)
        record_weak(t, number, count);
    rt.weak.choices++;
    rt.weak.taken += number > 0;
    return number;
}

static void pick(struct thr *t, uint32_t number, const struct wanted *o,
                 struct __heddle_site *site)
{
    const struct weak_loc *x = &rt.weak.locs[number];
    struct weak_thr *w = weak_of(t);
    uint8_t places[WEAK_HISTORY_MAX + 1];
    bool is_store = o->kind == HEDDLE_ATOMIC_STORE;
    struct weak_spin *spin = spin_of(w, number, site);
    uint32_t count = 1;
    w->op.place = is_store ? x->len : x->len - 1;
    if (x->len == 1 || x->is_plain || know_is_full())
        return;
    if (is_store)
        count = places_of_store(x, low_of(t, number, o->order), places);
    else if (!spins_on(spin, site))
        count = places_of_load(t, number, o, places);
    else
        leave_out(&rt.weak.spun);
    uint32_t chosen = count > 1 ? choose(t, count, site) : 0;
    if (chosen)
        w->op.place = places[chosen];
    if (chosen && !is_store)
        note_stale(spin, site, weak_stores(x)[w->op.place].rank);
    else
        spin->count = 0;
}

void weak_before(struct thr *t, void *addr, uint32_t how, uint64_t expected,
                 struct __heddle_site *site)
{
    struct weak_op *op = &weak_of(t)->op;
    uint32_t size = how & HEDDLE_ATOMIC_SIZE;
    struct wanted o = {how >> HEDDLE_ATOMIC_KIND_SHIFT & HEDDLE_ATOMIC_FIELD,
                       how >> HEDDLE_ATOMIC_ORDER_SHIFT & HEDDLE_ATOMIC_FIELD,
                       how >> HEDDLE_ATOMIC_FAILED_SHIFT & HEDDLE_ATOMIC_FIELD, expected};
    *op = (struct weak_op){0};
    if (!size || (uintptr_t)addr & (size - 1)) {
        rt.weak.wide++;
        return;
    }
    op->loc = loc_at(addr, size);
    if (rt.set.weak == WEAK_X86 && o.kind >= HEDDLE_ATOMIC_RMW)
        x86_flush(t);
    if (op->loc == OVERFLOW_LOC)
        return;
    pick(t, op->loc, &o, site);
    const struct weak_loc *x = &rt.weak.locs[op->loc];
    if (o.kind == HEDDLE_ATOMIC_STORE || op->place == x->len - 1)
        return;
    op->is_staged = true;
    memory_put(addr, size, weak_stores(x)[op->place].value);
}

/* ---- histories --------------------------------------------------------------------------- */

/* The rank below which no thread that lives can read; *behind: one that can read from there. */
static uint64_t lowest_of_all(uint32_t number, thr_id *behind)
{
    uint64_t low = NEVER;
    for (uint32_t i = 0; i < rt.thread_count; i++) {
        if (rt.threads[i].state == THR_EXITED)
            continue;
        uint64_t own = rank_in(weak_of(&rt.threads[i])->cur.view, number);
        if (own < low) {
            low = own;
            *behind = i;
        }
    }
    return low;
}

static void drop_oldest(struct weak_loc *x)
{
    know_drop(&weak_stores(x)[0].k);
    x->first++;
    x->len--;
}

static bool is_behind(const struct weak_loc *x, uint32_t number)
{
    if (x->behind >= rt.thread_count || rt.threads[x->behind].state == THR_EXITED)
        return false;
    return rank_in(weak_of(&rt.threads[x->behind])->cur.view, number) < weak_stores(x)[1].rank;
}

/* Makes room for one store more. What nobody can read any more goes first. */
static uint32_t cut(struct weak_loc *x, uint32_t number)
{
    uint32_t before = x->len;
    if (!is_behind(x, number)) {
        uint64_t low = lowest_of_all(number, &x->behind);
        while (x->len > 1 && weak_stores(x)[1].rank <= low)
            drop_oldest(x);
    }
    if (x->len == before) {
        drop_oldest(x);
        leave_out(&rt.weak.cut);
    }
    return before - x->len;
}

/* Between this store and the one before it. */
static uint64_t middle(const struct weak_store *s)
{
    return s[-1].rank + (s[0].rank - s[-1].rank) / 2;
}

/* A new store right before the one at this place; x->len: the newest. Returns it. */
static struct weak_store *insert(struct weak_loc *x, uint32_t number, uint32_t place,
                                 uint64_t value)
{
    uint64_t rank = place == x->len ? x->rank + RANK_STEP : middle(&weak_stores(x)[place]);
    if (x->len >= rt.set.history) {
        uint32_t gone = cut(x, number);
        CHECK(place >= gone); /* who stores could read what is right before it */
        place -= gone;
    }
    if (x->first + x->len >= 2 * rt.set.history) {
        const struct weak_store *from = weak_stores(x);
        x->first = 0;
        __builtin_memmove(weak_stores(x), from, x->len * sizeof *from);
    }
    struct weak_store *s = weak_stores(x) + place;
    if (place == x->len)
        x->rank = rank;
    __builtin_memmove(s + 1, s, (x->len - place) * sizeof *s);
    *s = (struct weak_store){.rank = rank, .value = value, .event = NO_EVENT};
    x->len++;
    return s;
}

/* ---- behind the instruction -------------------------------------------------------------- */

static void raise_sc(uint32_t number, uint64_t rank)
{
    tree_raise(&rt.weak.sc, place_in_view(number), rank);
}

/* What it gets to know by reading this store. */
static void reads(struct thr *t, uint32_t number, const struct weak_store *m, uint32_t order)
{
    struct weak_thr *w = weak_of(t);
    if (rt.set.weak == WEAK_X86)
        x86_read(t, m);
    if (m != weak_stores(&rt.weak.locs[number])) /* nobody can read behind the oldest one */
        weak_see(&w->cur, number, m->rank);
    bool is_own = m->is_made && m->thr == t->id && !m->is_rmw;
    if (!is_own) /* else it knows all that it has let others know */
        know_join(order_acquires(order) ? &w->cur : &w->pend, m->k);
    if (order_is_sc(order))
        raise_sc(number, m->rank);
}

/* The store part of an operation; k of what it read, if it is a read-modify-write. */
static struct weak_store *writes(struct thr *t, uint32_t number, uint32_t place, uint64_t value,
                                 uint32_t order, const struct know *read)
{
    struct weak_thr *w = weak_of(t);
    struct know k = read ? know_hold(*read) : (struct know){0};
    struct weak_store *s = insert(&rt.weak.locs[number], number, place, value);
    weak_see(&w->cur, number, s->rank);
    struct know own = order_releases(order) ? weak_publish(t) : know_hold(w->rel);
    if (k.view || k.clock) {
        know_join(&k, own);
        know_drop(&own);
    } else {
        k = own;
    }
    s->k = k;
    s->thr = t->id;
    s->is_rmw = read;
    s->is_made = true;
    if (rt.set.weak == WEAK_X86)
        x86_stored(t, number, s, read || order_is_sc(order));
    if (order_is_sc(order))
        raise_sc(number, s->rank);
    return s;
}

static void put_back(const struct weak_loc *x)
{
    memory_put((void *)(uintptr_t)x->addr, x->size, newest(x)->value);
}

static void tell_stale(struct thr *t, unsigned kind, const struct weak_loc *x, uint64_t event,
                       struct __heddle_site *site)
{
    if (!rt.weak.is_marked) {
        rt.weak.is_marked = true;
        record_flag(TRACE_WEAK);
    }
    if (rt.recording && rt.accesses)
        record_event(t, &(struct ev){.kind = (uint8_t)kind, .addr = x->addr, .ref = event},
                     site);
}

/* What of an operation without a history, or too wide for one. */
static void plain_operation(struct thr *t, unsigned kind)
{
    exchange_all(t, &rt.weak.overflow, kind != EV_ATOMIC_STORE, kind != EV_ATOMIC_LOAD);
}

/* What was read is not what was chosen: somebody wrote there whom we do not see. */
static bool is_foreign(struct weak_loc *x, const struct weak_op *op, uint64_t value)
{
    if (LIKELY(weak_stores(x)[op->place].value == value))
        return false;
    restart_foreign(x, memory_get((const void *)(uintptr_t)x->addr, x->size));
    return true;
}

/* What the hook before has prepared; nothing, if there was none. */
static struct weak_op take_op(const struct thr *t)
{
    struct weak_op op = weak_of(t)->op;
    weak_of(t)->op = (struct weak_op){0};
    return op;
}

struct weak_done weak_loaded(struct thr *t, uint64_t value, uint32_t order,
                             struct __heddle_site *site)
{
    struct weak_op op = take_op(t);
    if (op.loc == OVERFLOW_LOC) {
        plain_operation(t, EV_ATOMIC_LOAD);
        return (struct weak_done){0};
    }
    struct weak_loc *x = &rt.weak.locs[op.loc];
    if (UNLIKELY(is_foreign(x, &op, value)))
        return (struct weak_done){0};
    const struct weak_store *m = &weak_stores(x)[op.place];
    if (op.is_staged) {
        put_back(x);
        tell_stale(t, EV_STALE, x, m->event, site);
    }
    reads(t, op.loc, m, order);
    weak_atomic(t, x->addr, x->size, false, site);
    return (struct weak_done){.is_stale = op.is_staged};
}

struct weak_done weak_stored(struct thr *t, uint64_t value, uint32_t order,
                             struct __heddle_site *site)
{
    struct weak_op op = take_op(t);
    if (op.loc == OVERFLOW_LOC) {
        plain_operation(t, EV_ATOMIC_STORE);
        return (struct weak_done){0};
    }
    struct weak_loc *x = &rt.weak.locs[op.loc];
    bool is_early = op.place < x->len;
    if (is_early) {
        put_back(x);
        tell_stale(t, EV_EARLY, x, weak_stores(x)[op.place].event, site);
    }
    weak_atomic(t, x->addr, x->size, true, site);
    struct weak_store *s = writes(t, op.loc, op.place, value, order, NULL);
    return (struct weak_done){s, is_early};
}

struct weak_done weak_changed(struct thr *t, uint64_t before, uint64_t after, uint32_t order,
                              struct __heddle_site *site)
{
    struct weak_op op = take_op(t);
    if (op.loc == OVERFLOW_LOC) {
        plain_operation(t, EV_RMW);
        return (struct weak_done){0};
    }
    struct weak_loc *x = &rt.weak.locs[op.loc];
    if (UNLIKELY(is_foreign(x, &op, before)))
        return (struct weak_done){0};
    struct weak_store *m = &weak_stores(x)[op.place];
    if (op.is_staged) {
        put_back(x);
        tell_stale(t, EV_STALE, x, m->event, site);
        tell_stale(t, EV_EARLY, x, m[1].event, site);
    }
    reads(t, op.loc, m, order);
    weak_atomic(t, x->addr, x->size, true, site);
    struct know k = know_hold(m->k);
    struct weak_store *s = writes(t, op.loc, op.place + 1, after, order, &k);
    know_drop(&k);
    return (struct weak_done){s, op.is_staged};
}

void weak_is_event(const struct weak_done *d, uint64_t event)
{
    d->store->event = event;
}

void weak_fence(struct thr *t, uint32_t order)
{
    struct weak_thr *w = weak_of(t);
    if (order_acquires(order)) {
        know_join(&w->cur, w->pend);
        know_drop(&w->pend);
    }
    if (order_is_sc(order)) {
        tree_join(&w->cur.view, rt.weak.sc);
        tree_drop(&rt.weak.sc);
        rt.weak.sc = tree_hold(w->cur.view);
        x86_flush(t);
    }
    if (order_releases(order)) {
        struct know own = weak_publish(t);
        know_drop(&w->rel);
        w->rel = own;
    }
}

void weak_fence_all(struct thr *t)
{
    uint32_t sc = WORD_VALUE(ORDER, SEQ_CST);
    weak_fence(t, sc);
    for (uint32_t i = 0; i < rt.thread_count; i++)
        if (&rt.threads[i] != t) /* who has ended has left its processor by one, too */
            weak_fence(&rt.threads[i], sc);
    weak_fence(t, sc);
    rt.weak.left_out = true; /* nothing tells the policy exhaustive what that conflicts with */
}

/* ---- threads ----------------------------------------------------------------------------- */

void weak_created(struct thr *parent, struct thr *child)
{
    struct weak_thr *w = weak_of(child);
    x86_flush(parent);
    *w = (struct weak_thr){.cur = weak_publish(parent), .clock = 1};
}

void weak_joined(struct thr *t, struct thr *peer)
{
    x86_flush(peer);
    struct weak_thr *w = weak_of(peer);
    tree_raise(&w->cur.clock, peer->id, w->clock);
    know_join(&weak_of(t)->cur, w->cur);
}

/* ---- the end ----------------------------------------------------------------------------- */

static void tell_count(struct text *t, uint64_t count, const char *what)
{
    if (!count)
        return;
    text_put(t, t->len ? ", " : "");
    text_number(t, count);
    text_put(t, what);
}

void weak_tell(void)
{
    char buf[400];
    struct text t = {buf, 0, sizeof buf};
    if (!rt.weak.on)
        return;
    tell_count(&t, rt.weak.cut, " times the oldest store of an object cut (--weak-history)");
    tell_count(&t, rt.weak.mixed, " objects accessed with another size before");
    tell_count(&t, rt.weak.wide, " accesses too wide, or not aligned");
    tell_count(&t, rt.weak.foreign, " objects written by what is not instrumented");
    tell_count(&t, know_is_full(), " time no room for what threads know");
    if (t.len)
        outcome_doubt(DOUBT_WEAK, buf);
}

/* ---- start ------------------------------------------------------------------------------- */

void weak_start(struct thr *main)
{
    if (rt.set.weak == WEAK_OFF)
        return;
    uint64_t stores = (uint64_t)LOCS_MAX * 2 * rt.set.history * sizeof(struct weak_store);
    uint64_t locs = LOCS_MAX * sizeof(struct weak_loc), buckets = BUCKETS * sizeof(uint32_t);
    uint64_t threads = THREADS_MAX * sizeof(struct weak_thr);
    uint8_t *at = memory_reserve(WEAK_AT, stores + locs + threads + buckets + PAGES * 2);
    if (!at)
        outcome_unsupported("weak behaviour of atomics: no address space");
    rt.weak.stores = (struct weak_store *)(void *)at;
    rt.weak.locs = (struct weak_loc *)(void *)(at + stores);
    rt.weak.thr = (struct weak_thr *)(void *)(at + stores + locs);
    rt.weak.buckets = (uint32_t *)(void *)(at + stores + locs + threads);
    rt.weak.pages = (uint16_t *)(void *)(at + stores + locs + threads + buckets);
    rt.weak.loc_count = 1; /* 0 is none */
    know_start();
    weak_sync_start();
    weak_race_start();
    weak_of(main)->clock = 1;
    rt.weak.on = true;
    record_weak_mode();
}

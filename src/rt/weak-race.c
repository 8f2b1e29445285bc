/* SPDX-License-Identifier: Apache-2.0
 *
 * weak-race: data races of a run with --weak, as C11 means them: two accesses of the same bytes
 * by two threads, one of them a write and one of them no atomic, neither of which happens
 * before the other by what the threads got to know. Of each word of the target the last few
 * accesses are kept, which misses races and invents none (as in ThreadSanitizer). */
#include "rt/weak.h"

#define RACES_AT 0x460000000000ULL
enum { WORDS_LOG2 = 18, SLOTS = 4, PAGES = 1 << 14, TOLD_MAX = 4 };

struct slot {
    uint64_t clock; /* 0: unused */
    struct __heddle_site *site;
    uint16_t thr;
    uint8_t bytes; /* of the word, a bit each */
    bool is_write : 1, is_atomic : 1;
};

struct weak_word {
    uint64_t at; /* address / 8; 0: unused */
    uint32_t next;
    bool has_plain; /* some slot is, or was, no atomic: there can be a race */
    struct slot slots[SLOTS];
};

static struct weak_word *word_at(uint64_t at)
{
    return &rt.weak.words[at * 0x9e3779b97f4a7c15ULL >> (64 - WORDS_LOG2)];
}

static uint16_t *page_of(uint64_t at)
{
    return &rt.weak.word_pages[at >> 9 & (PAGES - 1)];
}

static bool happens_before(const struct slot *s, const struct thr *t)
{
    return tree_get(weak_of(t)->cur.clock, s->thr) >= s->clock;
}

static void say_access(struct text *out, const struct slot *s)
{
    text_put(out, s->is_atomic ? "an atomic " : "a ");
    text_put(out, s->is_write ? "write of " : "read of ");
    const char *name = s->site ? __heddle_site_text(s->site, s->site->name) : "";
    text_put(out, *name ? name : "memory");
    text_put(out, " by T");
    text_number(out, s->thr);
    text_put(out, " at ");
    text_site(out, s->site);
}

static bool is_told(const struct slot *a, const struct slot *b)
{
    for (uint32_t i = 0; i < rt.weak.race_count; i++)
        if (rt.weak.races[i][0] == a->site && rt.weak.races[i][1] == b->site)
            return true;
    return false;
}

static void tell(const struct slot *a, const struct slot *b)
{
    char buf[1000];
    struct text text = {buf, 0, sizeof buf};
    if (rt.weak.race_count == TOLD_MAX || is_told(a, b))
        return;
    rt.weak.races[rt.weak.race_count][0] = a->site;
    rt.weak.races[rt.weak.race_count++][1] = b->site;
    say_access(&text, a);
    text_put(&text, ", then ");
    say_access(&text, b);
    outcome_doubt(DOUBT_RACE, buf);
}

static struct weak_word *word_of(uint64_t at)
{
    struct weak_word *w = word_at(at);
    if (w->at != at) {
        if (w->at)
            --*page_of(w->at);
        ++*page_of(at);
        *w = (struct weak_word){.at = at};
    }
    return w;
}

/* Says all about these bytes that the slot says. */
static bool covers(const struct slot *now, const struct slot *s)
{
    return !(s->bytes & ~now->bytes) && now->is_write >= s->is_write &&
           now->is_atomic <= s->is_atomic;
}

static bool can_race(const struct slot *s, const struct slot *now)
{
    return s->thr != now->thr && (s->bytes & now->bytes) && (s->is_write || now->is_write) &&
           !(s->is_atomic && now->is_atomic);
}

static void touch(struct thr *t, uint64_t at, const struct slot *now)
{
    struct weak_word *w = word_of(at);
    struct slot *place = NULL;
    w->has_plain |= !now->is_atomic;
    for (struct slot *s = w->slots; s < w->slots + SLOTS; s++) {
        if (!s->clock) {
            place = place ? place : s;
            continue;
        }
        bool is_covered = covers(now, s), conflicts = can_race(s, now);
        if (!is_covered && !conflicts)
            continue;
        bool is_before = s->thr == now->thr || happens_before(s, t);
        if (conflicts && !is_before)
            tell(s, now);
        if (!is_covered || !is_before)
            continue;
        if (place && place->clock)
            s->clock = 0;
        else
            place = s;
    }
    if (!place)
        place = &w->slots[w->next++ % SLOTS];
    *place = *now;
}

/* Atomics alone do not race: the thread's last access takes the place of the one before. */
static bool touch_again(uint64_t at, const struct slot *now)
{
    struct weak_word *w = word_at(at);
    if (w->at != at || w->has_plain)
        return false;
    for (struct slot *s = w->slots; s < w->slots + SLOTS; s++) {
        if (s->clock && s->thr == now->thr && covers(now, s)) {
            *s = *now;
            return true;
        }
    }
    return false;
}

static uint8_t bytes_in(uint64_t at, uint64_t addr, uint64_t end)
{
    uint64_t low = at << 3, from = addr > low ? addr - low : 0;
    uint64_t to = end < low + 8 ? end - low : 8;
    return (uint8_t)((0xff << from) & (0xff >> (8 - to)));
}

static void touch_all(struct thr *t, uint64_t addr, uint64_t len, struct slot now)
{
    enum { LONG_BYTES = 1 << 16 }; /* of a longer range, the first part */
    uint64_t end = addr + (len < LONG_BYTES ? len : LONG_BYTES);
    for (uint64_t at = addr >> 3; at << 3 < end; at++) {
        now.bytes = bytes_in(at, addr, end);
        touch(t, at, &now);
    }
}

static struct slot slot_of(const struct thr *t, bool is_write, bool is_atomic,
                           struct __heddle_site *site)
{
    return (struct slot){.clock = weak_of(t)->clock,
                         .site = site,
                         .thr = (uint16_t)t->id,
                         .is_write = is_write,
                         .is_atomic = is_atomic};
}

void weak_plain(struct thr *t, uint64_t addr, uint64_t len, bool is_write,
                struct __heddle_site *site)
{
    if (is_write && !is_on_stack(t, addr))
        x86_flush(t); /* others see it at once, so all before it has left the buffer */
    if (know_is_full() || len == 0)
        return;
    if (is_write)
        weak_overwritten(addr, len);
    touch_all(t, addr, len, slot_of(t, is_write, false, site));
}

void weak_atomic(struct thr *t, uint64_t addr, uint32_t size, bool is_write,
                 struct __heddle_site *site)
{
    if (know_is_full())
        return;
    struct slot now = slot_of(t, is_write, true, site);
    now.bytes = (uint8_t)(((1u << size) - 1) << (addr & 7)); /* aligned, at most 8 bytes */
    if (!touch_again(addr >> 3, &now))
        touch(t, addr >> 3, &now);
}

void weak_words_end(uint64_t addr, uint64_t len)
{
    uint64_t end = (addr + len + 7) >> 3;
    for (uint64_t at = addr >> 3; at < end;) {
        struct weak_word *w = word_at(at);
        if (*page_of(at) && w->at == at) {
            w->at = 0;
            --*page_of(at);
        }
        at = *page_of(at) ? at + 1 : (at | 511) + 1;
    }
}

/* A free is a write of all of it: who has used the block must have told whoever frees it, and
 * who uses it later is told as well. */
void weak_freed(struct thr *t, uint64_t addr, uint64_t len, struct __heddle_site *site)
{
    uint64_t end = addr + len;
    struct slot now = slot_of(t, true, false, site);
    weak_overwritten(addr, len);
    for (uint64_t at = addr >> 3; at << 3 < end && !know_is_full();) {
        if (*page_of(at) && word_at(at)->at == at) {
            now.bytes = bytes_in(at, addr, end);
            touch(t, at, &now);
        }
        at = *page_of(at) ? at + 1 : (at | 511) + 1;
    }
}

void weak_race_start(void)
{
    uint64_t words = sizeof(struct weak_word) << WORDS_LOG2;
    uint8_t *at = memory_reserve(RACES_AT, words + PAGES * sizeof(uint16_t));
    if (!at)
        outcome_unsupported("weak behaviour of atomics: no address space");
    rt.weak.words = (struct weak_word *)(void *)at;
    rt.weak.word_pages = (uint16_t *)(void *)(at + words);
}

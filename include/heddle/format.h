/* SPDX-License-Identifier: Apache-2.0
 *
 * format: how one run is laid out on disk. Every byte is described in docs/format.md.
 *
 * The runtime writes and trace/ reads, so encode and decode stand side by side here as
 * inline functions without any library call; they are used inside somebody else's process.
 *
 *   file   = head, block, block, ...            a block starts every BLOCK_BYTES
 *   block  = block head, record, record, ..., 0 ...
 *   record = definition | switch | event | repeat    first byte: what it is, never 0
 *
 * Bytes are only appended and fresh pages are zero. A record's first byte is stored last:
 * whoever dies between two instructions leaves a file that reads up to the last whole record.
 * Both sides keep the same guesses (last address per site, last value per address) and only
 * the difference is stored; guesses start anew with each block. */
#ifndef HEDDLE_FORMAT_H
#define HEDDLE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#define TRACE_MAGIC 0x4543415254444448ULL /* "HDDTRACE" */
#define LOG_MAGIC 0x21474f4c4c444448ULL   /* "HDDLLOG!" */
#define TRACE_VERSION 2u

/* Where things of the system are that events speak of (docs/format.md): no memory is there. The
 * first one is all other processes. */
#define PIN_ADDRESS \
    8ULL /* of an external-write: what is behind it stays behind all before it */
#define THING_ADDRESS (1ULL << 56)
#define THING_OUTSIDE_ADDRESS (THING_ADDRESS + 8)
#define BLOCK_MAGIC 0x4b4c4248u         /* "HBLK" */
#define ADDRESS_MASK ((1ULL << 47) - 1) /* plain accesses are stored modulo this */
#define NO_EVENT UINT64_MAX
#define NO_ID UINT32_MAX /* no thread, no site */

enum {
    BLOCK_BYTES = 1 << 20,
    TEXT_MAX_BYTES = 1000,    /* of one text in a record; longer ones are cut */
    EVENT_MAX_BYTES = 128,    /* of one event without its text */
    RECORD_MAX_BYTES = 16384, /* of any record */
    DEPENDS_MAX = 1000,       /* sites that one site may name as its sources */
    GUESS_COUNT = 4096,
    REPEAT_RECORD_BYTES = 8,
    REPEAT_COUNT_MAX = 1 << 16, /* events that one record lets happen again */
};

enum trace_flag {
    TRACE_BRANCHES = 1, /* branch events are complete: prediction may use mode sound */
    TRACE_VALUES = 2,   /* values are what the program saw */
    TRACE_HASHED = 4,   /* values are hashes of what the program saw */
    TRACE_IMPORTED = 8, /* addresses were made up by an importer */
    TRACE_UNENFORCED =
        16,            /* locks recorded but not enforced: sections of one lock may overlap */
    TRACE_CLOSED = 32, /* the writer came to its end */
    TRACE_WEAK = 64,   /* stale reads or early stores happened: not sequentially consistent */
};

struct trace_head {
    uint64_t magic;
    uint32_t version, flags;
    uint32_t block_bytes, reserved0;
    uint64_t event_count; /* valid if TRACE_CLOSED */
    uint64_t full_bytes;  /* of the file with all repeats written out; 0: not known */
    uint64_t reserved[3];
};
_Static_assert(sizeof(struct trace_head) == 64, "on-disk layout: bump TRACE_VERSION");

struct block_head {
    uint32_t magic;
    uint32_t used_bytes;  /* of the block, its head included; 0 while it is being written */
    uint64_t first_event; /* number of the first event in it */
    uint64_t sum;         /* block_sum() of what is used behind this head; 0 = none */
    uint32_t thr;         /* who runs at its start */
    uint32_t reserved;
};
_Static_assert(sizeof(struct block_head) == 32, "on-disk layout: bump TRACE_VERSION");

enum ev_kind {
    EV_NONE,
#define EV(kind, text, acts_on, fields, help) EV_##kind,
#include "heddle/event.def"
#undef EV
    EV_COUNT
};

#define WORD(list, name, text, help) list##_##name,
enum word {
/* one enumeration; WORD_VALUE(list, name) gives the value within its list */
#include "heddle/words.def"
};
#undef WORD
#define WORD_VALUE(list, name) ((uint8_t)((int)list##_##name - (int)list##_FIRST))
enum word_first {
    ORDER_FIRST = ORDER_RELAXED,
    FLAG_FIRST = FLAG_SHARED,
    BRANCH_FIRST = BRANCH_EXPLICIT,
    CLASS_FIRST = CLASS_MEMORY,
    MARK_FIRST = MARK_BEGIN,
    SWITCH_FIRST = SWITCH_START,
    OUTCOME_FIRST = OUTCOME_EXIT,
    WAITS_FIRST = WAITS_NOTHING,
    WORD_COUNT = WAITS_CHANGE + 1,
};
enum word_count {
    ORDER_COUNT = FLAG_FIRST - ORDER_FIRST,
    FLAG_COUNT = BRANCH_FIRST - FLAG_FIRST,
    BRANCH_COUNT = CLASS_FIRST - BRANCH_FIRST,
    CLASS_COUNT = MARK_FIRST - CLASS_FIRST,
    MARK_COUNT = SWITCH_FIRST - MARK_FIRST,
    SWITCH_COUNT = OUTCOME_FIRST - SWITCH_FIRST,
    OUTCOME_COUNT = WAITS_FIRST - OUTCOME_FIRST,
    WAITS_COUNT = WORD_COUNT - WAITS_FIRST,
};
/* A `hear` at this address says since when the cause of its thread's next event, an
 * external-write or handler-enter, can have come: threads that did nothing after the event that
 * was heard of are not it. No memory is there. */
#define CAUSE_ADDRESS (1ULL << 56)

#define FLAG(name) ((uint8_t)(1u << WORD_VALUE(FLAG, name)))

enum trace_op {
    OP_END = 0,
    /* 1 .. EV_COUNT - 1: an event in its general form */
    OP_SITE = 0x60,
    OP_THREAD,
    OP_OBJECT,
    OP_SWITCH,
    OP_REPEAT,
    OP_BEGINS,        /* of the object that is defined next */
    OP_ACCESS = 0x80, /* | write << 6 | log2(size) << 4 | value code << 2 | address code */
};
_Static_assert((int)EV_COUNT <= (int)OP_SITE, "event kinds and definitions share a byte");

/* One event, unpacked. Only the fields that its kind has mean anything. */
struct ev {
    uint8_t kind, size, order, flags, word;
    uint32_t thr, site, peer;
    uint64_t addr, len, value, value2, number;
    uint64_t ref; /* an earlier event's number, or NO_EVENT */
    const char *text;
    uint32_t text_len;
};

struct def_text {
    const char *at; /* borrowed: lives in the mapping, or in the caller */
    uint32_t len;
};

struct def_site {
    struct def_text file, function, name;
    uint32_t line, column;
    uint32_t statement;     /* same number in one function: same statement */
    uint32_t unit, ordinal; /* which translation unit, which of its sites */
    bool is_volatile;       /* the source says so of what is accessed */
    uint32_t depends_count;
    const uint8_t *depends; /* varints: ordinals in the same unit whose values may reach it */
};

struct def_thread {
    uint32_t parent; /* NO_ID: there from the start */
    uint32_t spawn;  /* it is the parent's k-th, from 0 */
    struct def_text name;
};

struct def_object {
    uint8_t class;
    uint64_t addr, size;
    struct def_text name;
    struct def_text begins; /* bit n: its nth word of 8 bytes is not zero when the run begins */
};

struct guess_value {
    uint64_t addr, value;
};

/* What both sides know at a place in the stream. */
struct trace_guess {
    uint64_t addr[GUESS_COUNT];            /* by site */
    struct guess_value value[GUESS_COUNT]; /* by address */
    uint32_t site, thr;
    uint32_t def_line;                      /* of the last site defined */
    struct def_text def_file, def_function; /* of the last site defined */
};

/* ---- small change ------------------------------------------------------------------ */

static inline uint64_t fmt_load64(const uint8_t *p)
{
    uint64_t v;
    __builtin_memcpy(&v, p, 8);
    return v;
}

static inline void fmt_store64(uint8_t *p, uint64_t v)
{
    __builtin_memcpy(p, &v, 8);
}

static inline uint64_t fmt_zigzag(int64_t v)
{
    return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t fmt_unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static inline uint8_t *fmt_put_varint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

/* At most 10 bytes; bits past 64 are lost, so every byte sequence has a meaning. */
static inline const uint8_t *fmt_get_varint(const uint8_t *p, uint64_t *out)
{
    uint64_t v = *p & 0x7f;
    for (unsigned shift = 7; *p++ & 0x80; shift += 7) {
        if (shift > 63)
            break;
        v |= (uint64_t)(*p & 0x7f) << shift;
    }
    *out = v;
    return p;
}

/* Bytes behind the operation that an access's address and value take, by their codes. */
static inline unsigned fmt_addr_bytes(unsigned code)
{
    return (0x6310u >> (code * 4)) & 15;
}

static inline unsigned fmt_value_bytes(unsigned code)
{
    return (0x8410u >> (code * 4)) & 15;
}

/* Address and value of an access are what both sides guess. */
static inline int access_is_still(unsigned op)
{
    return (op & 15) == 0;
}

static inline uint64_t fmt_low_bytes(uint64_t v, unsigned bytes)
{
    return bytes >= 8 ? v : v & ((1ULL << (8 * bytes)) - 1);
}

static inline uint64_t fmt_sign_extend(uint64_t v, unsigned bytes)
{
    unsigned shift = bytes >= 8 ? 0 : 64 - 8 * bytes;
    return (uint64_t)((int64_t)(v << shift) >> shift);
}

static inline struct guess_value *guess_value_at(struct trace_guess *g, uint64_t addr)
{
    return &g->value[((addr >> 2) ^ (addr >> 14)) & (GUESS_COUNT - 1)];
}

static inline void guess_reset(struct trace_guess *g, uint32_t thr)
{
    __builtin_memset(g, 0, sizeof *g);
    g->thr = thr;
}

static inline uint64_t block_sum(const uint8_t *p, uint32_t len)
{
    uint64_t a = 0x9e3779b97f4a7c15ULL, b = len, c = 1, d = 2;
    for (; len >= 32; p += 32, len -= 32) {
        a = (a ^ fmt_load64(p)) * 0xff51afd7ed558ccdULL;
        b = (b ^ fmt_load64(p + 8)) * 0xc4ceb9fe1a85ec53ULL;
        c = (c ^ fmt_load64(p + 16)) * 0x87c37b91114253d5ULL;
        d = (d ^ fmt_load64(p + 24)) * 0x4cf5ad432745937fULL;
        a ^= a >> 32, b ^= b >> 32, c ^= c >> 32, d ^= d >> 32;
    }
    for (; len > 0; p++, len--)
        a = (a ^ *p) * 0xff51afd7ed558ccdULL, a ^= a >> 29;
    uint64_t sum = a ^ (b << 1 | b >> 63) ^ (c << 2 | c >> 62) ^ (d << 3 | d >> 61);
    return sum ? sum : 1;
}

/* What field letters a kind has, as the bytes of a literal. */
static inline const char *ev_fields(unsigned kind)
{
    static const char *const fields[EV_COUNT] = {
        "",
#define EV(kind, text, acts_on, fields, help) fields,
#include "heddle/event.def"
#undef EV
    };
    return fields[kind];
}

/* A scalar in memory: its value is guessed from the last one seen at its address. */
static inline int ev_is_scalar(unsigned kind)
{
    const char *f = ev_fields(kind);
    return f[0] == 'A' && f[1] == 'Z';
}

/* The value a scalar access leaves at its address. */
static inline uint64_t ev_left_value(const struct ev *e)
{
    if (e->kind == EV_RMW || (e->kind == EV_CAS && !(e->flags & FLAG(FAILED))))
        return e->value2;
    return e->value;
}

/* ---- writing ----------------------------------------------------------------------- */

struct trace_writer {
    uint8_t *at;    /* next byte */
    uint8_t *limit; /* a record of EVENT_MAX_BYTES may start at or before it */
    uint8_t *block; /* start of the block (in the first one, of the file) */
    uint64_t event_count;
    /* Block full: closes it with block_close(), maps the next and calls block_open().
     * A negative return means that nothing more can be stored. */
    int (*turn)(struct trace_writer *w);
    void *turn_arg;
    int failed; /* nothing is written any more */
    struct trace_guess guess;
};

/* The bytes from where on are the new block; where == block except in the first one, which
 * the file's head precedes. */
static inline void block_open(struct trace_writer *w, uint8_t *block, uint8_t *where)
{
    struct block_head head = {
        .magic = BLOCK_MAGIC, .first_event = w->event_count, .thr = w->guess.thr};
    guess_reset(&w->guess, w->guess.thr);
    w->block = block;
    w->at = where + sizeof head;
    w->limit = block + BLOCK_BYTES - EVENT_MAX_BYTES;
    __builtin_memcpy(where, &head, sizeof head);
}

static inline void block_close(struct trace_writer *w, uint8_t *where)
{
    struct block_head *head = (struct block_head *)(void *)where;
    uint32_t used = (uint32_t)(w->at - where);
    head->sum = block_sum(where + sizeof *head, used - (uint32_t)sizeof *head);
    __asm__ volatile("" ::: "memory");
    head->used_bytes = used;
}

/* Makes room for a record; 0 if there is none. Once that has failed nothing fits any more,
 * whatever its size: the last block may be gone. */
static inline int trace_room(struct trace_writer *w, uint32_t bytes)
{
    if (__builtin_expect(w->at + bytes > w->limit + EVENT_MAX_BYTES, 0)) {
        if (!w->failed && w->turn(w) < 0) {
            w->failed = 1;
            w->limit = w->at - EVENT_MAX_BYTES - 1;
        }
        return !w->failed;
    }
    return 1;
}

/* The first byte last: it makes the record exist. */
static inline void trace_commit(struct trace_writer *w, uint8_t *end, uint8_t op)
{
    __asm__ volatile("" ::: "memory");
    *(volatile uint8_t *)w->at = op;
    w->at = end;
}

static inline uint8_t *fmt_put_site(struct trace_guess *g, uint8_t *p, uint32_t site)
{
    uint64_t d = fmt_zigzag((int64_t)site - (int64_t)g->site);
    g->site = site;
    if (__builtin_expect(d >= 1u << 14, 0))
        return fmt_put_varint(p, d);
    /* one or two bytes without a branch; a second one that is not used is 0, as it was */
    unsigned two = d > 0x7f;
    p[0] = (uint8_t)(d | two << 7);
    p[1] = (uint8_t)(d >> 7);
    return p + 1 + two;
}

static inline int trace_put_thread(struct trace_writer *w, uint32_t thr)
{
    if (thr == w->guess.thr)
        return 1;
    if (!trace_room(w, EVENT_MAX_BYTES))
        return 0;
    w->guess.thr = thr;
    trace_commit(w, fmt_put_varint(w->at + 1, thr), OP_SWITCH);
    return 1;
}

/* The hot path: a plain read or write of 1 << size_log2 bytes by the thread that runs, where
 * there is room for it. The address must be below 2^47. Returns the operation. */
static inline __attribute__((always_inline)) uint8_t
trace_store_access(struct trace_writer *w, unsigned is_write, uint32_t site, uint64_t addr,
                   unsigned size_log2, uint64_t value)
{
    struct trace_guess *g = &w->guess;
    uint8_t *p = fmt_put_site(g, w->at + 1, site);

    uint64_t *last = &g->addr[site & (GUESS_COUNT - 1)];
    uint64_t d = fmt_zigzag((int64_t)(addr - *last)) & (2 * ADDRESS_MASK + 1);
    *last = addr;
    unsigned addr_code = d == 0 ? 0 : d < 1u << 8 ? 1 : d < 1u << 24 ? 2 : 3;
    fmt_store64(p, d);
    p += fmt_addr_bytes(addr_code);

    struct guess_value *known = guess_value_at(g, addr);
    uint64_t before = known->addr == addr ? known->value : 0;
    uint64_t v = fmt_zigzag((int64_t)fmt_sign_extend(value - before, 1u << size_log2));
    *known = (struct guess_value){addr, fmt_low_bytes(value, 1u << size_log2)};
    unsigned value_code = v == 0 ? 0 : v < 1u << 8 ? 1 : v < 1ULL << 32 ? 2 : 3;
    fmt_store64(p, v);
    p += fmt_value_bytes(value_code);

    w->event_count++;
    uint8_t op =
        (uint8_t)(OP_ACCESS | is_write << 6 | size_log2 << 4 | value_code << 2 | addr_code);
    trace_commit(w, p, op);
    return op;
}

static inline void trace_put_access(struct trace_writer *w, unsigned is_write, uint32_t site,
                                    uint64_t addr, unsigned size_log2, uint64_t value)
{
    if (trace_room(w, EVENT_MAX_BYTES))
        trace_store_access(w, is_write, site, addr, size_log2, value);
}

/* The records of the last `events` events, all of them plain accesses and branches, stand in
 * the `bytes` bytes before this one and happen again: so many events as the counter says, going
 * round. It starts at 0 and is counted up where it stands (trace_repeat_count). Returns the
 * counter, or NULL. */
static inline uint8_t *trace_put_repeat(struct trace_writer *w, uint8_t events, uint16_t bytes)
{
    const uint8_t *from = w->at;
    if (!trace_room(w, EVENT_MAX_BYTES) || w->at != from)
        return 0; /* another block: there is nothing before it */
    uint8_t *p = w->at;
    p[1] = events;
    __builtin_memcpy(p + 2, &bytes, 2);
    __builtin_memset(p + 4, 0, 4);
    trace_commit(w, p + REPEAT_RECORD_BYTES, OP_REPEAT);
    return p + 4;
}

static inline void trace_repeat_count(uint8_t *counter, uint32_t count)
{
    __builtin_memcpy(counter, &count, 4);
}

static inline uint8_t *fmt_put_text(uint8_t *p, struct def_text t)
{
    uint32_t len = t.len > TEXT_MAX_BYTES ? TEXT_MAX_BYTES : t.len;
    p = fmt_put_varint(p, len);
    for (uint32_t i = 0; i < len; i++)
        *p++ = (uint8_t)t.at[i];
    return p;
}

static inline uint8_t *fmt_put_field(struct trace_writer *w, uint8_t *p, char field,
                                     const struct ev *e)
{
    struct trace_guess *g = &w->guess;
    uint64_t *last = &g->addr[e->site & (GUESS_COUNT - 1)];
    struct guess_value *known;
    switch (field) {
    case 'A':
        p = fmt_put_varint(p, fmt_zigzag((int64_t)(e->addr - *last)));
        *last = e->addr;
        return p;
    case 'V':
        if (!ev_is_scalar(e->kind))
            return fmt_put_varint(p, e->value);
        known = guess_value_at(g, e->addr);
        return fmt_put_varint(
            p, fmt_zigzag((int64_t)(e->value - (known->addr == e->addr ? known->value : 0))));
    case 'W':
        return fmt_put_varint(p, fmt_zigzag((int64_t)(e->value2 - e->value)));
    case 'Z':
        *p++ = e->size;
        return p;
    case 'M':
        *p++ = e->order;
        return p;
    case 'F':
        *p++ = e->flags;
        return p;
    case 'B':
    case 'C':
    case 'R':
        *p++ = e->word;
        return p;
    case 'L':
        return fmt_put_varint(p, e->len);
    case 'N':
        return fmt_put_varint(p, e->number);
    case 'T':
        return fmt_put_varint(p, e->peer);
    case 'K':
        return fmt_put_varint(p, e->ref == NO_EVENT ? 0 : w->event_count - e->ref);
    default:
        return fmt_put_text(p, (struct def_text){e->text, e->text_len});
    }
}

/* Any event, by any thread. */
static inline void trace_put_event(struct trace_writer *w, const struct ev *e)
{
    if (!trace_put_thread(w, e->thr))
        return;
    if (e->kind <= EV_WRITE && (e->addr >> 47) == 0 && e->size <= 8 &&
        (0x116u >> e->size & 1) && e->value == fmt_low_bytes(e->value, e->size)) {
        trace_put_access(w, e->kind == EV_WRITE, e->site, e->addr,
                         (unsigned)__builtin_ctz(e->size), e->value);
        return;
    }
    if (!trace_room(w, EVENT_MAX_BYTES + (e->kind == EV_END_ASSERT ? TEXT_MAX_BYTES : 0)))
        return;
    uint8_t *p = fmt_put_site(&w->guess, w->at + 1, e->site);
    for (const char *f = ev_fields(e->kind); *f; f++)
        p = fmt_put_field(w, p, *f, e);
    if (ev_is_scalar(e->kind))
        *guess_value_at(&w->guess, e->addr) = (struct guess_value){e->addr, ev_left_value(e)};
    w->event_count++;
    trace_commit(w, p, e->kind);
}

static inline int fmt_same_text(struct def_text a, struct def_text b)
{
    return a.len == b.len && (a.len == 0 || __builtin_memcmp(a.at, b.at, a.len) == 0);
}

/* The texts must stay where they are until the block is full. */
static inline void trace_put_site(struct trace_writer *w, const struct def_site *s,
                                  const uint32_t *depends)
{
    if (!trace_room(w, RECORD_MAX_BYTES))
        return;
    struct trace_guess *g = &w->guess;
    unsigned same_file = (unsigned)fmt_same_text(s->file, g->def_file);
    unsigned same_function = (unsigned)fmt_same_text(s->function, g->def_function);
    uint32_t count = s->depends_count > DEPENDS_MAX ? DEPENDS_MAX : s->depends_count;
    uint8_t *p = w->at + 1;
    *p++ = (uint8_t)(same_file | same_function << 1 | (unsigned)s->is_volatile << 2);
    if (!same_file)
        p = fmt_put_text(p, s->file);
    if (!same_function)
        p = fmt_put_text(p, s->function);
    p = fmt_put_text(p, s->name);
    p = fmt_put_varint(p, fmt_zigzag((int64_t)s->line - (int64_t)g->def_line));
    p = fmt_put_varint(p, s->column);
    p = fmt_put_varint(p, s->statement);
    p = fmt_put_varint(p, s->unit);
    p = fmt_put_varint(p, s->ordinal);
    p = fmt_put_varint(p, count);
    for (uint32_t i = 0; i < count; i++)
        p = fmt_put_varint(p, depends[i]);
    g->def_file = s->file;
    g->def_function = s->function;
    g->def_line = s->line;
    trace_commit(w, p, OP_SITE);
}

static inline void trace_put_thread_def(struct trace_writer *w, const struct def_thread *t)
{
    if (!trace_room(w, RECORD_MAX_BYTES))
        return;
    uint8_t *p = fmt_put_varint(w->at + 1, t->parent == NO_ID ? 0 : (uint64_t)t->parent + 1);
    p = fmt_put_varint(p, t->spawn);
    trace_commit(w, fmt_put_text(p, t->name), OP_THREAD);
}

static inline void trace_put_object(struct trace_writer *w, const struct def_object *o)
{
    if (o->begins.len && trace_room(w, RECORD_MAX_BYTES))
        trace_commit(w, fmt_put_text(w->at + 1, o->begins), OP_BEGINS);
    if (!trace_room(w, RECORD_MAX_BYTES))
        return;
    uint8_t *p = w->at + 1;
    *p++ = o->class;
    p = fmt_put_varint(p, o->addr);
    p = fmt_put_varint(p, o->size);
    trace_commit(w, fmt_put_text(p, o->name), OP_OBJECT);
}

/* ---- reading ----------------------------------------------------------------------- *
 * Decoders may look at EVENT_MAX_BYTES bytes behind the record (texts excepted, which they
 * do not touch); the caller provides them and then tests the returned end against its own.
 * They accept any bytes; what the ids in an event refer to is for the caller to test. */

/* A plain access: op >= OP_ACCESS. Leaves order, flags, ... of the event as they are.
 * Without values the guesses about values are not kept. */
static inline const uint8_t *trace_get_access(struct trace_guess *g, const uint8_t *p,
                                              int values, struct ev *e)
{
    unsigned op = *p++;
    uint64_t d = *p++;
    if (__builtin_expect(d >= 0x80, 0))
        p = fmt_get_varint(p - 1, &d);
    uint32_t site = g->site + (uint32_t)fmt_unzigzag(d);
    g->site = site;

    unsigned addr_bytes = fmt_addr_bytes(op & 3);
    uint64_t *last = &g->addr[site & (GUESS_COUNT - 1)];
    uint64_t addr = *last + (uint64_t)fmt_unzigzag(fmt_low_bytes(fmt_load64(p), addr_bytes));
    addr &= ADDRESS_MASK;
    *last = addr;
    p += addr_bytes;

    unsigned value_bytes = fmt_value_bytes(op >> 2 & 3), size = 1u << (op >> 4 & 3);
    if (values) {
        struct guess_value *known = guess_value_at(g, addr);
        uint64_t before = known->addr == addr ? known->value : 0;
        uint64_t change = (uint64_t)fmt_unzigzag(fmt_low_bytes(fmt_load64(p), value_bytes));
        e->value = fmt_low_bytes(before + change, size);
        *known = (struct guess_value){addr, e->value};
    }
    e->kind = (op >> 6 & 1) ? EV_WRITE : EV_READ;
    e->size = (uint8_t)size;
    e->site = site;
    e->addr = addr;
    return p + value_bytes;
}

static inline const uint8_t *fmt_get_text(const uint8_t *p, const char **at, uint32_t *len)
{
    uint64_t n;
    p = fmt_get_varint(p, &n);
    *len = n > TEXT_MAX_BYTES ? TEXT_MAX_BYTES : (uint32_t)n;
    *at = (const char *)p;
    return p + *len;
}

static inline const uint8_t *fmt_get_field(struct trace_guess *g, const uint8_t *p, char field,
                                           uint64_t event_number, struct ev *e)
{
    uint64_t *last = &g->addr[e->site & (GUESS_COUNT - 1)];
    struct guess_value *known;
    uint64_t v;
    switch (field) {
    case 'A':
        p = fmt_get_varint(p, &v);
        e->addr = *last += (uint64_t)fmt_unzigzag(v);
        return p;
    case 'V':
        p = fmt_get_varint(p, &e->value);
        if (!ev_is_scalar(e->kind))
            return p;
        known = guess_value_at(g, e->addr);
        e->value =
            (uint64_t)fmt_unzigzag(e->value) + (known->addr == e->addr ? known->value : 0);
        return p;
    case 'W':
        p = fmt_get_varint(p, &v);
        e->value2 = e->value + (uint64_t)fmt_unzigzag(v);
        return p;
    case 'Z':
        e->size = *p;
        return p + 1;
    case 'M':
        e->order = *p;
        return p + 1;
    case 'F':
        e->flags = *p;
        return p + 1;
    case 'B':
    case 'C':
    case 'R':
        e->word = *p;
        return p + 1;
    case 'L':
        return fmt_get_varint(p, &e->len);
    case 'N':
        return fmt_get_varint(p, &e->number);
    case 'T':
        p = fmt_get_varint(p, &v);
        e->peer = v > NO_ID ? NO_ID : (uint32_t)v;
        return p;
    case 'K':
        p = fmt_get_varint(p, &v);
        e->ref = v == 0 || v > event_number ? NO_EVENT : event_number - v;
        return p;
    default:
        return fmt_get_text(p, &e->text, &e->text_len);
    }
}

/* An event in its general form: 0 < op < EV_COUNT. */
static inline const uint8_t *trace_get_event(struct trace_guess *g, const uint8_t *p,
                                             uint64_t event_number, struct ev *e)
{
    uint64_t d;
    e->kind = *p++;
    e->thr = g->thr;
    e->addr = e->value = 0; /* other fields are measured from them */
    e->flags = 0;
    e->text_len = 0;
    p = fmt_get_varint(p, &d);
    e->site = g->site += (uint32_t)fmt_unzigzag(d);
    if (e->kind == EV_BRANCH) { /* the two that are most frequent, without a loop */
        e->word = *p;
        return p + 1;
    }
    if (e->kind == EV_ACQUIRE || e->kind == EV_RELEASE) {
        p = fmt_get_varint(p, &d);
        e->addr = g->addr[e->site & (GUESS_COUNT - 1)] += (uint64_t)fmt_unzigzag(d);
        e->flags = *p++;
        return fmt_get_varint(p, &e->number);
    }
    for (const char *f = ev_fields(e->kind); *f; f++)
        p = fmt_get_field(g, p, *f, event_number, e);
    if (ev_is_scalar(e->kind))
        *guess_value_at(g, e->addr) = (struct guess_value){e->addr, ev_left_value(e)};
    return p;
}

static inline const uint8_t *fmt_get_u32(const uint8_t *p, uint32_t *out)
{
    uint64_t v;
    p = fmt_get_varint(p, &v);
    *out = v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
    return p;
}

/* Definitions are longer than an event: they need RECORD_MAX_BYTES to look at. */
static inline const uint8_t *trace_get_site(struct trace_guess *g, const uint8_t *p,
                                            struct def_site *s)
{
    uint64_t d;
    unsigned same = p[1];
    p += 2;
    s->file = g->def_file;
    s->function = g->def_function;
    s->is_volatile = same & 4;
    if (!(same & 1))
        p = fmt_get_text(p, &s->file.at, &s->file.len);
    if (!(same & 2))
        p = fmt_get_text(p, &s->function.at, &s->function.len);
    p = fmt_get_text(p, &s->name.at, &s->name.len);
    p = fmt_get_varint(p, &d);
    s->line = g->def_line + (uint32_t)fmt_unzigzag(d);
    p = fmt_get_u32(p, &s->column);
    p = fmt_get_u32(p, &s->statement);
    p = fmt_get_u32(p, &s->unit);
    p = fmt_get_u32(p, &s->ordinal);
    p = fmt_get_u32(p, &s->depends_count);
    if (s->depends_count > DEPENDS_MAX)
        s->depends_count = DEPENDS_MAX;
    s->depends = p;
    for (uint32_t i = 0; i < s->depends_count; i++)
        p = fmt_get_varint(p, &d);
    g->def_file = s->file;
    g->def_function = s->function;
    g->def_line = s->line;
    return p;
}

/* What happens again: see trace_put_repeat. */
struct trace_repeat {
    uint32_t events, bytes, count;
};

static inline const uint8_t *trace_get_repeat(const uint8_t *p, struct trace_repeat *r)
{
    uint16_t bytes;
    r->events = p[1];
    __builtin_memcpy(&bytes, p + 2, 2);
    __builtin_memcpy(&r->count, p + 4, 4);
    r->bytes = bytes;
    return p + REPEAT_RECORD_BYTES;
}

static inline const uint8_t *trace_get_thread_def(const uint8_t *p, struct def_thread *t)
{
    uint64_t parent;
    p = fmt_get_varint(p + 1, &parent);
    t->parent = parent == 0 || parent > UINT32_MAX ? NO_ID : (uint32_t)parent - 1;
    p = fmt_get_u32(p, &t->spawn);
    return fmt_get_text(p, &t->name.at, &t->name.len);
}

static inline const uint8_t *trace_get_object(const uint8_t *p, struct def_object *o)
{
    o->class = p[1];
    p = fmt_get_varint(p + 2, &o->addr);
    p = fmt_get_varint(p, &o->size);
    return fmt_get_text(p, &o->name.at, &o->name.len);
}

/* ---- the other files of a run -------------------------------------------------------- *
 * command, input, output, outcome: a log_head, then records; schedule: a log_head, then
 * choices. A record's `mark` is stored last and makes it exist. */

enum log_kind {
    LOG_COMMAND = 1,
    LOG_SCHEDULE,
    LOG_INPUT,
    LOG_OUTPUT,
    LOG_OUTCOME,
    LOG_SHARED,
    LOG_BEFORE
};

struct log_head {
    uint64_t magic;
    uint32_t version, kind;
};
_Static_assert(sizeof(struct log_head) == 16, "on-disk layout: bump TRACE_VERSION");

#define LOG_MARK 0x5a5au

struct log_record {
    uint16_t mark;
    uint16_t tag;     /* enum log_tag */
    uint32_t thr;     /* input: who asked; outcome: whose stack */
    uint32_t ordinal; /* input: its k-th call of this kind; output: the descriptor */
    int32_t error; /* input: errno of the call; outcome: steps made, in thousands, rounded up */
    int64_t result; /* input: what the call returned; outcome: code, signal, event number */
    uint64_t bytes; /* that follow, padded with zeros to a multiple of 8 */
};
_Static_assert(sizeof(struct log_record) == 32, "on-disk layout: bump TRACE_VERSION");

/* The exit code of a process that could not go on, in a run that is about another one: nobody
 * reads why. */
enum { CODE_UNRECORDED = 86 };

enum log_tag {
    TAG_ARGUMENT = 1, /* command: one each */
    TAG_DIRECTORY,
    TAG_ENVIRONMENT, /* NAME=value, one each */
    TAG_BUILD,       /* build id of the target, hexadecimal */
    TAG_CALL,    /* input: one call of the outside; its name, a zero byte, what it filled in */
    TAG_PRINTED, /* output: what went to the descriptor */
    TAG_OUTCOME, /* outcome: ordinal is the word, result the code, the text says it in full */
    TAG_STACK,   /* outcome: one thread's stack, as text */
    TAG_DOUBT,   /* outcome: ordinal is an enum doubt, the text its detail */
    TAG_WAIT, /* outcome: a thread that could not go on; ordinal is the WAITS word; log_wait */
    TAG_HOLDER,  /* outcome: who holds what the TAG_WAIT before it waits for; log_wait */
    TAG_PROCESS, /* command: a forked child's: 2/1 is the first child of the second */
    TAG_MADE,    /* command: where it was forked, as text */
    TAG_BEFORE,  /* before/log: a path and a zero byte; ordinal is an enum log_before */
};

/* What there was at a path before a run changed it, as far as the run has got. */
enum log_before {
    BEFORE_ABSENT,    /* nothing */
    BEFORE_FILE,      /* result: its mode; thr: the number of the file that holds its bytes */
    BEFORE_DIRECTORY, /* result: its mode */
    BEFORE_LINK,      /* behind the path: where it led */
    BEFORE_NODE,      /* a socket or pipe; result: its mode */
    BEFORE_RENAMED,   /* a directory, which has the path behind it now */
    BEFORE_LOST,      /* a file that could not be kept */
};

/* What a TAG_WAIT or TAG_HOLDER has, and behind it three texts, each with a zero byte at its
 * end: file, function, the name of what is waited for (empty: it has only its address). */
struct log_wait {
    uint64_t object; /* address of what is waited for; 0: none */
    uint32_t line;   /* where it waits; where it came to hold it */
    uint32_t
        number;  /* join: thread; barrier: how many are there; descriptor: which one, if there
                      * is one, or how many; holder: 1 if it has ended */
    uint32_t of; /* barrier: how many have to be there; descriptor: how many */
    uint32_t zero;
};
_Static_assert(sizeof(struct log_wait) == 24, "on-disk layout: bump TRACE_VERSION");

enum doubt {
#define DOUBT(name, word, effect, sentence) DOUBT_##name,
#include "heddle/doubt.def"
#undef DOUBT
    DOUBT_COUNT
};

/* Nothing can be concluded from the end of a run with one of these, which was good or bad. */
static inline bool doubt_forbids(enum doubt doubt, bool is_good)
{
    enum { TELLS = 0, FORBIDS = 1, DENIES = 2 };
    static const uint8_t effects[] = {
#define DOUBT(name, word, effect, sentence) effect,
#include "heddle/doubt.def"
#undef DOUBT
    };
    return effects[doubt] == FORBIDS || (effects[doubt] == DENIES && !is_good);
}

/* At this step of the running thread, thr goes on, and why. */
struct choice {
    uint64_t step;
    uint32_t thr;
    uint16_t why; /* SWITCH word */
    uint16_t mark;
};
_Static_assert(sizeof(struct choice) == 16, "on-disk layout: bump TRACE_VERSION");

/* By how much others may be late for a wait to time out, if nothing else is said. */
#define DELAY_DEFAULT_NS 250000000ULL

/* The step of the first choice, which is START, says how time goes: whether steps take none,
 * and from bit 1 on that delay in microseconds, plus 1; 0: the default. */
static inline uint64_t schedule_start(bool is_timeless, uint64_t delay_ns)
{
    uint64_t delay = delay_ns == DELAY_DEFAULT_NS ? 0 : delay_ns / 1000 + 1;
    return delay << 1 | is_timeless;
}

static inline bool schedule_is_timeless(uint64_t step)
{
    return step & 1;
}

static inline uint64_t schedule_delay_ns(uint64_t step)
{
    return step >> 1 ? ((step >> 1) - 1) * 1000 : DELAY_DEFAULT_NS;
}

/* In `shared`: so many units of 8 bytes of one place were touched by two threads. A place is
 * the life of a heap block (the n-th one, from 1) or a region, whose memory is counted from a
 * base that another run knows too. */
struct shared_range {
    uint64_t first; /* in units of 8 bytes from the place's beginning, modulo 2^64 */
    uint32_t life;
    uint32_t count;
};
_Static_assert(sizeof(struct shared_range) == 16, "on-disk layout: bump TRACE_VERSION");

#define REGION_FIRST 0x80000000u
#define REGION_PROGRAM REGION_FIRST       /* from where the program is loaded */
#define REGION_BREAK (REGION_FIRST + 1)   /* from where its data ended at the start */
#define REGION_MAPPED (REGION_FIRST + 2)  /* everything else, from the C library */
#define REGION_THREAD (REGION_FIRST + 16) /* + thread: from the upper end of its stack */

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * std-read: RAPID's STD notation, `THREAD|OP(ARG)|LOC`, becomes a binary trace. One line is
 * one event, so an event's number is its line's, counted from 0.
 *
 * A line of a frequent operation whose names are all known goes through line_quick, which
 * takes a short name and its delimiter as one word; everything else (first appearances, rare
 * operations, faults) goes through line_slow.
 *
 * Names are looked up by key. A short name's key is the name and its delimiter, as they stand
 * in the input, in one word; a long name's is a hash below a top byte of 1, which no word cut
 * from the input behind a delimiter has. */
#include "trace/std.h"

#include <string.h>

enum {
    ADDR_FIRST = 0x10000, /* objects are made up: at this address, one behind the other */
    ADDR_STEP = 16,
    ACCESS_LOG2 = 3,
    ACCESS_BYTES = 1 << ACCESS_LOG2,
    SHORT_MAX_BYTES = 7, /* with its delimiter such a name fills a word */
    CACHE_LOG2 = 13,
    LINE_MAX_BYTES = 4096, /* more than three names and an operation can take */
    LOOK_MAX_BYTES = 4096, /* of the input: std_is */
    MET_MAX_BYTES = 60,    /* of the input in a message */
};

_Static_assert(THREADS_MAX == 65535 && TEXT_MAX_BYTES == 1000 && LINE_MAX_BYTES == 4096,
               "messages give these numbers");

#define EVENTS_MAX (UINT32_MAX - 1)
#define WORD_ONES 0x0101010101010101ULL
#define LONG_KEY (1ULL << 56)

struct cached {
    uint64_t key; /* of a short name; 0: none */
    uint32_t id;
};

struct dict {
    struct map ids;         /* key -> id */
    VEC(struct text) texts; /* by id; borrowed (live in the input) */
    uint8_t delimiter;      /* behind a short name in its key */
    struct cached cache[1 << CACHE_LOG2];
};

/* Who holds a name as a lock. In a sound trace that is one thread at a time, kept here; once
 * two overlap, `thr` stays and the depths of all others are in reader.overlaps. */
struct holder {
    uint32_t thr, depth;
    bool overlapped;
};

struct reader {
    struct trace_writer *w; /* borrowed */
    const uint8_t *end;     /* of the input */
    const char *file;       /* for messages */
    struct dict threads, names, sites;
    VEC(struct holder) holders;   /* by name */
    VEC(uint32_t) fork_counts;    /* by thread */
    struct map overlaps;          /* thread << 32 | name -> depth */
    uint64_t last_key, last_mask; /* the thread of the last quick line */
    uint32_t last_thr, last_bytes;
    uint32_t dropped;
    bool branches;
};

struct line {
    struct text whole, thread, op, arg, loc;
    bool has_arg;
};

static void dict_done(struct dict *d)
{
    map_done(&d->ids);
    vec_done(&d->texts);
}

/* The caches make it too large for a stack. */
static struct reader *reader_new(struct trace_writer *w, const struct bytes *in,
                                 const char *file)
{
    struct reader *r = mem_get(sizeof *r);
    memset(r, 0, sizeof *r);
    r->w = w;
    r->end = in->at + in->len;
    r->file = file;
    r->threads.delimiter = '|';
    r->names.delimiter = ')';
    r->sites.delimiter = '\n';
    r->last_key = 1; /* is no key */
    return r;
}

static void auto_reader(struct reader **at)
{
    struct reader *r = *at;
    dict_done(&r->threads);
    dict_done(&r->names);
    dict_done(&r->sites);
    vec_done(&r->holders);
    vec_done(&r->fork_counts);
    map_done(&r->overlaps);
    free(r);
}

static int fail(const struct reader *r, const char *problem, struct text met,
                const char *advice, struct err *err)
{
    char shown[MET_MAX_BYTES + 4];
    uint32_t len = met.len < MET_MAX_BYTES ? met.len : MET_MAX_BYTES;
    for (uint32_t i = 0; i < len; i++)
        shown[i] = met.at[i] >= ' ' && met.at[i] < 0x7f ? met.at[i] : '?';
    memcpy(shown + len, met.len > len ? "..." : "", met.len > len ? 4 : 1);
    return err_set(err, "%s:%u: %s \"%s\"; %s", r->file, (uint32_t)r->w->event_count + 1,
                   problem, shown, advice);
}

/* ---- names ------------------------------------------------------------------------- */

static uint64_t short_key(const struct dict *d, struct text name)
{
    uint64_t key = 0;
    memcpy(&key, name.at, name.len);
    return key | (uint64_t)d->delimiter << (8 * name.len);
}

/* The key under which the name stands or would stand; *id is NONE if it does not. */
static uint64_t dict_find(const struct dict *d, struct text name, uint32_t *id)
{
    if (name.len <= SHORT_MAX_BYTES) {
        uint64_t key = short_key(d, name);
        *id = map_find(&d->ids, key);
        return key;
    }
    uint64_t hash = hash_bytes(name.at, name.len);
    for (;; hash += 1 << 8) {
        uint64_t key = LONG_KEY | hash >> 8;
        *id = map_find(&d->ids, key);
        if (*id == NONE || text_is(d->texts.at[*id], name))
            return key;
    }
}

static uint32_t dict_add(struct dict *d, uint64_t key, struct text name)
{
    uint32_t id = d->texts.len;
    vec_push(&d->texts, name);
    *map_at(&d->ids, key) = id;
    return id;
}

static int name_check(const struct reader *r, struct text name, struct err *err)
{
    if (name.len > TEXT_MAX_BYTES)
        return fail(r, "longer than 1000 bytes:", name, "shorten this name", err);
    if (!std_can_hold(name))
        return fail(r, "control character in", name, "names are of printable characters", err);
    return 0;
}

static int thread_id(struct reader *r, struct text name, uint32_t parent, uint32_t *out,
                     struct err *err)
{
    uint64_t key = dict_find(&r->threads, name, out);
    if (*out != NONE)
        return 0;
    if (name_check(r, name, err) < 0)
        return -1;
    if (r->threads.texts.len == THREADS_MAX)
        return fail(r, "more than 65535 threads:", name, "cut the trace before this line", err);
    *out = dict_add(&r->threads, key, name);
    vec_push(&r->fork_counts, 0);
    trace_put_thread_def(
        r->w, &(struct def_thread){.parent = parent,
                                   .spawn = parent == NO_ID ? 0 : r->fork_counts.at[parent],
                                   .name = {name.at, name.len}});
    return 0;
}

static uint64_t name_addr(uint32_t name)
{
    return ADDR_FIRST + (uint64_t)ADDR_STEP * name;
}

static int name_id(struct reader *r, struct text name, enum std_arg arg, uint32_t *out,
                   struct err *err)
{
    uint64_t key = dict_find(&r->names, name, out);
    if (*out != NONE)
        return 0;
    if (name_check(r, name, err) < 0)
        return -1;
    *out = dict_add(&r->names, key, name);
    vec_push(&r->holders, (struct holder){0});
    trace_put_object(
        r->w, &(struct def_object){.class = arg == ARG_LOCK   ? WORD_VALUE(CLASS, MUTEX)
                                            : arg == ARG_COND ? WORD_VALUE(CLASS, COND)
                                                              : WORD_VALUE(CLASS, MEMORY),
                                   .addr = name_addr(*out),
                                   .size = ACCESS_BYTES,
                                   .name = {name.at, name.len}});
    return 0;
}

/* A number as it would be printed, below NO_ID. */
static bool is_number(struct text t, uint32_t *out)
{
    uint64_t value = 0;
    if (t.len == 0 || t.len > 10 || (t.at[0] == '0' && t.len > 1))
        return false;
    for (uint32_t i = 0; i < t.len; i++) {
        if (t.at[i] < '0' || t.at[i] > '9')
            return false;
        value = 10 * value + (uint64_t)(t.at[i] - '0');
    }
    *out = (uint32_t)value;
    return value < NO_ID;
}

/* Splits FILE:NUMBER at the last colon; false if it has no such form or the number is 0. */
static bool cut_number(struct text t, struct text *file, uint32_t *number)
{
    const char *colon = memrchr(t.at, ':', t.len);
    if (!colon || colon == t.at)
        return false;
    *file = (struct text){t.at, (uint32_t)(colon - t.at)};
    return is_number((struct text){colon + 1, t.len - file->len - 1}, number) && *number > 0;
}

static struct def_site site_of(struct text loc)
{
    struct def_site s = {.file = {"", 0}, .function = {"", 0}, .name = {"", 0}};
    struct text file, shorter;
    uint32_t line, column;
    if (is_number(loc, &line)) {
        s.line = line;
    } else if (cut_number(loc, &file, &line)) {
        if (cut_number(file, &shorter, &column)) {
            s.column = line;
            line = column;
            file = shorter;
        }
        s.file = (struct def_text){file.at, file.len};
        s.line = line;
    } else {
        s.name = (struct def_text){loc.at, loc.len};
    }
    return s;
}

static int site_id(struct reader *r, struct text loc, uint32_t *out, struct err *err)
{
    uint64_t key = dict_find(&r->sites, loc, out);
    if (*out != NONE)
        return 0;
    if (name_check(r, loc, err) < 0)
        return -1;
    *out = dict_add(&r->sites, key, loc);
    struct def_site s = site_of(loc);
    trace_put_site(r->w, &s, NULL);
    /* where lines end in CRLF, the quick way meets the name with a CR behind it */
    if (loc.at[loc.len] == '\r' && loc.len < SHORT_MAX_BYTES)
        *map_at(&r->sites.ids, short_key(&r->sites, (struct text){loc.at, loc.len + 1})) = *out;
    return 0;
}

/* ---- events ------------------------------------------------------------------------ */

static uint32_t *depth_at(struct reader *r, uint32_t thr, uint32_t name)
{
    struct holder *h = &r->holders.at[name];
    if (h->depth == 0 && !h->overlapped)
        h->thr = thr;
    if (h->thr == thr)
        return &h->depth;
    h->overlapped = true;
    uint32_t *depth = map_at(&r->overlaps, (uint64_t)thr << 32 | name);
    if (*depth == NONE)
        *depth = 0;
    return depth;
}

static void put_lock(struct reader *r, struct ev *e, uint32_t name)
{
    uint32_t *depth = depth_at(r, e->thr, name);
    if (e->kind == EV_ACQUIRE) {
        ++*depth;
    } else if (*depth > 0) {
        --*depth;
    } else {
        e->flags = FLAG(FAILED);
        r->dropped++;
    }
    e->number = *depth;
    trace_put_event(r->w, e);
}

static void put_named(struct reader *r, struct ev *e, uint32_t name)
{
    e->addr = name_addr(name);
    if (e->kind == EV_ACQUIRE || e->kind == EV_RELEASE)
        put_lock(r, e, name);
    else
        trace_put_event(r->w, e);
}

/* ---- lines ------------------------------------------------------------------------- */

/* False if this is not THREAD|OP|LOC or THREAD|OP(ARG)|LOC. */
static bool line_split(struct line *l)
{
    const char *at = l->whole.at, *end = at + l->whole.len;
    const char *op = memchr(at, '|', l->whole.len);
    const char *loc = op ? memchr(op + 1, '|', (size_t)(end - op - 1)) : NULL;
    if (!loc || op == at || loc + 1 == end || memchr(loc + 1, '|', (size_t)(end - loc - 1)))
        return false;
    l->thread = (struct text){at, (uint32_t)(op - at)};
    l->loc = (struct text){loc + 1, (uint32_t)(end - loc - 1)};
    const char *arg = memchr(op + 1, '(', (size_t)(loc - op - 1));
    l->has_arg = arg;
    l->op = (struct text){op + 1, (uint32_t)((arg ? arg : loc) - op - 1)};
    if (!arg)
        return l->op.len > 0;
    l->arg = (struct text){arg + 1, (uint32_t)(loc - arg - 2)};
    return l->op.len > 0 && loc[-1] == ')';
}

static const struct std_op *op_find(struct text name)
{
    for (unsigned i = 0; i < STD_OP_COUNT; i++)
        if (text_is(std_ops[i].name, name))
            return &std_ops[i];
    return NULL;
}

static int op_unknown(const struct reader *r, struct text op, struct err *err)
{
    char advice[160] = "known are";
    for (unsigned i = 0; i < STD_OP_COUNT; i++) {
        size_t len = strlen(advice);
        snprintf(advice + len, sizeof advice - len, " %.*s", TEXT_ARG(std_ops[i].name));
    }
    return fail(r, "unknown operation", op, advice, err);
}

/* begin(T0) by T0 itself is what a logger wrote at the start of a thread, not a transaction. */
static int put_mark(struct reader *r, const struct line *l, struct ev *e, struct err *err)
{
    uint32_t name;
    if (l->has_arg && text_is(l->arg, l->thread)) {
        e->word = e->word == WORD_VALUE(MARK, BEGIN) ? WORD_VALUE(MARK, LOG_BEGIN)
                                                     : WORD_VALUE(MARK, LOG_END);
    } else if (l->has_arg) {
        if (name_id(r, l->arg, ARG_OPTIONAL, &name, err) < 0)
            return -1;
        e->addr = name_addr(name);
        e->len = ACCESS_BYTES;
    }
    trace_put_event(r->w, e);
    return 0;
}

/* Puts the event that the line's operation stands for; everything but e->site is open yet. */
static int put_op(struct reader *r, const struct line *l, const struct std_op *op, struct ev *e,
                  struct err *err)
{
    uint32_t name;
    switch (op->arg) {
    case ARG_NONE:
        r->branches = true;
        trace_put_event(r->w, e);
        return 0;
    case ARG_OPTIONAL:
        return put_mark(r, l, e, err);
    case ARG_THREAD:
        if (thread_id(r, l->arg, op->kind == EV_CREATE ? e->thr : NO_ID, &e->peer, err) < 0)
            return -1;
        if (op->kind == EV_CREATE)
            r->fork_counts.at[e->thr]++;
        trace_put_event(r->w, e);
        return 0;
    default:
        if (name_id(r, l->arg, op->arg, &name, err) < 0)
            return -1;
        put_named(r, e, name);
        return 0;
    }
}

static int line_read(struct reader *r, struct text whole, struct err *err)
{
    struct line l = {.whole = whole};
    if (r->w->event_count >= EVENTS_MAX)
        return fail(r, "more than 4294967294 events:", whole, "cut the trace here", err);
    if (!line_split(&l))
        return fail(r, "not an event:", whole, "expected THREAD|OP(ARG)|LOC", err);
    const struct std_op *op = op_find(l.op);
    if (!op)
        return op_unknown(r, l.op, err);
    bool needs_arg = op->arg != ARG_NONE && op->arg != ARG_OPTIONAL;
    if (op->arg != ARG_NONE && (l.has_arg ? l.arg.len == 0 : needs_arg))
        return fail(r, "no argument in", whole, "expected THREAD|OP(ARG)|LOC", err);

    struct ev e = {.kind = op->kind, .word = op->word, .size = ACCESS_BYTES, .ref = NO_EVENT};
    if (thread_id(r, l.thread, NO_ID, &e.thr, err) < 0 || site_id(r, l.loc, &e.site, err) < 0)
        return -1;
    return put_op(r, &l, op, &e, err);
}

static bool is_blank(const uint8_t *p, const uint8_t *end)
{
    while (p < end && (*p == '\n' || *p == '\r'))
        p++;
    return p == end;
}

/* The line at *p, which moves behind it; empty lines are tolerated where nothing follows. */
static int line_slow(struct reader *r, const uint8_t **p, struct err *err)
{
    const uint8_t *start = *p, *end = memchr(start, '\n', (size_t)(r->end - start));
    *p = end ? end + 1 : r->end;
    if (!end)
        end = r->end;
    if (end > start && end[-1] == '\r')
        end--;
    bool too_long = end - start > LINE_MAX_BYTES;
    struct text whole = {(const char *)start,
                         too_long ? LINE_MAX_BYTES : (uint32_t)(end - start)};
    if (too_long)
        return fail(r, "line longer than 4096 bytes:", whole, "expected THREAD|OP(ARG)|LOC",
                    err);
    if (whole.len > 0)
        return line_read(r, whole, err);
    if (!is_blank(*p, r->end))
        return err_set(err, "%s:%u: empty line; remove it: every line is an event", r->file,
                       (uint32_t)r->w->event_count + 1);
    *p = r->end;
    return 0;
}

/* ---- the quick way ------------------------------------------------------------------ *
 * May look at the zeros behind the input, which end no name. */

/* The lowest bit set is the top bit of the first byte that is c. Bytes from 0x80 on may hit
 * as well: what is cut there ends in no delimiter and is nobody's key. */
static inline uint64_t word_hit(uint64_t word, uint8_t c)
{
    return ((word ^ WORD_ONES * c) - WORD_ONES) & WORD_ONES << 7;
}

/* Bytes up to the one that was hit, and with it. */
static inline uint32_t hit_bytes(uint64_t hit)
{
    return ((uint32_t)__builtin_ctzll(hit) >> 3) + 1;
}

static inline uint64_t hit_mask(uint64_t hit)
{
    return hit ^ (hit - 1);
}

static uint32_t cache_fill(const struct dict *d, uint64_t key, struct cached *c)
{
    uint32_t id = map_find(&d->ids, key);
    if (id != NONE)
        *c = (struct cached){key, id};
    return id;
}

/* A name that does not end within the word at p; otherwise as name_quick. */
static const uint8_t *name_long(const struct dict *d, const uint8_t *p, uint32_t *out)
{
    const uint8_t *end = memchr(p, d->delimiter, TEXT_MAX_BYTES + 1);
    if (!end)
        return NULL;
    bool crlf = d->delimiter == '\n' && end[-1] == '\r';
    dict_find(d, (struct text){(const char *)p, (uint32_t)(end - p) - crlf}, out);
    return *out == NONE ? NULL : end + 1;
}

/* The name at p: returns where it goes on behind the delimiter, NULL if it is not known. */
static inline const uint8_t *name_quick(struct dict *d, uint8_t delimiter, const uint8_t *p,
                                        uint32_t *out)
{
    uint64_t word = fmt_load64(p), hit = word_hit(word, delimiter);
    if (!hit)
        return name_long(d, p, out);
    uint64_t key = word & hit_mask(hit);
    struct cached *c = &d->cache[key * 0x9e3779b97f4a7c15ULL >> (64 - CACHE_LOG2)];
    uint32_t id = c->id;
    if (__builtin_expect(c->key != key, 0))
        id = cache_fill(d, key, c);
    *out = id;
    return id == NONE ? NULL : p + hit_bytes(hit);
}

/* Most lines are of the same thread as the one before. */
static inline const uint8_t *thread_quick(struct reader *r, const uint8_t *p, uint32_t *out)
{
    uint64_t word = fmt_load64(p);
    if (__builtin_expect((word & r->last_mask) == r->last_key, 1)) {
        *out = r->last_thr;
        return p + r->last_bytes;
    }
    uint64_t hit = word_hit(word, '|');
    const uint8_t *next = name_quick(&r->threads, '|', p, out);
    if (next && hit) {
        r->last_mask = hit_mask(hit);
        r->last_key = word & r->last_mask;
        r->last_bytes = hit_bytes(hit);
        r->last_thr = *out;
    }
    return next;
}

static inline uint32_t op_at(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

/* What op_at finds at "r(" (its first two bytes) and at "acq(". */
#define OP2(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)
#define OP4(a, b, c, d) (OP2(a, b) | OP2(c, d) << 16)

/* False: nothing was put. */
static inline bool op_quick(struct reader *r, uint32_t op, uint32_t thr, uint32_t name,
                            uint32_t site)
{
    uint32_t op2 = op & 0xffff;
    if (op2 == OP2('r', '(') || op2 == OP2('w', '(')) {
        trace_put_thread(r->w, thr);
        trace_put_access(r->w, op2 == OP2('w', '('), site, name_addr(name), ACCESS_LOG2, 0);
        return true;
    }
    struct ev e = {.thr = thr, .site = site};
    if (op == OP4('a', 'c', 'q', '('))
        e.kind = EV_ACQUIRE;
    else if (op == OP4('r', 'e', 'l', '('))
        e.kind = EV_RELEASE;
    else if (op == OP4('r', 'e', 'q', '('))
        e.kind = EV_REQUEST;
    else
        return false;
    put_named(r, &e, name);
    return true;
}

static inline const uint8_t *branch_quick(struct reader *r, const uint8_t *p, uint32_t thr)
{
    struct ev e = {.kind = EV_BRANCH, .word = WORD_VALUE(BRANCH, EXPLICIT), .thr = thr};
    if (!(p = name_quick(&r->sites, '\n', p, &e.site)))
        return NULL;
    r->branches = true;
    trace_put_event(r->w, &e);
    return p;
}

/* The line at p: returns where the next one starts, or NULL if nothing was done. */
static inline const uint8_t *line_quick(struct reader *r, const uint8_t *p)
{
    uint32_t thr, name, site;
    if (!(p = thread_quick(r, p, &thr)) || r->w->event_count >= EVENTS_MAX)
        return NULL;
    uint32_t op = op_at(p);
    if ((op & 0xffffff) == OP4('b', 'r', '|', 0))
        return branch_quick(r, p + 3, thr);
    p += 4 - 2 * (p[1] == '(');
    if (!(p = name_quick(&r->names, ')', p, &name)) || *p != '|')
        return NULL;
    if (!(p = name_quick(&r->sites, '\n', p + 1, &site)))
        return NULL;
    return op_quick(r, op, thr, name, site) ? p : NULL;
}

int std_read(const struct bytes *in, const char *name, struct bytes *out, uint32_t *dropped,
             struct err *err)
{
    AUTO(trace_out) struct trace_out *made = trace_out_new(TRACE_IMPORTED);
    AUTO(reader) struct reader *r = reader_new(trace_out_writer(made), in, name);
    for (const uint8_t *p = in->at; p < r->end;) {
        const uint8_t *next = line_quick(r, p);
        if (next)
            p = next;
        else if (line_slow(r, &p, err) < 0)
            return -1;
    }
    if (trace_out_bytes(made, r->branches ? TRACE_BRANCHES : 0, out, err) < 0)
        return err_in(err, "%s", name);
    *dropped = r->dropped;
    return 0;
}

bool std_is(const struct bytes *in)
{
    const uint8_t *p = in->at;
    const uint8_t *end = p + (in->len < LOOK_MAX_BYTES ? in->len : LOOK_MAX_BYTES);
    while (p < end && (*p == '\n' || *p == '\r'))
        p++;
    const uint8_t *stop = memchr(p, '\n', (size_t)(end - p));
    if (!stop && in->len > LOOK_MAX_BYTES)
        return false;
    if (!stop)
        stop = end;
    if (stop > p && stop[-1] == '\r')
        stop--;
    struct line l = {.whole = {(const char *)p, (uint32_t)(stop - p)}};
    if (!line_split(&l))
        return false;
    for (uint32_t i = 0; i < l.op.len; i++)
        if ((l.op.at[i] < 'a' || l.op.at[i] > 'z') && l.op.at[i] != '_')
            return false;
    return true;
}

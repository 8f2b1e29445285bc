/* SPDX-License-Identifier: Apache-2.0
 *
 * trace: the record of one run, read from and written to files.
 *
 * Whatever the file holds (our binary format, the text notation, STD; packed or not) becomes
 * the binary format in memory, and is walked with a cursor. Definitions of sites, threads and
 * objects stand in the stream before their first use; the cursor that meets them first adds
 * them to the trace's tables. Everything an event refers to has been checked when trace_next
 * returns it: nobody behind it doubts again. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "base/err.h"
#include "base/io.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "heddle/format.h"

enum { THREADS_MAX = 65535 };

/* ---- names of kinds and words -------------------------------------------------------- */

enum acts_on {
    ON_NONE,
    ON_MEMORY,
    ON_BLOCK,
    ON_SYNC,
    ON_LOCK,
    ON_COND,
    ON_SEM,
    ON_BARRIER,
    ON_ONCE,
    ON_FUTEX,
    ON_CHANNEL,
};

static inline struct text text_from(struct def_text t)
{
    return (struct text){t.at, t.len};
}

const char *ev_text(unsigned kind); /* "read" */
enum acts_on ev_acts_on(unsigned kind);
bool ev_is_access(unsigned kind); /* reads or writes memory, plain, atomic or a range */
/* Ends the life of a heap block, or of a variable of a frame that is left. */
static inline bool ev_ends_life(unsigned kind)
{
    return kind == EV_FREE || kind == EV_STACK_LEAVE;
}
unsigned ev_kind_of(struct text name); /* EV_NONE if there is none */
/* The CLASS word of what is used in this way; a lock of any sort is a mutex. */
uint8_t class_of_use(enum acts_on on);
enum acts_on use_of_class(uint8_t class); /* of a sync object */

/* list is ORDER_FIRST, FLAG_FIRST, ...; value counts from 0. NULL past the end of the list. */
const char *word_text(unsigned list, unsigned value);
uint32_t word_of(unsigned list, struct text name); /* value, or NONE */

const char *doubt_word(enum doubt doubt);     /* "input-missing" */
const char *doubt_sentence(enum doubt doubt); /* "it asked for more input than ..." */

/* ---- a trace in memory ---------------------------------------------------------------- */

enum trace_source { FROM_BINARY, FROM_TEXT, FROM_STD };

struct trace {
    struct bytes bytes; /* owned: the binary form */
    struct trace_head head;
    enum trace_source source; /* what the file held */
    size_t file_bytes;        /* its size on disk */
    VEC(struct def_site) sites;
    VEC(struct def_thread) threads;
    VEC(struct def_object) objects;
    uint64_t events_max;   /* cursors end there; 0: where the trace does */
    uint32_t dropped;      /* lines of an imported file that could not be used */
    bool cut;              /* text_write and the like found that its writer did not end it */
    uint32_t input_thread; /* who read last from outside, plus 1; 0: nobody */
    bool hears_outside;    /* threads heard from other processes, as far as cursors came */
    bool forgets;          /* cursors say that this came after nothing that they were told */
};

/* "-" is standard input. */
int trace_open(struct trace *out, const char *path, struct err *err);
int trace_open_in(struct trace *out, const char *run, struct err *err); /* that of a run */
/* Takes over the bytes, of any of the formats; name is for messages. */
int trace_open_bytes(struct trace *out, struct bytes *take, const char *name, struct err *err);
void trace_close(struct trace *t);

static inline void auto_trace(struct trace *t)
{
    trace_close(t);
}

/* What trace_next found. */
enum item { ITEM_END, ITEM_EVENT, ITEM_SITE, ITEM_THREAD, ITEM_OBJECT };

/* What happens again, while it is read: whole rounds, then a part of one. */
struct trace_rounds {
    const uint8_t *start, *end; /* of the records of a round; NULL: nothing happens again */
    const uint8_t *next, *block_end; /* where it goes on then */
    uint32_t events;                 /* of a round */
    uint32_t left, part; /* events still to come behind this round; of the last one */
    uint64_t first;      /* number of this round's first event */
};

struct trace_cursor {
    struct trace *t;         /* borrowed */
    const uint8_t *at, *end; /* end: of the block, or of the round */
    const uint8_t *block;    /* where the current block starts; NULL before the first */
    bool open;               /* the current block was still being written */
    uint64_t number;         /* of the next event; after ITEM_EVENT, of that event plus one */
    uint64_t stop;           /* it ends before the event of this number */
    uint32_t site_count, thread_count, object_count; /* defined so far */
    struct def_text begins;                          /* of the next object */
    bool values; /* wanted; without them ev.value is undefined for plain accesses */
    bool cut;    /* at ITEM_END: the writer did not come to its end */
    struct trace_rounds rounds;
    struct trace_guess guess;
};

/* The cursor is large: keep it on the heap or in an arena, not on the stack of a library. */
void cursor_init(struct trace_cursor *c, struct trace *t);

/* Next item: enum item, or -1 if the file is corrupt here (err says where). A definition is
 * the last one of its table that the cursor has counted. */
int trace_next(struct trace_cursor *c, struct ev *out, struct err *err);

/* What trace_next says of an access that has been decoded and cannot stand. */
int trace_refuse(struct trace_cursor *c, const uint8_t *next, const struct ev *e,
                 struct err *err);

/* The same for readers that do not want values: a plain access costs no call. */
static inline int trace_next_bare(struct trace_cursor *c, struct ev *out, struct err *err)
{
    if (c->at < c->end && *c->at >= OP_ACCESS && !c->values && c->number < c->stop) {
        const uint8_t *next = trace_get_access(&c->guess, c->at, 0, out);
        if (next <= c->end && out->site < c->site_count && c->guess.thr < c->thread_count) {
            out->thr = c->guess.thr;
            c->at = next;
            c->number++;
            return ITEM_EVENT;
        }
        return trace_refuse(c, next, out, err);
    }
    return trace_next(c, out, err);
}

/* ---- what lives where ------------------------------------------------------------------- *
 * Follows definitions and allocations along the stream and says which object an address
 * belongs to at this point. */

typedef uint32_t obj_id; /* index into space.objects, in order of birth */

struct object {
    uint8_t class;
    bool is_gone;       /* another one has taken its place */
    bool is_static;     /* came from a definition, not from an allocation */
    uint32_t site, thr; /* of the allocation */
    uint32_t ordinal;   /* heap, stack: k-th of its class in the trace, from 0 */
    uint32_t same;      /* static: how many objects of this name came before */
    uint32_t at_site;   /* heap, stack: k-th at this site by this thread, from 0 */
    uint64_t addr, size;
    struct text name; /* static only */
    struct text
        begins; /* static: bit n: its nth word of 8 bytes begins as something but zero */
};

struct space;

struct space *space_new(void);
void space_free(struct space *s);
/* Call for every item the cursor returns, before looking anything up for that item. An object
 * that has ended is found until another one takes its place. */
void space_feed(struct space *s, const struct trace_cursor *c, int item, const struct ev *e);
obj_id space_find(const struct space *s, uint64_t addr); /* NONE: in no known object */
/* Of the bytes from addr to end, those up to the result lie in one object, or in none. */
uint64_t space_until(const struct space *s, uint64_t addr, uint64_t end);
const struct object *space_object(const struct space *s, obj_id id);
uint32_t space_count(const struct space *s);
size_t space_bytes(const struct space *s); /* held by it */

static inline void auto_space(struct space **s)
{
    space_free(*s);
}

/* Short unique name as in the text notation: balance, counter~2, heap#12, stack#3. */
void object_name(struct str *out, const struct object *o);
/* Name of an address: object_name, then +offset unless it is 0; 0x... if nothing is there. */
void addr_name(struct str *out, const struct space *s, uint64_t addr);
/* Long name for people: heap#12(queue.c:88)+8. */
void addr_name_long(struct str *out, const struct trace *t, const struct space *s,
                    uint64_t addr);
/* "T1 worker", or what an imported trace calls it. */
void thread_name(struct str *out, const struct trace *t, uint32_t thr);
/* "bank.c:14:5", "bank.c:14" or what an imported trace says. */
void site_name(struct str *out, const struct def_site *s);

/* Is b the same run as a? 0: yes, as far as a goes if that is cut; 1: no, where says the first
 * difference; -1: corrupt. */
int trace_compare(struct trace *a, struct trace *b, struct str *where, struct err *err);

/* ---- building a trace ------------------------------------------------------------------- */

struct trace_out; /* a writer with somewhere to write to */

/* In memory; trace_out_bytes hands the finished trace over. */
struct trace_out *trace_out_new(uint32_t flags);
/* In a file, through shared mappings, as the runtime does it: a process that dies leaves
 * everything written so far. */
struct trace_out *trace_out_create(const char *path, uint32_t flags, struct err *err);
struct trace_writer *trace_out_writer(struct trace_out *o);
/* Closes the trace and gives the bytes away (memory only). Flags are or-ed to the head's. */
int trace_out_bytes(struct trace_out *o, uint32_t flags, struct bytes *out, struct err *err);
/* Closes the file, cut to what is used. */
int trace_out_finish(struct trace_out *o, struct err *err);
void trace_out_free(struct trace_out *o);

static inline void auto_trace_out(struct trace_out **o)
{
    trace_out_free(*o);
}

/* ---- formats ------------------------------------------------------------------------------ *
 * Each reader makes a binary trace in memory from bytes it does not trust; dropped counts
 * lines that have no place in the model. Each writer appends to out. */

bool std_is(const struct bytes *in);
int std_read(const struct bytes *in, const char *name, struct bytes *out, uint32_t *dropped,
             struct err *err);
bool text_is_trace(const struct bytes *in);
int text_read(const struct bytes *in, const char *name, struct bytes *out, struct err *err);

/* Which events to print. Zero-initialised with to = NO_EVENT: all. */
struct trace_filter {
    uint64_t from, to;      /* event numbers, from <= n < to */
    VEC(uint32_t) threads;  /* empty: all */
    VEC(struct text) names; /* locations: an event is kept if it touches a byte of one */
};

bool filter_has_thread(const struct trace_filter *f, uint32_t thr);
/* Does the event touch a byte of what this name stands for: balance, table+16, 0x601040? */
bool ev_touches(const struct ev *e, const struct space *s, struct text name);
/* Of all the filter says. number is the event's. */
bool filter_keeps(const struct trace_filter *f, const struct space *s, uint64_t number,
                  const struct ev *e);

typedef int (*trace_sink)(void *arg, struct str *text, struct err *err); /* empties text */

int text_write(struct trace *t, const struct trace_filter *f, trace_sink sink, void *arg,
               struct err *err);
int std_write(struct trace *t, const struct trace_filter *f, trace_sink sink, void *arg,
              uint64_t *left_out, struct err *err);
int chrome_write(struct trace *t, const struct trace_filter *f, trace_sink sink, void *arg,
                 struct err *err);

/* A page; the title says which run it is. */
int overview_write(struct trace *t, const struct trace_filter *f, const char *title,
                   trace_sink sink, void *arg, struct err *err);

/* ---- the other files of a run ------------------------------------------------------------ */

struct log_entry {
    struct log_record head;
    const uint8_t *data; /* borrowed: lives in the file's bytes */
};

/* A TAG_WAIT or TAG_HOLDER; the texts are borrowed from the entry. */
struct log_wait_said {
    struct log_wait head;
    const char *file, *function, *name; /* "" if not known */
};
struct log_wait_said log_wait_said(const struct log_entry *e);

struct runfile {
    struct bytes bytes; /* owned */
    struct log_head head;
    VEC(struct log_entry) entries; /* all but schedule */
    VEC(struct choice) choices;    /* schedule: those of threads */
    uint32_t arrivals;             /* schedule: what it says of pieces from outside */
    bool cut;                      /* ends inside a record */
};

bool runfile_is(const struct bytes *in);
int runfile_open(struct runfile *out, const char *path, struct err *err);
int runfile_open_bytes(struct runfile *out, struct bytes *take, const char *name,
                       struct err *err);
void runfile_close(struct runfile *r);
/* The text form, for people and tests. */
void runfile_print(const struct runfile *r, struct str *out);

struct runfile_out {
    struct str bytes; /* owned */
};
void runfile_begin(struct runfile_out *o, enum log_kind kind);
void runfile_add(struct runfile_out *o, struct log_record head, const void *data);
void runfile_choice(struct runfile_out *o, struct choice c);

/* Only sequentially consistent traces can be predicted from, or checked with. */
#define TRACE_WEAK_REFUSED                                                                    \
    "it has stale reads or early stores of atomics (--weak): nothing follows from the order " \
    "of its events"

static inline bool ev_is_weak(unsigned kind)
{
    return kind == EV_STALE || kind == EV_EARLY;
}

#endif
